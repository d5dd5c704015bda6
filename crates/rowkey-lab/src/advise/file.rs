//! The table file of a proposal.
//!
//! **Law** (`tests/advise.rs`): it can be read, and has the key, the index tables and the split points that were measured.

use rowkey_core::Table;
use rowkey_core::escape::escape;
use rowkey_core::key::{FieldId, KeySchema, Step};

use super::words::plain;
use super::{Options, Proposal, Study};

/// The table file of a proposal.
pub(super) fn write(proposal: &Proposal, study: &Study, options: &Options) -> String {
    if let Some(given) = study.given.as_ref().filter(|_| proposal.given) {
        return given.source.clone();
    }
    let name = |field: &FieldId| study.fields.get(*field).name.as_str();
    let names = |fields: &[FieldId]| list(fields.iter().map(name));
    let figures = &proposal.figures;
    let mut out = format!(
        "# Proposal {} of rowkey advise, by {} records: the busiest of {} servers takes {:.1} times the mean of the\n\
         # writes, a read costs as much as scanning {} rows, a key has {} bytes.\n\n",
        proposal.name,
        plain(study.sample.records.len() as f64),
        options.servers,
        figures.hot.usual,
        plain(figures.read),
        plain(figures.key_bytes),
    );
    out.push_str(&format!("[table]\nname = {}\nkey = {}\n", quoted(&options.table), quoted(&proposal.key)));
    out.push_str(&format!("identity = {}\n", names(&study.identity)));
    out.push_str(&splits(&proposal.key, &proposal.splits, study));
    if let Some(time) = study.given.as_ref().and_then(|given| given.cell_time) {
        out.push_str(&format!("cell_time = {}\n", quoted(name(&time))));
    }
    out.push_str("\n[fields]\n");
    for (_, field) in study.fields.iter() {
        let null = if field.nullable { "?" } else { "" };
        out.push_str(&format!("{} = \"{}{null}\"\n", bare(&field.name), field.ty));
    }
    out.push_str(&families(proposal, study));
    for index in &proposal.indexes {
        out.push_str(&format!("\n[[index]]\nname = {}\nkey = {}\n", quoted(&index.name), quoted(&index.key)));
        out.push_str(&splits(&index.key, &index.splits, study));
        if !index.columns.is_empty() {
            out.push_str(&format!("columns = {}\n", names(&index.columns)));
        }
    }
    for question in &study.questions {
        out.push_str(&format!(
            "\n[[query]]\nname = {}\nwhere = {}\nweight = {}\n",
            quoted(&question.name),
            quoted(&question.condition),
            question.weight
        ));
        if let Some(columns) = &question.columns {
            out.push_str(&format!("columns = {}\n", list(columns.iter().map(String::as_str))));
        }
        if let Some(window) = question.window {
            out.push_str(&format!("window = \"{window}ms\"\n"));
        }
        if let Some(limit) = question.limit {
            out.push_str(&format!("limit = {limit}\n"));
        }
    }
    out
}

fn splits(key: &str, points: &[Vec<u8>], study: &Study) -> String {
    if points.is_empty() {
        return String::new();
    }
    let key = KeySchema::with_fields(key, &study.fields).ok();
    let first = key.as_ref().and_then(|key| match key.steps().first()? {
        Step::Value(first) if first.is_bucket() => first.bucket_count(),
        _ => None,
    });
    let salted = first.map(|count| count as usize) == Some(points.len() + 1);
    if salted {
        return "splits = \"salt\"\n".to_owned();
    }
    let keys: Vec<String> = points
        .iter()
        .map(|split| format!("    '{}',\n", escape(split).to_string().replace('\'', "\\x27")))
        .collect();
    format!("splits = [\n{}]\n", keys.concat())
}

fn families(proposal: &Proposal, study: &Study) -> String {
    let settings = study.given.as_ref().map(settings).unwrap_or_default();
    let mut used: Vec<String> = vec![rowkey_core::table::Column::EMPTY_ROW_QUALIFIER.to_owned()];
    let mut out = String::new();
    let second =
        format!("   # read apart from the rest: queries read {:.0}% less", proposal.families.saved * 100.0);
    for (place, group) in proposal.families.groups.iter().enumerate() {
        let family = ["d", "e"].get(place).copied().unwrap_or("f");
        let remark = if place > 0 { second.as_str() } else { "" };
        out.push_str(&format!("\n[families.{family}]{remark}\n{settings}"));
        let mut columns = Vec::new();
        for field in group {
            let name = &study.fields.get(*field).name;
            let qualifier = short(name, &used);
            columns.push(format!("{} = {}", bare(&qualifier), quoted(name)));
            used.push(qualifier);
        }
        if !columns.is_empty() {
            out.push_str(&format!("columns = {{ {} }}\n", columns.join(", ")));
        }
    }
    out
}

/// The settings of the family in the given table file, as written there.
fn settings(given: &Table) -> String {
    let Some(family) = given.families.first() else { return String::new() };
    let header = format!("[families.{}]", family.name);
    let section = given.source.lines().skip_while(|line| !line.trim_start().starts_with(&header)).skip(1);
    let own = section.take_while(|line| !line.trim_start().starts_with('['));
    own.map(|line| line.split('#').next().unwrap_or_default().trim_end())
        .filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with("columns"))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// A short name for a column that no other has: as many letters as it takes.
fn short(name: &str, used: &[String]) -> String {
    let letters: Vec<char> = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let initials: String = name
        .split(['_', '-'])
        .filter_map(|word| word.chars().next())
        .filter(char::is_ascii_alphanumeric)
        .collect();
    let prefixes = (1..=letters.len()).map(|length| letters.iter().take(length).collect::<String>());
    let first = letters.iter().take(1).collect::<String>();
    let all = std::iter::once(first).chain([initials]).chain(prefixes);
    let free = |candidate: &String| !candidate.is_empty() && !used.contains(candidate);
    let numbered = (2..).map(|number| format!("c{number}"));
    all.chain(numbered).find(free).unwrap_or_else(|| name.to_owned())
}

/// A list of TOML strings.
fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    format!("[{}]", names.map(quoted).collect::<Vec<_>>().join(", "))
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\n' => "\\n".to_owned(),
        c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

/// A TOML key, bare where it can be.
fn bare(name: &str) -> String {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if plain && !name.is_empty() { name.to_owned() } else { quoted(name) }
}
