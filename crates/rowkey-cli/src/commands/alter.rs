//! `rowkey alter FILE`

use rowkey_ops::alter::{self, AlterOptions, Alteration};
use rowkey_store::TableName;
use serde_json::{Value, json};

use super::tables::Found;
use crate::Answer;
use crate::args::Alter;
use crate::consent::said_yes;
use crate::output::{Output, counted};
use crate::public::public;
use crate::table_argument;

pub(crate) fn run(arguments: &Alter, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let file = table_argument::file(&arguments.table)?;
    let set = arguments.set.iter().map(|(name, value)| (name.clone(), Some(value.clone())));
    let unset = arguments.unset.iter().map(|name| (name.clone(), None));
    let asked =
        AlterOptions { drop_families: arguments.drop_family.clone(), attributes: set.chain(unset).collect() };
    if file.is_none() && (asked.attributes.is_empty() || !asked.drop_families.is_empty()) {
        let name = &arguments.table;
        return Err(public(format!(
            "a table is changed by its table file: write the stored one with `rowkey describe {name} --toml > {name}.toml`, change it, \
             and run `rowkey alter {name}.toml`; by its name alone only --set and --unset are known"
        )));
    }
    let found = Found::open(&arguments.table, store)?;
    found.to_be_changed("changed")?;
    let alteration = match &file {
        Some(file) => alter::compare(&found.descriptor, file, &asked)?,
        None => alter::attributes(&found.descriptor, &asked),
    };
    let Alteration { changes, refusals, .. } = &alteration;
    let name = &found.name;
    if !refusals.is_empty() {
        let lines: Vec<String> = refusals.iter().map(|refusal| format!("\n  {refusal}")).collect();
        return Err(public(format!(
            "table {name} was not changed; {} of the file cannot be:{}",
            counted(lines.len(), "difference"),
            lines.concat()
        )));
    }
    let lines: Vec<String> = changes.iter().map(ToString::to_string).collect();
    if lines.is_empty() {
        output.line(&format!("table {name} is already so"), || answer(name, &lines, false))?;
        return Ok(Answer::Yes);
    }
    output.note(&format!("alter table {name}:"));
    lines.iter().for_each(|line| output.note(&format!("  {line}")));
    if arguments.dry_run {
        output.line(&format!("would make {} of table {name}", counted(lines.len(), "change")), || {
            answer(name, &lines, false)
        })?;
        return Ok(Answer::Yes);
    }
    if !arguments.yes && !said_yes(&format!("change table {name}?"), "changed")? {
        output.line("nothing was changed", || answer(name, &lines, false))?;
        return Ok(Answer::No);
    }
    alteration.apply(&*found.store)?;
    let text = format!("made {} of table {name}", counted(lines.len(), "change"));
    output.line(&text, || answer(name, &lines, true))?;
    Ok(Answer::Yes)
}

fn answer(name: &TableName, changes: &[String], altered: bool) -> Value {
    json!({ "table": name.to_string(), "changes": changes, "altered": altered })
}
