//! The index tables that a table file declares.
//!
//! An index table is a second table whose key begins with what is asked for and holds the whole primary key, so that every
//! index row leads to its row. It may keep copies of columns, so that a list needs no second read.

use std::collections::BTreeSet;

use super::Splits;
use super::columns::Columns;
use super::section::{Section, Spanned};
use crate::finding::Problem;
use crate::key::{FieldId, Fields, KeySchema};

/// An index table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// `orders_by_seller` or `namespace:orders_by_seller`.
    pub name: String,
    /// Its key, over the fields of the table.
    pub key: KeySchema,
    /// The fields that it keeps copies of.
    pub columns: Vec<FieldId>,
    /// Where a new one is cut; [`Splits::None`] leaves that to its key.
    pub splits: Splits,
}

impl Index {
    /// The keys at which a new index table is cut: where the file says, otherwise one region for each bucket of a leading salt
    /// of up to 1,024.
    pub fn split_points(&self) -> Vec<Vec<u8>> {
        if self.splits != Splits::None {
            return self.splits.points(&self.key);
        }
        let bucket = super::leading_bucket(&self.key);
        let few = bucket.filter(|(_, step)| step.bucket_count().is_some_and(|count| count <= 1024));
        few.map(super::bucket_splits).unwrap_or_default()
    }
}

/// Reads `[[index]]`, whose copies stand in the columns where they are kept; `read_key` reads its key. `None` only after a finding.
pub(super) fn read(
    section: &Section<'_>,
    (fields, kept): (&Fields, &Columns),
    table: Option<&str>,
    before: &[Index],
    read_key: impl FnOnce(&Section<'_>) -> Option<KeySchema>,
    read_splits: impl FnOnce(&Section<'_>, Option<&KeySchema>) -> Splits,
) -> Option<Index> {
    let name = section.required_string("name");
    let bad = |key: &str, Spanned { value, span }: Spanned<&str>, cure: &str| {
        let (key, value, cure) = (key.to_owned(), value.to_owned(), cure.to_owned());
        section.find(span, Problem::BadSetting { key, value, cure });
    };
    if let Some(name) = name
        && (Some(name.value) == table || before.iter().any(|other| other.name == name.value))
    {
        bad("name", name, "every index table needs a name of its own, other than the table's");
    }
    let key = read_key(section);
    let back: BTreeSet<FieldId> =
        key.as_ref().map(KeySchema::recoverable).unwrap_or_default().into_iter().collect();
    let (mut columns, mut copied) = (Vec::new(), BTreeSet::new());
    for (qualifier, column) in section.columns() {
        let Some(field) = fields.id(column.value) else {
            section.find_unknown_field(column.span, column.value, fields);
            continue;
        };
        if back.contains(&field) {
            bad("columns", column, "leave it out: the field comes back from the index key already");
        } else if !copied.insert(field) {
            bad("columns", column, "leave it out: the column is there already");
        }
        if let (Some(qualifier), Some(label)) = (qualifier, kept.of_field.get(&field))
            && label.split_once(':').is_some_and(|(_, own)| own != qualifier.value)
        {
            let cure = format!(
                "`{}` is kept in column `{label}`, and a copy stands in the same; name that, or write a list of fields",
                column.value
            );
            bad("columns", qualifier, &cure);
        }
        columns.push(field);
    }
    let splits = read_splits(section, key.as_ref());
    if let Splits::Sample(regions) = splits {
        let cure =
            "a sample of the data is taken for the table alone; write \"salt\", \"hex 16\" or a list of keys";
        let value = format!("sample {regions}");
        let problem = Problem::BadSetting { key: "splits".to_owned(), value, cure: cure.to_owned() };
        section.find(section.span, problem);
    }
    section.finish();
    if key.as_ref().is_some_and(|key| key.value_steps().any(|step| step.is_random())) {
        let problem = Problem::BadSetting {
            key: "key".to_owned(),
            value: key.as_ref().map_or_else(String::new, |key| key.source().to_owned()),
            cure: "take random(…) out: an index row that cannot be computed cannot be moved or removed"
                .to_owned(),
        };
        section.find(section.span, problem);
    }
    Some(Index { name: name?.value.to_owned(), key: key?, columns, splits })
}
