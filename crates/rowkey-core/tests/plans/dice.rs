//! Random records and queries, from a seed.
//!
//! Values come from small domains, so that equal fields, equal prefixes and bounds that hit a value exactly come up all
//! the time; conditions are mostly drawn so that one of the records meets them.

use rowkey_core::key::Field;
use rowkey_core::query::{Comparison, LikePattern, Predicate, Query};
use rowkey_core::types::{IntForm, Kind, Octets};
use rowkey_core::{FieldId, KeySchema, Order, Type, Value};

pub(crate) struct Dice(u64);

pub(crate) type Record = Vec<Value<'static>>;

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678_9ABC_DEF1)
    }

    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % sides
    }

    pub(crate) fn index(&mut self, sides: usize) -> usize {
        usize::try_from(self.roll(sides as u64)).expect("below a usize")
    }

    pub(crate) fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.index(all.len())]
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.roll(100) < percent
    }

    fn text(&mut self, letters: &[char], longest: usize) -> String {
        (0..self.index(longest + 1)).map(|_| *self.one_of(letters)).collect()
    }

    pub(crate) fn value(&mut self, field: &Field) -> Value<'static> {
        let ty = field.ty;
        match ty.kind() {
            Kind::Float => {
                let number: f64 = *self.one_of(&[-1.5, -0.1, 0.0, 0.1, 1.0, 2.5, 1e30]);
                #[expect(clippy::cast_possible_truncation, reason = "a field of 32 bits has such values")]
                if field.ty.is_single() { Value::Float32(number as f32) } else { Value::Float(number) }
            }
            Kind::Numeric => {
                let number = *self.one_of(&["-2", "0", "0.5", "1", "10"]);
                rowkey_core::value::read(number, ty).expect("a number").into_owned()
            }
            Kind::Bytes => {
                let length = self.index(3);
                Value::Bytes(
                    (0..length).map(|_| *self.one_of(&[0u8, 1, b'a', 0xFF])).collect::<Vec<u8>>().into(),
                )
            }
            Kind::Octets(ty) => {
                let bytes = [*self.one_of(&[0u8, 1, 0xFF]); 16];
                Value::Octets(Octets::of_number(ty, u128::from_be_bytes(bytes)))
            }
            Kind::Bool => Value::Bool(self.chance(50)),
            Kind::Time if ty.step() > 1 => {
                Value::Time(i64::try_from(self.roll(4)).expect("small") * ty.step())
            }
            Kind::Time if self.chance(8) => Value::Time(*self.one_of(&[i64::MAX, i64::MIN])),
            // Some days, so that dates differ too.
            Kind::Time => Value::Time(i64::try_from(self.roll(6)).expect("small") * 40_000_000 - 40_000_000),
            Kind::Text => self.text_of(field),
            Kind::Integer => Value::Int(match ty {
                Type::Int(int) if int.form == IntForm::Unsigned && self.chance(25) => {
                    int.range().1 - i128::from(self.roll(3))
                }
                Type::Int(int) if int.form == IntForm::Unsigned => self.roll(4).into(),
                Type::Decimal(_) => self.roll(4).into(),
                _ => i128::from(self.roll(8)) - 4,
            }),
        }
    }

    fn text_of(&mut self, field: &Field) -> Value<'static> {
        let text = match (field.name.as_str(), field.ty) {
            // Values that a code has, and one that it has not.
            ("k", _) => (*self.one_of(&["one", "two", "six", "one", "two", "ten"])).to_owned(),
            (_, Type::Fixed(width)) => (0..width).map(|_| *self.one_of(&['a', 'b', '_'])).collect(),
            // Neither empty nor with a pad at an end.
            ("p", _) => format!("{}{}", self.one_of(&["a", "B"]), self.text(&['a', 'b', 'C'], 2)),
            _ => self.text(&['\0', '\u{1}', 'a', 'a', 'b', '_', '\u{7f}', 'é'], 3),
        };
        Value::Text(text.into())
    }

    pub(crate) fn record(&mut self, key: &KeySchema) -> Record {
        let fields = key.fields().iter();
        fields
            .map(|(_, field)| if field.nullable && self.chance(25) { Value::Null } else { self.value(field) })
            .collect()
    }

    /// A query of which `likely`, one of the records, is mostly an answer.
    pub(crate) fn query(&mut self, key: &KeySchema, likely: Option<&Record>) -> Query {
        let condition = if self.chance(5) { Predicate::TRUE } else { self.condition(key, likely, 3) };
        let fields = key.fields().len();
        let order = |dice: &mut Self| {
            let order = if dice.chance(50) { Order::Ascending } else { Order::Descending };
            (FieldId(dice.index(fields)), order)
        };
        let order_by = (0..self.index(3)).map(|_| order(self)).collect();
        let limit = self.chance(35).then(|| self.index(6));
        Query { condition, order_by, limit }
    }

    fn condition(&mut self, key: &KeySchema, likely: Option<&Record>, depth: usize) -> Predicate {
        let parts = |dice: &mut Self, least: usize| -> Vec<Predicate> {
            (0..least + dice.index(3)).map(|_| dice.condition(key, likely, depth - 1)).collect()
        };
        match self.roll(100) {
            0..45 if depth > 0 => Predicate::And(parts(self, 1)),
            45..62 if depth > 0 => Predicate::Or(parts(self, 1)),
            62..69 if depth > 0 => Predicate::Not(Box::new(self.condition(key, None, depth - 1))),
            _ => self.leaf(key, likely),
        }
    }

    fn leaf(&mut self, key: &KeySchema, likely: Option<&Record>) -> Predicate {
        use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        let field = FieldId(self.index(key.fields().len()));
        let declared = key.fields().get(field);
        let own =
            likely.map(|record| record[field.0].clone()).filter(|own| !own.is_null() && self.chance(75));
        let value = own.clone().unwrap_or_else(|| self.value(declared));
        if likely.is_some_and(|record| record[field.0].is_null()) && self.chance(60) {
            return Predicate::IsNull { field };
        }
        match self.roll(100) {
            0..50 => {
                let all = [Equal, Equal, Equal, Equal, NotEqual, Greater, GreaterOrEqual, Less, LessOrEqual];
                Predicate::Compare { field, comparison: *self.one_of(&all), value }
            }
            50..66 => {
                let more = (0..self.index(3)).map(|_| self.value(declared));
                let values = more.chain([value]).collect();
                let list = Predicate::In { field, values, or_null: self.chance(10) };
                if self.chance(20) { Predicate::Not(Box::new(list)) } else { list }
            }
            66..90 if declared.ty.kind() == Kind::Text => {
                let like = self.like(field, &value.to_string());
                if self.chance(20) { Predicate::Not(Box::new(like)) } else { like }
            }
            90..94 => Predicate::IsNull { field },
            94..98 => Predicate::Not(Box::new(Predicate::IsNull { field })),
            98..100 => Predicate::Unknown,
            _ => Predicate::Compare { field, comparison: Equal, value },
        }
    }

    fn like(&mut self, field: FieldId, text: &str) -> Predicate {
        let characters: Vec<char> = text.chars().collect();
        let at = self.index(characters.len() + 1);
        let (start, end): (String, String) =
            (characters[..at].iter().collect(), characters[at..].iter().collect());
        let escaped = |text: &str| text.replace('!', "!!").replace('%', "!%").replace('_', "!_");
        let pattern = match self.roll(5) {
            0 => format!("{}%", escaped(&start)),
            1 => format!("%{}", escaped(&end)),
            2 => format!("%{}%", escaped(&end)),
            3 => format!("{}%{}", escaped(&start), escaped(&end)),
            _ => escaped(text).replacen('a', "_", 1),
        };
        let pattern = LikePattern::parse(&pattern, Some('!')).expect("escapes only what it may");
        Predicate::Like { field, pattern }
    }
}
