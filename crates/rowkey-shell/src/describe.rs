//! Describes a table as HBase's shell does, and parses its settings.

use std::collections::BTreeMap;

use rowkey_store::{Family, TableDescriptor};

use crate::error::ShellError;
use crate::language::{Hash, Value};

/// HBase's word for cells that are kept forever: Java's largest integer.
const FOREVER: i64 = 2_147_483_647;

/// The settings of a family in the order in which HBase prints them, with their defaults.
const SETTINGS: [(&str, &str); 11] = [
    ("VERSIONS", "1"),
    ("KEEP_DELETED_CELLS", "FALSE"),
    ("DATA_BLOCK_ENCODING", "NONE"),
    ("TTL", "FOREVER"),
    ("MIN_VERSIONS", "0"),
    ("REPLICATION_SCOPE", "0"),
    ("BLOOMFILTER", "ROW"),
    ("IN_MEMORY", "false"),
    ("COMPRESSION", "NONE"),
    ("BLOCKCACHE", "true"),
    ("BLOCKSIZE", "65536"),
];

/// Settings of a family that HBase knows and prints only where they were set.
const FURTHER: [&str; 12] = [
    "CACHE_BLOOMS_ON_WRITE",
    "CACHE_DATA_ON_WRITE",
    "CACHE_INDEX_ON_WRITE",
    "COMPRESSION_COMPACT",
    "COMPRESS_TAGS",
    "DFS_REPLICATION",
    "EVICT_BLOCKS_ON_CLOSE",
    "IN_MEMORY_COMPACTION",
    "IS_MOB",
    "MOB_THRESHOLD",
    "NEW_VERSION_BEHAVIOR",
    "PREFETCH_BLOCKS_ON_OPEN",
];

/// Settings of a table that HBase knows by name.
const OF_TABLE: [&str; 12] = [
    "COMPACTION_ENABLED",
    "DURABILITY",
    "FLUSH_POLICY",
    "MAX_FILESIZE",
    "MEMSTORE_FLUSHSIZE",
    "MERGE_ENABLED",
    "NORMALIZATION_ENABLED",
    "OWNER",
    "PRIORITY",
    "READONLY",
    "REGION_REPLICATION",
    "SPLIT_POLICY",
];

/// A family as `describe` prints it.
pub(crate) fn family(family: &Family) -> String {
    let mut pairs = vec![format!("NAME => '{}'", family.name)];
    for (name, default) in SETTINGS {
        let value = match name {
            "VERSIONS" => family.versions.to_string(),
            "MIN_VERSIONS" => family.min_versions.to_string(),
            "TTL" => family.ttl_seconds.map_or(default.to_owned(), interval),
            _ => family.attributes.get(name).cloned().unwrap_or_else(|| default.to_owned()),
        };
        pairs.push(format!("{name} => '{value}'"));
    }
    let known = |name: &str| SETTINGS.iter().any(|(known, _)| *known == name) || FURTHER.contains(&name);
    let further = family.attributes.iter().filter(|(name, _)| FURTHER.contains(&name.as_str()));
    pairs.extend(further.map(|(name, value)| format!("{name} => '{value}'")));
    let others: Vec<_> = family.attributes.iter().filter(|(name, _)| !known(name)).collect();
    if !others.is_empty() {
        pairs.push(format!("METADATA => {{{}}}", quoted_pairs(&others)));
    }
    format!("{{{}}}", pairs.join(", "))
}

/// What a table has beside its families, as `describe` prints it behind its name.
pub(crate) fn table_attributes(table: &TableDescriptor) -> String {
    // Every table of HBase carries this one, and its shell does not show it.
    let shown = table.attributes.iter().filter(|(name, _)| *name != "IS_META");
    let (own, others): (Vec<_>, Vec<_>) = shown.partition(|(name, _)| OF_TABLE.contains(&name.as_str()));
    let mut pairs: Vec<String> = own.iter().map(|(name, value)| format!("{name} => '{value}'")).collect();
    if !others.is_empty() {
        pairs.push(format!("METADATA => {{{}}}", quoted_pairs(&others)));
    }
    if pairs.is_empty() {
        String::new()
    } else {
        format!(", {{TABLE_ATTRIBUTES => {{{}}}}}", pairs.join(", "))
    }
}

fn quoted_pairs(pairs: &[(&String, &String)]) -> String {
    let shown: Vec<String> = pairs.iter().map(|(name, value)| format!("'{name}' => '{value}'")).collect();
    shown.join(", ")
}

/// A number of seconds in words, as HBase writes a time to live.
fn interval(seconds: u32) -> String {
    let plural = |number: u32, word: &str| format!("{number} {word}{}", if number == 1 { "" } else { "S" });
    if seconds < 60 {
        return plural(seconds, "SECOND");
    }
    let (days, hours, minutes, rest) =
        (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    let words = [(days, "DAY"), (hours, "HOUR"), (minutes, "MINUTE")];
    let mut parts: Vec<String> =
        words.iter().filter(|(number, _)| *number > 0).map(|(number, word)| plural(*number, word)).collect();
    if rest > 0 {
        // HBase takes the plural from the minutes here.
        parts.push(format!("{rest} SECOND{}", if minutes == 1 { "" } else { "S" }));
    }
    format!("{seconds} SECONDS ({})", parts.join(" "))
}

/// Changes a family as a hash of `create` or `alter` says; returns the keys that mean nothing.
pub(crate) fn set_family(family: &mut Family, settings: &Hash) -> Result<Vec<String>, ShellError> {
    let mut unknown = Vec::new();
    for (name, value) in settings {
        match name.as_str() {
            "NAME" => {}
            "VERSIONS" => family.versions = number(name, value)?,
            "MIN_VERSIONS" => family.min_versions = number(name, value)?,
            "TTL" => family.ttl_seconds = lifetime(value)?,
            "METADATA" | "CONFIGURATION" => extend(&mut family.attributes, name, value)?,
            known if SETTINGS.iter().any(|(name, _)| *name == known) || FURTHER.contains(&known) => {
                family.attributes.insert(name.clone(), setting(name, value)?);
            }
            _ => unknown.push(name.clone()),
        }
    }
    Ok(unknown)
}

/// Changes what a table has beside its families; returns the keys that mean nothing.
pub(crate) fn set_table(table: &mut TableDescriptor, settings: &Hash) -> Result<Vec<String>, ShellError> {
    let mut unknown = Vec::new();
    for (name, value) in settings {
        match name.as_str() {
            "METADATA" | "CONFIGURATION" => extend(&mut table.attributes, name, value)?,
            known if OF_TABLE.contains(&known) => {
                table.attributes.insert(name.clone(), value.text());
            }
            _ => unknown.push(name.clone()),
        }
    }
    Ok(unknown)
}

fn extend(attributes: &mut BTreeMap<String, String>, name: &str, value: &Value) -> Result<(), ShellError> {
    let Value::Hash(pairs) = value else {
        return ShellError::argument(format!("{name} must be a Hash type"));
    };
    for (key, value) in pairs {
        match value {
            Value::Nil => attributes.remove(key),
            value => attributes.insert(key.clone(), value.text()),
        };
    }
    Ok(())
}

/// A setting as HBase keeps it: words in capital letters, but truth in small ones.
fn setting(name: &str, value: &Value) -> Result<String, ShellError> {
    let text = value.text();
    Ok(match name {
        "BLOOMFILTER" => {
            one_of("BloomFilter type", &text, &["NONE", "ROW", "ROWCOL", "ROWPREFIX_FIXED_LENGTH"])?
        }
        "COMPRESSION" | "COMPRESSION_COMPACT" => {
            let known = ["BZIP2", "GZ", "LZ4", "LZMA", "LZO", "NONE", "SNAPPY", "ZSTD"];
            one_of("Compression", &text, &known)?
        }
        "KEEP_DELETED_CELLS" | "DATA_BLOCK_ENCODING" | "IN_MEMORY_COMPACTION" => text.to_uppercase(),
        _ => text.to_lowercase(),
    })
}

fn one_of(what: &str, text: &str, known: &[&str]) -> Result<String, ShellError> {
    let upper = text.to_uppercase();
    if known.contains(&upper.as_str()) {
        return Ok(upper);
    }
    ShellError::argument(format!("{what} {upper} is not supported. Use one of {}", known.join(" ")))
}

fn number(name: &str, value: &Value) -> Result<u32, ShellError> {
    let parsed = value.text().parse::<u32>();
    parsed.map_err(|_| {
        ShellError::Argument(format!("{name} is {}; it must be a whole number, 0 or more", value.inspect()))
    })
}

/// Seconds, `FOREVER`, or words such as `1 DAY 2 HOURS`.
fn lifetime(value: &Value) -> Result<Option<u32>, ShellError> {
    let text = value.text();
    if text.eq_ignore_ascii_case("FOREVER") {
        return Ok(None);
    }
    let wrong = || {
        ShellError::Argument(format!(
            "TTL is {}; write seconds, FOREVER, or words such as '1 DAY 2 HOURS'",
            value.inspect()
        ))
    };
    let seconds = match text.trim().parse::<i64>() {
        Ok(seconds) => seconds,
        Err(_) => in_words(&text).ok_or_else(wrong)?,
    };
    if seconds == FOREVER {
        return Ok(None);
    }
    u32::try_from(seconds).map(Some).map_err(|_| wrong())
}

/// The seconds of `2 DAYS 3 HOURS`, also as `183600 SECONDS (2 DAYS 3 HOURS)`.
fn in_words(text: &str) -> Option<i64> {
    let inner = text.split_once('(').map_or(text, |(_, inner)| inner.trim_end().trim_end_matches(')'));
    let mut words = inner.split_whitespace();
    let mut seconds = 0i64;
    while let Some(number) = words.next() {
        let number: i64 = number.parse().ok()?;
        let unit = match words.next()?.to_uppercase().trim_end_matches('S') {
            "DAY" => 86_400,
            "HOUR" => 3_600,
            "MINUTE" => 60,
            "SECOND" => 1,
            _ => return None,
        };
        seconds = seconds.checked_add(number.checked_mul(unit)?)?;
    }
    Some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifetimes_are_said_and_read_as_hbase_does() {
        for (seconds, words) in [
            (1, "1 SECOND"),
            (59, "59 SECONDS"),
            (86_400, "86400 SECONDS (1 DAY)"),
            (183_600, "183600 SECONDS (2 DAYS 3 HOURS)"),
            (61, "61 SECONDS (1 MINUTE 1 SECOND)"),
            (122, "122 SECONDS (2 MINUTES 2 SECONDS)"),
        ] {
            assert_eq!(interval(seconds), words);
            assert_eq!(lifetime(&Value::from(words)).unwrap(), Some(seconds), "{words}");
        }
        assert_eq!(lifetime(&Value::Int(FOREVER)).unwrap(), None);
        assert_eq!(lifetime(&Value::from("forever")).unwrap(), None);
        assert!(lifetime(&Value::from("a day")).is_err());
    }

    #[test]
    fn a_family_is_described_with_all_its_settings() {
        let mut described = Family::new("f");
        let settings = vec![
            ("NAME".to_owned(), Value::from("f")),
            ("VERSIONS".to_owned(), Value::Int(3)),
            ("COMPRESSION".to_owned(), Value::from("gz")),
            ("FOO".to_owned(), Value::Int(1)),
        ];
        assert_eq!(set_family(&mut described, &settings).unwrap(), ["FOO"]);
        let shown = family(&described);
        assert!(
            shown.starts_with("{NAME => 'f', VERSIONS => '3', KEEP_DELETED_CELLS => 'FALSE',"),
            "{shown}"
        );
        assert!(shown.contains("TTL => 'FOREVER'") && shown.contains("COMPRESSION => 'GZ'"), "{shown}");
        let wrong = set_family(&mut described, &vec![("COMPRESSION".to_owned(), Value::from("zip"))]);
        assert!(wrong.unwrap_err().to_string().starts_with("Compression ZIP is not supported. Use one of"));
    }
}
