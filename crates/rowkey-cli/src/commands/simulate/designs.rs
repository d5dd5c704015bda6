//! The designs that are simulated, and their fields.
//!
//! The types of fields come from table files, then from what keys write, then from a look at the data.

use anyhow::{Context, bail};
use rowkey_core::key::{Field, Fields};
use rowkey_core::table::Splits;
use rowkey_core::{KeySchema, Table, split};
use rowkey_lab::sample::key_over;
use rowkey_lab::simulate::{Cut, Design, Workload};

use rowkey_store::Store;

use super::source::Origin;
use crate::args::Simulate;
use crate::commands::splits::{examples, spelled, start};
use crate::key_text::KeyText;
use crate::{key_argument, open_store, table_argument};

/// The number of regions of a key without `--regions`.
const REGIONS: usize = 16;

/// A design before the fields are known.
pub(super) struct Read {
    pub(super) argument: String,
    pub(super) name: Option<String>,
    pub(super) what: What,
    /// Where its regions begin: as an article proposes it for a key, as they are in the store for a table.
    splits: Option<Vec<Vec<u8>>>,
}

impl Read {
    /// The regions of a table of a store, if these are simulated.
    pub(super) fn live_regions(&self, arguments: &Simulate) -> Option<usize> {
        let asked = arguments.grow || arguments.regions.is_some() || arguments.splits.is_some();
        let splits = self.splits.as_ref().filter(|_| !asked && matches!(self.what, What::Table(_)))?;
        Some(splits.len() + 1)
    }
}

pub(super) enum What {
    Key(String),
    Table(Box<Table>),
}

/// The designs, the queries, and how each design was written.
pub(super) struct Designs {
    pub(super) designs: Vec<Design>,
    pub(super) workload: Option<Workload>,
    pub(super) arguments: Vec<String>,
}

/// The designs as they were named.
pub(super) fn read(arguments: &Simulate, store: &str) -> anyhow::Result<Vec<Read>> {
    let one = |argument: &String| {
        let (what, splits) = if key_argument::is_key(argument) {
            (What::Key(argument.clone()), None)
        } else {
            let (table, splits) = match table_argument::file(argument)? {
                Some(table) => (table, None),
                None => live(argument, (store, &*open_store::open(store)?))?,
            };
            (What::Table(Box::new(table)), splits)
        };
        Ok(Read { argument: argument.clone(), name: None, what, splits })
    };
    let read: anyhow::Result<Vec<Read>> = arguments.designs.iter().map(one).collect();
    let mut read = read?;
    if let (true, Some(article)) = (read.is_empty(), arguments.traffic.and_then(super::source::article)) {
        read.extend(article.keys().iter().map(|proposed| Read {
            argument: proposed.key.to_owned(),
            name: Some(proposed.name.to_owned()),
            what: What::Key(proposed.key.to_owned()),
            splits: proposed.splits.map(|keys| keys.iter().map(|key| key.as_bytes().to_vec()).collect()),
        }));
    }
    if read.is_empty() {
        bail!("nothing to simulate; name a key, as '[user: u64][ts: timestamp]', or a table file");
    }
    Ok(read)
}

/// A table of a store, its index tables cut as they are now, and where its own regions begin.
fn live(argument: &str, (url, store): (&str, &dyn Store)) -> anyhow::Result<(Table, Option<Vec<Vec<u8>>>)> {
    let mut table = table_argument::described_table(argument, (url, store))?;
    cut_indexes(&mut table, store)?;
    Ok((table, Some(starts(argument, store)?)))
}

/// Cuts the index tables as they are in a store.
pub(crate) fn cut_indexes(table: &mut Table, store: &dyn Store) -> anyhow::Result<()> {
    for index in &mut table.indexes {
        index.splits = Splits::Keys(starts(&index.name, store)?);
    }
    Ok(())
}

fn starts(table: &str, store: &dyn Store) -> anyhow::Result<Vec<Vec<u8>>> {
    let regions = store.regions(&table.parse()?)?;
    Ok(regions.iter().filter_map(start).map(<[u8]>::to_vec).collect())
}

/// The fields that the designs name by themselves, for made-up records.
pub(super) fn own_fields(read: &[Read]) -> anyhow::Result<Fields> {
    let mut all: Vec<Field> = Vec::new();
    for design in read {
        let fields = match &design.what {
            What::Table(table) => table.key.fields().clone(),
            What::Key(source) => KeySchema::parse(source)?.fields().clone(),
        };
        for (_, field) in fields.iter() {
            match all.iter().find(|known| known.name == field.name) {
                None => all.push(field.clone()),
                Some(known) if known.ty == field.ty => {}
                Some(known) => bail!(
                    "field `{}` is {} in one design and {} in another; write its type the same in all of them, as \
                     [{}: {}], or declare it in a table file",
                    field.name,
                    known.ty,
                    field.ty,
                    field.name,
                    known.ty
                ),
            }
        }
    }
    Ok(Fields::new(all))
}

/// The fields of data, with the types that the designs give them.
pub(super) fn typed(guessed: &Fields, read: &[Read]) -> anyhow::Result<Fields> {
    let mut fields = guessed.clone();
    let mut declare = |declared: &Fields| {
        let retyped = fields.iter().map(|(_, field)| {
            let own = declared.id(&field.name).map(|id| declared.get(id));
            own.map_or_else(
                || field.clone(),
                |own| Field { nullable: own.nullable || field.nullable, ..own.clone() },
            )
        });
        fields = Fields::new(retyped.collect());
    };
    for design in read {
        if let What::Table(table) = &design.what {
            declare(table.key.fields());
        }
    }
    for design in read {
        if let What::Key(source) = &design.what {
            // What the key does not write stays as it is.
            let compiled = key_over(source, &fields)?;
            let changed = compiled.fields().clone();
            fields = Fields::new(
                fields
                    .iter()
                    .map(|(id, field)| Field { nullable: field.nullable, ..changed.get(id).clone() })
                    .collect(),
            );
        }
    }
    Ok(fields)
}

/// The designs over the fields of the records.
pub(super) fn over(arguments: &Simulate, read: Vec<Read>, origin: &Origin) -> anyhow::Result<Designs> {
    let cut = asked_cut(arguments)?;
    let (mut designs, mut of_design, mut queries) = (Vec::new(), Vec::new(), Vec::new());
    for Read { argument, name, what, splits } in read {
        let design = match what {
            What::Key(source) => {
                let own = splits.map(Cut::Keys);
                let cut = cut.clone().or(own).unwrap_or(Cut::Regions(REGIONS));
                Design::of_key(&source, &origin.fields, cut)?
            }
            What::Table(table) => {
                queries.extend(table.queries.iter().cloned());
                let sampled = table.sampled_regions().map(|regions| Cut::Regions(regions as usize));
                let live = splits.map(Cut::Keys);
                Design::of_table(*table, cut.clone().or(live).or(sampled).unwrap_or(Cut::Own))
            }
        };
        designs.push(match name {
            Some(name) => Design { name, ..design },
            None => design,
        });
        of_design.push(argument);
    }
    if let Some(file) = &arguments.queries {
        let argument = file.display().to_string();
        let table = table_argument::read_file(file)?;
        if table.queries.is_empty() {
            bail!("{argument} has no [[query]]; add one, or leave out --queries");
        }
        queries = table.queries;
    }
    // Two files of one table have the same queries.
    let mut seen = Vec::new();
    queries.retain(|query| {
        let new = !seen.contains(&query.condition);
        seen.push(query.condition.clone());
        new
    });
    let workload = (!queries.is_empty()).then(|| Workload::of(&queries));
    Ok(Designs { designs, workload, arguments: of_design })
}

fn asked_cut(arguments: &Simulate) -> anyhow::Result<Option<Cut>> {
    if arguments.grow {
        return Ok(Some(Cut::Keys(Vec::new())));
    }
    if let Some(regions) = arguments.regions {
        split::uniform(regions)?;
        return Ok(Some(Cut::Regions(regions as usize)));
    }
    let Some(splits) = &arguments.splits else { return Ok(None) };
    let keys = spelled(splits, KeyText::Escaped)?.with_context(|| {
        format!("--splits '{splits}' is not known; write keys with commas between, or one of {}", examples())
    })?;
    Ok(Some(Cut::Keys(keys)))
}
