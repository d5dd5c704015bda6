//! Values, records and damaged keys, often at the borders of what is allowed; the same for the same seed.

use rowkey_core::lowered::{Codec, CodecField, Input, LoweredStep, Number, NumberOp, Source, Text, TextOp};
use rowkey_core::types::{Kind, Octets};
use rowkey_core::{Type, Value};

/// Draws them.
#[derive(Debug, Clone)]
pub struct Values {
    state: u64,
}

impl Values {
    /// Those of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0xD1B5_4A32_D192_ED03) ^ 0x5EED }
    }

    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`, which is at least 1.
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.next()) * count as u128) >> 64) as usize
    }

    /// True once in `times`, on average.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these, of which there is at least one.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from.get(self.below(from.len())).cloned().expect("there is one to pick")
    }

    /// A record for a key. Most of them have one.
    pub fn record(&mut self, codec: &Codec) -> Vec<Value<'static>> {
        let hints = Hints::of(codec);
        let one = |(index, field): (usize, &CodecField)| {
            if !field.in_key || (field.nullable && self.once_in(5)) {
                return Value::Null;
            }
            let known = hints.texts.get(index).filter(|texts| !texts.is_empty());
            match known.filter(|_| !self.once_in(8)) {
                Some(texts) => Value::Text(self.pick(texts).into()),
                None => self.value(field.ty),
            }
        };
        codec.fields.iter().enumerate().map(one).collect()
    }

    /// A value of a type.
    pub fn value(&mut self, ty: Type) -> Value<'static> {
        match ty.kind() {
            Kind::Bool => Value::Bool(self.once_in(2)),
            Kind::Octets(own) => {
                let odd: [u8; 16] = std::array::from_fn(|_| self.pick(&[0, 1, 0x7F, 0x80, 0xFF]));
                let any = u128::from(self.next()) << 64 | u128::from(self.next());
                Value::Octets(Octets::of_number(
                    own,
                    if self.once_in(2) { any } else { u128::from_be_bytes(odd) },
                ))
            }
            Kind::Time => {
                let usual = 1_400_000_000_000 + self.below(400_000_000_000) as i64;
                let odd = self.pick(&[
                    0,
                    1,
                    -1,
                    60_000,
                    1_432_425_600_123,
                    -62_135_596_800_000,
                    253_402_300_799_999,
                ]);
                let odd = if self.once_in(12) {
                    self.pick(&[i64::MIN, i64::MAX, 253_402_300_800_000])
                } else {
                    odd
                };
                let millis = if self.once_in(3) { odd } else { usual };
                let is_whole = ty.step() > 1 && !self.once_in(10);
                Value::Time(if is_whole {
                    millis.div_euclid(1000).rem_euclid(1 << 32) * 1000
                } else {
                    millis
                })
            }
            Kind::Integer => Value::Int(self.integer(ty)),
            Kind::Float => self.float(ty.is_single()),
            Kind::Numeric => {
                let digits = 1 + self.below(31);
                let digits: String = (0..digits).map(|_| char::from(b'0' + self.below(10) as u8)).collect();
                let odd = [
                    "0",
                    "-1",
                    "12.5",
                    "-0.001",
                    "1000000",
                    "9999999999999999999999999999999",
                    "1e-6144",
                    "1e6143",
                ];
                let text = match self.below(4) {
                    0 => self.pick(&odd).to_owned(),
                    1 => format!("-{digits}"),
                    2 => format!("{digits}e-{}", self.below(40)),
                    _ => digits,
                };
                Value::Numeric(text.parse().unwrap_or_default())
            }
            Kind::Bytes => {
                let length = self.pick(&[0, 1, 2, 3, 7, 8, 20]);
                let bytes: Vec<u8> =
                    (0..length).map(|_| self.pick(&[0, 1, 0x61, 0x80, 0xFE, 0xFF])).collect();
                Value::Bytes(bytes.into())
            }
            Kind::Text => self.text(ty),
        }
    }

    fn integer(&mut self, ty: Type) -> i128 {
        let (low, high) = ty.integer_range().unwrap_or((0, 0));
        let spread =
            (i128::from(self.next()) << 62 ^ i128::from(self.next())).rem_euclid((high - low).max(1)) + low;
        let small = self.below(2000) as i128 - 500;
        self.pick(&[low, high, low + 1, high - 1, 0, small, small, spread, spread]).clamp(low, high)
    }

    fn float(&mut self, is_single: bool) -> Value<'static> {
        let bits = self.next();
        let usual = self.below(2_000_000) as f64 / 1000.0 - 500.0;
        if is_single {
            #[expect(clippy::cast_possible_truncation, reason = "any number of 32 bits will do")]
            let odd =
                [0.0, -0.0, -1.5, 1e-45, f32::MAX, f32::NEG_INFINITY, f32::NAN, f32::from_bits(bits as u32)];
            #[expect(clippy::cast_possible_truncation, reason = "as above")]
            let usual = usual as f32;
            return Value::Float32(if self.once_in(2) { usual } else { self.pick(&odd) });
        }
        let odd = [0.0, -0.0, -1.5, 5e-324, f64::MAX, f64::INFINITY, f64::NAN, f64::from_bits(bits)];
        Value::Float(if self.once_in(2) { usual } else { self.pick(&odd) })
    }

    fn text(&mut self, ty: Type) -> Value<'static> {
        const USUAL: [char; 8] = ['a', 'b', 'z', 'A', '0', '7', '_', '-'];
        const ODD: [char; 18] = [
            '\0', '\u{1}', 'é', 'ß', 'Σ', 'İ', 'ǆ', '字', '\u{7F}', '~', '#', ' ', '"', '\\', '$', '\u{301}',
            '😀', '\u{FFFF}',
        ];
        let is_odd = self.once_in(3);
        let mut text = String::new();
        let length = ty.width().unwrap_or_else(|| self.pick(&[0, 1, 2, 4, 8, 12]));
        while text.len() < length {
            let letter = if is_odd { self.pick(&ODD) } else { self.pick(&USUAL) };
            // Now and then a `fixed(n)` is missed by a letter of several bytes.
            let fits = text.len() + letter.len_utf8() <= length || ty.width().is_none() || self.once_in(20);
            text.push(if fits { letter } else { 'x' });
        }
        Value::Text(text.into())
    }

    /// Bytes that are near a key.
    pub fn damaged(&mut self, key: &[u8]) -> Vec<u8> {
        let mut damaged = key.to_vec();
        let at = self.below(key.len().max(1));
        match self.below(5) {
            0 => damaged.truncate(at),
            1 => damaged.insert(at.min(key.len()), self.pick(&[0, 1, 0x61, 0x80, 0xFF])),
            2 => damaged.push(self.pick(&[0, 1, 0x61, 0xFF])),
            3 => {
                damaged.drain(at..(at + 1).min(key.len()));
            }
            _ => {
                let byte = self.pick(&[0, 1, 2, 5, 0x61, 0x7F, 0x80, 0xFE, 0xFF]);
                damaged.iter_mut().skip(at).take(1).for_each(|slot| *slot = byte);
            }
        }
        damaged
    }
}

/// Texts that functions of a key have something for: what `code` lists.
struct Hints {
    texts: Vec<Vec<String>>,
}

impl Hints {
    fn of(codec: &Codec) -> Self {
        let mut hints = Self { texts: vec![Vec::new(); codec.fields.len()] };
        for step in &codec.steps {
            match step {
                LoweredStep::Value(value) => match &value.source {
                    Source::Text(text) => hints.text(text),
                    Source::Number(number) => hints.number(number),
                    Source::Field(_) | Source::RowSalt => {}
                },
                LoweredStep::Literal(_) => {}
            }
        }
        hints
    }

    fn text(&mut self, text: &Text) {
        match &text.op {
            TextOp::Code(of, codes) => {
                if let TextOp::Field(field) = of.op
                    && let Some(texts) = self.texts.get_mut(field.0)
                {
                    texts.extend(codes.iter().map(|(from, _)| from.clone()));
                }
                self.text(of);
            }
            TextOp::Reverse(of)
            | TextOp::SubStr(of, ..)
            | TextOp::Upper(of)
            | TextOp::LowerEach(of)
            | TextOp::Lower(of)
            | TextOp::Pad(_, of, ..) => self.text(of),
            TextOp::Hex(_, inputs) | TextOp::Digest(_, inputs, _) | TextOp::Letter(_, inputs) => {
                self.inputs(inputs)
            }
            TextOp::Field(_)
            | TextOp::RandomLetter(_)
            | TextOp::Str(_)
            | TextOp::ReverseDigits(..)
            | TextOp::Date(..) => {}
        }
    }

    fn number(&mut self, number: &Number) {
        if let NumberOp::Hash(_, inputs)
        | NumberOp::Salt(_, inputs)
        | NumberOp::PhoenixSalt(_, inputs)
        | NumberOp::OpenTsdbSalt(_, inputs) = &number.op
        {
            self.inputs(inputs);
        }
    }

    fn inputs(&mut self, inputs: &[Input]) {
        for input in inputs {
            if let Input::Text(text) = input {
                self.text(text);
            }
        }
    }
}
