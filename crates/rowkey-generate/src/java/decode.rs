//! From bytes to values in Java.

use rowkey_core::lowered::{Back, End, Form, LoweredStep, OnNull, Source, Undo, Value};
use rowkey_core::types::{IntForm, Nulls, OctetsType, Order};
use rowkey_core::{FieldId, Type};

use super::codec::CodecPrinter;
use super::encode::power_of_ten;
use super::lines::{Lines, character, string};
use super::names::{Holds, JavaField};
use super::number::{Num, Repr, masked};

/// What was read of a part.
enum Found {
    Number(Num),
    Text(String),
    /// A floating-point number of so many bytes.
    Float(String, usize),
    /// A decimal number.
    Decimal(String),
    Other(String),
}

impl CodecPrinter<'_> {
    /// The statements that read all steps whose end is known; whether these are all.
    pub(super) fn read_steps(&mut self, checks: &[bool], lines: &mut Lines) -> bool {
        let mut set = Vec::new();
        let steps = self.codec.steps.iter().zip(checks).enumerate();
        for (index, (step, is_checked)) in steps {
            match step {
                LoweredStep::Literal(literal) => {
                    let literal = self.literal(literal);
                    lines.line(format!("literal(in, {literal});"));
                }
                LoweredStep::Value(value) if value.end == End::Unclear => return false,
                LoweredStep::Value(value) => {
                    if *is_checked {
                        lines.line(format!("int from{} = in.at;", index + 1));
                    }
                    self.read(value, &mut set, lines);
                    if *is_checked {
                        lines.line(format!("int to{} = in.at;", index + 1));
                    }
                }
            }
        }
        true
    }

    fn read(&mut self, value: &Value, set: &mut Vec<FieldId>, lines: &mut Lines) {
        let label = string(&value.label);
        let flip = if value.order == Order::Descending { "0xFF" } else { "0" };
        let null = match (value.on_null, value.form) {
            (OnNull::Mark(mark), _) if value.nulls != Nulls::Refused => {
                Some(format!("isNull(in, {mark}, {label})"))
            }
            (_, form) => {
                header(form).map(|header| format!("readHeader(in, 0x{header:02X}, {flip}, {label})"))
            }
        };
        let field = match &value.back {
            Back::Field(field) | Back::Undo { field, .. } => Some(*field),
            Back::Below(_) | Back::OneOf(_) | Back::Nothing => None,
        };
        let is_set = field.is_some_and(|field| set.contains(&field));
        set.extend(field.filter(|_| !is_set));
        if matches!(value.form, Form::OrderedNumeric { .. }) {
            if value.back == Back::Nothing {
                return lines.line(format!("readNumeric(in, {flip}, {label});"));
            }
            let number = self.fresh("part");
            lines.line(format!("BigDecimal {number} = readNumeric(in, {flip}, {label});"));
            lines.open(format!("if ({number} != null) {{"));
            self.bring_back(value, Found::Decimal(number), is_set, lines);
            self.set_null(field, is_set, lines);
            return lines.close("}");
        }
        let Some(null) = null else {
            let found = self.found(value, lines);
            return self.bring_back(value, found, is_set, lines);
        };
        lines.open(format!("if (!{null}) {{"));
        let found = self.found(value, lines);
        self.bring_back(value, found, is_set, lines);
        self.set_null(field, is_set, lines);
        lines.close("}");
    }

    /// In the block of a value that is there: what null does instead.
    fn set_null(&self, field: Option<FieldId>, is_set: bool, lines: &mut Lines) {
        let Some(field) = field.filter(|_| is_set).map(|id| self.names.field(id)) else { return };
        if field.nullable {
            lines.between(format!("}} else if (record.{} != null) {{", field.java));
        } else {
            lines.between("} else {");
        }
        lines.line(format!("throw twoValues({});", string(&field.name)));
    }

    /// Reads what is there.
    fn found(&mut self, value: &Value, lines: &mut Lines) -> Found {
        let label = string(&value.label);
        let is_falling = value.order == Order::Descending;
        let flip = if is_falling { "0xFF" } else { "0" };
        let count = match &value.end {
            End::Fixed(width) => width.to_string(),
            End::Literal(literal) => format!("until(in, {}) - in.at", self.literal(literal)),
            End::Own | End::KeyEnd | End::Unclear => "key.length - in.at".to_owned(),
        };
        match value.form {
            Form::Integer { bytes, sign, low, high } => {
                if value.source == Source::RowSalt || (value.back == Back::Nothing) {
                    lines.line(format!("in.take({bytes}, {label});"));
                    return Found::Other(String::new());
                }
                Found::Number(integer(bytes, sign, value.order, (low, high), &label))
            }
            Form::OrderedInteger { bytes, low, high } => {
                Found::Number(integer(bytes, IntForm::SignFlipped, value.order, (low, high), &label))
            }
            Form::Seconds => {
                let tilde = if is_falling { "~" } else { "" };
                let code = format!("({tilde}in.read32({label}) & 0xFFFFFFFFL) * 1000");
                Found::Number(Num::new(code, Repr::Long, (0, i128::from(u32::MAX) * 1000)))
            }
            Form::Digits(width) => {
                let range = (0, power_of_ten(width) - 1);
                Found::Number(if width <= 18 {
                    Num::new(format!("readDigits(in, {width}, {flip}, {label})"), Repr::Long, range)
                } else {
                    Num::new(format!("readBigDigits(in, {width}, {flip}, {label})"), Repr::Big, range)
                })
            }
            Form::Float(bytes) | Form::OrderedFloat(bytes) => {
                let (function, flip) = match (bytes, is_falling) {
                    (4, false) => ("readFloat", "0"),
                    (4, true) => ("readFloat", "-1"),
                    (_, false) => ("readDouble", "0"),
                    (_, true) => ("readDouble", "-1"),
                };
                Found::Float(format!("{function}(in, {flip}, {label})"), bytes)
            }
            Form::Bool => Found::Other(format!("readBool(in, {flip}, {label})")),
            Form::Octets(OctetsType::Uuid) => {
                let tilde = if is_falling { "~" } else { "" };
                Found::Other(format!("new UUID({tilde}in.read64({label}), {tilde}in.read64({label}))"))
            }
            Form::Octets(own) => Found::Other(format!("readBytes(in, {}, {flip}, {label})", own.width())),
            Form::Plain { is_text: true } => Found::Text(format!("readText(in, {count}, {flip}, {label})")),
            Form::Plain { is_text: false } => {
                Found::Other(format!("readBytes(in, {count}, {flip}, {label})"))
            }
            Form::Fixed { bytes, is_text: true } => {
                Found::Text(format!("readText(in, {bytes}, {flip}, {label})"))
            }
            Form::Fixed { bytes, .. } => Found::Other(format!("readBytes(in, {bytes}, {flip}, {label})")),
            Form::Escaped => Found::Text(format!("readEscaped(in, {flip}, {label})")),
            Form::OrderedNumeric { .. } => Found::Decimal(String::new()),
            Form::OrderedText => Found::Text(format!("readOrderedText(in, {flip}, {label})")),
            Form::OrderedBytes => Found::Other(format!("readBlob(in, {flip}, {label})")),
        }
    }

    /// Makes of what was read what the step says.
    fn bring_back(&mut self, value: &Value, found: Found, is_set: bool, lines: &mut Lines) {
        let label = string(&value.label);
        match &value.back {
            Back::Nothing => {
                let code = match &found {
                    Found::Number(number) => number.code.clone(),
                    Found::Text(code) | Found::Float(code, _) | Found::Other(code) => code.clone(),
                    // It was read before.
                    Found::Decimal(_) => String::new(),
                };
                let is_call =
                    code.ends_with(')') && !code.starts_with(['(', '~']) && !code.starts_with("new ");
                match code.as_str() {
                    "" => {}
                    _ if is_call && !code.contains(" ^ ") => lines.line(format!("{code};")),
                    _ => {
                        let part = self.fresh("part");
                        let ty = if code.starts_with("new UUID") { "UUID" } else { "long" };
                        lines.line(format!("{ty} {part} = {code};"));
                    }
                }
            }
            Back::Below(count) => {
                let number = match found {
                    Found::Decimal(code) => {
                        Num::new(format!("whole(in, {code}, {label})"), Repr::Big, (i128::MIN, i128::MAX))
                    }
                    Found::Number(number) => number,
                    _ => return,
                };
                let number = number.led_back((0, i128::from(*count) - 1), &value.label);
                let code = number.as_held(Holds::Long);
                if code.ends_with(')') && !code.contains(' ')
                    || code.starts_with("within(")
                    || code.starts_with("bigWithin(")
                {
                    return lines.line(format!("{code};"));
                }
                let part = self.fresh("part");
                lines.line(format!("long {part} = {code};"));
            }
            Back::OneOf(letters) => {
                let Found::Text(code) = found else { return };
                let letters = self.letters(letters);
                lines.open(format!("if (!Arrays.asList({letters}).contains({code})) {{"));
                lines.line(format!("throw in.impossible({label});"));
                lines.close("}");
            }
            Back::Field(id) => {
                let field = self.names.field(*id).clone();
                let code = match &found {
                    Found::Number(number) => number.as_held(field.holds),
                    Found::Text(code) | Found::Float(code, _) | Found::Decimal(code) | Found::Other(code) => {
                        code.clone()
                    }
                };
                self.set(&field, &code, is_set, lines);
            }
            Back::Undo { field, undo } => {
                let field = self.names.field(*field).clone();
                let code = self.undone(found, undo, &field, &value.label, lines);
                self.set(&field, &code, is_set, lines);
            }
        }
    }

    /// The value of the field that a part was computed from.
    fn undone(
        &mut self,
        found: Found,
        undo: &[Undo],
        field: &JavaField,
        label: &str,
        lines: &mut Lines,
    ) -> String {
        let place = string(label);
        let mut found = match found {
            Found::Decimal(code) if field.holds != Holds::BigDecimal => {
                let code = format!("whole(in, {code}, {place})");
                Found::Number(Num::new(code, Repr::Big, (i128::MIN, i128::MAX)))
            }
            other => other,
        };
        for step in undo {
            found = match (found, step) {
                (Found::Number(number), Undo::Plus(by)) => Found::Number(shifted(number, '+', *by, false)),
                (Found::Number(number), Undo::From(from)) => {
                    let is_long_max = *from == i128::from(i64::MAX) && number.repr != Repr::Big;
                    Found::Number(if is_long_max {
                        let code = format!("beforeLongMax(in, {}, {place})", number.code);
                        Num::new(code, Repr::Long, (0, i64::MAX.into()))
                    } else {
                        shifted(number, '-', *from, true)
                    })
                }
                (Found::Text(text), Undo::ParseNumber) => {
                    let code = format!("found(in, parseNumber({text}), {place})");
                    Found::Number(Num::new(code, Repr::Big, (i128::MIN, i128::MAX)))
                }
                (Found::Text(text), Undo::Reverse) => Found::Text(format!("reversed({text})")),
                (Found::Text(text), Undo::ReverseDigits(width)) => {
                    let digits = self.fresh("digits");
                    lines.line(format!("BigInteger {digits} = parseDigits(reversed({text}));"));
                    lines.line(format!("found(in, {digits}, {place});"));
                    let number = Num::new(digits, Repr::Big, (i128::MIN, i128::MAX));
                    Found::Number(number.led_back((0, power_of_ten(*width) - 1), label))
                }
                (Found::Text(text), Undo::TrimStart(pad)) => {
                    Found::Text(format!("stripLeft({text}, {})", character(*pad)))
                }
                (Found::Text(text), Undo::TrimEnd(pad)) => {
                    Found::Text(format!("stripRight({text}, {})", character(*pad)))
                }
                (Found::Text(text), Undo::Uncode(codes)) => {
                    let codes = self.codes(codes);
                    Found::Text(format!("found(in, textOfCode({text}, {codes}), {place})"))
                }
                (other, _) => other,
            };
        }
        match found {
            Found::Number(number) => number.led_back(field.range, label).as_held(field.holds),
            Found::Text(text) => match field.ty {
                Type::Fixed(width) => format!("ofLength(in, {text}, {width}, {place})"),
                _ => text,
            },
            Found::Float(code, bytes) => match field.holds {
                Holds::Float if bytes == 8 => format!("single(in, {code}, {place})"),
                Holds::Double if bytes == 4 => format!("(double) {code}"),
                _ => code,
            },
            Found::Decimal(code) | Found::Other(code) => {
                let _ = lines;
                code
            }
        }
    }

    /// Gives a field its value; one that it has already must be the same.
    fn set(&mut self, field: &JavaField, code: &str, is_set: bool, lines: &mut Lines) {
        let boxed = format!("Long.valueOf({code})");
        // An int does not become a Long by itself.
        let code = if field.java_type() == "Long" { boxed.as_str() } else { code };
        if !is_set {
            return lines.line(format!("record.{} = {code};", field.java));
        }
        let part = self.fresh("part");
        lines.line(format!("{} {part} = {code};", field.java_type().trim_end()));
        let java = format!("record.{}", field.java);
        let differs = match (field.java_type(), field.holds) {
            ("byte[]", _) => format!("!Arrays.equals({java}, {part})"),
            (_, Holds::BigDecimal) => format!("{java}.compareTo({part}) != 0"),
            _ if field.nullable || field.is_reference() => format!("!{java}.equals({part})"),
            _ => format!("{java} != {part}"),
        };
        let test = if field.nullable { format!("{java} != null && {differs}") } else { differs };
        lines.open(format!("if ({test}) {{"));
        lines.line(format!("throw twoValues({});", string(&field.name)));
        lines.close("}");
        lines.line(format!("{java} = {part};"));
    }
}

/// The first byte of an ordered value, but of a decimal number.
fn header(form: Form) -> Option<u8> {
    match form {
        Form::OrderedInteger { bytes, .. } => Some(0x29 + bytes.ilog2() as u8),
        Form::OrderedFloat(4) => Some(0x30),
        Form::OrderedFloat(_) => Some(0x31),
        Form::OrderedText => Some(0x34),
        Form::OrderedBytes => Some(0x37),
        _ => None,
    }
}

fn integer(bytes: usize, sign: IntForm, order: Order, range: (i128, i128), label: &str) -> Num {
    let code = masked(&format!("in.read{}({label})", 8 * bytes), bytes, sign, order);
    let (code, repr) = match (bytes, sign) {
        (8, IntForm::Unsigned) => (code, Repr::Unsigned),
        (8, _) => (code, Repr::Long),
        (4, IntForm::Unsigned) => (format!("{} & 0xFFFFFFFFL", code), Repr::Long),
        (4, _) => (code, Repr::Long),
        (2, IntForm::Unsigned) => (format!("{} & 0xFFFF", code), Repr::Long),
        (2, _) => (format!("(short) ({code})"), Repr::Long),
        (_, IntForm::Unsigned) => (format!("{} & 0xFF", code), Repr::Long),
        (_, _) => (format!("(byte) ({code})"), Repr::Long),
    };
    Num::new(code, repr, range)
}

/// A number plus another, or another minus it; past 128 bits it is out of the range of every field.
fn shifted(number: Num, sign: char, by: i128, from: bool) -> Num {
    let constant = |number: i128| match i64::try_from(number) {
        Ok(_) => Num::new(super::lines::long(number), Repr::Long, (number, number)),
        Err(_) => Num::new(format!("new BigInteger(\"{number}\")"), Repr::Big, (number, number)),
    };
    let is_whole = number.low == i128::MIN || number.high == i128::MAX;
    let range = if from {
        (by.saturating_sub(number.high), by.saturating_sub(number.low))
    } else {
        (number.low.saturating_add(by), number.high.saturating_add(by))
    };
    let range = if is_whole { (i128::MIN + 1, i128::MAX - 1) } else { range };
    let by = constant(by);
    let mut shifted =
        if from { by.arithmetic(sign, &number, range, "") } else { number.arithmetic(sign, &by, range, "") };
    if is_whole {
        (shifted.low, shifted.high) = (i128::MIN, i128::MAX);
    }
    shifted
}
