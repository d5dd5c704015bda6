//! From a key to its record: the functions `decode` of a table and of its index tables.

use rowkey_core::lowered::{Back, CodecField, End, Form, LoweredStep, OnNull, Source, Undo, Value};
use rowkey_core::ordered::OrderedType;
use rowkey_core::types::{IntForm, Kind, Nulls, Order};
use rowkey_core::{FieldId, Type};

use super::encode::Encoder;
use super::layout::{Py, atom, bytes, call, number, quoted, statement, text};
use super::record::{docstring, octets, one_line, type_name};

/// Prints one function, line by line.
struct Decoder<'e, 'd> {
    encoder: &'e Encoder<'d>,
    out: String,
    /// Fields that have a value.
    known: Vec<FieldId>,
}

impl Encoder<'_> {
    /// `decode`.
    pub(super) fn print_decode(&self, out: &mut String, about: &str) {
        let mut decoder = Decoder { encoder: self, out: String::new(), known: Vec::new() };
        decoder.body();
        out.push_str(&format!("\n\ndef decode{}(key: bytes) -> Record:\n", self.suffix));
        let lost: Vec<&str> = self
            .codec
            .fields
            .iter()
            .filter(|field| field.in_key && !field.comes_back)
            .map(|field| field.name.as_str())
            .collect();
        let lost = match lost.as_slice() {
            [] => String::new(),
            lost => format!("\n\n    Not in the key, and so None: {}.", one_line(&lost.join(", "))),
        };
        let doc = format!(
            "{about}{lost}\n\n    Raises RowKeyError if the key was not written by `encode{}`.\n    ",
            self.suffix
        );
        out.push_str(&format!("    {}\n", docstring(&doc)));
        out.push_str(&decoder.out);
    }

    /// Whether the key begins with a salt over the bytes behind it.
    fn has_row_salt(&self) -> bool {
        self.codec.row_salt.is_some()
    }
}

impl Decoder<'_, '_> {
    fn line(&mut self, indent: usize, line: &str) {
        self.out.push_str(&" ".repeat(indent));
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn statement(&mut self, indent: usize, before: &str, py: &Py) {
        statement(&mut self.out, indent, before, py, "");
    }

    fn field(&self, id: FieldId) -> &CodecField {
        self.encoder.codec.fields.get(id.0).expect("a field id comes from the fields of its codec")
    }

    fn body(&mut self) {
        let codec = self.encoder.codec;
        self.line(4, "if not key:");
        self.line(8, "raise _empty_key()");
        let is_read =
            |step: &&LoweredStep| !matches!(step, LoweredStep::Value(Value { end: End::Unclear, .. }));
        let read: Vec<&LoweredStep> = codec.steps.iter().take_while(is_read).collect();
        let falls = |value: &Value| value.order == Order::Descending;
        if read.iter().any(|step| matches!(step, LoweredStep::Value(value) if falls(value))) {
            self.line(4, "flipped = _complement(key)");
        }
        if !read.is_empty() {
            self.line(4, "at = 0");
        }
        for (index, step) in read.iter().enumerate() {
            match step {
                LoweredStep::Literal(literal) => {
                    self.statement(4, "at = ", &call("_skip", [atom("key"), atom("at"), bytes(literal)]));
                }
                LoweredStep::Value(value) => {
                    let is_checked = codec.checked.contains(&index);
                    if is_checked {
                        self.line(4, "start = at");
                    }
                    self.value(value, index);
                    if is_checked {
                        self.line(4, &format!("found{} = key[start:at]", index + 1));
                    }
                }
            }
        }
        if read.len() == codec.steps.len() {
            self.line(4, "if at < len(key):");
            self.line(8, "raise _trailing_bytes(key, at)");
        }
        let names = self.encoder.names;
        let given =
            self.known.iter().map(|id| atom(format!("{}={}", names.attribute(*id), names.local(*id))));
        let record = call("Record", given.collect::<Vec<_>>());
        let checked: Vec<usize> = codec.checked.iter().copied().filter(|index| *index < read.len()).collect();
        if checked.is_empty() {
            return self.statement(4, "return ", &record);
        }
        self.statement(4, "record = ", &record);
        for index in checked {
            let Some(LoweredStep::Value(value)) = codec.steps.get(index) else { continue };
            let found = format!("found{}", index + 1);
            if value.source == Source::RowSalt && self.encoder.has_row_salt() {
                let buckets = codec.row_salt.unwrap_or(1);
                self.line(4, &format!("expected = bytes((_phoenix_salt({buckets}, key[1:]),))"));
                self.line(4, &format!("if {found} != expected:"));
                let raised = call("_wrong_part", [atom(found), atom("expected"), text(&value.label)]);
                self.statement(8, "raise ", &raised);
                continue;
            }
            let part = atom(self.encoder.part_function(index));
            self.statement(
                4,
                "",
                &call("_check_part", [part, atom("record"), atom(found), text(&value.label)]),
            );
        }
        self.line(4, "return record");
    }

    /// The statements that read a value and lead it back to its field.
    fn value(&mut self, value: &Value, index: usize) {
        let field = match &value.back {
            Back::Field(id) | Back::Undo { field: id, .. } => Some(*id),
            Back::Below(_) | Back::OneOf(_) | Back::Nothing => None,
        };
        let is_second = field.is_some_and(|id| self.known.contains(&id));
        let names = self.encoder.names;
        let variable = match (field, &value.back) {
            (Some(id), _) if !is_second => names.local(id).to_owned(),
            (Some(_), _) | (None, Back::Below(_) | Back::OneOf(_)) => format!("value{}", index + 1),
            (None, _) => "_".to_owned(),
        };
        let mut indent = 4;
        if let (OnNull::Mark(null), true) = (value.on_null, value.nulls != Nulls::Refused) {
            let arguments = [atom("key"), atom("at"), number(null), text(&value.label)];
            self.statement(4, "is_null, at = ", &call("_read_null", arguments));
            if variable != "_" {
                let ty = field.map(|id| type_name(self.field(id).ty.kind()));
                match ty.filter(|_| !is_second) {
                    Some(ty) => self.line(4, &format!("{variable}: Optional[{ty}] = None")),
                    None => self.line(4, &format!("{variable} = None")),
                }
            }
            self.line(4, "if not is_null:");
            indent = 8;
        }
        // A number that was written as text is read as one first.
        let is_parsed = |step: &Undo| matches!(step, Undo::ParseNumber | Undo::ReverseDigits(_));
        let is_text = matches!(&value.back, Back::Undo { undo, .. } if undo.iter().any(is_parsed));
        let read = if is_text { "digits" } else { variable.as_str() };
        self.read(value, read, indent);
        if let (Back::Undo { field, undo }, OnNull::Byte(_)) = (&value.back, value.on_null) {
            let mut inner = Decoder { encoder: self.encoder, out: String::new(), known: Vec::new() };
            inner.undo(*field, undo, value, (read, &variable), indent + 4);
            if !inner.out.is_empty() {
                self.line(indent, &format!("if {read} is not None:"));
                self.out.push_str(&inner.out);
            }
        } else {
            match &value.back {
                Back::Undo { field, undo } => self.undo(*field, undo, value, (read, &variable), indent),
                Back::Below(count) => {
                    self.line(indent, &format!("if {variable} >= {count}:"));
                    self.statement(
                        indent + 4,
                        "raise ",
                        &call("_impossible", [atom(variable.as_str()), text(&value.label)]),
                    );
                }
                Back::OneOf(letters) => {
                    let letters: Vec<Py> = letters.iter().map(|letter| text(&letter.to_string())).collect();
                    let all = Py::Brackets { open: "(".to_owned(), inner: letters, close: ')' }.flat();
                    self.line(indent, &format!("if {variable} not in {all}:"));
                    self.statement(
                        indent + 4,
                        "raise ",
                        &call("_impossible", [atom(variable.as_str()), text(&value.label)]),
                    );
                }
                Back::Field(_) | Back::Nothing => {}
            }
        }
        if let Some(id) = field {
            if is_second {
                let name = quoted(&self.field(id).name);
                let local = names.local(id);
                let same = call("_same", [atom(local), atom(variable), atom("key"), atom(name)]);
                self.statement(4, &format!("{local} = "), &same);
            } else {
                self.known.push(id);
            }
        }
    }

    /// Reads a value that is there into a variable.
    fn read(&mut self, value: &Value, variable: &str, indent: usize) {
        let data = if value.order == Order::Descending { "flipped" } else { "key" };
        let target = format!("{variable}, at = ");
        let label = || text(&value.label);
        let with = |function: &str, more: Vec<Py>| {
            let arguments = [atom(data), atom("at")].into_iter().chain(more).chain([label()]);
            call(function, arguments)
        };
        let octets_of = |own| format!("_read_{}", octets(own).0);
        let py = match value.form {
            Form::Integer { bytes, sign, .. } => {
                let function = match sign {
                    IntForm::Unsigned => "_read_unsigned",
                    IntForm::SignFlipped => "_read_signed",
                    IntForm::TwosComplement => "_read_twos",
                };
                with(function, vec![number(bytes)])
            }
            Form::Seconds => with("_read_seconds", vec![]),
            Form::Digits(width) => with("_read_decimal", vec![number(width)]),
            Form::Float(width) => with("_read_float", vec![number(width)]),
            Form::Bool => with("_read_bool", vec![]),
            Form::Octets(own) => with(&octets_of(own), vec![]),
            Form::Fixed { bytes, is_text } => {
                with(if is_text { "_read_fixed_text" } else { "_read_fixed" }, vec![number(bytes)])
            }
            Form::Escaped => with("_read_escaped", vec![]),
            Form::OrderedInteger { bytes, .. } => with("_read_ordered_int", vec![number(bytes)]),
            Form::OrderedFloat(width) => {
                with(if width == 8 { "_read_ordered_f64" } else { "_read_ordered_f32" }, vec![])
            }
            Form::OrderedNumeric { is_whole } => {
                with(if is_whole { "_read_ordered_whole" } else { "_read_ordered_numeric" }, vec![])
            }
            Form::OrderedText => with("_read_ordered_text", vec![]),
            Form::OrderedBytes => with("_read_ordered_bytes", vec![]),
            Form::Plain { is_text } => match &value.end {
                End::Fixed(width) => {
                    with(if is_text { "_read_fixed_text" } else { "_read_fixed" }, vec![number(width)])
                }
                end => {
                    let end = match end {
                        End::Literal(literal) => {
                            let found = call("_find_end", [atom("key"), atom("at"), bytes(literal)]);
                            self.statement(indent, "end = ", &found);
                            "end"
                        }
                        _ => "len(key)",
                    };
                    if is_text {
                        with("_read_text", vec![atom(end)])
                    } else {
                        let to = if end == "end" { end } else { "" };
                        return self.line(indent, &format!("{variable}, at = {data}[at:{to}], {end}"));
                    }
                }
            },
        };
        self.statement(indent, &target, &py);
    }

    /// Leads a value that was read into one variable back to its field, in another.
    fn undo(
        &mut self,
        id: FieldId,
        undo: &[Undo],
        value: &Value,
        (read, variable): (&str, &str),
        indent: usize,
    ) {
        let label = || text(&value.label);
        let set = format!("{variable} = ");
        let mut from = read;
        for step in undo {
            let (py, target) = match step {
                Undo::Plus(by) if *by < 0 => (atom(format!("{from} - {}", by.unsigned_abs())), from),
                Undo::Plus(by) => (atom(format!("{from} + {by}")), from),
                Undo::From(number) => (atom(format!("{number} - {from}")), from),
                Undo::ParseNumber => (call("_number_of", [atom(from), label()]), variable),
                Undo::Reverse => (atom(format!("{from}[::-1]")), from),
                Undo::ReverseDigits(width) => {
                    (call("_digits_of", [atom(format!("{from}[::-1]")), number(width), label()]), variable)
                }
                Undo::TrimStart(pad) => (call(&format!("{from}.lstrip"), [text(&pad.to_string())]), from),
                Undo::TrimEnd(pad) => (call(&format!("{from}.rstrip"), [text(&pad.to_string())]), from),
                Undo::Uncode(codes) => {
                    (call("_source_of", [atom(from), atom(self.encoder.codes_name(codes)), label()]), from)
                }
            };
            self.statement(indent, &format!("{target} = "), &py);
            from = target;
        }
        let field = self.field(id);
        let py = match (field.ty, field.range, value.form) {
            (Type::TimestampS, ..) => Some(call("_of_seconds", [atom(variable), label()])),
            (_, Some((low, high)), _) => {
                let fits =
                    undo.is_empty() && form_range(value.form).is_some_and(|(a, b)| a >= low && b <= high);
                (!fits).then(|| call("_within", [atom(variable), number(low), number(high), label()]))
            }
            (Type::Ordered(OrderedType::Text), ..) if value.form != Form::OrderedText => {
                Some(call("_without_zeros", [atom(variable), label()]))
            }
            (Type::Fixed(width), ..) => Some(call("_of_width", [atom(variable), number(width), label()])),
            (ty, _, Form::Float(8) | Form::OrderedFloat(8)) if ty.is_single() && ty.kind() == Kind::Float => {
                Some(call("_of_single", [atom(variable), label()]))
            }
            _ => None,
        };
        if let Some(py) = py {
            self.statement(indent, &set, &py);
        }
    }
}

/// The numbers that a form can give.
fn form_range(form: Form) -> Option<(i128, i128)> {
    match form {
        Form::Integer { low, high, .. } | Form::OrderedInteger { low, high, .. } => Some((low, high)),
        Form::Seconds => Some((0, i128::from(u32::MAX) * 1000)),
        Form::Digits(width) => Some((0, 10_i128.checked_pow(u32::try_from(width).ok()?)? - 1)),
        _ => None,
    }
}
