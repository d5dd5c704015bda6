//! The settings of a column family.

use std::collections::BTreeMap;

use super::section::{Section, Spanned};
use crate::finding::Problem;

/// A column family of a table file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamilySpec {
    /// Its name, best a single letter.
    pub name: String,
    /// How many versions of a cell are kept; 1 unless told otherwise.
    pub versions: u32,
    /// How many stay when their time to live is over; 0 unless told otherwise.
    pub min_versions: u32,
    /// Seconds after which a cell is gone; `None` for never.
    pub ttl_seconds: Option<u32>,
    /// Further settings by HBase's names.
    pub attributes: BTreeMap<String, String>,
}

const SECONDS: [(char, u32); 5] = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400), ('w', 604_800)];

pub(super) fn read(name: &str, section: &Section<'_>) -> FamilySpec {
    let versions = section.number("versions", 1);
    let min_versions = section.number("min_versions", 0);
    let spec = FamilySpec {
        name: name.to_owned(),
        versions: versions.map_or(1, |number| number.value),
        min_versions: min_versions.map_or(0, |number| number.value),
        ttl_seconds: ttl(section),
        attributes: attributes(section),
    };
    if let Some(min) = min_versions
        && spec.min_versions > spec.versions
    {
        section.find(
            min.span,
            Problem::BadSetting {
                key: "min_versions".to_owned(),
                value: spec.min_versions.to_string(),
                cure: format!("it is at most versions, which is {}", spec.versions),
            },
        );
    }
    spec
}

/// `30d`, `12h`, `90s`; also `forever`.
fn ttl(section: &Section<'_>) -> Option<u32> {
    let Spanned { value, span } = section.string("ttl")?;
    if value == "forever" {
        return None;
    }
    let unit = SECONDS.iter().find(|(letter, _)| value.ends_with(*letter));
    let seconds = unit.and_then(|(letter, seconds)| {
        let number: u32 = value.strip_suffix(*letter)?.parse().ok()?;
        number.checked_mul(*seconds).filter(|ttl| *ttl > 0 && *ttl < i32::MAX.cast_unsigned())
    });
    if seconds.is_none() {
        let cure =
            "write a number and a unit (s, m, h, d, w), such as \"30d\", up to 68 years; or \"forever\"";
        section.find(
            span,
            Problem::BadSetting { key: "ttl".to_owned(), value: value.to_owned(), cure: cure.to_owned() },
        );
    }
    seconds
}

fn attributes(section: &Section<'_>) -> BTreeMap<String, String> {
    let mut attributes = BTreeMap::new();
    if let Some(blocksize) = section.number("blocksize", 1) {
        attributes.insert("BLOCKSIZE".to_owned(), blocksize.value.to_string());
    }
    if let Some(in_memory) = section.bool("in_memory") {
        attributes.insert("IN_MEMORY".to_owned(), in_memory.value.to_string());
    }
    for (key, attribute, allowed) in [
        ("compression", "COMPRESSION", &["NONE", "GZ", "SNAPPY", "LZ4", "LZO", "ZSTD", "BZIP2", "LZMA"][..]),
        (
            "data_block_encoding",
            "DATA_BLOCK_ENCODING",
            &["NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"],
        ),
        ("bloom", "BLOOMFILTER", &["NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"]),
    ] {
        if let Some(Spanned { value, span }) = section.string(key) {
            if allowed.contains(&value.to_ascii_uppercase().as_str()) {
                attributes.insert(attribute.to_owned(), value.to_ascii_uppercase());
            } else {
                let cure = format!("it is one of {}", allowed.join(", "));
                section
                    .find(span, Problem::BadSetting { key: key.to_owned(), value: value.to_owned(), cure });
            }
        }
    }
    attributes
}
