//! Whole numbers in Java: as a long where the range allows it, as its unsigned bits, as a `BigInteger` elsewhere.

use std::collections::BTreeSet;

use rowkey_core::lowered::{Form, HashFunction, Input, Number, NumberOp};
use rowkey_core::types::{IntForm, Order};

use super::codec::{CodecPrinter, number_nulls};
use super::lines::{Lines, atom, long, string};
use super::names::{Holds, JavaField};

const LONG: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);
const UNSIGNED: (i128, i128) = (0, u64::MAX as i128);

/// An expression that gives a whole number.
#[derive(Debug, Clone)]
pub(super) struct Num {
    pub(super) code: String,
    pub(super) repr: Repr,
    /// No value is smaller.
    pub(super) low: i128,
    /// No value is larger. A `BigInteger` of the caller may be outside both.
    pub(super) high: i128,
}

/// How a number is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repr {
    Long,
    /// The bits of an unsigned number in a long.
    Unsigned,
    Big,
}

impl Num {
    pub(super) fn new(code: impl Into<String>, repr: Repr, (low, high): (i128, i128)) -> Self {
        Self { code: code.into(), repr, low, high }
    }

    /// The variable of a field, with any number that it can hold.
    pub(super) fn of_field(field: &JavaField) -> Self {
        match field.holds {
            Holds::Unsigned => Self::new(&field.java, Repr::Unsigned, UNSIGNED),
            Holds::BigInteger => Self::new(&field.java, Repr::Big, (i128::MIN, i128::MAX)),
            _ => Self::new(&field.java, Repr::Long, LONG),
        }
    }

    fn is_within(&self, (low, high): (i128, i128)) -> bool {
        self.low >= low && self.high <= high
    }

    /// As a `BigInteger`.
    pub(super) fn big(&self) -> String {
        match self.repr {
            Repr::Long if self.low == self.high => big_constant(self.low),
            Repr::Long => format!("BigInteger.valueOf({})", self.code),
            Repr::Unsigned => format!("unsigned({})", self.code),
            Repr::Big => self.code.clone(),
        }
    }

    /// As a long, if its range is that of one.
    fn narrowed(self) -> Self {
        if self.repr != Repr::Big || !self.is_within(LONG) {
            return self;
        }
        Self { code: format!("{}.longValue()", atom(&self.code)), repr: Repr::Long, ..self }
    }

    /// The number where one outside `limits` is refused.
    pub(super) fn checked(self, limits: (i128, i128), place: &str) -> Self {
        if self.is_within(limits) {
            return self;
        }
        let (low, high) = (limits.0.max(self.low), limits.1.min(self.high));
        let place = string(place);
        let code = &self.code;
        match self.repr {
            Repr::Long if limits == UNSIGNED => {
                Self::new(format!("unsignedRange({code}, {place})"), Repr::Long, (0, LONG.1))
            }
            Repr::Long => {
                let (least, most) = (long(low.max(LONG.0)), long(high.min(LONG.1)));
                Self::new(format!("range({code}, {}, {}, {place})", least, most), Repr::Long, (low, high))
            }
            Repr::Unsigned if high <= LONG.1 => {
                Self::new(format!("signedRange({code}, {}, {place})", long(high)), Repr::Long, (0, high))
            }
            Repr::Unsigned | Repr::Big => {
                let code = format!("bigRange({}, \"{}\", \"{}\", {place})", self.big(), limits.0, limits.1);
                Self::new(code, Repr::Big, limits).narrowed()
            }
        }
    }

    /// The number where one outside `limits` is no key's.
    pub(super) fn led_back(self, limits: (i128, i128), place: &str) -> Self {
        if self.is_within(limits) {
            return self;
        }
        let place = string(place);
        let code = &self.code;
        match self.repr {
            Repr::Long => {
                let (low, high) = (limits.0.max(LONG.0), limits.1.min(LONG.1));
                let code = format!("within(in, {code}, {}, {}, {place})", long(low), long(high));
                Self::new(code, Repr::Long, (low, high))
            }
            Repr::Unsigned if limits.1 <= LONG.1 => {
                let code = format!("within(in, {code}, 0, {}, {place})", long(limits.1));
                Self::new(code, Repr::Long, (0, limits.1))
            }
            Repr::Unsigned | Repr::Big => {
                let code =
                    format!("bigWithin(in, {}, \"{}\", \"{}\", {place})", self.big(), limits.0, limits.1);
                Self::new(code, Repr::Big, limits).narrowed()
            }
        }
    }

    /// As what a field holds, in whose range it is.
    pub(super) fn as_held(&self, holds: Holds) -> String {
        match holds {
            Holds::BigInteger => self.big(),
            _ if self.repr == Repr::Big => format!("{}.longValue()", atom(&self.code)),
            _ => self.code.clone(),
        }
    }

    /// Its decimal digits.
    pub(super) fn text(&self) -> String {
        match self.repr {
            Repr::Long => format!("Long.toString({})", self.code),
            Repr::Unsigned => format!("Long.toUnsignedString({})", self.code),
            Repr::Big => format!("{}.toString()", atom(&self.code)),
        }
    }

    /// The number plus another, or minus it, or times it.
    pub(super) fn arithmetic(self, sign: char, other: &Self, (low, high): (i128, i128), place: &str) -> Self {
        let both_long = self.repr == Repr::Long && other.repr == Repr::Long;
        if both_long && low >= LONG.0 && high <= LONG.1 {
            let code = format!("{} {sign} {}", atom(&self.code), atom(&other.code));
            return Self::new(code, Repr::Long, (low, high));
        }
        let method = match sign {
            '+' => "add",
            '-' => "subtract",
            _ => "multiply",
        };
        let code = format!("{}.{method}({})", self.big(), other.big());
        // The range is cut at 128 bits.
        let is_cut = low == i128::MIN || high == i128::MAX;
        let code = if is_cut { format!("check128({code}, {})", string(place)) } else { code };
        Self::new(code, Repr::Big, (low, high)).narrowed()
    }

    /// Divided by a constant, in one of three ways.
    fn divided(self, way: &NumberOp, by: i128, range: (i128, i128)) -> Self {
        let fits = by <= LONG.1;
        let (code, repr) = match (self.repr, way) {
            (Repr::Long, NumberOp::Divide(..)) if fits => {
                (format!("Math.floorDiv({}, {})", self.code, long(by)), Repr::Long)
            }
            (Repr::Long, NumberOp::Modulo(..)) if fits => {
                (format!("Math.floorMod({}, {})", self.code, long(by)), Repr::Long)
            }
            (Repr::Long, _) if fits => (format!("{} % {}", atom(&self.code), long(by)), Repr::Long),
            (Repr::Unsigned, NumberOp::Divide(..)) if fits => {
                let repr = if by > 1 { Repr::Long } else { Repr::Unsigned };
                (format!("Long.divideUnsigned({}, {})", self.code, long(by)), repr)
            }
            (Repr::Unsigned, _) if fits => {
                (format!("Long.remainderUnsigned({}, {})", self.code, long(by)), Repr::Long)
            }
            (_, NumberOp::Divide(..)) => {
                (format!("floorDiv({}, {})", self.big(), big_constant(by)), Repr::Big)
            }
            (_, NumberOp::Modulo(..)) => {
                (format!("{}.mod({})", atom(&self.big()), big_constant(by)), Repr::Big)
            }
            _ => (format!("{}.remainder({})", atom(&self.big()), big_constant(by)), Repr::Big),
        };
        Self::new(code, repr, range).narrowed()
    }
}

/// A constant as a `BigInteger`.
fn big_constant(number: i128) -> String {
    match i64::try_from(number) {
        Ok(_) => format!("BigInteger.valueOf({})", long(number)),
        Err(_) => format!("new BigInteger(\"{number}\")"),
    }
}

/// The statement that adds the bytes of an integer; it must fit them.
pub(super) fn put_integer(number: &Num, bytes: usize, sign: IntForm, order: Order) -> String {
    format!("out.put{}({});", 8 * bytes, masked(&number.as_held(Holds::Long), bytes, sign, order))
}

/// A number with the bits turned that its bytes in a key have turned, or the other way.
pub(super) fn masked(code: &str, bytes: usize, sign: IntForm, order: Order) -> String {
    let bits = 8 * bytes;
    let sign_bit = if sign == IntForm::SignFlipped { 1_u64 << (bits - 1) } else { 0 };
    let all = u64::MAX >> (64 - bits);
    let mask = if order == Order::Descending { all ^ sign_bit } else { sign_bit };
    match mask {
        0 => code.to_owned(),
        _ if mask == all => format!("~{}", atom(code)),
        _ if bits == 64 => format!("{} ^ {}", atom(code), long(i128::from(mask.cast_signed()))),
        _ => format!("{} ^ 0x{mask:X}", atom(code)),
    }
}

impl CodecPrinter<'_> {
    /// An expression for a number; what must be done before it is added to the lines. Null is not asked for.
    pub(super) fn number(&mut self, number: &Number, lines: &mut Lines, label: &str) -> Num {
        let range = (number.low, number.high);
        match &number.op {
            NumberOp::Field(id) => {
                let field = self.names.field(*id);
                Num::of_field(field).checked(field.range, &field.name)
            }
            NumberOp::Constant(constant) => {
                let code =
                    if i64::try_from(*constant).is_ok() { long(*constant) } else { big_constant(*constant) };
                let repr = if i64::try_from(*constant).is_ok() { Repr::Long } else { Repr::Big };
                Num::new(code, repr, (*constant, *constant))
            }
            NumberOp::FromLongMax(of) => {
                let of = self.number(of, lines, label);
                let function = if of.repr == Repr::Big { "fromLongMaxBig" } else { "fromLongMax" };
                if of.repr == Repr::Long && of.low >= 0 {
                    return Num::new(format!("Long.MAX_VALUE - {}", atom(&of.code)), Repr::Long, range);
                }
                Num::new(format!("{function}({}, {})", of.code, string(label)), Repr::Long, (0, LONG.1))
            }
            NumberOp::Add(left, right) => self.two('+', (left, right), range, lines, label),
            NumberOp::Subtract(left, right) => self.two('-', (left, right), range, lines, label),
            NumberOp::Multiply(left, right) => self.two('*', (left, right), range, lines, label),
            way @ (NumberOp::Divide(of, by) | NumberOp::Modulo(of, by) | NumberOp::Remainder(of, by)) => {
                self.number(of, lines, label).divided(way, *by, range)
            }
            NumberOp::Hash(function, inputs) => {
                let from = self.begin(lines);
                self.inputs(inputs, lines, label);
                let (name, repr) = match function {
                    HashFunction::Murmur3 => ("murmur3", Repr::Long),
                    HashFunction::JavaHash => ("javaHash", Repr::Long),
                    HashFunction::Crc32 => ("crc32", Repr::Long),
                    _ => ("xxh3", Repr::Unsigned),
                };
                let code = format!("{name}(out, {from})");
                Num::new(self.kept(&code, &from, lines), repr, range)
            }
            NumberOp::Salt(count, inputs) => {
                if let Some(word) = self.only_word(inputs, lines, label) {
                    return Num::new(format!("bucket(murmur3Long({word}), {count})"), Repr::Long, range);
                }
                let from = self.begin(lines);
                self.inputs(inputs, lines, label);
                Num::new(
                    self.kept(&format!("bucket(murmur3(out, {from}), {count})"), &from, lines),
                    Repr::Long,
                    range,
                )
            }
            NumberOp::PhoenixSalt(count, inputs) => {
                let from = self.begin(lines);
                self.inputs(inputs, lines, label);
                let code = format!("javaBucket(javaBytesHash(out, {from}), {count})");
                Num::new(self.kept(&code, &from, lines), Repr::Long, range)
            }
            NumberOp::OpenTsdbSalt(count, inputs) => {
                let from = self.begin(lines);
                let (metric, tags) = inputs.split_at(inputs.len().min(1));
                self.inputs(metric, lines, label);
                let end = self.fresh("metric");
                lines.line(format!("int {end} = out.length;"));
                self.inputs(tags, lines, label);
                let code = format!("openTsdbBucket(out, {from}, {end}, {count})");
                Num::new(self.kept(&code, &from, lines), Repr::Long, range)
            }
            NumberOp::Random(count) => {
                Num::new(format!("drawn(draws, {count}, {})", string(label)), Repr::Long, range)
            }
        }
    }

    /// What a hash hashes, if that is nothing but eight bytes of a number: the hash then needs no bytes.
    fn only_word(&mut self, inputs: &[Input], lines: &mut Lines, label: &str) -> Option<String> {
        let [input] = inputs else { return None };
        let (form, fields) = match input {
            Input::Field(id, form) => (*form, BTreeSet::from([*id])),
            Input::Number(number, form) => {
                let mut fields = BTreeSet::new();
                number_nulls(number, &mut fields);
                (*form, fields)
            }
            Input::Text(_) => return None,
        };
        let Form::Integer { bytes: 8, sign, low, high } = form else { return None };
        if fields.iter().any(|id| self.names.field(*id).nullable) {
            return None;
        }
        let number = match input {
            Input::Number(number, _) => self.number(number, lines, label).checked((low, high), label),
            Input::Field(id, _) => {
                let field = self.names.field(*id);
                Num::of_field(field).checked((low, high), &field.name)
            }
            Input::Text(_) => return None,
        };
        Some(masked(&number.as_held(Holds::Long), 8, sign, Order::Ascending))
    }

    /// A result of bytes that are then taken away.
    fn kept(&mut self, code: &str, from: &str, lines: &mut Lines) -> String {
        let number = self.fresh("number");
        lines.line(format!("long {number} = {code};"));
        lines.line(format!("out.length = {from};"));
        number
    }

    fn two(
        &mut self,
        sign: char,
        (left, right): (&Number, &Number),
        range: (i128, i128),
        lines: &mut Lines,
        label: &str,
    ) -> Num {
        let mut left = self.number(left, lines, label);
        let place = lines.place();
        let right = self.number(right, lines, label);
        // What may be refused is refused from left to right.
        if lines.place() > place && is_refusable(&left.code) {
            let name = self.fresh("number");
            let ty = if left.repr == Repr::Big { "BigInteger" } else { "long" };
            lines.insert(place, &format!("{ty} {name} = {};", left.code));
            left.code = name;
        }
        left.arithmetic(sign, &right, range, label)
    }
}

/// Whether code may refuse its values: then it names a place.
pub(super) fn is_refusable(code: &str) -> bool {
    code.contains(", \"")
}
