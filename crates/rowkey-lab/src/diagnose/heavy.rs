//! Detects prefixes that many rows share.

use std::collections::HashMap;

use rowkey_core::KeySchema;
use rowkey_core::escape::escape;
use rowkey_core::key::{DecodedKey, Step};

use crate::model::Encoded;
use crate::simulate::Data;

/// What many rows begin with.
pub(super) struct Heavy {
    /// As people read it.
    pub(super) label: String,
    /// Its share of the rows.
    pub(super) share: f64,
}

/// The commonest beginning of the sample's keys, up to the first field behind the salt; `None` if keys cannot be taken apart.
pub(super) fn heaviest(key: &KeySchema, data: &Data<'_>) -> Option<Heavy> {
    let plain = |step: &Step| matches!(step, Step::Value(value) if value.recovers().is_some());
    let until = key.steps().iter().position(plain)?;
    let place = |name: &str| Some(data.fields.id(name)?.0);
    let columns: Vec<Option<usize>> = key.fields().iter().map(|(_, field)| place(&field.name)).collect();
    let keys = Encoded::of(key, &columns, data, 0).keys;
    let mut counts: HashMap<&[u8], u64> = HashMap::new();
    for bytes in keys.iter() {
        let mut decoded = DecodedKey::default();
        key.decode_into(bytes, &mut decoded).ok()?;
        let end = decoded.spans.get(until)?.end;
        *counts.entry(bytes.get(..end).unwrap_or_default()).or_default() += 1;
    }
    // Of equally common ones the smallest, so that the answer is always the same.
    let (start, count) = counts.into_iter().max_by(|(a, x), (b, y)| x.cmp(y).then_with(|| b.cmp(a)))?;
    let decoded = key.decode_start(start);
    let parts: Vec<String> = decoded.parts.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let label = if parts.is_empty() { escape(start).to_string() } else { parts.join(" ") };
    Some(Heavy { label, share: count as f64 / keys.len().max(1) as f64 })
}
