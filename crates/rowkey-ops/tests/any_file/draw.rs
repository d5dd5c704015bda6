//! Chance from a seed, and values by it.

use rowkey_core::Value;
use rowkey_core::key::Field;
use rowkey_core::types::{Kind, Octets};

pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit
    }

    pub(crate) fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }

    /// A value of a field: the edges of its type as often as what lies between.
    pub(crate) fn value(&mut self, field: &Field) -> Value<'static> {
        if field.nullable && self.chance(3) {
            return Value::Null;
        }
        match field.ty.kind() {
            Kind::Integer => {
                let (min, max) = field.ty.integer_range().unwrap();
                let any = self.bits();
                let number = i128::from(any) % 1_000_000;
                Value::Int(self.pick(&[
                    min,
                    max,
                    0,
                    1,
                    number,
                    i128::from(any >> 1),
                    20_240_524,
                    1_700_000_000,
                ]))
            }
            Kind::Float => {
                let any = f64::from_bits(self.bits());
                let any = if any.is_finite() { any } else { 0.1 };
                let small = self.below(2000) as f64 / 16.0 - 60.0;
                Value::Float(self.pick(&[0.0, -0.0, f64::MIN_POSITIVE, f64::MAX, -1e-7, any, small]))
            }
            Kind::Bool => Value::Bool(self.chance(2)),
            Kind::Octets(ty) => {
                let (high, low) = (self.bits(), self.bits());
                Value::Octets(Octets::of_number(ty, u128::from(high) << 64 | u128::from(low)))
            }
            Kind::Time => {
                let second = i64::try_from(self.below(4_000_000_000)).unwrap() * 1000;
                let milli = i64::try_from(self.below(1000)).unwrap();
                Value::Time(self.pick(&[
                    0,
                    -1,
                    second,
                    second + milli,
                    253_402_300_799_999,
                    -62_135_596_800_000,
                ]))
            }
            Kind::Numeric => {
                let text = format!("{}.{}", self.below(1_000_000_000), 1 + self.below(1000));
                rowkey_core::value::read(&text, field.ty).unwrap().into_owned()
            }
            _ => {
                let signs = [
                    "a",
                    "b",
                    " ",
                    ",",
                    ";",
                    "\t",
                    "|",
                    "\"",
                    "\n",
                    "\r\n",
                    "'",
                    "é",
                    "价",
                    "NA",
                    "\\N",
                    "0",
                    "{",
                    "}",
                    "[",
                    "\\",
                    "\u{1F600}",
                ];
                let length = if field.nullable { 1 } else { 0 } + self.below(5);
                let text: String = (0..length).map(|_| self.pick(&signs)).collect();
                // An empty text of a nullable field is null in CSV.
                Value::Text(text.into())
            }
        }
    }
}
