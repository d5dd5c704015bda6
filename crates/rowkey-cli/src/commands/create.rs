//! `rowkey create FILE`

use rowkey_ops::create::{self, TableError};
use rowkey_store::StoreError;
use serde_json::json;

use super::splits::sampled_points;
use crate::args::Create;
use crate::output::{Output, counted};
use crate::public::public;
use crate::{Answer, input_argument, open_store, table_argument};

pub(crate) fn run(arguments: &Create, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let table = table_argument::read_file(&arguments.file)?;
    let sampled = match (table.sampled_regions(), input_argument::some(&arguments.data)) {
        (Some(regions), Some(data)) => Some(sampled_points(&table, regions, data, &arguments.reading)?),
        (None, Some(data)) => {
            return Err(public(format!(
                "{} says where the table is cut; --data {} is for splits = \"sample N\"",
                arguments.file.display(),
                input_argument::shown(data)
            )));
        }
        (_, None) => None,
    };
    let opened = open_store::open_or_make(store)?;
    let created = match &sampled {
        Some(splits) => create::create_at(&*opened, &table, &splits.points),
        None => create::create(&*opened, &table),
    };
    match created {
        Ok(regions) => {
            let text = format!("created table {} with {} in {store}", table.name, counted(regions, "region"));
            output.line(&text, || json!({ "table": table.name, "created": true, "regions": regions }))?;
        }
        Err(TableError::Store(StoreError::TableExists { .. })) if arguments.if_not_exists => {
            create::open(&*opened, &create::as_made(&*opened, table.clone())?)?;
            let text = format!("table {} is there already, with the same key", table.name);
            output.line(&text, || json!({ "table": table.name, "created": false }))?;
        }
        Err(error) => return Err(error.into()),
    }
    Ok(Answer::Yes)
}
