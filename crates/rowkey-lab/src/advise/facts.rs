//! What does the data say about a field, as far as a key is concerned?
//!
//! Counted over every record, not over a sample: a text that holds the delimiter, a number that does not fit, a value
//! that has a third of all records must not be missed. [`FieldFacts`] of blocks of records can be added up, so that all cores count.
//!
//! Not here: what a profile shows to people.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use rowkey::Value;
use rowkey::batch::Column;
use rowkey::types::{IntForm, IntType, Type};

/// A field with up to so many values is known by all of them.
const FEW: usize = 64;
/// So many values of a field are watched; each with more than one in so many records is among them.
const WATCHED: usize = 256;
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
    /// Records, those without a value included.
    pub records: u64,
    /// Records without a value.
    pub nulls: u64,
    texts: Texts,
    smallest: Option<i128>,
    largest: Option<i128>,
    /// Whether a time was seen that is not a whole second.
    /// Records whose value is not below the one before; and those that had one before.
    risen: u64,
    followed: u64,
    last: Option<Value<'static>>,
    first: Option<Value<'static>>,
    few: Option<BTreeMap<String, u64>>,
    heavy: HashMap<u64, (u64, Value<'static>)>,
    /// Whether the caller says that there will never be other values than these.
    pub closed: bool,
}

#[derive(Debug, Clone)]
struct Texts {
    count: u64,
    bytes: u64,
    shortest: usize,
    longest: usize,
    /// Texts that are whole numbers, written as numbers are.
    numbers: u64,
    /// Nothing but hexadecimal digits, with or without hyphens.
    digests: u64,
    seen: [bool; 256],
}

impl Default for FieldFacts {
    fn default() -> Self {
        let texts = Texts {
            count: 0,
            bytes: 0,
            shortest: usize::MAX,
            longest: 0,
            numbers: 0,
            digests: 0,
            seen: [false; 256],
        };
        Self {
            records: 0,
            nulls: 0,
            texts,
            smallest: None,
            largest: None,
            risen: 0,
            followed: 0,
            last: None,
            first: None,
            few: Some(BTreeMap::new()),
            heavy: HashMap::new(),
            closed: false,
        }
    }
}

impl FieldFacts {
    /// Counts a column of records.
    pub fn observe(&mut self, column: &Column<'_>) {
        for row in 0..column.len() {
            self.observe_value(&column.value(row));
        }
    }

    /// Counts one value.
    pub fn observe_value(&mut self, value: &Value<'_>) {
        self.records += 1;
        match value {
            Value::Null => {
                self.nulls += 1;
                return;
            }
            Value::Text(text) => self.texts.observe(text.as_bytes()),
            Value::Bytes(bytes) => self.texts.observe(bytes),
            Value::Int(number) => self.spread_to(*number),
            Value::Time(millis) => {
                self.spread_to((*millis).into());
            }
            _ => {}
        }
        if let Some(last) = &self.last {
            self.followed += 1;
            self.risen += u64::from(value.compare(last).is_some_and(std::cmp::Ordering::is_ge));
        }
        let owned = value.clone().into_owned();
        self.first.get_or_insert_with(|| owned.clone());
        self.count(value, 1);
        self.last = Some(owned);
    }

    fn spread_to(&mut self, number: i128) {
        self.smallest = Some(self.smallest.map_or(number, |own| own.min(number)));
        self.largest = Some(self.largest.map_or(number, |own| own.max(number)));
    }

    fn count(&mut self, value: &Value<'_>, times: u64) {
        if let Some(few) = &mut self.few {
            let shown = value.to_string();
            *few.entry(shown).or_default() += times;
            if few.len() > FEW {
                self.few = None;
            }
        }
        let hash = hash_of(value);
        if let Some((count, _)) = self.heavy.get_mut(&hash) {
            *count += times;
            return;
        }
        if self.heavy.len() < WATCHED {
            self.heavy.insert(hash, (times, value.clone().into_owned()));
            return;
        }
        // Misra and Gries: a value that is not watched takes one from all that are.
        let least = self.heavy.values().map(|(count, _)| *count).min().unwrap_or(0).min(times);
        self.heavy.retain(|_, (count, _)| {
            *count -= least;
            *count > 0
        });
        if times > least {
            self.heavy.insert(hash, (times - least, value.clone().into_owned()));
        }
    }

    /// Adds what was counted of the records behind these.
    pub fn append(&mut self, next: &Self) {
        self.records += next.records;
        self.nulls += next.nulls;
        self.texts.append(&next.texts);
        next.smallest.into_iter().chain(next.largest).for_each(|number| self.spread_to(number));
        if let (Some(last), Some(first)) = (&self.last, &next.first) {
            self.followed += 1;
            self.risen += u64::from(first.compare(last).is_some_and(std::cmp::Ordering::is_ge));
        }
        self.risen += next.risen;
        self.followed += next.followed;
        self.first = self.first.take().or_else(|| next.first.clone());
        self.last = next.last.clone().or_else(|| self.last.take());
        self.few = match (self.few.take(), &next.few) {
            (Some(mut own), Some(other)) => {
                other.iter().for_each(|(value, count)| *own.entry(value.clone()).or_default() += count);
                (own.len() <= FEW).then_some(own)
            }
            _ => None,
        };
        for (hash, (count, value)) in &next.heavy {
            self.heavy.entry(*hash).or_insert_with(|| (0, value.clone())).0 += count;
        }
        self.watch_fewer();
    }

    /// Keeps the values with the most records, less what the next one has, which is what keeps the counts lower bounds.
    fn watch_fewer(&mut self) {
        if self.heavy.len() <= WATCHED {
            return;
        }
        let mut counts: Vec<u64> = self.heavy.values().map(|(count, _)| *count).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let least = counts.get(WATCHED).copied().unwrap_or(0);
        self.heavy.retain(|_, (count, _)| {
            *count = count.saturating_sub(least);
            *count > 0
        });
    }

    /// The values that may have the most records, the first first; their counts are lower bounds.
    pub fn heavy(&self, most: usize) -> Vec<(Value<'static>, u64)> {
        let mut heavy: Vec<_> = self.heavy.values().map(|(count, value)| (value.clone(), *count)).collect();
        heavy.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.to_string().cmp(&b.to_string())));
        heavy.truncate(most);
        heavy
    }

    /// Whether no record differs from another in it.
    pub fn is_constant(&self) -> bool {
        let values = self.few.as_ref().map(BTreeMap::len);
        values.is_some_and(|values| values + usize::from(self.nulls > 0) <= 1)
    }

    /// All values with their counts, if they are few.
    pub fn few(&self) -> Option<&BTreeMap<String, u64>> {
        self.few.as_ref()
    }

    /// The share of records, of those behind another, whose value is not below the one before.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn rising(&self) -> f64 {
        if self.followed == 0 { 0.0 } else { self.risen as f64 / self.followed as f64 }
    }

    /// Smallest and largest number or time.
    pub fn range(&self) -> Option<(i128, i128)> {
        self.smallest.zip(self.largest)
    }

    /// Whether every value is a UUID or a digest, all of one length: their length will not change.
    pub fn is_digest(&self) -> bool {
        self.texts.count > 0
            && self.texts.digests == self.texts.count
            && self.texts.shortest == self.texts.longest
    }

    /// The length that all texts have and will have.
    pub(super) fn width(&self) -> Option<u16> {
        let same = self.texts.count > 0 && self.texts.shortest == self.texts.longest;
        let width = u16::try_from(self.texts.longest).ok().filter(|width| same && (1..=64).contains(width));
        width.filter(|_| self.closed || self.is_digest())
    }

    /// A character that no text has and none will have.
    pub(super) fn delimiter(&self) -> Option<char> {
        let free = |delimiter: &char| {
            let byte = u8::try_from(*delimiter).unwrap_or(0);
            self.texts.count > 0 && self.texts.seen.get(usize::from(byte)) == Some(&false)
        };
        DELIMITERS.into_iter().find(free).filter(|_| self.closed)
    }

    /// A narrower type for whole numbers, with room for larger ones. A number that rises gets none: it will grow.
    pub(super) fn narrow(&self, declared: Type) -> Option<Type> {
        const RISES: f64 = 0.95;
        let (smallest, largest) = self.range()?;
        let Type::Int(IntType { bytes: own, form }) = declared else { return None };
        if self.rising() > RISES && largest - smallest > 1000 {
            return None;
        }
        let form = if smallest >= 0 { IntForm::Unsigned } else { form };
        if form == IntForm::TwosComplement {
            return None;
        }
        let fits = |bytes: &usize| {
            let ty = Type::Int(IntType { bytes: *bytes, form });
            let (low, high) = ty.integer_range().unwrap_or((0, 0));
            *bytes < own && largest.saturating_mul(ROOM) <= high && smallest.saturating_mul(ROOM) >= low
        };
        let bytes = [1, 2, 4].into_iter().find(fits)?;
        Some(Type::Int(IntType { bytes, form }))
    }

    /// Whether all texts are whole numbers, which take fewer bytes and sort as numbers.
    pub fn is_number_as_text(&self) -> bool {
        self.texts.count > 0 && self.texts.numbers == self.texts.count
    }

    /// Decimal digits that every value of a type fits into.
    pub(super) fn digits(ty: Type) -> usize {
        ty.integer_range().map_or(20, |(_, high)| high.to_string().len())
    }

    /// Bytes of a text, on average.
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    pub(super) fn mean_text(&self) -> f64 {
        self.texts.bytes as f64 / self.texts.count.max(1) as f64
    }

    /// A code for each value, in order, if the field has few and they are long.
    pub(super) fn codes(&self) -> Vec<(String, String)> {
        let closed = self.few.as_ref().filter(|_| self.closed);
        let Some(few) = closed.filter(|few| (2..=CODES).contains(&few.len())) else {
            return Vec::new();
        };
        if self.texts.count == 0 || self.nulls > 0 || self.mean_text() < WORTH_A_CODE {
            return Vec::new();
        }
        let letters = ('a'..='z').map(String::from);
        few.keys().cloned().zip(letters).collect()
    }
}

impl Texts {
    fn observe(&mut self, bytes: &[u8]) {
        self.count += 1;
        self.bytes += bytes.len() as u64;
        self.shortest = self.shortest.min(bytes.len());
        self.longest = self.longest.max(bytes.len());
        self.numbers += u64::from(is_number(bytes));
        self.digests += u64::from(is_digest(bytes));
        for byte in bytes {
            if let Some(seen) = self.seen.get_mut(usize::from(*byte)) {
                *seen = true;
            }
        }
    }

    fn append(&mut self, next: &Self) {
        self.count += next.count;
        self.bytes += next.bytes;
        self.shortest = self.shortest.min(next.shortest);
        self.longest = self.longest.max(next.longest);
        self.numbers += next.numbers;
        self.digests += next.digests;
        self.seen.iter_mut().zip(next.seen).for_each(|(own, other)| *own |= other);
    }
}

/// A UUID or the digest of a hash, in hexadecimal digits.
fn is_digest(text: &[u8]) -> bool {
    [24, 32, 36, 40, 64].contains(&text.len())
        && text.iter().all(|byte| byte.is_ascii_hexdigit() || (*byte == b'-' && text.len() == 36))
}

/// Whether a text is a whole number as numbers are written, so that nothing is lost by keeping it as one.
fn is_number(text: &[u8]) -> bool {
    let digits = (1..=18).contains(&text.len()) && text.iter().all(u8::is_ascii_digit);
    digits && (text.len() == 1 || text.first() != Some(&b'0'))
}

/// A number for a value, the same in every run.
pub(super) fn hash_of(value: &Value<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash_into(value, &mut hasher);
    hasher.finish()
}

/// Adds a value to a hash.
pub(super) fn hash_into(value: &Value<'_>, hasher: &mut DefaultHasher) {
    match value {
        Value::Null => 0u8.hash(hasher),
        Value::Int(number) => (1u8, number).hash(hasher),
        Value::Text(text) => (2u8, text).hash(hasher),
        Value::Bytes(bytes) => (3u8, bytes).hash(hasher),
        Value::Time(millis) => (4u8, millis).hash(hasher),
        Value::Uuid(bytes) => (5u8, bytes).hash(hasher),
        Value::Bool(truth) => (6u8, truth).hash(hasher),
        Value::Float(number) => (7u8, (number + 0.0).to_bits()).hash(hasher),
        Value::Float32(number) => (7u8, (f64::from(*number) + 0.0).to_bits()).hash(hasher),
        Value::Numeric(_) => (8u8, value.to_string()).hash(hasher),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(numbers: impl IntoIterator<Item = i128>) -> FieldFacts {
        let mut facts = FieldFacts::default();
        numbers.into_iter().for_each(|number| facts.observe_value(&Value::Int(number)));
        facts
    }

    fn texts(values: &[&str]) -> FieldFacts {
        let mut facts = FieldFacts::default();
        values.iter().for_each(|text| facts.observe_value(&Value::Text((*text).into())));
        facts
    }

    #[test]
    fn a_value_with_many_records_is_found_among_many_others() {
        // One in ten records is 7; all others differ.
        let all: Vec<i128> = (0..50_000).map(|n| if n % 10 == 0 { 7 } else { 1_000 + n }).collect();
        let whole = ints(all.iter().copied());
        let mut sum = FieldFacts::default();
        all.chunks(3_000).for_each(|block| sum.append(&ints(block.iter().copied())));
        for facts in [whole, sum] {
            let (value, count) = facts.heavy(1).remove(0);
            assert_eq!(value.to_string(), "7");
            assert!((4_000..=5_000).contains(&count), "{count}");
        }
    }

    #[test]
    fn blocks_add_up_to_the_whole() {
        let whole = ints((0..1000).map(|n| n / 2));
        let mut sum = FieldFacts::default();
        for block in 0..10 {
            sum.append(&ints((block * 100..block * 100 + 100).map(|n| n / 2)));
        }
        assert_eq!((sum.records, sum.range(), sum.rising()), (whole.records, whole.range(), whole.rising()));
        assert!((sum.rising() - 1.0).abs() < 1e-9);
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
        assert_eq!((digests.width(), digests.is_digest()), (Some(32), true));
        let mut shops = texts(&["Taobao", "Jingdong", "Taobao"]);
        assert!(shops.width().is_none() && shops.codes().is_empty(), "there may be a third shop tomorrow");
        shops.closed = true;
        let codes = shops.codes();
        assert_eq!(codes, [("Jingdong".to_owned(), "a".to_owned()), ("Taobao".to_owned(), "b".to_owned())]);
        assert!(texts(&["12", "7"]).is_number_as_text() && !texts(&["12", "07"]).is_number_as_text());
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
