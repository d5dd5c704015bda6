//! From values to bytes in Java.

use rowkey_core::lowered::{
    DatePiece, End, Form, HashFunction, Input, Number, Side, Source, Text, TextOp, Value,
};
use rowkey_core::types::{IntForm, OctetsType, Order};

use super::codec::CodecPrinter;
use super::lines::{Lines, character, string};
use super::names::{Holds, JavaField};
use super::number::{Num, Repr, put_integer};

impl CodecPrinter<'_> {
    /// The statements that add a value that is not null.
    pub(super) fn put_present(&mut self, value: &Value, lines: &mut Lines) {
        let from = self.fresh("from");
        let place = lines.place();
        match &value.source {
            Source::Field(id) => {
                let field = self.names.field(*id).clone();
                self.put_field(&field, value.form, value.order, &from, lines);
            }
            Source::Number(number) => {
                let number = self.number(number, lines, &value.label);
                self.put_number(&number, value.form, value.order, &value.label, lines);
            }
            Source::Text(text) => self.put_text(text, value.form, &from, &value.label, lines),
            Source::RowSalt => lines.line("out.put8(0);"),
        }
        if value.order == Order::Descending && !is_flipped_at_once(value.form) {
            lines.line(format!("complement(out, {from});"));
        }
        if let End::Literal(delimiter) = &value.end {
            let delimiter = self.literal(delimiter);
            lines.line(format!("delimiter(out, {from}, {delimiter}, {});", string(&value.label)));
        }
        self.note_place(lines, place, &from);
    }

    /// Declares the place where bytes begin, if statements behind it name it.
    fn note_place(&mut self, lines: &mut Lines, place: usize, from: &str) {
        if lines.names(place, from) {
            lines.insert(place, &format!("int {from} = out.length;"));
        } else {
            self.give_back(from);
        }
    }

    /// The statements that add a field under a form; its bytes begin at `from`.
    fn put_field(&mut self, field: &JavaField, form: Form, order: Order, from: &str, lines: &mut Lines) {
        let (java, place) = (field.java.as_str(), string(&field.name));
        let tilde = if order == Order::Descending { "~" } else { "" };
        match form {
            Form::Integer { .. } | Form::Digits(_) | Form::OrderedInteger { .. } => {
                self.put_number(&Num::of_field(field), form, order, &field.name, lines);
            }
            Form::Seconds => lines.line(format!("out.put32({tilde}seconds({java}, {place}));")),
            Form::Float(bytes) => {
                let code = float(field, bytes, None);
                lines.line(format!("out.put{}({tilde}{code});", 8 * bytes));
            }
            Form::OrderedFloat(bytes) => {
                let header = if bytes == 4 { 0x30 } else { 0x31 };
                let header = if order == Order::Descending { !header } else { header };
                lines.line(format!("out.put8(0x{header:02X});"));
                let code = float(field, bytes, Some("plain"));
                lines.line(format!("out.put{}({tilde}{code});", 8 * bytes));
            }
            Form::Bool => {
                let (yes, no) = if order == Order::Descending { ("0xFE", "0xFF") } else { ("1", "0") };
                lines.line(format!("out.put8({java} ? {yes} : {no});"));
            }
            Form::Octets(OctetsType::Uuid) => {
                lines.line(format!("out.put64({tilde}{java}.getMostSignificantBits());"));
                lines.line(format!("out.put64({tilde}{java}.getLeastSignificantBits());"));
            }
            Form::Octets(own) => lines.line(format!("out.put(octets({java}, {}, {place}));", own.width())),
            Form::Plain { .. } => lines.line(put_plain(field)),
            Form::Fixed { bytes, .. } => {
                lines.line(put_plain(field));
                lines.line(format!("fixed(out, {from}, {bytes}, {place});"));
            }
            Form::Escaped => {
                lines.line(put_plain(field));
                lines.line(format!("escape(out, {from});"));
            }
            Form::OrderedNumeric { .. } => {
                let code = match field.holds {
                    Holds::BigDecimal => java.to_owned(),
                    _ => decimal(&Num::of_field(field)),
                };
                lines.line(format!("putNumeric(out, {code}, {place});"));
            }
            Form::OrderedText => {
                lines.line("out.put8(0x34);");
                let from = self.begin(lines);
                lines.line(put_plain(field));
                lines.line(format!("endText(out, {from}, {place});"));
            }
            Form::OrderedBytes => {
                lines.line("out.put8(0x37);");
                lines.line(format!("putBlob(out, {java});"));
            }
        }
    }

    /// The statements that add a number under a form.
    fn put_number(&mut self, number: &Num, form: Form, order: Order, place: &str, lines: &mut Lines) {
        match form {
            Form::Integer { bytes, sign, low, high } => {
                lines.line(put_integer(&number.clone().checked((low, high), place), bytes, sign, order));
            }
            Form::OrderedInteger { bytes, low, high } => {
                let header = 0x29_u8 + bytes.ilog2() as u8;
                let header = if order == Order::Descending { !header } else { header };
                let number = number.clone().checked((low, high), place);
                // What is refused must not be begun: the next part may be asked for.
                lines.line(format!("out.put8(0x{header:02X});"));
                lines.line(put_integer(&number, bytes, IntForm::SignFlipped, order));
            }
            Form::Digits(width) => {
                let number = number.clone().checked((0, power_of_ten(width) - 1), place);
                match number.repr {
                    Repr::Long => lines.line(format!("putDigits(out, {}, {width});", number.code)),
                    _ => lines.line(format!("putBigDigits(out, {}, {width});", number.big())),
                }
            }
            _ => lines.line(format!("putNumeric(out, {}, {});", decimal(number), string(place))),
        }
    }

    /// The statements that add a computed text, which begins at `from`.
    fn put_text(&mut self, text: &Text, form: Form, from: &str, label: &str, lines: &mut Lines) {
        if form == Form::OrderedText {
            lines.line("out.put8(0x34);");
            let from = self.begin(lines);
            self.text(text, &from, label, lines);
            return lines.line(format!("endText(out, {from}, {});", string(label)));
        }
        self.text(text, from, label, lines);
        match form {
            Form::Fixed { bytes, .. } => {
                lines.line(format!("fixed(out, {from}, {bytes}, {});", string(label)))
            }
            Form::Escaped => lines.line(format!("escape(out, {from});")),
            Form::OrderedBytes => {
                let bytes = self.fresh("bytes");
                lines.line(format!("byte[] {bytes} = Arrays.copyOfRange(out.bytes, {from}, out.length);"));
                lines.line(format!("out.length = {from};"));
                lines.line("out.put8(0x37);");
                lines.line(format!("putBlob(out, {bytes});"));
            }
            _ => {}
        }
    }

    /// Adds an input of a hash that is not null.
    pub(super) fn input(&mut self, input: &Input, lines: &mut Lines, label: &str) {
        match input {
            Input::Field(id, form) => {
                let field = self.names.field(*id).clone();
                let (from, place) = (self.fresh("from"), lines.place());
                self.put_field(&field, *form, Order::Ascending, &from, lines);
                self.note_place(lines, place, &from);
            }
            Input::Number(number, form) => {
                let number = self.number(number, lines, label);
                self.put_number(&number, *form, Order::Ascending, label, lines);
            }
            Input::Text(text) => {
                let (from, place) = (self.fresh("from"), lines.place());
                self.text(text, &from, label, lines);
                self.note_place(lines, place, &from);
            }
        }
    }

    /// The statements that add a text, which begins at `from`.
    fn text(&mut self, text: &Text, from: &str, label: &str, lines: &mut Lines) {
        let place = string(label);
        match &text.op {
            TextOp::Field(id) => {
                let field = self.names.field(*id);
                lines.line(put_plain(field));
                if let rowkey_core::Type::Fixed(width) = field.ty {
                    lines.line(format!("fixed(out, {from}, {width}, {});", string(&field.name)));
                }
            }
            TextOp::Hex(function, inputs) => {
                let digest = self.digest(*function, inputs, from, label, lines);
                lines.line(format!("putHex(out, {digest});"));
            }
            TextOp::Digest(function, inputs, count) => {
                let digest = self.digest(*function, inputs, from, label, lines);
                lines.line(format!("putStart(out, {digest}, {count});"));
            }
            TextOp::Letter(letters, inputs) => {
                self.inputs(inputs, lines, label);
                let letter = self.fresh("letter");
                lines.line(format!("int {letter} = (int) bucket(murmur3(out, {from}), {});", letters.len()));
                lines.line(format!("out.length = {from};"));
                let letters = self.letters(letters);
                lines.line(format!("putText(out, {letters}[{letter}], {place});"));
            }
            TextOp::RandomLetter(letters) => {
                let (count, letters) = (letters.len(), self.letters(letters));
                lines.line(format!("putText(out, {letters}[drawn(draws, {count}, {place})], {place});"));
            }
            TextOp::Str(number) => {
                let code = self.number(number, lines, label).text();
                lines.line(format!("putText(out, {code}, {place});"));
            }
            TextOp::ReverseDigits(number, width) => {
                self.reversed_digits(number, *width, label, lines);
                lines.line(format!("reverse(out, {from});"));
            }
            TextOp::Reverse(of) => {
                self.text(of, from, label, lines);
                lines.line(format!("reverse(out, {from});"));
            }
            TextOp::SubStr(of, first, end) => {
                self.text(of, from, label, lines);
                lines.line(format!("cut(out, {from}, {first}, {end}, {place});"));
            }
            TextOp::Upper(of) => self.case(of, ["upperAscii", "upper"], from, label, lines),
            TextOp::LowerEach(of) => self.case(of, ["lowerAscii", "lowerEach"], from, label, lines),
            TextOp::Lower(of) => self.case(of, ["lowerAscii", "lower"], from, label, lines),
            TextOp::Pad(side, of, pad, width) => {
                self.text(of, from, label, lines);
                let function = if *side == Side::Left { "padLeft" } else { "padRight" };
                let pad = character(char::from(*pad));
                lines.line(format!("{function}(out, {from}, {pad}, {width}, {place});"));
            }
            TextOp::Code(of, codes) => {
                self.text(of, from, label, lines);
                let codes = self.codes(codes);
                lines.line(format!("code(out, {from}, {codes}, {place});"));
            }
            TextOp::Date(millis, pieces) => {
                let millis = self.number(millis, lines, label);
                let pattern: String = pieces.iter().map(letter).collect();
                let (function, code) = match millis.repr {
                    Repr::Long => ("putDate", millis.code),
                    _ => ("putBigDate", millis.big()),
                };
                lines.line(format!("{function}(out, {code}, {}, {place});", string(&pattern)));
            }
        }
    }

    fn case(&mut self, of: &Text, [ascii, any]: [&str; 2], from: &str, label: &str, lines: &mut Lines) {
        self.text(of, from, label, lines);
        lines.line(format!("{}(out, {from});", if of.is_ascii { ascii } else { any }));
    }

    fn reversed_digits(&mut self, number: &Number, width: usize, label: &str, lines: &mut Lines) {
        let number = self.number(number, lines, label);
        self.put_number(&number, Form::Digits(width), Order::Ascending, label, lines);
    }

    fn digest(
        &mut self,
        function: HashFunction,
        inputs: &[Input],
        from: &str,
        label: &str,
        lines: &mut Lines,
    ) -> String {
        self.inputs(inputs, lines, label);
        let name = match function {
            HashFunction::Sha1 => "SHA-1",
            HashFunction::Sha256 => "SHA-256",
            _ => "MD5",
        };
        let digest = self.fresh("digest");
        lines.line(format!("byte[] {digest} = digest({}, out, {from});", string(name)));
        lines.line(format!("out.length = {from};"));
        digest
    }
}

/// Whether the statement that adds a value complements it.
fn is_flipped_at_once(form: Form) -> bool {
    matches!(
        form,
        Form::Integer { .. }
            | Form::OrderedInteger { .. }
            | Form::Seconds
            | Form::Float(_)
            | Form::OrderedFloat(_)
            | Form::Bool
            | Form::Octets(OctetsType::Uuid)
    )
}

fn put_plain(field: &JavaField) -> String {
    match field.holds {
        Holds::Text => format!("putText(out, {}, {});", field.java, string(&field.name)),
        _ => format!("out.put({});", field.java),
    }
}

/// The bits of a floating-point field; `check` is asked first.
fn float(field: &JavaField, bytes: usize, check: Option<&str>) -> String {
    let place = string(&field.name);
    let mut code = field.java.clone();
    if bytes == 4 && field.holds == Holds::Double {
        code = format!("narrow({code}, {place})");
    }
    if let Some(check) = check {
        code = format!("{check}({code}, {place})");
        if bytes == 4 {
            code = format!("(float) {code}");
        }
    }
    format!("sortable{}({code}, {place})", 8 * bytes)
}

fn decimal(number: &Num) -> String {
    match number.repr {
        Repr::Long => format!("BigDecimal.valueOf({})", number.code),
        _ => format!("new BigDecimal({})", number.big()),
    }
}

pub(super) fn power_of_ten(width: usize) -> i128 {
    u32::try_from(width).ok().and_then(|width| 10_i128.checked_pow(width)).unwrap_or(i128::MAX)
}

/// A piece of a date as `putDate` wants it.
fn letter(piece: &DatePiece) -> &str {
    match piece {
        DatePiece::Year => "y",
        DatePiece::Month => "M",
        DatePiece::Day => "d",
        DatePiece::Hour => "H",
        DatePiece::Minute => "m",
        DatePiece::Second => "s",
        DatePiece::Milli => "S",
        DatePiece::Text(text) => text,
    }
}
