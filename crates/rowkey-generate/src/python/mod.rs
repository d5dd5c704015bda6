//! Python 3.9 and later: a module for a table, tests of it, and helpers for happybase.
//!
//! `runtime/` is Python text, of which a module carries what its key needs ([`snippets`]). [`encode`] and [`decode`]
//! print what [`rowkey_core::lowered`] says, as calls of it; [`layout`] breaks lines as the formatter black does.
//!
//! Null is static here: a field that is not nullable is refused where it is used, so an expression is null only where a
//! field of it may be, and that is asked before it is computed.

mod case;
mod columns;
mod conform;
mod decode;
mod encode;
mod happybase;
mod layout;
mod queries;
mod record;
mod snippets;
mod vectors;

use self::encode::Encoder;
use self::layout::{Py, atom, bytes, quoted, statement};
use self::record::{Names, docstring, one_line};
use crate::{Bucket, Design, File, Language, QueryDesign, names};

/// Python.
pub(crate) struct Python;

impl Language for Python {
    fn name(&self) -> &'static str {
        "python"
    }

    fn files(&self, design: &Design) -> Result<Vec<File>, String> {
        let module = module_name(design);
        let text = module_text(design);
        let mut files = vec![File { name: format!("{module}.py"), text }];
        if !design.families.is_empty() {
            let name = format!("{}_happybase.py", base_name(design));
            files.push(File { name, text: happybase::text(design) });
        }
        files.push(File { name: format!("test_{module}.py"), text: vectors::file(design) });
        Ok(files)
    }

    fn query_refusal(&self, _: &Design, query: &QueryDesign) -> Option<String> {
        query.template.as_ref().err().cloned()
    }

    fn conform(&self, designs: &[&Design]) -> Result<Vec<File>, String> {
        Ok(vec![File { name: "conform.py".to_owned(), text: conform::text(designs) }])
    }
}

/// The name of the table, without its namespace.
fn base_name(design: &Design) -> String {
    names::snake(names::without_namespace(&design.table))
}

/// `orders_key`
fn module_name(design: &Design) -> String {
    format!("{}_key", base_name(design))
}

/// What every file begins with: where it comes from, and what it is.
fn head(design: &Design, about: &str) -> String {
    format!(
        "# {}\n{}\n\nfrom __future__ import annotations\n\n",
        one_line(&design.origin.line()),
        docstring(about)
    )
}

fn module_text(design: &Design) -> String {
    let names = Names::of(design);
    let mut body = String::new();
    body.push_str("\n\n");
    body.push_str(&record::class(design, &names));
    let also = crate::queries::steps(design, None);
    let encoder = Encoder { also, ..Encoder::new(&design.codec, &names, "") };
    encoder.print(&mut body, "The key of a record's row.");
    encoder.print_decode(&mut body, "The record of a key, as far as the key says.");
    if !design.families.is_empty() {
        columns::print(&mut body, design, &names);
    }
    columns::print_indexes(&mut body, design, &names);
    queries::print(&mut body, design, &names);
    let mut wanted = String::from("RowKeyError check_fingerprint");
    if design.bucket.is_some() {
        wanted.push_str(" merge fan_out");
    }
    wanted.push_str(&body);
    let tables = case::tables(&snippets::needed_by(&wanted).concat());
    wanted.push_str(&tables);
    let runtime = snippets::needed_by(&wanted);
    let (errors, runtime): (Vec<&str>, Vec<&str>) =
        runtime.into_iter().partition(|text| text.starts_with("class RowKeyError"));
    let all = |texts: Vec<&str>| texts.iter().map(|text| format!("\n\n{text}\n")).collect::<String>();
    let code = format!(
        "{}{}{body}\n\n# What follows is the runtime of this key, and knows nothing of the table.\n{}{tables}",
        constants(design),
        all(errors),
        all(runtime)
    );
    let about = format!(
        "Row keys of the table {}, as rowkey has them.\n\n    {}\n\nPython 3.9 or later; nothing else is needed.\n",
        one_line(&design.table),
        one_line(&design.codec.notation),
    );
    format!("{}{}\n{code}", head(design, &about), snippets::imports(&code))
}

/// What can be said of a table without a record.
fn constants(design: &Design) -> String {
    let mut out = format!("TABLE = {}\n", quoted(&design.table));
    out.push_str("\n#: the name of the order of the keys; the table has it as an attribute\n");
    out.push_str(&format!("FINGERPRINT = {}\n", quoted(&design.codec.fingerprint)));
    out.push_str("\n#: where a new table is cut\n");
    let splits = columns::tuple(design.splits.iter().map(|key| bytes(key)).collect());
    statement(&mut out, 0, "SPLIT_POINTS: Tuple[bytes, ...] = ", &splits, "");
    for (index, suffix) in design.indexes.iter().zip(columns::suffixes(design)) {
        let splits = columns::tuple(index.splits.iter().map(|key| bytes(key)).collect());
        statement(
            &mut out,
            0,
            &format!("SPLIT_POINTS{}: Tuple[bytes, ...] = ", suffix.to_uppercase()),
            &splits,
            "",
        );
    }
    if let Some(bucket) = &design.bucket {
        out.push_str("\n#: what the keys of each bucket begin with\n");
        out.push_str(&buckets(bucket));
        let end = bucket.before.len() + bucket.buckets.first().map_or(0, Vec::len);
        out.push_str("\n#: the length of that\n");
        out.push_str(&format!("BUCKET_END = {end}\n"));
    }
    out
}

/// Most buckets are numbers that count up.
fn buckets(bucket: &Bucket) -> String {
    let mut out = String::new();
    if let Some(width) = bucket.counted_width().filter(|_| bucket.buckets.len() > 4) {
        let before = if bucket.before.is_empty() {
            String::new()
        } else {
            format!("{} + ", bytes(&bucket.before).flat())
        };
        let count = bucket.buckets.len();
        let all = format!("{before}bucket.to_bytes({width}, \"big\") for bucket in range({count})");
        let all = Py::Brackets { open: "tuple(".to_owned(), inner: vec![atom(all)], close: ')' };
        statement(&mut out, 0, "BUCKETS: Tuple[bytes, ...] = ", &all, "");
    } else {
        let all = bucket.buckets.iter().map(|own| bytes(&[bucket.before.as_slice(), own].concat())).collect();
        statement(&mut out, 0, "BUCKETS: Tuple[bytes, ...] = ", &columns::tuple(all), "");
    }
    out
}

#[cfg(test)]
mod laws {
    use std::collections::BTreeSet;

    use super::*;
    use crate::Origin;
    use rowkey_core::{KeySchema, Table};

    fn design(source: &str) -> Design {
        let origin = Origin { version: "0.1.0".to_owned(), file: "a.toml".to_owned() };
        match source.starts_with('[') {
            true => Design::of_key(&KeySchema::parse(source).expect(source), "t", origin),
            false => Design::of(&Table::parse("a.toml", source).expect(source), origin),
        }
    }

    fn designs() -> Vec<Design> {
        let templates = [
            include_str!("../../../rowkey-cli/templates/orders.toml"),
            include_str!("../../../rowkey-cli/templates/opentsdb.toml"),
            include_str!("../../../rowkey-cli/templates/phoenix.toml"),
            include_str!("../../../rowkey-cli/templates/time-series.toml"),
        ];
        let indexed = format!(
            "{}\n[[index]]\nname = \"by\"\nkey = \"[seller: escaped][ts][user_id][order_id]\"\n",
            templates[0]
        );
        let keys = [
            "[value: u8][found1: u8][value2: u8][value + 1: u16][len: escaped]-",
            "[lower(a): escaped][upper(b): escaped][xxh3(c: f64, a): u64][d: ordered(numeric)][len: bool]",
            "[random('ab')][code(a, 'x'='1', 'y'='2')][Long.MAX_VALUE - b][reverse(n: decimal(6))][m: ipv6? desc]",
        ];
        let all = templates.into_iter().chain([indexed.as_str()]).chain(keys);
        all.map(design).collect()
    }

    /// Words that begin with an underscore, which are names of the module's own.
    fn own_names(text: &str) -> BTreeSet<&str> {
        let words = text.split(|character: char| !character.is_alphanumeric() && character != '_');
        words.filter(|word| word.len() > 1 && word.starts_with('_') && !word.starts_with("__")).collect()
    }

    #[test]
    fn a_module_defines_what_it_uses_and_nothing_else() {
        for design in designs() {
            let text = module_text(&design);
            for name in own_names(&text) {
                let defined = [format!("\ndef {name}("), format!("\n{name} = "), format!("\n{name}: ")];
                assert!(defined.iter().any(|form| text.contains(form)), "{}: {name}", design.table);
                let uses = text.split(|character: char| !character.is_alphanumeric() && character != '_');
                assert!(
                    uses.filter(|word| *word == name).count() > 1,
                    "{}: {name} is not used",
                    design.table
                );
            }
        }
    }

    #[test]
    fn no_line_of_a_module_is_too_long() {
        for design in designs() {
            for file in
                Python.files(&design).expect("code").iter().filter(|file| !file.name.starts_with("test_"))
            {
                let code = file.text.lines().skip(1);
                let long: Vec<&str> = code.filter(|line| line.chars().count() > 88).collect();
                // A text, such as the name of a part, is not broken; nor is the key in the docstring.
                let is_text = |line: &&str| line.contains('"') || line.starts_with("    [");
                assert!(long.iter().all(is_text), "{}: {long:?}", file.name);
            }
        }
    }

    #[test]
    fn the_same_design_gives_the_same_files() {
        for design in designs() {
            assert_eq!(Python.files(&design), Python.files(&design));
        }
    }
}
