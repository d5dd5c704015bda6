//! `rowkey list`, `describe`, `truncate` and `drop`

use rowkey_core::Table;
use rowkey_core::table::Index;
use rowkey_ops::create::{self, FILE_ATTRIBUTE, FINGERPRINT_ATTRIBUTE, TableError};
use rowkey_ops::index::tables::{INDEX_OF_ATTRIBUTE, is_ready};
use rowkey_store::{Family, Store, StoreError, TableDescriptor, TableName};
use serde_json::{Value, json};

use crate::args::{Describe, Drop, Truncate};
use crate::consent::said_yes;
use crate::output::{Output, Rows, cell, counted};
use crate::public::public;
use crate::table_argument::{self, with_nearest};
use crate::{Answer, open_store, settings};

pub(crate) fn list(store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let opened = open_store::open(store)?;
    let mut rows = Rows::new(["table", "state", "what it is"]);
    let mut tables = 0;
    for name in &opened.list_tables()? {
        let found = opened.describe(name).and_then(|found| Ok((found, opened.is_enabled(name)?)));
        let (found, enabled) = match found {
            // It went while the others were looked at.
            Err(StoreError::TableNotFound { .. }) => continue,
            other => other?,
        };
        tables += 1;
        let kind = Kind::of(&found);
        output.object(|| kind.to_json(name, enabled))?;
        rows.add([cell(name), cell(state(enabled)), cell(kind.words())]);
    }
    if !rows.is_empty() {
        output.rows(&rows)?;
    }
    output.note(&counted(tables, "table"));
    Ok(Answer::Yes)
}

fn state(enabled: bool) -> &'static str {
    if enabled { "enabled" } else { "disabled" }
}

/// What a table is to rowkey.
enum Kind {
    Own(Box<Table>),
    Index {
        of: String,
        ready: bool,
    },
    Foreign,
    /// A file is stored with it that this version cannot read.
    Unreadable(TableError),
}

impl Kind {
    fn of(found: &TableDescriptor) -> Self {
        if let Some(of) = found.attributes.get(INDEX_OF_ATTRIBUTE) {
            return Self::Index { of: of.clone(), ready: is_ready(found) };
        }
        match create::stored_in(found) {
            Ok(table) => Self::Own(Box::new(table)),
            Err(TableError::Foreign { .. }) => Self::Foreign,
            Err(error) => Self::Unreadable(error),
        }
    }

    /// The file that is stored with it, if it is one of rowkey's.
    fn own(&self) -> Option<&Table> {
        if let Self::Own(table) = self { Some(table) } else { None }
    }

    fn indexes(&self) -> &[Index] {
        self.own().map_or(&[], |table| &table.indexes)
    }

    fn words(&self) -> String {
        match self {
            Self::Own(table) => format!("key {}", table.key.source()),
            Self::Index { of, ready: true } => format!("index table of {of}"),
            Self::Index { of, ready: false } => {
                format!("index table of {of}, not ready: `rowkey index build` has not ended")
            }
            Self::Foreign => "not made by rowkey".to_owned(),
            Self::Unreadable(_) => {
                "made by another version of rowkey, whose table file cannot be read".to_owned()
            }
        }
    }

    fn to_json(&self, name: &TableName, enabled: bool) -> Value {
        let (key, index_of, ready) = match self {
            Self::Own(table) => (Some(table.key.source()), None, None),
            Self::Index { of, ready } => (None, Some(of), Some(ready)),
            Self::Foreign | Self::Unreadable(_) => (None, None, None),
        };
        let name = name.to_string();
        json!({ "table": name, "enabled": enabled, "key": key, "index_of": index_of, "ready": ready })
    }
}

pub(crate) fn describe(arguments: &Describe, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    if arguments.toml && output.shown.hides() {
        return Err(public(
            "a table file holds split points and values of queries; leave out either --toml or --redact",
        ));
    }
    let (url, Found { store, name, descriptor, kind }) = (store, Found::open(&arguments.table, store)?);
    let remembered = match kind {
        Kind::Foreign => settings::remembered(url, &*store, &name),
        _ => None,
    };
    let remembered = remembered.map(|file| file.display().to_string());
    if arguments.toml {
        let Some(source) = descriptor.attributes.get(FILE_ATTRIBUTE) else {
            return Err(public(format!("no table file is stored with table {name}: rowkey did not make it")));
        };
        output.verbatim(source.trim_end())?;
        return Ok(Answer::Yes);
    }
    let (enabled, regions) = (store.is_enabled(&name)?, store.regions(&name)?.len());
    let indexes: Vec<(&str, bool)> = kind
        .indexes()
        .iter()
        .map(|index| {
            let found = store.describe(&index.name.parse()?);
            anyhow::Ok((index.name.as_str(), found.is_ok_and(|found| is_ready(&found))))
        })
        .collect::<Result<_, _>>()?;
    let hides = output.shown.hides();
    output.object(|| {
        let mut object = kind.to_json(&name, enabled);
        object["regions"] = json!(regions);
        object["remembered_file"] = json!(remembered);
        object["families"] = descriptor.families.iter().map(family_json).collect();
        object["attributes"] = json!(descriptor.attributes);
        // A file has values that may have to be hidden.
        if let Some(attributes) = object["attributes"].as_object_mut().filter(|_| hides) {
            attributes.remove(FILE_ATTRIBUTE);
        }
        let index = |(name, ready): &(&str, bool)| json!({ "table": name, "ready": ready });
        object["indexes"] = indexes.iter().map(index).collect();
        object
    })?;
    let mut lines = vec![
        format!("table {name}: {}, {}", state(enabled), counted(regions, "region")),
        format!("  {}", kind.words()),
    ];
    lines.extend(remembered.map(|file| format!("  read by the table file {file} (rowkey remember)")));
    for (index, ready) in &indexes {
        lines.push(format!("  index table {index}: {}", if *ready { "ready" } else { "not ready" }));
    }
    lines.extend(descriptor.families.iter().map(|family| format!("  {}", family_words(family))));
    // The file is long, and --toml prints it.
    for (name, value) in descriptor.attributes.iter().filter(|(name, _)| *name != FILE_ATTRIBUTE) {
        let meaning = if name == FINGERPRINT_ATTRIBUTE { " (of the key)" } else { "" };
        lines.push(format!("  attribute {name}: {value}{meaning}"));
    }
    output.text(&lines.join("\n"))?;
    Ok(Answer::Yes)
}

fn family_words(family: &Family) -> String {
    let ttl = family.ttl_seconds.map_or_else(|| "kept forever".to_owned(), |ttl| format!("kept for {ttl} s"));
    let least = match family.min_versions {
        0 => String::new(),
        least => format!(", of them {least} beyond that"),
    };
    let attributes: String =
        family.attributes.iter().map(|(name, value)| format!(", {name} {value}")).collect();
    let versions = counted(family.versions, "version");
    format!("family {}: {versions}, {ttl}{least}{attributes}", family.name)
}

fn family_json(family: &Family) -> Value {
    let Family { name, versions, min_versions, ttl_seconds, attributes } = family;
    json!({ "name": name, "versions": versions, "min_versions": min_versions, "ttl_seconds": ttl_seconds, "attributes": attributes })
}

pub(crate) fn drop(arguments: &Drop, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    if arguments.if_exists && !is_there(&arguments.table, store)? {
        let text = format!("there is no table {}; nothing was dropped", arguments.table);
        output.line(&text, || json!({ "table": arguments.table, "dropped": false }))?;
        return Ok(Answer::Yes);
    }
    let found = Found::open(&arguments.table, store)?;
    let indexes = found.to_be_changed("dropped")?;
    if !arguments.yes && !said_yes(&format!("drop table {}?", found.shown(&indexes)), "dropped")? {
        return said_no("dropped", &found.name, output);
    }
    match found.kind.own() {
        Some(table) => create::drop(&*found.store, table)?,
        None => found.store.drop_table(&found.name)?,
    }
    let object = || json!({ "table": found.name.to_string(), "dropped": true, "indexes": indexes });
    output.line(&format!("dropped table {}", found.shown(&indexes)), object)?;
    Ok(Answer::Yes)
}

pub(crate) fn truncate(arguments: &Truncate, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let found = Found::open(&arguments.table, store)?;
    let indexes = found.to_be_changed("truncated")?;
    let question = format!("remove all rows of table {}?", found.shown(&indexes));
    if !arguments.yes && !said_yes(&question, "removed")? {
        return said_no("truncated", &found.name, output);
    }
    create::truncate(&*found.store, &found.name, found.kind.own())?;
    let object = || json!({ "table": found.name.to_string(), "truncated": true, "indexes": indexes });
    output.line(&format!("removed all rows of table {}", found.shown(&indexes)), object)?;
    Ok(Answer::Yes)
}

fn said_no(done: &str, name: &TableName, output: &mut Output) -> anyhow::Result<Answer> {
    output.line(&format!("nothing was {done}"), || json!({ "table": name.to_string(), done: false }))?;
    Ok(Answer::No)
}

/// A table that is there, of whatever kind.
pub(super) struct Found {
    pub(super) store: Box<dyn Store>,
    pub(super) name: TableName,
    pub(super) descriptor: TableDescriptor,
    kind: Kind,
}

fn name_of(argument: &str) -> anyhow::Result<TableName> {
    let file = table_argument::file(argument)?;
    Ok(file.as_ref().map_or(argument, |table| &table.name).parse()?)
}

fn is_there(argument: &str, store: &str) -> anyhow::Result<bool> {
    let name = name_of(argument)?;
    Ok(open_store::existing(store)?.map_or(Ok(false), |store| store.table_exists(&name))?)
}

impl Found {
    pub(super) fn open(argument: &str, store: &str) -> anyhow::Result<Self> {
        let name = name_of(argument)?;
        let store = open_store::open(store)?;
        let descriptor = store
            .describe(&name)
            .map_err(|error| with_nearest(TableError::Store(error), &name.to_string(), &*store))?;
        match Kind::of(&descriptor) {
            Kind::Unreadable(error) => Err(error.into()),
            kind => Ok(Self { store, name, descriptor, kind }),
        }
    }

    /// The names of its index tables. An index table by itself is refused, unless its table is gone.
    pub(super) fn to_be_changed(&self, done: &str) -> anyhow::Result<Vec<String>> {
        if let Some(of) = self.descriptor.attributes.get(INDEX_OF_ATTRIBUTE)
            && self.store.table_exists(&of.parse()?)?
        {
            let name = &self.name;
            return Err(public(format!(
                "{name} is an index table of {of}, which would be read wrongly without it; it is {done} with {of}"
            )));
        }
        Ok(self.kind.indexes().iter().map(|index| index.name.clone()).collect())
    }

    /// `orders and its index tables by_seller, by_status`
    fn shown(&self, indexes: &[String]) -> String {
        match indexes {
            [] => self.name.to_string(),
            [index] => format!("{} and its index table {index}", self.name),
            indexes => format!("{} and its index tables {}", self.name, indexes.join(", ")),
        }
    }
}
