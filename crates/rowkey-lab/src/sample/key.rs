//! Resolves a key over data that has the types.

use rowkey_core::key::{Field, Fields};
use rowkey_core::{Findings, KeySchema, Problem};

/// Compiles a key over the fields of the data. Where the key itself writes a type that its field's guess does not fit,
/// as `[ts: timestamp]` over whole numbers, the key is right.
///
/// # Errors
/// When it is no key over these fields.
pub fn key_over(source: &str, fields: &Fields) -> Result<KeySchema, Findings> {
    let mut fields = fields.clone();
    loop {
        let findings = match KeySchema::with_fields(source, &fields) {
            Ok(key) => return Ok(key),
            Err(findings) => findings,
        };
        let written = findings.iter().find_map(|finding| match &finding.problem {
            Problem::TypeDoesNotFit { field, declared, part } if declared != part => {
                Some((field.clone(), *part))
            }
            _ => None,
        });
        // A field that two parts give two types stays as the second left it, and the first does not fit: an end.
        let changed = written.and_then(|(name, part)| {
            let id = fields.id(&name)?;
            let asked_twice = KeySchema::parse(source).is_err();
            let changed = fields.iter().map(|(other, field)| match other == id {
                true => Field { ty: part, ..field.clone() },
                false => field.clone(),
            });
            (!asked_twice).then(|| Fields::new(changed.collect()))
        });
        match changed {
            Some(changed) if changed != fields => fields = changed,
            _ => return Err(Findings::new("key", source, findings)),
        }
    }
}
