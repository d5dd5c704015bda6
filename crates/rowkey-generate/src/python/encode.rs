//! From a record to its key: the functions `encode` of a table and of its index tables.
//!
//! A key with numbers of a fixed width has a short way, which packs neighbours by one `struct.Struct` and leaves the
//! checks to it: what does not fit raises, and the step-by-step way then says what is wrong.

use rowkey_core::FieldId;
use rowkey_core::lowered::{
    Codec, CodecField, DatePiece, End, Form, HashFunction, Input, LoweredStep, Number, NumberOp, OnNull,
    Side, Source, Text, TextOp, Value,
};
use rowkey_core::types::{IntForm, Kind, Nulls, Order};

use super::layout::{Py, atom, binary, bytes, call, number, statement, text};
use super::record::{Names, docstring, octets};

/// Prints the functions of one key.
pub(super) struct Encoder<'d> {
    pub(super) codec: &'d Codec,
    pub(super) names: &'d Names,
    /// What stands behind the names of its functions: nothing, or `_` and the name of an index table.
    pub(super) suffix: &'d str,
    /// Parts that have a function besides those that decoding computes again: what queries ask for.
    pub(super) also: Vec<usize>,
}

/// A key's numbers that are packed at once.
#[derive(Default)]
struct Run {
    format: String,
    values: Vec<Py>,
}

impl Run {
    fn add(&mut self, format: &str, value: Py) {
        self.format.push_str(format);
        self.values.push(value);
    }
}

/// The short way of a key.
#[derive(Default)]
struct Short {
    constants: String,
    /// Texts that are looked at before they are added.
    variables: Vec<(String, Py)>,
    terms: Vec<Py>,
    /// Where one of these holds, the long way finds what is wrong.
    conditions: Vec<String>,
    /// How many terms pack numbers.
    runs: usize,
    /// Whether keys may be too long.
    is_open: bool,
}

impl<'d> Encoder<'d> {
    pub(super) fn new(codec: &'d Codec, names: &'d Names, suffix: &'d str) -> Self {
        Self { codec, names, suffix, also: Vec::new() }
    }

    fn field(&self, id: FieldId) -> &CodecField {
        self.codec.fields.get(id.0).expect("a field id comes from the fields of its codec")
    }

    /// Whether it takes a generator of random numbers.
    pub(super) fn is_random(&self) -> bool {
        let random = |step: &LoweredStep| match step {
            LoweredStep::Value(Value { source: Source::Number(number), .. }) => {
                matches!(number.op, NumberOp::Random(_))
            }
            LoweredStep::Value(Value { source: Source::Text(text), .. }) => {
                matches!(text.op, TextOp::RandomLetter(_))
            }
            _ => false,
        };
        self.codec.steps.iter().any(random)
    }

    /// Constants, the functions of parts that are computed again, and `encode`.
    pub(super) fn print(&self, out: &mut String, about: &str) {
        self.codes(out);
        for (index, step) in self.codec.steps.iter().enumerate() {
            if let LoweredStep::Value(value) = step
                && self.has_function(index, value)
            {
                let name = self.part_function(index);
                let doc = docstring(&super::record::one_line(&value.label));
                out.push_str(&format!("\n\ndef {name}(record: Record) -> bytes:\n    {doc}\n"));
                self.value(out, value, true);
            }
        }
        let short = self.short_way();
        if let Some((constants, _)) = &short {
            out.push_str("\n\n");
            out.push_str(constants);
        }
        let parameters =
            if self.is_random() { "record: Record, draw: Callable[[int], int]" } else { "record: Record" };
        let name = format!("encode{}", self.suffix);
        out.push_str(&format!("\n\ndef {name}({parameters}) -> bytes:\n"));
        let draw = if self.is_random() {
            "\n\n    `draw` gives a random number below its argument, as random.randrange does."
        } else {
            ""
        };
        let raises = "Raises RowKeyError if the record has none, as it does for a value that does not fit.";
        let doc = format!("{about}\n\n    {raises}{draw}\n    ");
        out.push_str(&format!("    {}\n", docstring(&doc)));
        match short {
            None => self.steps(out),
            Some((_, body)) => {
                out.push_str(&body);
                out.push_str(&format!("    return _{name}_checked(record)\n"));
                out.push_str(&format!("\n\ndef _{name}_checked(record: Record) -> bytes:\n"));
                out.push_str("    \"\"\"Step by step, which says what is wrong with a record.\"\"\"\n");
                self.steps(out);
            }
        }
    }

    /// The name of the function of a part.
    pub(super) fn part_function(&self, index: usize) -> String {
        format!("_part_{}{}", index + 1, self.suffix)
    }

    /// Whether a part has a function of its own: one that decoding computes again.
    fn has_function(&self, index: usize, value: &Value) -> bool {
        (self.codec.checked.contains(&index) || self.also.contains(&index)) && value.source != Source::RowSalt
    }

    /// The texts of `code` and what is written for them.
    fn codes(&self, out: &mut String) {
        let all = self.all_codes();
        if !all.is_empty() {
            out.push_str("\n\n");
        }
        for codes in all {
            let pair = |(from, to): &(String, String)| {
                atom(format!("{}: {}", bytes(from.as_bytes()).flat(), bytes(to.as_bytes()).flat()))
            };
            let all =
                Py::Brackets { open: "{".to_owned(), inner: codes.iter().map(pair).collect(), close: '}' };
            statement(out, 0, &format!("{} = ", self.codes_name(codes)), &all, "");
        }
    }

    fn all_codes(&self) -> Vec<&[(String, String)]> {
        let mut all = Vec::new();
        for step in &self.codec.steps {
            match step {
                LoweredStep::Value(Value { source: Source::Text(text), .. }) => codes_of_text(text, &mut all),
                LoweredStep::Value(Value { source: Source::Number(number), .. }) => {
                    codes_of_number(number, &mut all)
                }
                _ => {}
            }
        }
        all
    }

    /// The constant of the texts of a `code`.
    pub(super) fn codes_name(&self, codes: &[(String, String)]) -> String {
        let at = self.all_codes().iter().position(|known| *known == codes).unwrap_or(0);
        format!("_CODES_{}{}", at + 1, self.suffix.to_uppercase())
    }

    /// The body of a function that goes step by step.
    fn steps(&self, out: &mut String) {
        out.push_str("    key = b\"\"\n");
        for (index, step) in self.codec.steps.iter().enumerate() {
            match step {
                LoweredStep::Literal(literal) => statement(out, 4, "key += ", &bytes(literal), ""),
                LoweredStep::Value(value) if self.has_function(index, value) => {
                    statement(out, 4, "key += ", &call(&self.part_function(index), [atom("record")]), "");
                }
                LoweredStep::Value(value) => self.value(out, value, false),
            }
        }
        if let Some(buckets) = self.codec.row_salt {
            out.push_str(&format!("    key = bytes((_phoenix_salt({buckets}, key),)) + key\n"));
        }
        out.push_str("    return _checked_key(key)\n");
    }

    /// The statements of a value, which is added to the key or returned.
    fn value(&self, out: &mut String, value: &Value, returns: bool) {
        let add = if returns { "return " } else { "key += " };
        if value.source == Source::RowSalt {
            return;
        }
        let place = self.place(value);
        let null = match value.on_null {
            OnNull::Mark(byte) | OnNull::Byte(byte) => Some(byte),
            OnNull::Refused(_) => None,
        };
        let data = self.data(value, &place);
        let fields = strict_fields(&value.source);
        let nullable: Vec<String> = fields
            .iter()
            .filter(|id| {
                null.is_some() && (self.field(**id).nullable || matches!(value.source, Source::Field(_)))
            })
            .map(|id| format!("{} is None", self.names.of_record(*id)))
            .collect();
        let is_marked = value.nulls != Nulls::Refused;
        if nullable.is_empty() {
            let before = if is_marked { format!("{add}b\"\\x01\" + ") } else { add.to_owned() };
            statement(out, 4, &before, &data, "");
            return;
        }
        out.push_str(&format!("    if {}:\n", nullable.join(" or ")));
        statement(out, 8, add, &bytes(&null.into_iter().collect::<Vec<u8>>()), "");
        if returns {
            let before = if is_marked { "return b\"\\x01\" + " } else { "return " };
            statement(out, 4, before, &data, "");
        } else {
            out.push_str("    else:\n");
            let before = if is_marked { "key += b\"\\x01\" + " } else { "key += " };
            statement(out, 8, before, &data, "");
        }
    }

    /// The field or part that refusals of a value's bytes name.
    fn place(&self, value: &Value) -> String {
        match value.source {
            Source::Field(id) => self.field(id).name.clone(),
            _ => value.label.clone(),
        }
    }

    /// The bytes of a value that is there.
    fn data(&self, value: &Value, place: &str) -> Py {
        let data = match &value.source {
            Source::Field(id) => self.field_bytes(*id, value.form, place),
            Source::Number(of) => self.number_bytes(self.number(of, value), value.form, place),
            Source::Text(of) => framed(self.text(of, value), value.form, place),
            Source::RowSalt => atom("b\"\""),
        };
        let data = if value.order == Order::Descending { call("_complement", [data]) } else { data };
        match &value.end {
            End::Literal(end) => call("_ended", [data, bytes(end), text(&value.label)]),
            _ => data,
        }
    }

    /// The ascending bytes of a field.
    fn field_bytes(&self, id: FieldId, form: Form, place: &str) -> Py {
        let field = self.field(id);
        let value = atom(self.names.of_record(id));
        match form {
            Form::Integer { .. } | Form::OrderedInteger { .. } | Form::Digits(_) | Form::Seconds => {
                let own = match form {
                    Form::Integer { low, high, .. } | Form::OrderedInteger { low, high, .. } => {
                        Some((low, high))
                    }
                    Form::Digits(width) => {
                        Some((0, 10_i128.checked_pow(width as u32).map_or(i128::MAX, |end| end - 1)))
                    }
                    _ => field.range,
                };
                // A part that takes more than its field is no way around the field's type.
                let is_narrower = match (field.range, own) {
                    (Some((low, high)), Some((form_low, form_high))) => low > form_low || high < form_high,
                    _ => false,
                };
                let value = if is_narrower { self.whole(id) } else { value };
                self.number_bytes(value, form, place)
            }
            Form::OrderedNumeric { is_whole } => {
                let value = if is_whole { self.whole(id) } else { value };
                self.number_bytes(value, form, place)
            }
            Form::Float(width) | Form::OrderedFloat(width) => {
                let is_wider = width == 8 && field.ty.is_single();
                let value = if is_wider { call("_single", [value, text(place)]) } else { value };
                let function = match (form, width) {
                    (Form::Float(_), 8) => "_f64",
                    (Form::Float(_), _) => "_f32",
                    (_, 8) => "_ordered_f64",
                    _ => "_ordered_f32",
                };
                call(function, [value, text(place)])
            }
            Form::Bool => call("_bool", [value, text(place)]),
            Form::Octets(own) => call(&format!("_{}", octets(own).0), [value, text(place)]),
            Form::Plain { .. }
            | Form::Fixed { .. }
            | Form::Escaped
            | Form::OrderedText
            | Form::OrderedBytes => {
                let function = if field.ty.kind() == Kind::Bytes { "_bytes" } else { "_text" };
                framed(call(function, [value, text(place)]), form, place)
            }
        }
    }

    /// A field of whole numbers, within its own bounds.
    fn whole(&self, id: FieldId) -> Py {
        let field = self.field(id);
        let (low, high) = field.range.unwrap_or((i128::MIN, i128::MAX));
        let value = atom(self.names.of_record(id));
        call("_whole", [value, number(low), number(high), text(&field.name)])
    }

    /// The ascending bytes of a number.
    fn number_bytes(&self, value: Py, form: Form, place: &str) -> Py {
        match form {
            Form::Integer { bytes, sign, .. } => {
                let function = match sign {
                    IntForm::Unsigned => "_unsigned",
                    IntForm::SignFlipped => "_signed",
                    IntForm::TwosComplement => "_twos",
                };
                call(function, [value, number(bytes), text(place)])
            }
            Form::Seconds => call("_seconds", [value, text(place)]),
            Form::Digits(width) => call("_decimal", [value, number(width), text(place)]),
            Form::OrderedInteger { bytes, .. } => call("_ordered_int", [value, number(bytes), text(place)]),
            _ => call("_ordered_numeric", [value, text(place)]),
        }
    }

    /// A computed number.
    fn number(&self, of: &Number, value: &Value) -> Py {
        let inner = |of: &Number| self.number(of, value);
        let part = || text(&value.label);
        let wide = |py: Py, of: &Number| {
            // At the ends of 128 bits the bounds are cut off.
            if of.low > i128::MIN && of.high < i128::MAX { py } else { call("_wide", [py, part()]) }
        };
        match &of.op {
            NumberOp::Field(id) => {
                let field = self.field(*id);
                let (low, high) = field.range.unwrap_or((i128::MIN, i128::MAX));
                let leaf = atom(self.names.of_record(*id));
                let leaf = self.needed(leaf, *id, value);
                call("_whole", [leaf, number(low), number(high), text(&field.name)])
            }
            NumberOp::Constant(constant) => number(constant),
            NumberOp::FromLongMax(of) => call("_from_long_max", [inner(of), part()]),
            NumberOp::Add(left, right) => wide(binary(inner(left), "+", inner(right)), of),
            NumberOp::Subtract(left, right) => wide(binary(inner(left), "-", inner(right)), of),
            NumberOp::Multiply(left, right) => wide(binary(inner(left), "*", inner(right)), of),
            NumberOp::Divide(left, by) => binary(inner(left), "//", number(by)),
            NumberOp::Modulo(left, by) => binary(inner(left), "%", number(by)),
            NumberOp::Remainder(left, by) => call("_remainder", [inner(left), number(by)]),
            NumberOp::Hash(HashFunction::JavaHash, inputs) => call("_java_hash", self.inputs(inputs, value)),
            NumberOp::Hash(function, inputs) => {
                call(&format!("_{}", function.name()), [self.input(inputs, value)])
            }
            NumberOp::Salt(count, inputs) => call("_salt", [number(count), self.input(inputs, value)]),
            NumberOp::PhoenixSalt(count, inputs) => {
                call("_phoenix_salt", [number(count), self.input(inputs, value)])
            }
            NumberOp::OpenTsdbSalt(count, inputs) => {
                call("_opentsdb_salt", std::iter::once(number(count)).chain(self.inputs(inputs, value)))
            }
            NumberOp::Random(count) => call("_draw", [atom("draw"), number(count), part()]),
        }
    }

    /// A field in an expression: where null is refused in the name of the part, that is said first.
    fn needed(&self, leaf: Py, id: FieldId, value: &Value) -> Py {
        match value.on_null {
            OnNull::Refused(named) if named != Some(id) && !strict_fields(&value.source).is_empty() => {
                call("_required", [leaf, text(&value.label)])
            }
            _ => leaf,
        }
    }

    /// A computed text.
    fn text(&self, of: &Text, value: &Value) -> Py {
        let inner = |of: &Text| self.text(of, value);
        let part = || text(&value.label);
        match &of.op {
            TextOp::Field(id) => {
                let field = self.field(*id);
                let leaf = self.needed(atom(self.names.of_record(*id)), *id, value);
                let function = if field.ty.kind() == Kind::Bytes { "_bytes" } else { "_text" };
                let plain = call(function, [leaf, text(&field.name)]);
                match field.ty {
                    rowkey_core::Type::Fixed(width) => {
                        call("_fixed", [plain, number(width), text(&field.name)])
                    }
                    _ => plain,
                }
            }
            TextOp::Hex(function, inputs) => {
                call("_hex", [call(&format!("_{}", function.name()), [self.input(inputs, value)])])
            }
            TextOp::Digest(function, inputs, length) => {
                call(&format!("_{}", function.name()), [self.input(inputs, value), number(length)])
            }
            TextOp::Letter(letters, inputs) => {
                let bucket = call("_salt", [number(letters.len()), self.input(inputs, value)]);
                call("_letter", [text(&letters.iter().collect::<String>()), bucket])
            }
            TextOp::RandomLetter(letters) => {
                let drawn = call("_draw", [atom("draw"), number(letters.len()), part()]);
                call("_letter", [text(&letters.iter().collect::<String>()), drawn])
            }
            TextOp::Str(of) => call("_digits", [self.number(of, value)]),
            TextOp::ReverseDigits(of, width) => {
                call("_reverse", [call("_decimal", [self.number(of, value), number(width), part()])])
            }
            TextOp::Reverse(of) => call("_reverse", [inner(of)]),
            TextOp::SubStr(of, from, to) => call("_cut", [inner(of), number(from), number(to), part()]),
            TextOp::Upper(of) => call("_upper", [inner(of)]),
            TextOp::LowerEach(of) => call("_lower_each", [inner(of)]),
            TextOp::Lower(of) => call("_lower", [inner(of)]),
            TextOp::Pad(side, of, pad, width) => {
                let function = if *side == Side::Left { "_pad_left" } else { "_pad_right" };
                call(function, [inner(of), bytes(&[*pad]), number(width), part()])
            }
            TextOp::Code(of, codes) => call("_code", [inner(of), atom(self.codes_name(codes)), part()]),
            TextOp::Date(of, pieces) => {
                call("_date", [self.number(of, value), text(&date_format(pieces)), part()])
            }
        }
    }

    /// What a hash hashes, as one.
    fn input(&self, inputs: &[Input], value: &Value) -> Py {
        let mut all = self.inputs(inputs, value);
        match all.pop() {
            Some(one) if all.is_empty() => one,
            Some(last) => {
                all.push(last);
                let several = Py::Brackets { open: "(".to_owned(), inner: all, close: ')' };
                call("b\"\".join", [several])
            }
            None => atom("b\"\""),
        }
    }

    fn inputs(&self, inputs: &[Input], value: &Value) -> Vec<Py> {
        // A refusal of null is the field's own: a part that is all hash has none.
        inputs
            .iter()
            .map(|input| {
                let (data, fields) = match input {
                    Input::Field(id, form) => {
                        (self.field_bytes(*id, *form, &self.field(*id).name), vec![*id])
                    }
                    Input::Number(of, form) => {
                        let fields = fields_of_number(of);
                        (self.number_bytes(self.number(of, value), *form, &value.label), fields)
                    }
                    Input::Text(of) => (self.text(of, value), fields_of_text(of)),
                };
                let nullable: Vec<FieldId> =
                    fields.into_iter().filter(|id| self.field(*id).nullable).collect();
                nullable.into_iter().fold(data, |data, id| {
                    call("_unless_none", [atom(self.names.of_record(id)), data.lambda()])
                })
            })
            .collect()
    }

    /// The short way of a key, if it has one: constants, and the body up to the call of the other.
    fn short_way(&self) -> Option<(String, String)> {
        let is_nullable = |value: &Value| !matches!(value.on_null, OnNull::Refused(_));
        let mut steps = self.codec.steps.iter();
        let any_null = steps.any(|step| matches!(step, LoweredStep::Value(value) if is_nullable(value)));
        if self.is_random() || self.codec.row_salt.is_some() || any_null {
            return None;
        }
        let (mut run, mut short) = (Run::default(), Short::default());
        for (index, step) in self.codec.steps.iter().enumerate() {
            match step {
                LoweredStep::Literal(literal) => run.add(&format!("{}s", literal.len()), bytes(literal)),
                LoweredStep::Value(value) => match self.packed(value, &mut short) {
                    Some((format, packed)) => run.add(format, packed),
                    None => {
                        self.close(&mut run, &mut short);
                        let term = self.short_text(value, &mut short);
                        let place = self.place(value);
                        short.terms.push(term.unwrap_or_else(|| match self.has_function(index, value) {
                            true => call(&self.part_function(index), [atom("record")]),
                            false => self.data(value, &place),
                        }));
                        short.is_open |= !matches!(value.end, End::Fixed(_));
                    }
                },
            }
        }
        self.close(&mut run, &mut short);
        if short.runs == 0 {
            return None;
        }
        if short.is_open {
            short.conditions.push("len(key) > 32767".to_owned());
        }
        let mut body = String::from("    try:\n");
        for (variable, py) in &short.variables {
            statement(&mut body, 8, &format!("{variable} = "), py, "");
        }
        let (first, rest) = short.terms.split_first()?;
        let is_plain = rest.is_empty() && short.conditions.is_empty();
        statement(&mut body, 8, if is_plain { "return " } else { "key = " }, first, "");
        rest.iter().for_each(|term| statement(&mut body, 8, "key += ", term, ""));
        if !is_plain {
            for condition in &short.conditions {
                body.push_str(&format!("        if {condition}:\n            raise ValueError\n"));
            }
            body.push_str("        return key\n");
        }
        body.push_str("    except (AttributeError, TypeError, ValueError, struct.error):\n        pass\n");
        Some((short.constants, body))
    }

    /// Ends a run of packed numbers.
    fn close(&self, run: &mut Run, short: &mut Short) {
        let Run { format, values } = std::mem::take(run);
        match values.as_slice() {
            [] => {}
            // A literal alone needs no packing.
            [literal] if format.ends_with('s') => short.terms.push(literal.clone()),
            _ => {
                short.runs += 1;
                let name = format!("_PACK_{}{}", short.runs, self.suffix.to_uppercase());
                short.constants.push_str(&format!("{name} = struct.Struct(\">{format}\").pack\n"));
                short.terms.push(call(&name, values));
            }
        }
    }

    /// The format and value of a number that is packed with its neighbours: a field in its own bounds, or a salt.
    fn packed(&self, value: &Value, short: &mut Short) -> Option<(&'static str, Py)> {
        let Form::Integer { bytes: width, sign, low, high } = value.form else { return None };
        if value.nulls != Nulls::Refused {
            return None;
        }
        let unsigned = match width {
            1 => "B",
            2 => "H",
            4 => "I",
            _ => "Q",
        };
        match &value.source {
            Source::Field(id) => {
                let name = self.names.of_record(*id);
                if self.field(*id).range != Some((low, high)) {
                    return None;
                }
                let half = -low;
                let py = match (sign, value.order) {
                    (IntForm::Unsigned, Order::Ascending) => atom(name),
                    (_, Order::Ascending) => atom(format!("{name} + {}", hex(half))),
                    (_, Order::Descending) => atom(format!("{} - {name}", hex(high))),
                };
                if sign == IntForm::TwosComplement {
                    let signed = match width {
                        1 => "b",
                        2 => "h",
                        4 => "i",
                        _ => "q",
                    };
                    let name = self.names.of_record(*id);
                    let py =
                        if value.order == Order::Ascending { atom(name) } else { atom(format!("~{name}")) };
                    return Some((signed, py));
                }
                Some((unsigned, py))
            }
            Source::Number(Number { op: NumberOp::Salt(count, inputs), .. })
                if sign == IntForm::Unsigned && value.order == Order::Ascending =>
            {
                Some((unsigned, binary(call("_murmur3", [self.salted(inputs, value)]), "%", number(count))))
            }
            Source::Number(Number { op: NumberOp::FromLongMax(of), .. })
                if sign == IntForm::TwosComplement && width == 8 && value.order == Order::Ascending =>
            {
                let NumberOp::Field(id) = of.op else { return None };
                let name = self.names.of_record(id);
                short.conditions.push(format!("not 0 <= {name} <= {}", hex(high)));
                Some(("q", atom(format!("{} - {name}", hex(high)))))
            }
            _ => None,
        }
    }

    /// What a salt hashes: one number is packed.
    fn salted(&self, inputs: &[Input], value: &Value) -> Py {
        if let [Input::Field(id, Form::Integer { bytes, sign, low, high })] = inputs
            && *sign != IntForm::SignFlipped
            && !self.field(*id).nullable
            && self.field(*id).range == Some((*low, *high))
        {
            let bits = if *sign == IntForm::Unsigned {
                format!("_U{}", 8 * bytes)
            } else {
                format!("_I{}", 8 * bytes)
            };
            return call(&format!("_PACK{bits}"), [atom(self.names.of_record(*id))]);
        }
        self.input(inputs, value)
    }

    /// A text in the short way, with the variable that it has where it is looked at.
    fn short_text(&self, value: &Value, short: &mut Short) -> Option<Py> {
        let Source::Field(id) = value.source else { return None };
        let is_plain = value.order == Order::Ascending
            && value.form == (Form::Plain { is_text: true })
            && self.field(id).ty.kind() == Kind::Text;
        let encoded = call(&format!("{}.encode", self.names.of_record(id)), []);
        match &value.end {
            _ if !is_plain => None,
            End::KeyEnd | End::Unclear => Some(encoded),
            End::Literal(literal) => {
                let variable = self.names.local(id).to_owned();
                let end = bytes(literal).flat();
                short.conditions.push(if literal.len() == 1 {
                    format!("{end} in {variable}")
                } else {
                    format!("({variable} + {end}).find({end}) < len({variable})")
                });
                short.variables.push((variable.clone(), encoded));
                Some(atom(variable))
            }
            _ => None,
        }
    }
}

fn hex(number: i128) -> String {
    format!("0x{number:X}")
}

/// Text in the frame of its form.
fn framed(data: Py, form: Form, place: &str) -> Py {
    match form {
        Form::Fixed { bytes, .. } => call("_fixed", [data, number(bytes), text(place)]),
        Form::Escaped => call("_escaped", [data]),
        Form::OrderedText => call("_ordered_text", [data, text(place)]),
        Form::OrderedBytes => call("_ordered_bytes", [data]),
        _ => data,
    }
}

fn date_format(pieces: &[DatePiece]) -> String {
    let one = |piece: &DatePiece| match piece {
        DatePiece::Year => "{t.year:04}".to_owned(),
        DatePiece::Month => "{t.month:02}".to_owned(),
        DatePiece::Day => "{t.day:02}".to_owned(),
        DatePiece::Hour => "{t.hour:02}".to_owned(),
        DatePiece::Minute => "{t.minute:02}".to_owned(),
        DatePiece::Second => "{t.second:02}".to_owned(),
        DatePiece::Milli => "{milli:03}".to_owned(),
        DatePiece::Text(text) => text.replace('{', "{{").replace('}', "}}"),
    };
    pieces.iter().map(one).collect()
}

fn codes_of_text<'t>(text: &'t Text, found: &mut Vec<&'t [(String, String)]>) {
    match &text.op {
        TextOp::Code(of, codes) => {
            if !found.contains(&codes.as_slice()) {
                found.push(codes);
            }
            codes_of_text(of, found);
        }
        TextOp::Reverse(of)
        | TextOp::SubStr(of, ..)
        | TextOp::Upper(of)
        | TextOp::LowerEach(of)
        | TextOp::Lower(of)
        | TextOp::Pad(_, of, ..) => codes_of_text(of, found),
        TextOp::Hex(_, inputs) | TextOp::Digest(_, inputs, _) | TextOp::Letter(_, inputs) => {
            codes_of_inputs(inputs, found);
        }
        TextOp::Field(_)
        | TextOp::RandomLetter(_)
        | TextOp::Str(_)
        | TextOp::ReverseDigits(..)
        | TextOp::Date(..) => {}
    }
}

fn codes_of_number<'t>(number: &'t Number, found: &mut Vec<&'t [(String, String)]>) {
    match &number.op {
        NumberOp::Hash(_, inputs)
        | NumberOp::Salt(_, inputs)
        | NumberOp::PhoenixSalt(_, inputs)
        | NumberOp::OpenTsdbSalt(_, inputs) => codes_of_inputs(inputs, found),
        NumberOp::FromLongMax(of)
        | NumberOp::Divide(of, _)
        | NumberOp::Modulo(of, _)
        | NumberOp::Remainder(of, _) => {
            codes_of_number(of, found);
        }
        NumberOp::Add(left, right) | NumberOp::Subtract(left, right) | NumberOp::Multiply(left, right) => {
            codes_of_number(left, found);
            codes_of_number(right, found);
        }
        NumberOp::Field(_) | NumberOp::Constant(_) | NumberOp::Random(_) => {}
    }
}

fn codes_of_inputs<'t>(inputs: &'t [Input], found: &mut Vec<&'t [(String, String)]>) {
    for input in inputs {
        match input {
            Input::Text(text) => codes_of_text(text, found),
            Input::Number(number, _) => codes_of_number(number, found),
            Input::Field(..) => {}
        }
    }
}

/// The fields whose null makes a source null.
pub(super) fn strict_fields(source: &Source) -> Vec<FieldId> {
    match source {
        Source::Field(id) => vec![*id],
        Source::Number(number) => fields_of_number(number),
        Source::Text(text) => fields_of_text(text),
        Source::RowSalt => Vec::new(),
    }
}

fn fields_of_number(number: &Number) -> Vec<FieldId> {
    match &number.op {
        NumberOp::Field(id) => vec![*id],
        NumberOp::FromLongMax(of)
        | NumberOp::Divide(of, _)
        | NumberOp::Modulo(of, _)
        | NumberOp::Remainder(of, _) => fields_of_number(of),
        NumberOp::Add(left, right) | NumberOp::Subtract(left, right) | NumberOp::Multiply(left, right) => {
            let mut all = fields_of_number(left);
            for id in fields_of_number(right) {
                if !all.contains(&id) {
                    all.push(id);
                }
            }
            all
        }
        NumberOp::Constant(_)
        | NumberOp::Hash(..)
        | NumberOp::Salt(..)
        | NumberOp::PhoenixSalt(..)
        | NumberOp::OpenTsdbSalt(..)
        | NumberOp::Random(_) => Vec::new(),
    }
}

fn fields_of_text(text: &Text) -> Vec<FieldId> {
    match &text.op {
        TextOp::Field(id) => vec![*id],
        TextOp::Str(of) | TextOp::ReverseDigits(of, _) | TextOp::Date(of, _) => fields_of_number(of),
        TextOp::Reverse(of)
        | TextOp::SubStr(of, ..)
        | TextOp::Upper(of)
        | TextOp::LowerEach(of)
        | TextOp::Lower(of)
        | TextOp::Pad(_, of, ..)
        | TextOp::Code(of, _) => fields_of_text(of),
        TextOp::Hex(..) | TextOp::Digest(..) | TextOp::Letter(..) | TextOp::RandomLetter(_) => Vec::new(),
    }
}
