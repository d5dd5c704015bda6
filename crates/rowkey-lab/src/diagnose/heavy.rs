//! Do many rows begin alike?

use std::collections::HashMap;

use rowkey::KeySchema;
use rowkey::Value;
use rowkey::escape::escape;
use rowkey::key::{DecodedKey, Draws, Step};

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
    let columns: Vec<_> = key.fields().iter().map(|(_, field)| data.fields.id(&field.name)).collect();
    let mut counts: HashMap<Vec<u8>, u64> = HashMap::new();
    let mut all = 0u64;
    let mut record = vec![Value::Null; columns.len()];
    let mut bytes = Vec::new();
    for row in 0..data.rows {
        for (slot, column) in record.iter_mut().zip(&columns) {
            let column = column.and_then(|column| data.columns.get(column.0));
            *slot = column.map(|column| column.value(row)).unwrap_or_default();
        }
        bytes.clear();
        if key.encode_with(&record, &mut Draws::new(0, row as u64), &mut bytes).is_err() {
            continue;
        }
        let mut decoded = DecodedKey::default();
        let end = match key.decode_into(&bytes, &mut decoded) {
            Ok(()) => decoded.spans.get(until).map(|span| span.end)?,
            Err(_) => return None,
        };
        all += 1;
        *counts.entry(bytes.get(..end).unwrap_or_default().to_vec()).or_default() += 1;
    }
    // Of equally common ones the smallest, so that the answer is always the same.
    let (start, count) = counts.into_iter().max_by(|(a, x), (b, y)| x.cmp(y).then_with(|| b.cmp(a)))?;
    let decoded = key.decode_start(&start);
    let parts: Vec<String> = decoded.parts.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let label = if parts.is_empty() { escape(&start).to_string() } else { parts.join(" ") };
    Some(Heavy { label, share: count as f64 / all.max(1) as f64 })
}
