//! `--apply`: a table cut at split points

use anyhow::Context;
use rowkey_ops::create;
use rowkey_store::TableName;
use serde_json::json;

use super::subject::Subject;
use crate::commands::split::{cut, holding, starts_at};
use crate::output::{Output, counted};
use crate::{Answer, open_store};

/// Creates the table, or cuts the one that is there.
pub(super) fn run(
    subject: &Subject,
    points: &[Vec<u8>],
    dry_run: bool,
    store: &str,
    output: &mut Output,
) -> anyhow::Result<Answer> {
    let table =
        subject.table().context("--apply makes a table, so --from must name a table file or a table")?;
    let name: TableName = table.name.parse()?;
    let opened = match dry_run {
        true => open_store::existing(store)?,
        false => Some(open_store::open_or_make(store)?),
    };
    let exists = match &opened {
        Some(opened) => opened.table_exists(&name)?,
        None => false,
    };
    let Some(opened) = opened.as_ref().filter(|_| exists) else {
        let regions = counted(points.len() + 1, "region");
        if let (Some(opened), false) = (&opened, dry_run) {
            create::create_at(&**opened, table, points)?;
        }
        let done = if dry_run { "would create" } else { "created" };
        output.line(
            &format!("{done} table {name} with {regions} in {store}"),
            || json!({ "table": name.to_string(), "created": !dry_run, "regions": points.len() + 1 }),
        )?;
        return Ok(Answer::Yes);
    };
    create::open(&**opened, &create::as_made(&**opened, table.clone())?)?;
    let regions = opened.regions(&name)?;
    let mut missing = Vec::new();
    for point in points {
        let region = holding(&regions, point)?;
        if !starts_at(region, point) {
            missing.push((point, region));
        }
    }
    if !dry_run {
        for (point, region) in &missing {
            cut(&**opened, &name, region, Some(point.as_slice()))?;
        }
    }
    let done = if dry_run { "would cut" } else { "cut" };
    let kept = points.len() - missing.len();
    let text = format!("{done} table {name} at {}; {kept} were there already", counted(missing.len(), "key"));
    output.line(&text, || {
        json!({ "table": name.to_string(), "cut": if dry_run { 0 } else { missing.len() }, "there_already": kept })
    })?;
    Ok(Answer::Yes)
}
