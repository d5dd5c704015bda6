//! What the data says about a field, as far as a key is concerned.
//!
//! A view of its [profile](crate::profile), which is counted over every record, not over a sample: a number that does not fit, a
//! value that has a third of all records must not be missed.

use std::hash::{DefaultHasher, Hash};
use std::ops::Deref;

use rowkey_core::Value;
use rowkey_core::types::{IntForm, IntType, Kind, Type};

use crate::profile::{FieldProfile, Hitter};

/// A field with up to so many values may get codes.
const CODES: usize = 16;
/// Texts shorter than this, on average, gain nothing by codes.
const WORTH_A_CODE: f64 = 3.0;
/// A number may grow by so much before its narrow type is full.
const ROOM: i128 = 256;
/// Delimiters, the usual first.
const DELIMITERS: [char; 6] = ['_', '|', '-', '#', '~', ';'];

/// What all values of a field have in common.
#[derive(Debug, Clone)]
pub struct FieldFacts {
    profile: FieldProfile,
    /// Whether the caller says that there will never be other values than these.
    pub closed: bool,
    /// Smallest and largest number of the earlier records, which later ones test.
    pub(super) before: Option<(i128, i128)>,
}

impl Deref for FieldFacts {
    type Target = FieldProfile;

    fn deref(&self) -> &FieldProfile {
        &self.profile
    }
}

impl From<FieldProfile> for FieldFacts {
    fn from(profile: FieldProfile) -> Self {
        Self { profile, closed: false, before: None }
    }
}

impl FieldFacts {
    /// Whether no record differs from another in it.
    pub fn is_constant(&self) -> bool {
        self.few().is_some_and(|values| values + usize::from(self.nulls > 0) <= 1)
    }

    /// How many values there are, if they are few.
    pub fn few(&self) -> Option<usize> {
        self.all.as_ref().map(Vec::len)
    }

    /// Smallest and largest number or time.
    pub fn range(&self) -> Option<(i128, i128)> {
        let number = |value: &Value<'_>| match value {
            Value::Int(number) => Some(*number),
            Value::Time(millis) => Some(i128::from(*millis)),
            _ => None,
        };
        let (smallest, largest) = self.bounds.as_ref()?;
        number(smallest).zip(number(largest))
    }

    /// The length that all texts have and will have.
    pub(super) fn width(&self) -> Option<u16> {
        let lengths = self.lengths.filter(|lengths| lengths.min == lengths.max)?;
        let width = u16::try_from(lengths.max).ok().filter(|width| (1..=64).contains(width));
        width.filter(|_| self.closed || self.is_digest)
    }

    /// A character that no text has and none will have.
    pub(super) fn delimiter(&self) -> Option<char> {
        let values = self.all.as_ref().filter(|_| self.closed)?;
        let text = |hitter: &Hitter| match &hitter.value {
            Value::Text(text) => Some(text.to_string()),
            _ => None,
        };
        let texts: Vec<String> = values.iter().filter_map(text).collect();
        let free = |delimiter: &char| texts.iter().all(|text| !text.contains(*delimiter));
        DELIMITERS.into_iter().find(free).filter(|_| !texts.is_empty())
    }

    /// A narrower type for whole numbers, with room for larger ones. A number that rises gets none: it will grow. Nor does one whose
    /// later values do not fit the type that the earlier ones would have got.
    pub(super) fn narrow(&self, declared: Type) -> Option<Type> {
        const RISES: f64 = 0.95;
        let (smallest, largest) = self.range()?;
        if self.rising > RISES && largest - smallest > 1000 {
            return None;
        }
        let before = narrowed(declared, self.before.unwrap_or((smallest, largest)))?;
        let (low, high) = before.integer_range()?;
        narrowed(declared, (smallest, largest)).filter(|_| low <= smallest && largest <= high)
    }

    /// Decimal digits that every value of a type fits into.
    pub(super) fn digits(ty: Type) -> usize {
        ty.integer_range().map_or(20, |(_, high)| high.to_string().len())
    }

    /// Bytes of a text, on average.
    pub(super) fn mean_text(&self) -> f64 {
        self.lengths.map_or(0.0, |lengths| lengths.mean)
    }

    /// Bytes of a value, on average.
    pub(super) fn mean_bytes(&self) -> f64 {
        match self.ty.kind() {
            Kind::Text | Kind::Bytes => self.mean_text() + 2.0,
            Kind::Octets(ty) => ty.width() as f64,
            Kind::Bool => 1.0,
            _ => 8.0,
        }
    }

    /// A code for each value, in order, if the field has few and they are long.
    pub(super) fn codes(&self) -> Vec<(String, String)> {
        let few = self.all.as_ref().filter(|few| self.closed && (2..=CODES).contains(&few.len()));
        let Some(few) = few.filter(|_| self.nulls == 0 && self.mean_text() >= WORTH_A_CODE) else {
            return Vec::new();
        };
        let mut values: Vec<String> = few.iter().map(|hitter| hitter.value.to_string()).collect();
        values.sort_unstable();
        values.into_iter().zip(('a'..='z').map(String::from)).collect()
    }
}

/// The narrowest type for these numbers with room to grow.
fn narrowed(declared: Type, (smallest, largest): (i128, i128)) -> Option<Type> {
    let Type::Int(IntType { bytes: own, form }) = declared else { return None };
    let form = if smallest >= 0 { IntForm::Unsigned } else { form };
    if form == IntForm::TwosComplement {
        return None;
    }
    let fits = |bytes: &usize| {
        let ty = Type::int(*bytes, form);
        let (low, high) = ty.integer_range().unwrap_or((0, 0));
        *bytes < own && largest.saturating_mul(ROOM) <= high && smallest.saturating_mul(ROOM) >= low
    };
    let bytes = [1, 2, 4].into_iter().find(fits)?;
    Some(Type::int(bytes, form))
}

/// Adds a value to a hash.
pub(super) fn hash_into(value: &Value<'_>, hasher: &mut DefaultHasher) {
    match value {
        Value::Null => 0u8.hash(hasher),
        Value::Int(number) => (1u8, number).hash(hasher),
        Value::Text(text) => (2u8, text).hash(hasher),
        Value::Bytes(bytes) => (3u8, bytes).hash(hasher),
        Value::Time(millis) => (4u8, millis).hash(hasher),
        Value::Octets(octets) => (5u8, octets.as_bytes()).hash(hasher),
        Value::Bool(truth) => (6u8, truth).hash(hasher),
        Value::Float(number) => (7u8, (number + 0.0).to_bits()).hash(hasher),
        Value::Float32(number) => (7u8, (f64::from(*number) + 0.0).to_bits()).hash(hasher),
        Value::Numeric(_) => (8u8, value.to_string()).hash(hasher),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profiler;
    use rowkey_core::key::{Field, Fields};

    fn facts(ty: &str, values: impl IntoIterator<Item = Value<'static>>) -> FieldFacts {
        let field = Field { name: "f".to_owned(), ty: Type::from_name(ty).unwrap(), nullable: false };
        let fields = Fields::new(vec![field]);
        let mut profiler = Profiler::new(&fields);
        values.into_iter().for_each(|value| profiler.record(&[value]));
        profiler.finish().fields.remove(0).into()
    }

    fn ints(numbers: impl IntoIterator<Item = i128>) -> FieldFacts {
        facts("u64", numbers.into_iter().map(Value::Int))
    }

    fn texts(values: &[&str]) -> FieldFacts {
        facts("text", values.iter().map(|text| Value::Text((*text).to_owned().into())))
    }

    #[test]
    fn what_texts_have_in_common_counts_only_where_it_will_stay() {
        let mut same = texts(&["ab_1", "cd-2"]);
        assert_eq!(
            (same.width(), same.delimiter()),
            (None, None),
            "tomorrow's text may be longer, or have any character"
        );
        same.closed = true;
        assert_eq!((same.width(), same.delimiter()), (Some(4), Some('|')));
        let digests = texts(&["0123456789abcdef0123456789abcdef", "ffffffffffffffffffffffffffffffff"]);
        assert_eq!((digests.width(), digests.is_digest), (Some(32), true));
        let mut shops = texts(&["Taobao", "Jingdong", "Taobao"]);
        assert!(shops.width().is_none() && shops.codes().is_empty(), "there may be a third shop tomorrow");
        shops.closed = true;
        let codes = shops.codes();
        assert_eq!(codes, [("Jingdong".to_owned(), "a".to_owned()), ("Taobao".to_owned(), "b".to_owned())]);
        assert!(texts(&["12", "7"]).is_whole_number && !texts(&["12", "07"]).is_whole_number);
        assert_eq!(
            (
                FieldFacts::digits(Type::from_name("u64").unwrap()),
                FieldFacts::digits(Type::from_name("u16").unwrap())
            ),
            (20, 5)
        );
    }

    #[test]
    fn numbers_get_the_narrowest_type_with_room() {
        let u64_type = Type::from_name("u64").unwrap();
        assert_eq!(ints((0..100_000).rev()).narrow(u64_type), Type::from_name("u32"));
        assert_eq!(ints([3, 1, 2]).narrow(u64_type), Type::from_name("u16"), "room for 256 times as much");
        assert_eq!(ints(0..100_000).narrow(u64_type), None, "what rises will grow");
        assert_eq!(ints([u64::MAX.into()]).narrow(u64_type), None);
    }
}
