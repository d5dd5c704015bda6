//! From a design to a table that is ready to be created, cut as `rowkey create` would cut it.

use rowkey_core::key::{FieldId, KeySchema, ValueStep};
use rowkey_core::table::{Index as IndexTable, Splits};
use rowkey_core::{Table, split};

use super::set::{Drawn, Expert, Record, Set};

/// The table of an expert's design.
pub(crate) fn table(set: &Set, drawn: &Drawn, expert: &Expert) -> Table {
    let mut table = Table::parse("expert.toml", &file(set, drawn, expert))
        .unwrap_or_else(|findings| panic!("{}: {findings}", set.name));
    let regions = expert.regions.unwrap_or(set.regions);
    table.splits = Splits::Keys(points(&table.key, &drawn.sample, regions));
    cut_indexes(&mut table, &drawn.sample, regions);
    table
}

/// Index tables that the file leaves in one region are cut as the table is.
pub(crate) fn cut_indexes(table: &mut Table, sample: &[Record], regions: u32) {
    for index in &mut table.indexes {
        if index.split_points().is_empty() {
            index.splits = Splits::Keys(points(&index.key, sample, regions));
        }
    }
}

fn file(set: &Set, drawn: &Drawn, expert: &Expert) -> String {
    let names = |fields: &[FieldId]| {
        let quoted = fields.iter().map(|field| format!("\"{}\"", drawn.fields.get(*field).name));
        quoted.collect::<Vec<_>>().join(", ")
    };
    let rest = |key: &str| -> Vec<FieldId> {
        let schema = KeySchema::with_fields(key, &drawn.fields)
            .unwrap_or_else(|findings| panic!("{}: {key}: {findings:?}", set.name));
        let back = schema.recoverable();
        drawn.fields.iter().map(|(id, _)| id).filter(|id| !back.contains(id)).collect()
    };
    let mut out = format!(
        "[table]\nname = \"t\"\nkey = \"{}\"\nidentity = [{}]\n\n[fields]\n",
        expert.key,
        names(&set.identity(&drawn.fields))
    );
    set.fields.iter().for_each(|(name, ty)| out.push_str(&format!("{name} = \"{ty}\"\n")));
    let columns: Vec<String> =
        rest(expert.key).iter().map(|id| format!("c{} = {}", id.0, names(&[*id]))).collect();
    out.push_str(&format!("\n[families.d]\ncolumns = {{ {} }}\n", columns.join(", ")));
    for (place, index) in expert.indexes.iter().enumerate() {
        out.push_str(&format!("\n[[index]]\nname = \"t_by_{place}\"\nkey = \"{}\"\n", index.key));
        if index.copies {
            out.push_str(&format!("columns = [{}]\n", names(&rest(index.key))));
        }
    }
    out
}

/// Split points: the borders of a leading salt, even cuts of a leading hash, otherwise quantiles of the sample.
pub(crate) fn points(key: &KeySchema, sample: &[Record], regions: u32) -> Vec<Vec<u8>> {
    if regions < 2 {
        return Vec::new();
    }
    let lead = key.value_steps().next();
    if lead.is_some_and(ValueStep::is_bucket) {
        // As an index table with a leading salt is cut.
        let (name, columns) = (String::new(), Vec::new());
        return IndexTable { name, key: key.clone(), columns, splits: Splits::None }.split_points();
    }
    if lead.is_some_and(ValueStep::is_digest)
        && let Ok(points) = split::for_key(key, regions)
    {
        return points;
    }
    let encoded = |record: &Record| {
        let mut bytes = Vec::new();
        key.encode(record, &mut bytes).ok().map(|()| (bytes, 1))
    };
    split::from_sample(sample.iter().filter_map(encoded), regions).map(|cut| cut.points).unwrap_or_default()
}
