//! A key in Java: `encode`, `decode` and what both need.

use std::collections::BTreeSet;

use rowkey_core::FieldId;
use rowkey_core::lowered::{
    Codec, Input, LoweredStep, Number, NumberOp, OnNull, Source, Text, TextOp, Value,
};
use rowkey_core::types::Nulls;

use super::lines::{Lines, bytes, string};
use super::names::{JavaField, Names};
use super::number::is_refusable;

/// Prints one key.
pub(super) struct CodecPrinter<'d> {
    pub(super) names: &'d Names,
    pub(super) codec: &'d Codec,
    /// The constants that the methods use.
    pub(super) constants: Lines,
    constant_texts: Vec<(String, String)>,
    /// More steps, by their place, that need a method of their own: `putPart1` for the first.
    pub(super) also: BTreeSet<usize>,
    next: usize,
}

/// A step that is encoded by a method of its own.
pub(super) struct Part {
    pub(super) name: String,
    pub(super) fields: Vec<FieldId>,
    /// Whether decoding encodes it again.
    is_checked: bool,
}

impl<'d> CodecPrinter<'d> {
    pub(super) fn new(names: &'d Names, codec: &'d Codec, indent: usize) -> Self {
        Self {
            names,
            codec,
            constants: Lines::at(indent),
            constant_texts: Vec::new(),
            also: BTreeSet::new(),
            next: 0,
        }
    }

    /// A variable that no other has.
    pub(super) fn fresh(&mut self, word: &str) -> String {
        self.next += 1;
        format!("{word}{}", self.next)
    }

    /// Takes back a variable that was not needed, if it is the last.
    pub(super) fn give_back(&mut self, name: &str) {
        let word = name.trim_end_matches(|digit: char| digit.is_ascii_digit());
        if name.get(word.len()..) == Some(self.next.to_string().as_str()) {
            self.next -= 1;
        }
    }

    /// The constant with this value.
    pub(super) fn constant(&mut self, word: &str, ty: &str, value: &str) -> String {
        let key = format!("{ty} {value}");
        if let Some((_, name)) = self.constant_texts.iter().find(|(known, _)| *known == key) {
            return name.clone();
        }
        let name = format!("{word}_{}", self.constant_texts.len() + 1);
        self.constants.line(format!("private static final {ty} {name} = {value};"));
        self.constant_texts.push((key, name.clone()));
        name
    }

    /// The constant with these bytes.
    pub(super) fn literal(&mut self, literal: &[u8]) -> String {
        self.constant("LITERAL", "byte[]", &bytes(literal))
    }

    /// The constant with these letters.
    pub(super) fn letters(&mut self, letters: &[char]) -> String {
        let all: Vec<String> = letters.iter().map(|letter| string(&letter.to_string())).collect();
        self.constant("LETTERS", "String[]", &format!("{{{}}}", all.join(", ")))
    }

    /// The constant with these codes.
    pub(super) fn codes(&mut self, codes: &[(String, String)]) -> String {
        let all: Vec<String> =
            codes.iter().map(|(from, to)| format!("{{{}, {}}}", string(from), string(to))).collect();
        self.constant("CODES", "String[][]", &format!("{{{}}}", all.join(", ")))
    }

    /// The fields that the key is made of, in the order of the record.
    pub(super) fn named(&self) -> Vec<FieldId> {
        let fields = self.codec.fields.iter().enumerate().filter(|(_, field)| field.in_key);
        fields.map(|(id, _)| FieldId(id)).collect()
    }

    /// Whether a part is drawn at random.
    pub(super) fn is_random(&self) -> bool {
        self.values().any(|value| match &value.source {
            Source::Number(number) => matches!(number.op, NumberOp::Random(_)),
            Source::Text(text) => matches!(text.op, TextOp::RandomLetter(_)),
            Source::Field(_) | Source::RowSalt => false,
        })
    }

    fn values(&self) -> impl Iterator<Item = &'d Value> + use<'d> {
        self.codec.steps.iter().filter_map(|step| match step {
            LoweredStep::Value(value) => Some(value),
            LoweredStep::Literal(_) => None,
        })
    }

    /// The methods of the key.
    pub(super) fn methods(&mut self, indent: usize) -> Lines {
        let mut lines = Lines::at(indent);
        let parts = self.parts();
        self.encode(&parts, &mut lines);
        let mut methods = lines.here();
        for (index, part) in parts.iter().enumerate() {
            if let (Some(part), Some(LoweredStep::Value(value))) = (part, self.codec.steps.get(index)) {
                methods.blank();
                self.part_method(part, value, &mut methods);
            }
        }
        lines.blank();
        self.decode(&parts, &mut lines);
        lines.lines(&methods);
        lines
    }

    /// Steps that decoding encodes again have a method; the row salt does without.
    pub(super) fn parts(&self) -> Vec<Option<Part>> {
        let part = |(index, step): (usize, &LoweredStep)| match step {
            LoweredStep::Value(value) if value.source != Source::RowSalt => {
                let is_checked = self.codec.checked.contains(&index);
                if !is_checked && !self.also.contains(&index) {
                    return None;
                }
                let mut fields = BTreeSet::new();
                all_fields(&value.source, &mut fields);
                let fields = fields.into_iter().collect();
                Some(Part { name: format!("putPart{}", index + 1), fields, is_checked })
            }
            _ => None,
        };
        self.codec.steps.iter().enumerate().map(part).collect()
    }

    fn parameters(&self, fields: &[FieldId]) -> String {
        let one = |id: &FieldId| {
            let field = self.names.field(*id);
            format!("{} {}", field.java_type(), field.java)
        };
        fields.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn encode(&mut self, parts: &[Option<Part>], lines: &mut Lines) {
        let named = self.named();
        let draws = if self.is_random() { ["IntUnaryOperator draws", "draws"] } else { ["", ""] };
        let with = |first: &str, more: &str| match (first, more) {
            (first, "") => first.to_owned(),
            ("", more) => more.to_owned(),
            (first, more) => format!("{first}, {more}"),
        };
        let random = if draws[0].is_empty() {
            ""
        } else {
            "\n\n<p>{@code draws} gives a number below its argument for each part that is drawn at random."
        };
        lines.doc(&format!(
            "Returns the row key of a record.{random}\n\n@throws KeyException if the record has no key"
        ));
        lines.open(format!("public static byte[] encode({}) {{", with("Record record", draws[0])));
        let values = named.iter().map(|id| format!("record.{}", self.names.field(*id).java));
        let values = values.collect::<Vec<_>>().join(", ");
        if named.is_empty() && draws[0].is_empty() {
            lines.line("return encode();");
        } else {
            lines.line(format!("return encode({});", with(&values, draws[1])));
        }
        lines.close("}");
        lines.blank();
        lines.doc("Returns the row key of these values.\n\n@throws KeyException if they have no key");
        lines.open(format!("public static byte[] encode({}) {{", with(&self.parameters(&named), draws[0])));
        for id in &named {
            let field = self.names.field(*id);
            if field.is_reference() && !field.nullable {
                lines.line(format!("present({}, {});", field.java, string(&field.name)));
            }
        }
        lines.line(format!("KeyWriter out = new KeyWriter({});", self.capacity()));
        self.next = 0;
        for (step, part) in self.codec.steps.iter().zip(parts) {
            match (step, part) {
                (LoweredStep::Literal(literal), _) if literal.len() == 1 => {
                    lines.line(format!(
                        "out.put8({});",
                        literal.iter().map(|one| byte_number(*one)).collect::<String>()
                    ));
                }
                (LoweredStep::Literal(literal), _) => {
                    let literal = self.literal(literal);
                    lines.line(format!("out.put({literal});"));
                }
                (LoweredStep::Value(_), Some(part)) => {
                    let arguments = part.fields.iter().map(|id| self.names.field(*id).java.as_str());
                    let arguments: Vec<&str> = std::iter::once("out").chain(arguments).collect();
                    lines.line(format!("{}({});", part.name, arguments.join(", ")));
                }
                (LoweredStep::Value(value), None) => self.put_value(value, lines),
            }
        }
        if let Some(buckets) = self.codec.row_salt {
            lines.line(format!("out.bytes[0] = (byte) javaBucket(javaBytesHash(out, 1), {buckets});"));
        }
        lines.line("return finish(out);");
        lines.close("}");
    }

    /// How many bytes a key has, or most keys.
    fn capacity(&self) -> String {
        let mut fixed = 0;
        let mut open = Vec::new();
        for step in &self.codec.steps {
            let value = match step {
                LoweredStep::Literal(literal) => {
                    fixed += literal.len();
                    continue;
                }
                LoweredStep::Value(value) => value,
            };
            fixed += usize::from(value.nulls != Nulls::Refused);
            match (self.width(value), &value.source) {
                (Some(width), _) => fixed += width,
                (None, Source::Field(id)) if !self.names.field(*id).nullable => {
                    let field = self.names.field(*id);
                    match field.java_type() {
                        "String" => open.push(format!("{}.length()", field.java)),
                        "byte[]" => open.push(format!("{}.length", field.java)),
                        _ => fixed += 16,
                    }
                    fixed += usize::from(!matches!(value.form, rowkey_core::lowered::Form::Plain { .. })) * 2;
                }
                _ => fixed += 16,
            }
        }
        open.insert(0, fixed.min(1024).to_string());
        open.join(" + ")
    }

    fn width(&self, value: &Value) -> Option<usize> {
        use rowkey_core::lowered::{End, Form};
        match (&value.end, value.form) {
            (End::Fixed(width), _) => Some(*width),
            (_, Form::OrderedInteger { bytes, .. } | Form::OrderedFloat(bytes)) => Some(1 + bytes),
            _ => None,
        }
    }

    fn part_method(&mut self, part: &Part, value: &Value, lines: &mut Lines) {
        let parameters = self.parameters(&part.fields);
        let parameters = if parameters.is_empty() { String::new() } else { format!(", {parameters}") };
        lines.open(format!("private static void {}(KeyWriter out{parameters}) {{", part.name));
        self.next = 0;
        self.put_value(value, lines);
        lines.close("}");
    }

    /// The statements that add a value.
    fn put_value(&mut self, value: &Value, lines: &mut Lines) {
        let mut nulls = BTreeSet::new();
        match &value.source {
            Source::Field(id) => {
                nulls.insert(*id);
            }
            Source::Number(number) => number_nulls(number, &mut nulls),
            Source::Text(text) => text_nulls(text, &mut nulls),
            Source::RowSalt => {}
        }
        let nullable = |id: &&FieldId| self.names.field(**id).nullable;
        let tests: Vec<String> = nulls
            .iter()
            .filter(nullable)
            .map(|id| format!("{} == null", self.names.field(*id).java))
            .collect();
        if !tests.is_empty() {
            lines.open(format!("if ({}) {{", tests.join(" || ")));
            if let Source::Number(number) = &value.source {
                self.refuse_beside_null(number, lines, &value.label);
            }
            match value.on_null {
                OnNull::Mark(byte) | OnNull::Byte(byte) => {
                    lines.line(format!("out.put8({});", byte_number(byte)));
                    lines.between("} else {");
                    self.put_marked(value, lines);
                    return lines.close("}");
                }
                OnNull::Refused(field) => {
                    let place = field.map_or(value.label.as_str(), |id| self.names.field(id).name.as_str());
                    lines.line(format!("throw nullValue({});", string(place)));
                    lines.close("}");
                }
            }
        }
        self.put_marked(value, lines);
    }

    fn put_marked(&mut self, value: &Value, lines: &mut Lines) {
        if value.nulls != Nulls::Refused {
            lines.line("out.put8(1);");
        }
        self.put_present(value, lines);
    }

    /// Of two sides of which one is null, the other may be refused.
    fn refuse_beside_null(&mut self, number: &Number, lines: &mut Lines, label: &str) {
        let (NumberOp::Add(left, right) | NumberOp::Subtract(left, right) | NumberOp::Multiply(left, right)) =
            &number.op
        else {
            return;
        };
        for side in [left, right] {
            let mut nulls = BTreeSet::new();
            number_nulls(side, &mut nulls);
            let tests: Vec<String> = nulls
                .iter()
                .map(|id| self.names.field(*id))
                .filter(|field| field.nullable)
                .map(|field| format!("{} != null", field.java))
                .collect();
            let mut block = lines.deeper();
            let code = self.number(side, &mut block, label);
            if is_refusable(&code.code) || !block.is_empty() {
                let name = self.fresh("number");
                let ty = if code.repr == super::number::Repr::Big { "BigInteger" } else { "long" };
                block.line(format!("{ty} {name} = {};", code.code));
                if tests.is_empty() {
                    lines.open("{");
                } else {
                    lines.open(format!("if ({}) {{", tests.join(" && ")));
                }
                lines.lines(&block);
                lines.close("}");
            }
            self.refuse_beside_null(side, lines, label);
        }
    }

    fn decode(&mut self, parts: &[Option<Part>], lines: &mut Lines) {
        lines.doc(
            "Returns the record of a row key, with the fields that come back from it; others are null, zero or \
             false.\n\n\
             @throws KeyException if the key was not written by this schema",
        );
        lines.open("public static Record decode(byte[] key) {");
        self.next = self.codec.steps.len();
        lines.line("KeyReader in = new KeyReader(key);");
        lines.line("Record record = new Record();");
        let checks: Vec<bool> =
            parts.iter().map(|part| part.as_ref().is_some_and(|part| part.is_checked)).collect();
        let whole = self.read_steps(&checks, lines);
        if whole {
            lines.line("ended(in);");
        }
        let checked: Vec<usize> = self.codec.checked.clone();
        if checked.iter().any(|index| matches!(parts.get(*index), Some(Some(_)))) {
            lines.line("KeyWriter out = new KeyWriter(32);");
        }
        for index in checked {
            let (Some(LoweredStep::Value(value)), Some(part)) =
                (self.codec.steps.get(index), parts.get(index))
            else {
                continue;
            };
            let label = string(&value.label);
            let Some(part) = part else {
                // The row salt.
                if let Some(buckets) = self.codec.row_salt {
                    lines.line("KeyWriter stored = new KeyWriter(key.length);");
                    lines.line("stored.put(key);");
                    lines.line(format!(
                        "stored.bytes[0] = (byte) javaBucket(javaBytesHash(stored, 1), {buckets});"
                    ));
                    lines.line("stored.length = 1;");
                    lines.line(format!("same(in, 0, 1, stored, {label});"));
                }
                continue;
            };
            let arguments = part.fields.iter().map(|id| format!("record.{}", self.names.field(*id).java));
            let arguments: Vec<String> = std::iter::once("out".to_owned()).chain(arguments).collect();
            let call = format!("{}({});", part.name, arguments.join(", "));
            if self.may_refuse(value) {
                lines.open("try {");
                lines.line(call);
                lines.between("} catch (KeyException refused) {");
                lines.line(format!("throw in.impossible({label});"));
                lines.close("}");
            } else {
                lines.line(call);
            }
            lines.line(format!("same(in, from{0}, to{0}, out, {label});", index + 1));
            lines.line("out.length = 0;");
        }
        lines.line("return record;");
        lines.close("}");
    }

    /// Whether encoding a value can be refused.
    fn may_refuse(&mut self, value: &Value) -> bool {
        let (constants, texts, next) = (self.constants.clone(), self.constant_texts.clone(), self.next);
        let mut lines = Lines::default();
        self.put_value(value, &mut lines);
        (self.constants, self.constant_texts, self.next) = (constants, texts, next);
        let text = lines.into_text();
        is_refusable(&text) || text.contains("throw ") || text.contains("\n    \"")
    }

    /// A variable for the place where bytes begin.
    pub(super) fn begin(&mut self, lines: &mut Lines) -> String {
        let from = self.fresh("from");
        lines.line(format!("int {from} = out.length;"));
        from
    }

    /// Adds what a hash hashes; nulls add nothing.
    pub(super) fn inputs(&mut self, inputs: &[Input], lines: &mut Lines, label: &str) {
        for input in inputs {
            let mut nulls = BTreeSet::new();
            match input {
                Input::Field(id, _) => {
                    nulls.insert(*id);
                }
                Input::Number(number, _) => number_nulls(number, &mut nulls),
                Input::Text(text) => text_nulls(text, &mut nulls),
            }
            let fields: Vec<&JavaField> = nulls.iter().map(|id| self.names.field(*id)).collect();
            let tests: Vec<String> = fields
                .iter()
                .filter(|field| field.nullable)
                .map(|field| format!("{} != null", field.java))
                .collect();
            if tests.is_empty() {
                self.input(input, lines, label);
                continue;
            }
            lines.open(format!("if ({}) {{", tests.join(" && ")));
            self.input(input, lines, label);
            lines.close("}");
        }
    }
}

/// A byte as a number of Java.
pub(super) fn byte_number(byte: u8) -> String {
    match byte {
        b' '..=b'~' => super::lines::character(char::from(byte)),
        _ => format!("0x{byte:02X}"),
    }
}

/// The fields that make a number null.
pub(super) fn number_nulls(number: &Number, nulls: &mut BTreeSet<FieldId>) {
    match &number.op {
        NumberOp::Field(id) => {
            nulls.insert(*id);
        }
        NumberOp::FromLongMax(of)
        | NumberOp::Divide(of, _)
        | NumberOp::Modulo(of, _)
        | NumberOp::Remainder(of, _) => number_nulls(of, nulls),
        NumberOp::Add(left, right) | NumberOp::Subtract(left, right) | NumberOp::Multiply(left, right) => {
            number_nulls(left, nulls);
            number_nulls(right, nulls);
        }
        NumberOp::Constant(_)
        | NumberOp::Hash(..)
        | NumberOp::Salt(..)
        | NumberOp::PhoenixSalt(..)
        | NumberOp::OpenTsdbSalt(..)
        | NumberOp::Random(_) => {}
    }
}

/// The fields that make a text null.
fn text_nulls(text: &Text, nulls: &mut BTreeSet<FieldId>) {
    match &text.op {
        TextOp::Field(id) => {
            nulls.insert(*id);
        }
        TextOp::Str(of) | TextOp::ReverseDigits(of, _) | TextOp::Date(of, _) => number_nulls(of, nulls),
        TextOp::Reverse(of)
        | TextOp::SubStr(of, ..)
        | TextOp::Upper(of)
        | TextOp::LowerEach(of)
        | TextOp::Lower(of)
        | TextOp::Pad(_, of, ..)
        | TextOp::Code(of, _) => text_nulls(of, nulls),
        TextOp::Hex(..) | TextOp::Digest(..) | TextOp::Letter(..) | TextOp::RandomLetter(_) => {}
    }
}

/// All fields that a value is computed from.
fn all_fields(source: &Source, fields: &mut BTreeSet<FieldId>) {
    match source {
        Source::Field(id) => {
            fields.insert(*id);
        }
        Source::Number(number) => number_fields(number, fields),
        Source::Text(text) => text_fields(text, fields),
        Source::RowSalt => {}
    }
}

fn number_fields(number: &Number, fields: &mut BTreeSet<FieldId>) {
    number_nulls(number, fields);
    match &number.op {
        NumberOp::FromLongMax(of)
        | NumberOp::Divide(of, _)
        | NumberOp::Modulo(of, _)
        | NumberOp::Remainder(of, _) => number_fields(of, fields),
        NumberOp::Add(left, right) | NumberOp::Subtract(left, right) | NumberOp::Multiply(left, right) => {
            number_fields(left, fields);
            number_fields(right, fields);
        }
        NumberOp::Hash(_, inputs)
        | NumberOp::Salt(_, inputs)
        | NumberOp::PhoenixSalt(_, inputs)
        | NumberOp::OpenTsdbSalt(_, inputs) => input_fields(inputs, fields),
        NumberOp::Field(_) | NumberOp::Constant(_) | NumberOp::Random(_) => {}
    }
}

fn text_fields(text: &Text, fields: &mut BTreeSet<FieldId>) {
    text_nulls(text, fields);
    match &text.op {
        TextOp::Str(of) | TextOp::ReverseDigits(of, _) | TextOp::Date(of, _) => number_fields(of, fields),
        TextOp::Reverse(of)
        | TextOp::SubStr(of, ..)
        | TextOp::Upper(of)
        | TextOp::LowerEach(of)
        | TextOp::Lower(of)
        | TextOp::Pad(_, of, ..)
        | TextOp::Code(of, _) => text_fields(of, fields),
        TextOp::Hex(_, inputs) | TextOp::Digest(_, inputs, _) | TextOp::Letter(_, inputs) => {
            input_fields(inputs, fields)
        }
        TextOp::Field(_) | TextOp::RandomLetter(_) => {}
    }
}

fn input_fields(inputs: &[Input], fields: &mut BTreeSet<FieldId>) {
    for input in inputs {
        match input {
            Input::Field(id, _) => {
                fields.insert(*id);
            }
            Input::Number(number, _) => number_fields(number, fields),
            Input::Text(text) => text_fields(text, fields),
        }
    }
}
