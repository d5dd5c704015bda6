//! From a key to its record, in Go.
//!
//! A `reader` goes through the key and keeps the first thing that is wrong; behind it, it gives zeros and does
//! nothing, so that the lines of a step need no checks of their own.

use rowkey_core::FieldId;
use rowkey_core::lowered::{Back, End, Form, LoweredStep, Source, Undo, Value};
use rowkey_core::types::{IntForm, Nulls, Order};

use super::code::{Code, quote, quote_bytes};
use super::encode::{Key, Num, Repr, header, mask, masked, most_of_digits};
use super::fields::{GoField, GoType};

/// The function that takes a key apart, being written.
struct Reading<'k, 'd> {
    key: &'k Key<'d>,
    code: Code,
    names: usize,
    /// The fields that have come back.
    back: Vec<FieldId>,
}

/// A value that was read.
enum Read {
    Number(Num),
    /// Of this type in Go.
    Other(String, GoType),
    /// A decimal of the runtime.
    Decimal(String),
}

impl Key<'_> {
    /// `DecodeKey`.
    pub(super) fn decode(&self) -> String {
        let name = format!("Decode{}Key", self.name);
        let mut code = Code::default();
        code.comment(&format!(
            "{name} takes a row key apart and sets the fields that come back from it; the others stay as they \
             are. What is computed \
             in a key, such as a salt, is computed again and must agree. On an error the record is as before."
        ));
        code.open(format!("func (r *Record) {name}(key []byte) error {{"));
        code.line("k := newReader(key)");
        let first = code.place();
        let mut reading = Reading { key: self, code, names: 0, back: Vec::new() };
        let mut whole = true;
        let mut read = 0;
        for (place, step) in self.codec.steps.iter().enumerate() {
            match step {
                LoweredStep::Literal(bytes) => {
                    reading.code.line(format!("k.literal({})", quote_bytes(bytes)))
                }
                LoweredStep::Value(value) if value.end == End::Unclear => {
                    whole = false;
                    break;
                }
                LoweredStep::Value(value) => reading.step(place, value),
            }
            read = place + 1;
        }
        if whole {
            reading.code.line("k.end()");
        }
        let checked: Vec<usize> = self.codec.checked.iter().copied().filter(|place| *place < read).collect();
        reading.check(&checked);
        let Reading { mut code, back, .. } = reading;
        code.declare_if_used(first, "found", "var found Record");
        code.open("if k.err != nil {");
        code.line("return k.err");
        code.close("}");
        for field in back.iter().filter_map(|id| self.fields.get(id.0)) {
            code.line(format!("r.{0} = found.{0}", field.name));
        }
        code.line("return nil");
        code.close("}");
        code.text()
    }

    fn is_checked(&self, place: usize) -> bool {
        self.codec.checked.contains(&place)
    }
}

impl Reading<'_, '_> {
    fn field(&self, id: FieldId) -> &GoField {
        self.key.fields.get(id.0).expect("a field id comes from the fields that made it")
    }

    fn name(&mut self, wanted: &str) -> String {
        self.names += 1;
        format!("{wanted}{}", self.names)
    }

    fn step(&mut self, place: usize, value: &Value) {
        self.code.comment(&value.label);
        if self.key.is_checked(place) {
            self.code.line(format!("start{place} := k.at"));
        }
        self.value(value);
        if self.key.is_checked(place) {
            self.code.line(format!("end{place} := k.at"));
        }
    }

    fn value(&mut self, value: &Value) {
        let label = quote(&value.label);
        let flip = if value.order == Order::Descending { "0xff" } else { "0" };
        let guard = match (value.nulls, value.form) {
            (Nulls::First, _) => Some(format!("k.hasValue(0x00, {label})")),
            (Nulls::Last, _) => Some(format!("k.hasValue(0x02, {label})")),
            (Nulls::Refused, Form::OrderedNumeric { .. }) => {
                Some(format!("number, ok := k.orderedDecimal({flip}, {label}); ok"))
            }
            (Nulls::Refused, form) => {
                header(form).map(|header| format!("k.orderedHeader(0x{header:02x}, {flip}, {label})"))
            }
        };
        let Some(guard) = guard else { return self.present(value) };
        let field = match &value.back {
            Back::Field(id) | Back::Undo { field: id, .. } => Some(*id),
            _ => None,
        };
        let is_again = field.is_some_and(|id| self.back.contains(&id));
        let place = self.code.place();
        self.code.open(format!("if {guard} {{"));
        let inner = self.code.place();
        self.present(value);
        if self.code.place() == inner {
            // Nothing is made of it.
            self.code.drop_from(place);
            let call =
                guard.split(';').next().unwrap_or_default().trim_start_matches("number, ok := ").to_owned();
            return self.code.line(call);
        }
        if let Some(field) = field.filter(|_| is_again).map(|id| self.field(id).clone()) {
            self.code.other(&format!("}} else if found.{} != nil {{", field.name));
            self.code.line(format!("k.differs({})", quote(&field.source)));
        }
        self.code.close("}");
    }

    /// Reads a value that is there, and makes of it what comes back.
    fn present(&mut self, value: &Value) {
        let label = quote(&value.label);
        let read = self.read(value);
        match &value.back {
            Back::Nothing => match read {
                Read::Number(number) => self.code.line(match value.form {
                    Form::Integer { bytes, .. } | Form::OrderedInteger { bytes, .. } => {
                        format!("k.take({bytes}, {label})")
                    }
                    Form::Seconds => format!("k.take(4, {label})"),
                    _ => number.code,
                }),
                Read::Other(code, _) if code.starts_with("k.") => self.code.line(code),
                Read::Other(code, _) => self.code.line(format!("_ = {code}")),
                Read::Decimal(_) => {}
            },
            Back::Below(count) => {
                if let Read::Number(number) = read {
                    self.code.open(format!("if {} >= {count} {{", number.cast("uint64")));
                    self.code.line(format!("k.impossible({label})"));
                    self.code.close("}");
                }
            }
            Back::OneOf(letters) => {
                if let Read::Other(code, _) = read {
                    let cases: Vec<String> =
                        letters.iter().map(|letter| quote(&letter.to_string())).collect();
                    self.code.open(format!("switch {code} {{"));
                    self.code.other_case(&format!("case {}:", cases.join(", ")));
                    self.code.other_case("default:");
                    self.code.line(format!("k.impossible({label})"));
                    self.code.close("}");
                }
            }
            Back::Field(id) => self.undo(*id, read, &[], &label),
            Back::Undo { field, undo } => self.undo(*field, read, undo, &label),
        }
    }

    /// The code that reads a value.
    fn read(&mut self, value: &Value) -> Read {
        let label = quote(&value.label);
        let desc = value.order == Order::Descending;
        let flip = if desc { "0xff" } else { "0" };
        let bytes = match &value.end {
            End::Fixed(width) => format!("k.take({width}, {label})"),
            End::Literal(literal) => format!("k.until({})", quote_bytes(literal)),
            _ => "k.untilEnd()".to_owned(),
        };
        let plain = |bytes: &str, is_text: bool| {
            if is_text {
                Read::Other(format!("k.text({bytes}, {flip}, {label})"), GoType::Text)
            } else {
                Read::Other(format!("k.bytes({bytes}, {flip})"), GoType::Bytes)
            }
        };
        let integer = |bytes: usize, sign: IntForm, low: i128, high: i128| {
            let bits = bytes * 8;
            let word = masked(&format!("k.uint{bits}({label})"), bytes, mask(bytes, sign, value.order))
                .replace('^', " ^ ");
            let word = word.trim_start().replace("^ k.", "^k.");
            let code = if low < 0 { format!("int{bits}({word})") } else { word };
            let ty = format!("{}int{bits}", if low < 0 { "" } else { "u" });
            Num::narrow(code, &ty, Repr::of(low, high), (low, high))
        };
        match value.form {
            Form::Integer { bytes, sign, low, high } => Read::Number(integer(bytes, sign, low, high)),
            Form::OrderedInteger { bytes, low, high } => {
                Read::Number(integer(bytes, IntForm::SignFlipped, low, high))
            }
            Form::Seconds => {
                let word = if desc { format!("^k.uint32({label})") } else { format!("k.uint32({label})") };
                let range = (0, i128::from(u32::MAX) * 1000);
                Read::Number(Num::new(format!("int64({word}) * 1000"), Repr::Signed, range))
            }
            Form::Digits(width) if width <= 18 => {
                let range = (0, most_of_digits(width));
                Read::Number(Num::new(format!("k.decimal({width}, {flip}, {label})"), Repr::Signed, range))
            }
            Form::Digits(width) => {
                let code = format!("bigText(k.digits({width}, {flip}, {label}))");
                Read::Number(Num::new(code, Repr::Big, (0, most_of_digits(width))))
            }
            Form::Float(bytes) | Form::OrderedFloat(bytes) => {
                let ordered =
                    if matches!(value.form, Form::OrderedFloat(_)) { "orderedFloat" } else { "float" };
                let (bits, ty) = if bytes == 4 { (32, GoType::F32) } else { (64, GoType::F64) };
                let flip = match (desc, bytes) {
                    (false, _) => "0",
                    (true, 4) => "0xffffffff",
                    (true, _) => "0xffffffffffffffff",
                };
                Read::Other(format!("k.{ordered}{bits}({flip}, {label})"), ty)
            }
            Form::Bool => Read::Other(format!("k.bool({flip}, {label})"), GoType::Bool),
            Form::Octets(own) if own.width() == 4 => {
                Read::Other(format!("k.octets4({flip}, {label})"), GoType::Array(4))
            }
            Form::Octets(_) => Read::Other(format!("k.octets16({flip}, {label})"), GoType::Array(16)),
            Form::Plain { is_text } => plain(&bytes, is_text),
            Form::Fixed { bytes, is_text } => plain(&format!("k.take({bytes}, {label})"), is_text),
            Form::Escaped => Read::Other(format!("k.escaped({flip}, {label})"), GoType::Text),
            Form::OrderedText => Read::Other(format!("k.orderedText({flip}, {label})"), GoType::Text),
            Form::OrderedBytes => Read::Other(format!("k.orderedBytes({flip}, {label})"), GoType::Bytes),
            Form::OrderedNumeric { .. } => Read::Decimal("number".to_owned()),
        }
    }

    fn impossible_unless(&mut self, condition: &str, label: &str) {
        self.code.open(format!("if {condition} {{"));
        self.code.line(format!("k.impossible({label})"));
        self.code.close("}");
    }

    /// Leads a value back to its field.
    fn undo(&mut self, id: FieldId, read: Read, undo: &[Undo], label: &str) {
        let field = self.field(id).clone();
        let range = self.key.codec.fields.get(id.0).and_then(|field| field.range);
        let mut read = read;
        if let (Read::Decimal(name), Some(range)) = (&read, range) {
            let text = self.name("text");
            let ok = self.name("ok");
            self.code.line(format!("{text}, {ok} := {name}.integer()"));
            self.impossible_unless(&format!("!{ok}"), label);
            read = Read::Number(Num::new(format!("bigText({text})"), Repr::Big, (i128::MIN, i128::MAX)));
            let _ = range;
        }
        for (place, step) in undo.iter().enumerate() {
            let rest = undo.get(place + 1..).unwrap_or_default();
            read = self.undo_one(read, step, rest, range, label);
        }
        let code = match read {
            Read::Number(number) => {
                let range = range.unwrap_or((i128::MIN, i128::MAX));
                let number = self.within(number, range, label);
                number.cast(&field.ty.name())
            }
            Read::Decimal(name) => format!("Decimal({name}.String())"),
            Read::Other(code, GoType::Array(16)) if field.ty == GoType::Uuid => format!("UUID({code})"),
            Read::Other(code, GoType::F64) if field.ty == GoType::F32 => {
                let name = self.name("number");
                self.code.line(format!("{name} := {code}"));
                self.impossible_unless(&format!("float64(float32({name})) != {name}"), label);
                format!("float32({name})")
            }
            Read::Other(code, GoType::F32) if field.ty == GoType::F64 => format!("float64({code})"),
            Read::Other(code, GoType::Text) => match field.declared {
                rowkey_core::Type::Fixed(width) => {
                    let name = self.name("text");
                    self.code.line(format!("{name} := {code}"));
                    self.impossible_unless(&format!("len({name}) != {width}"), label);
                    name
                }
                _ => code,
            },
            Read::Other(code, _) => code,
        };
        self.set(id, &field, &code);
    }

    /// Refuses a number outside a range.
    fn within(&mut self, number: Num, (low, high): (i128, i128), label: &str) -> Num {
        let mut conditions = Vec::new();
        let (is_low, is_high) = (number.low < low, number.high > high);
        if !is_low && !is_high {
            return number;
        }
        let number = self.variable(number);
        if number.repr == Repr::Big {
            conditions.push(format!("!isWithin({}, bigText(\"{low}\"), bigText(\"{high}\"))", number.code));
        } else {
            if is_low {
                conditions.push(format!("{} < {low}", number.code));
            }
            if is_high {
                conditions.push(format!("{} > {high}", number.code));
            }
        }
        self.impossible_unless(&conditions.join(" || "), label);
        Num { low: low.max(number.low), high: high.min(number.high), ..number }
    }

    fn variable(&mut self, number: Num) -> Num {
        let name = self.name("number");
        self.code.line(format!("{name} := {}", number.code));
        Num { code: name, ..number }
    }

    fn undo_one(
        &mut self,
        read: Read,
        step: &Undo,
        rest: &[Undo],
        range: Option<(i128, i128)>,
        label: &str,
    ) -> Read {
        match (step, read) {
            (Undo::Plus(_) | Undo::From(_), Read::Number(number)) => Read::Number(self.shift(number, step)),
            (Undo::ParseNumber, Read::Other(code, _)) => {
                // What the other steps and the field do not let through need not be read.
                let (low, high) = rest.iter().rev().fold(range.unwrap_or((i128::MIN, i128::MAX)), before);
                let repr = Repr::of(low, high);
                let (function, repr, whole) = match repr {
                    Repr::Signed => ("parseInteger", repr, (i64::MIN.into(), i64::MAX.into())),
                    _ => ("parseBig", Repr::Big, (i128::MIN, i128::MAX)),
                };
                let (name, ok) = (self.name("number"), self.name("ok"));
                self.code.line(format!("{name}, {ok} := {function}({code})"));
                self.impossible_unless(&format!("!{ok}"), label);
                Read::Number(self.within(Num::new(name, repr, whole), (low, high), label))
            }
            (Undo::ReverseDigits(width), Read::Other(code, _)) => {
                let (name, ok) = (self.name("number"), self.name("ok"));
                self.code.line(format!("{name}, {ok} := parseDigits(reversed({code}), {width})"));
                self.impossible_unless(&format!("!{ok}"), label);
                Read::Number(Num::new(name, Repr::Big, (0, most_of_digits(*width))))
            }
            (Undo::Reverse, Read::Other(code, ty)) => Read::Other(format!("reversed({code})"), ty),
            (Undo::TrimStart(pad), Read::Other(code, ty)) => {
                Read::Other(format!("strings.TrimLeft({code}, {})", quote(&pad.to_string())), ty)
            }
            (Undo::TrimEnd(pad), Read::Other(code, ty)) => {
                Read::Other(format!("strings.TrimRight({code}, {})", quote(&pad.to_string())), ty)
            }
            (Undo::Uncode(codes), Read::Other(code, ty)) => {
                let name = self.name("text");
                self.code.line(format!("{name} := {code}"));
                self.code.open(format!("switch {name} {{"));
                for (from, to) in codes {
                    self.code.other_case(&format!("case {}:", quote(to)));
                    self.code.line(format!("{name} = {}", quote(from)));
                }
                self.code.other_case("default:");
                self.code.line(format!("k.impossible({label})"));
                self.code.close("}");
                Read::Other(name, ty)
            }
            // Compiling lets nothing else through.
            (_, read) => read,
        }
    }

    /// Adds a number to another, or takes it from one.
    fn shift(&mut self, number: Num, step: &Undo) -> Num {
        let (low, high) = after((number.low, number.high), step);
        let repr = Repr::of(low, high);
        let is_big = repr == Repr::Big || number.repr == Repr::Big;
        let own = if is_big { Repr::Big } else { repr };
        let of = number.cast(own.name());
        let code = match (step, is_big) {
            (Undo::Plus(by), false) => {
                format!("{of} + {}", super::encode::constant(*by, own)).replace("+ -", "- ")
            }
            (Undo::From(from), false) => format!("{} - {of}", super::encode::constant(*from, own)),
            (Undo::Plus(by), true) => {
                format!("new(big.Int).Add({of}, {})", super::encode::constant(*by, own))
            }
            (Undo::From(from), true) => {
                format!("new(big.Int).Sub({}, {of})", super::encode::constant(*from, own))
            }
            (_, _) => of,
        };
        self.variable(Num::new(code, own, (low, high)))
    }

    /// Sets a field, or compares it with the value that it has.
    fn set(&mut self, id: FieldId, field: &GoField, code: &str) {
        let own = format!("found.{}", field.name);
        let is_again = self.back.contains(&id);
        if !is_again {
            self.back.push(id);
        }
        if !is_again && !field.is_pointer() {
            return self.code.line(format!("{own} = {code}"));
        }
        let name = self.name("value");
        self.code.line(format!("{name} := {code}"));
        if is_again {
            let value = if field.is_pointer() { format!("*{own}") } else { own.clone() };
            let differs = match field.ty {
                GoType::Bytes => format!("!bytes.Equal({value}, {name})"),
                GoType::Big => format!("{value}.Cmp({name}) != 0"),
                _ => format!("{value} != {name}"),
            };
            let is_set = if field.may_be_nil() { format!("{own} != nil && ") } else { String::new() };
            self.code.open(format!("if {is_set}{differs} {{"));
            self.code.line(format!("k.differs({})", quote(&field.source)));
            self.code.close("}");
        }
        let address = if field.is_pointer() { "&" } else { "" };
        self.code.line(format!("{own} = {address}{name}"));
    }

    /// Computes again what is computed.
    fn check(&mut self, checked: &[usize]) {
        if checked.is_empty() {
            return;
        }
        self.code.open("if k.err == nil {");
        let mut is_first = true;
        for &place in checked {
            let Some(LoweredStep::Value(value)) = self.key.codec.steps.get(place) else { continue };
            let label = quote(&value.label);
            if value.source == Source::RowSalt {
                let buckets = self.key.codec.row_salt.unwrap_or(1);
                let salt = format!("[]byte{{byte(phoenixSalt(key[end{place}:], {buckets}))}}");
                self.code.line(format!("k.same(start{place}, end{place}, {salt}, nil, {label})"));
                continue;
            }
            let (assign, target) =
                if is_first { (":=", "make([]byte, 0, 64)") } else { ("=", "computed[:0]") };
            is_first = false;
            self.code.line(format!("computed, err {assign} found.{}({target})", self.key.part_name(place)));
            self.code.line(format!("k.same(start{place}, end{place}, computed, err, {label})"));
        }
        self.code.close("}");
    }
}

/// The numbers that a step makes of numbers of a range.
fn after((low, high): (i128, i128), step: &Undo) -> (i128, i128) {
    match step {
        Undo::Plus(by) => (low.saturating_add(*by), high.saturating_add(*by)),
        Undo::From(from) => (from.saturating_sub(high), from.saturating_sub(low)),
        _ => (low, high),
    }
}

/// The numbers of which a step makes those of a range.
fn before((low, high): (i128, i128), step: &Undo) -> (i128, i128) {
    match step {
        Undo::Plus(by) => (low.saturating_sub(*by), high.saturating_sub(*by)),
        other => after((low, high), other),
    }
}
