//! Table descriptors on the wire.
//!
//! HBase keeps all settings of a family, versions and time to live included, as pairs of text. We take those
//! that have a field of their own out of the map, and leave the others in it.

use std::collections::BTreeMap;

use rowkey_store::{Family, TableDescriptor, TableName};

use crate::wire::messages::common::{
    BytesBytesPair, ColumnFamilySchema, NameStringPair, TableNameProto, TableSchema,
};

const VERSIONS: &str = "VERSIONS";
const MIN_VERSIONS: &str = "MIN_VERSIONS";
const TTL: &str = "TTL";
/// HBase's word for "kept forever": Java's largest integer.
const FOREVER: u32 = 2_147_483_647;

/// A table as the master wants it.
pub(crate) fn to_wire(table: &TableDescriptor) -> TableSchema {
    TableSchema {
        table_name: Some(TableNameProto::from(&table.name)),
        attributes: table.attributes.iter().map(|(key, value)| pair(key, value)).collect(),
        column_families: table.families.iter().map(family_to_wire).collect(),
        configuration: Vec::new(),
    }
}

fn family_to_wire(family: &Family) -> ColumnFamilySchema {
    let own = [
        (VERSIONS, family.versions),
        (MIN_VERSIONS, family.min_versions),
        (TTL, family.ttl_seconds.unwrap_or(FOREVER)),
    ];
    let own = own.iter().map(|(key, value)| pair(key, &value.to_string()));
    let others = family.attributes.iter().map(|(key, value)| pair(key, value));
    ColumnFamilySchema {
        name: family.name.as_bytes().to_vec(),
        attributes: others.chain(own).collect(),
        configuration: Vec::new(),
    }
}

fn pair(key: &str, value: &str) -> BytesBytesPair {
    BytesBytesPair { first: key.as_bytes().to_vec(), second: value.as_bytes().to_vec() }
}

/// A table as the master describes it.
pub(crate) fn from_wire(name: &TableName, schema: &TableSchema) -> TableDescriptor {
    TableDescriptor {
        name: name.clone(),
        families: schema.column_families.iter().map(family_from_wire).collect(),
        attributes: attributes(&schema.attributes, &schema.configuration),
    }
}

fn family_from_wire(schema: &ColumnFamilySchema) -> Family {
    let mut attributes = attributes(&schema.attributes, &schema.configuration);
    let mut number = |key: &str| attributes.remove(key).and_then(|value| value.parse::<u32>().ok());
    Family {
        name: text(&schema.name),
        versions: number(VERSIONS).unwrap_or(1),
        min_versions: number(MIN_VERSIONS).unwrap_or(0),
        ttl_seconds: number(TTL).filter(|&ttl| ttl != FOREVER),
        attributes,
    }
}

fn attributes(pairs: &[BytesBytesPair], configuration: &[NameStringPair]) -> BTreeMap<String, String> {
    let pairs = pairs.iter().map(|pair| (text(&pair.first), text(&pair.second)));
    let configuration = configuration.iter().map(|pair| (pair.name.clone(), pair.value.clone()));
    pairs.chain(configuration).collect()
}

/// Text as it is; bytes that are no text in escaped form.
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => rowkey_core::escape::escape(bytes).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_comes_back_as_it_was_sent() {
        let mut kept = Family::new("a");
        kept.attributes.insert("BLOCKSIZE".to_owned(), "32768".to_owned());
        let mut passing = Family::new("d");
        (passing.versions, passing.min_versions, passing.ttl_seconds) = (3, 1, Some(60));
        let table = TableDescriptor {
            name: "ns:t".parse().unwrap(),
            families: vec![kept, passing],
            attributes: BTreeMap::from([("ROWKEY".to_owned(), "größe".to_owned())]),
        };
        assert_eq!(from_wire(&table.name, &to_wire(&table)), table);
    }

    #[test]
    fn forever_is_no_time_to_live() {
        let schema = ColumnFamilySchema {
            name: b"d".to_vec(),
            attributes: vec![pair(TTL, "2147483647")],
            configuration: Vec::new(),
        };
        assert_eq!(family_from_wire(&schema), Family::new("d"));
    }
}
