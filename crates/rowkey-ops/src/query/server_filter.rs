//! The filter that a server applies before a row travels.
//!
//! Conditions on one column become filters where the order of a column's bytes is the order of its values, and so do texts that
//! a key or a column must contain. A filter only saves reading: everything that it lets through is checked again here, so it may
//! let through too much and never too little.
//!
//! The copies of an index row count only if its mark says so: a row that is not verified is let through, whatever its copies are,
//! and the data row decides.
//!
//! **Law** (`tests/pages.rs`, `tests/lookups.rs`): with filters and without, the rows are the same.

use rowkey_core::column;
use rowkey_core::query::{Comparison, Predicate, can_push};
use rowkey_core::table::Column;
use rowkey_core::{FieldId, Table};
use rowkey_store::Filter;
use rowkey_store::filter::{Comparator, CompareOp, SingleColumn};

use crate::index::{MARK, VERIFIED, mark_family};

/// The filters that these conditions allow; conditions that no filter can check are left to the reader.
pub(super) fn filters(table: &Table, conditions: &[Predicate]) -> Vec<Filter> {
    let checked = conditions.iter().filter(|condition| can_push(table, condition));
    checked.filter_map(|condition| filter(table, condition)).collect()
}

/// The same for rows of an index table, on its copies.
pub(super) fn index_filters(table: &Table, conditions: &[Predicate]) -> Vec<Filter> {
    let unverified = || {
        let verified = Comparator::BinaryPrefix(vec![VERIFIED]);
        // A row without a mark is not verified either.
        Filter::SingleColumnValue(SingleColumn::new(mark_family(table), MARK, CompareOp::NotEqual, verified))
    };
    let of_copies = filters(table, conditions).into_iter();
    of_copies.map(|filter| Filter::One(vec![unverified(), filter])).collect()
}

/// Of a condition that bytes can decide.
fn filter(table: &Table, condition: &Predicate) -> Option<Filter> {
    match condition {
        Predicate::Compare { field, comparison, value } => {
            let mut bytes = Vec::new();
            column::encode(value, table.key.fields().get(*field).ty, &mut bytes).ok()?;
            Some(single(column_of(table, *field)?, compare_op(*comparison), Comparator::Binary(bytes)))
        }
        Predicate::Like { field, pattern } => {
            // The server compares without case, and knows another alphabet's cases than ours: only letters that both know.
            let contains = pattern.contained().map(|text| Comparator::Substring(text.to_owned()));
            let Some(column) = column_of(table, *field) else {
                return contains.map(|comparator| Filter::Row(CompareOp::Equal, comparator));
            };
            let (prefix, _) = pattern.prefix();
            let begins = (!prefix.is_empty()).then(|| Comparator::BinaryPrefix(prefix.as_bytes().to_vec()));
            begins.or(contains).map(|comparator| single(column, CompareOp::Equal, comparator))
        }
        _ => None,
    }
}

/// The column that keeps a field, if its key does not.
fn column_of(table: &Table, field: FieldId) -> Option<&Column> {
    table.columns.iter().find(|column| column.field == field)
}

fn single(column: &Column, op: CompareOp, comparator: Comparator) -> Filter {
    // A row without the column has a null there, which meets no condition.
    let filter = SingleColumn::new(column.family.as_bytes(), column.qualifier.as_bytes(), op, comparator);
    Filter::SingleColumnValue(SingleColumn { filter_if_missing: true, ..filter })
}

fn compare_op(comparison: Comparison) -> CompareOp {
    match comparison {
        Comparison::Equal => CompareOp::Equal,
        Comparison::NotEqual => CompareOp::NotEqual,
        Comparison::Less => CompareOp::Less,
        Comparison::LessOrEqual => CompareOp::LessOrEqual,
        Comparison::Greater => CompareOp::Greater,
        Comparison::GreaterOrEqual => CompareOp::GreaterOrEqual,
    }
}

#[cfg(test)]
mod tests {
    use rowkey_core::query::Query;

    use super::*;

    #[test]
    fn a_text_in_the_key_is_looked_for_wherever_the_pattern_has_it() {
        let text = "[table]\nname = \"t\"\nkey = \"[id][word]\"\n[fields]\nid = \"u64\"\nword = \"text\"\n[families.d]\n";
        let table = Table::parse("t.toml", text).unwrap();
        for (pattern, found) in
            [("%ing", Some("ing")), ("%in%", Some("in")), ("_a%bcd_", Some("bcd")), ("_", None)]
        {
            let query = Query::parse(&format!("word like '{pattern}'"), table.key.fields()).unwrap();
            let expected: Vec<Filter> = found
                .map(|text| Filter::Row(CompareOp::Equal, Comparator::Substring(text.to_owned())))
                .into_iter()
                .collect();
            assert_eq!(filters(&table, &[query.condition]), expected, "{pattern}");
        }
    }
}
