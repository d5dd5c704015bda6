//! What can a server check before a row travels?
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
use rowkey_core::query::{Comparison, LikePattern, Predicate};
use rowkey_core::table::Column;
use rowkey_core::types::Kind;
use rowkey_core::{FieldId, Order, Table, Type, Value};
use rowkey_store::Filter;
use rowkey_store::filter::{Comparator, CompareOp, SingleColumn};

use crate::index::{MARK, VERIFIED, mark_family};

/// The filters that these conditions allow; conditions that no filter can check are left to the reader.
pub(super) fn filters(table: &Table, conditions: &[Predicate]) -> Vec<Filter> {
    conditions.iter().filter_map(|condition| filter(table, condition)).collect()
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

fn filter(table: &Table, condition: &Predicate) -> Option<Filter> {
    match condition {
        Predicate::Compare { field, comparison, value } => {
            let column = column_of(table, *field)?;
            let ty = table.key.fields().get(*field).ty;
            let op = compare_op(*comparison);
            let in_order = matches!(op, CompareOp::Equal | CompareOp::NotEqual) || column::sorts_by_bytes(ty);
            let bytes = column_bytes(value, ty).filter(|_| in_order && column::has_one_form(ty))?;
            Some(single(column, op, Comparator::Binary(bytes)))
        }
        Predicate::In { field, values, .. } if !values.is_empty() => {
            let column = column_of(table, *field)?;
            let ty = table.key.fields().get(*field).ty;
            let equal = |value: &Value<'_>| {
                let bytes = column_bytes(value, ty).filter(|_| column::has_one_form(ty))?;
                Some(single(column, CompareOp::Equal, Comparator::Binary(bytes)))
            };
            Some(Filter::One(values.iter().map(equal).collect::<Option<Vec<Filter>>>()?))
        }
        Predicate::Like { field, pattern } => like(table, *field, pattern),
        _ => None,
    }
}

fn like(table: &Table, field: FieldId, pattern: &LikePattern) -> Option<Filter> {
    if table.key.fields().get(field).ty.kind() != Kind::Text {
        return None;
    }
    // The server compares without case, and knows another alphabet's cases than ours: only letters that both know.
    let contains = pattern.contained().map(|text| Comparator::Substring(text.to_owned()));
    if let Some(column) = column_of(table, field) {
        let (prefix, _) = pattern.prefix();
        let begins = (!prefix.is_empty()).then(|| Comparator::BinaryPrefix(prefix.as_bytes().to_vec()));
        return begins.or(contains).map(|comparator| single(column, CompareOp::Equal, comparator));
    }
    // In a key the text stands as it is, unless it is complemented; zero bytes, which are written as two, are not looked for.
    let mut steps = table.key.value_steps();
    let as_it_is = steps.any(|step| {
        let plain = matches!(step.ty(), Type::Text | Type::Escaped | Type::Fixed(_));
        step.recovers() == Some(field)
            && step.field() == Some(field)
            && plain
            && step.order() == Order::Ascending
    });
    contains.filter(|_| as_it_is).map(|comparator| Filter::Row(CompareOp::Equal, comparator))
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

fn column_bytes(value: &Value<'_>, ty: Type) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    column::encode(value, ty, &mut bytes).ok()?;
    Some(bytes)
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
