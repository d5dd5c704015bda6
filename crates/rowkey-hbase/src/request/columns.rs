//! The columns of a read on the wire.

use rowkey_store::Columns;

use crate::wire::messages::client::Column;

/// The columns family by family; `None` if the read asks for none at all, which on the wire would mean all.
pub(crate) fn wire_columns(columns: &Columns) -> Option<Vec<Column>> {
    let Columns::Only(wanted) = columns else {
        return Some(Vec::new());
    };
    let mut families: Vec<Column> = Vec::new();
    for (family, _) in wanted {
        if families.iter().any(|known| known.family == *family) {
            continue;
        }
        let mut of_family = wanted.iter().filter(|(name, _)| name == family).map(|(_, qualifier)| qualifier);
        // One entry without a qualifier asks for the whole family, and that is written as no qualifier.
        let qualifiers: Option<Vec<Vec<u8>>> = of_family.by_ref().cloned().collect();
        families.push(Column { family: family.clone(), qualifier: qualifiers.unwrap_or_default() });
    }
    (!families.is_empty()).then_some(families)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_family_wins_over_its_columns() {
        let name = |text: &str| text.as_bytes().to_vec();
        let only = |columns: &[(&str, Option<&str>)]| {
            let columns = columns.iter().map(|(f, q)| (name(f), q.map(name))).collect();
            wire_columns(&Columns::Only(columns))
        };
        let column = |family: &str, qualifiers: &[&str]| Column {
            family: name(family),
            qualifier: qualifiers.iter().map(|q| name(q)).collect(),
        };
        assert_eq!(wire_columns(&Columns::All), Some(vec![]));
        assert_eq!(only(&[]), None);
        assert_eq!(
            only(&[("d", Some("x")), ("a", None), ("d", Some("")), ("a", Some("y"))]),
            Some(vec![column("d", &["x", ""]), column("a", &[])])
        );
    }
}
