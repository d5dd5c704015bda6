//! Records, keys and refusals made by the core, which generated code must agree with.

use std::collections::BTreeSet;

use rowkey_core::key::{DecodeError, Draw, EncodeError};
use rowkey_core::lowered::Codec;
use rowkey_core::{KeySchema, Value};

use crate::values::Values;

/// What the core makes of some records and some bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Vectors {
    /// Records with their keys, or with what refuses them.
    pub records: Vec<RecordVector>,
    /// Bytes that are no key of the table, and what refuses them. Few keys accept all bytes; then there are none.
    pub bad_keys: Vec<(Vec<u8>, Refusal)>,
}

/// A record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordVector {
    /// One value for each field; null for those that the key does not name.
    pub record: Vec<Value<'static>>,
    /// What the generator of random parts gives, in this order. Empty for keys without.
    pub draws: Vec<u32>,
    /// The key, with what decoding it gives (null for fields that do not come back); or the refusal.
    pub outcome: Result<(Vec<u8>, Vec<Value<'static>>), Refusal>,
}

/// Why a record has no key, or bytes are none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Refusal {
    /// The one word of it ([`rowkey_core::lowered`]).
    pub word: &'static str,
    /// The field or part.
    pub place: Option<String>,
}

impl From<EncodeError> for Refusal {
    fn from(error: EncodeError) -> Self {
        Self { word: error.word(), place: error.place().map(str::to_owned) }
    }
}

impl From<DecodeError> for Refusal {
    fn from(error: DecodeError) -> Self {
        Self { word: error.word(), place: error.place().map(str::to_owned) }
    }
}

/// How many records have a key, are refused, and how many keys are bad, at most.
const COUNTS: (usize, usize, usize) = (34, 8, 8);
/// How many records and keys are looked at.
const TRIES: u64 = 3000;

impl Vectors {
    /// Fifty of a key, always the same.
    pub fn of(key: &KeySchema) -> Self {
        let codec = Codec::of(key);
        let mut values = Values::new(0x0A11_CE5E);
        let (mut good, mut refused, mut bad_keys) = (Vec::new(), Vec::new(), Vec::new());
        let (mut seen, mut known) = (BTreeSet::new(), BTreeSet::new());
        for number in 0..TRIES {
            if good.len() >= COUNTS.0 && number > TRIES / 4 {
                break;
            }
            let vector = judge(key, values.record(&codec), number);
            match &vector.outcome {
                // The first half of the refusals are all different.
                Err(refusal) if refused.len() < COUNTS.1 && known.insert(refusal.clone()) => {
                    refused.push(vector)
                }
                Ok((bytes, _)) if good.len() < COUNTS.0 && seen.insert(bytes.clone()) => good.push(vector),
                _ => {}
            }
        }
        let keys: Vec<&Vec<u8>> =
            good.iter().filter_map(|vector| vector.outcome.as_ref().ok().map(|(key, _)| key)).collect();
        known.clear();
        for _ in 0..TRIES {
            let Some(whole) = keys.get(values.below(keys.len().max(1))).filter(|_| bad_keys.len() < COUNTS.2)
            else {
                break;
            };
            let damaged = values.damaged(whole);
            if let Err(error) = key.decode(&damaged) {
                let refusal = Refusal::from(error);
                if known.insert(refusal.clone()) {
                    bad_keys.push((damaged, refusal));
                }
            }
        }
        good.append(&mut refused);
        Self { records: good, bad_keys }
    }
}

/// What the core makes of a record. `number` chooses what is drawn for random parts.
pub fn judge(key: &KeySchema, record: Vec<Value<'static>>, number: u64) -> RecordVector {
    let mut draws = Noted { values: Values::new(number), drawn: Vec::new() };
    let mut bytes = Vec::new();
    let encoded = key.encode_with(&record, &mut draws, &mut bytes);
    let outcome = encoded.map_err(Refusal::from).and_then(|()| {
        let decoded = key.decode(&bytes).map_err(Refusal::from)?;
        Ok((bytes.clone(), decoded.values.into_iter().map(Value::into_owned).collect()))
    });
    RecordVector { record, draws: draws.drawn, outcome }
}

/// Notes what it draws.
struct Noted {
    values: Values,
    drawn: Vec<u32>,
}

impl Draw for Noted {
    fn draw(&mut self, count: u32) -> u32 {
        let drawn = u32::try_from(self.values.below(usize::try_from(count).unwrap_or(1))).unwrap_or(0);
        self.drawn.push(drawn);
        drawn
    }
}
