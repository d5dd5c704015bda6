//! `rowkey merge TABLE REGION REGION…`

use anyhow::bail;
use rowkey_store::Region;
use serde_json::json;

use super::split::{named, starts_at};
use crate::Answer;
use crate::args::Merge;
use crate::key_text::KeyText;
use crate::output::{Output, counted};
use crate::table_argument::AnyTable;

pub(crate) fn run(arguments: &Merge, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let text = KeyText::new(arguments.hex);
    let border = arguments.at.as_deref().map(|key| text.read_row(key)).transpose()?;
    if border.is_none() && arguments.regions.len() < 2 {
        bail!(
            "a merge takes two regions or more; name the neighbours, or the key between two of them with --at"
        );
    }
    let AnyTable { store, name, .. } = AnyTable::open(&arguments.of, store)?;
    let regions = store.regions(&name)?;
    let merged: Vec<&Region> = match &border {
        None => {
            let found: Result<Vec<&Region>, _> =
                arguments.regions.iter().map(|wanted| named(&regions, wanted, &name)).collect();
            found?
        }
        Some(key) => {
            let Some(at) = regions.iter().position(|region| starts_at(region, key)) else {
                bail!("no region of {name} starts at {}; `rowkey regions {name}` lists them", text.show(key));
            };
            regions.iter().skip(at.saturating_sub(1)).take(2).collect()
        }
    };
    let names: Vec<String> = merged.iter().map(|region| region.name.clone()).collect();
    if !arguments.dry_run {
        store.merge_regions(&name, &names)?;
    }
    let shown: Vec<&str> = merged.iter().map(|region| region.encoded_name()).collect();
    let done = if arguments.dry_run { "would merge" } else { "merged" };
    output.line(
        &format!("{done} regions {}", shown.join(" and ")),
        || json!({ "table": name.to_string(), "regions": names, "merged": !arguments.dry_run }),
    )?;
    let regions = store.regions(&name)?.len();
    output.note(&format!("{name} has {}", counted(regions, "region")));
    Ok(Answer::Yes)
}
