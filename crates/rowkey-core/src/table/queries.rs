//! The queries that a table is made for.
//!
//! `[[query]]` stands in a table file, or, where there is no table yet, in a file of its own with nothing but queries and,
//! optionally, `[fields]`.

use std::cell::RefCell;

use super::NamedQuery;
use super::file::read_fields;
use super::section::{self, Section};
use crate::calendar::length;
use crate::finding::{Finding, Findings, Problem};
use crate::key::Fields;
use crate::span::Span;

/// A file of queries without a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryFile {
    /// The types of fields, if the file says them.
    pub fields: Option<Fields>,
    /// The queries, in the order of the file.
    pub queries: Vec<NamedQuery>,
}

impl QueryFile {
    /// Reads `[fields]` and `[[query]]`; `origin` is the file's name in messages.
    ///
    /// # Errors
    /// All findings about the file.
    pub fn parse(origin: &str, source: &str) -> Result<Self, Findings> {
        let findings: RefCell<Vec<Finding>> = RefCell::default();
        let root = section::parse(source, &findings);
        let start_of_file = Span::new(0, source.find('\n').unwrap_or(source.len()));
        let section = Section::new(root.get_ref(), "the file", start_of_file, &findings);
        let fields = root.get_ref().contains_key("fields").then(|| read_fields(&section));
        let queries = read_all(&section, fields.as_ref());
        // What was asked for counts as known.
        let _ = section.section("fields", "[fields]");
        section.finish();
        drop(section);
        let findings = findings.into_inner();
        if findings.is_empty() {
            Ok(Self { fields, queries })
        } else {
            Err(Findings::new(origin, source, findings))
        }
    }
}

/// Reads all `[[query]]`; what they return must be fields, where these are known.
pub(super) fn read_all(root: &Section<'_>, fields: Option<&Fields>) -> Vec<NamedQuery> {
    root.sections("query").into_iter().filter_map(|section| read(&section, fields)).collect()
}

fn read(section: &Section<'_>, fields: Option<&Fields>) -> Option<NamedQuery> {
    let name = section.required_string("name");
    let condition = section.required_string("where");
    let weight = section.number("weight", 1).map_or(1, |weight| weight.value);
    let columns = section.strings("columns").map(|columns| {
        for column in &columns {
            if let Some(fields) = fields.filter(|fields| fields.id(column.value).is_none()) {
                section.find(column.span, Problem::unknown_field(column.value, fields));
            }
        }
        columns.iter().map(|column| column.value.to_owned()).collect()
    });
    let window = section.string("window").and_then(|window| {
        let bad =
            |cure| Problem::BadSetting { key: "window".to_owned(), value: window.value.to_owned(), cure };
        length(window.value).map_err(|cure| section.find(window.span, bad(cure))).ok()
    });
    let limit = section.number("limit", 1).map(|limit| limit.value);
    section.finish();
    let (name, condition) = (name?.value.to_owned(), condition?.value.to_owned());
    Some(NamedQuery { name, condition, weight, columns, window, limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_stand_alone_and_all_findings_come_at_once() {
        let text = "[fields]\nuser = \"u64\"\nts = \"timestamp\"\n\n[[query]]\nname = \"latest\"\nwhere = \"user = ? \
                    order by ts desc\"\nweight = 3\ncolumns = [\"ts\"]\n";
        let file = QueryFile::parse("q.toml", text).unwrap();
        assert_eq!(file.fields.as_ref().map(Fields::len), Some(2));
        assert_eq!(
            (file.queries[0].weight, file.queries[0].columns.as_deref()),
            (3, Some(&["ts".to_owned()][..]))
        );

        let window = text.replace("weight = 3", "weight = 3\nwindow = \"90m\"\nlimit = 20");
        let query = &QueryFile::parse("q.toml", &window).unwrap().queries[0];
        assert_eq!((query.window, query.limit), (Some(5_400_000), Some(20)));
        let wrong = QueryFile::parse("q.toml", &window.replace("90m", "90 minutes")).unwrap_err().to_string();
        assert!(wrong.contains("window") && wrong.contains("is no unit of time"), "{wrong}");

        let no_fields = text.split_once("\n\n").unwrap().1;
        assert_eq!(QueryFile::parse("q.toml", no_fields).unwrap().fields, None);

        let wrong = text.replace("[\"ts\"]", "[\"tz\"]").replace("weight = 3", "wieght = 3") + "[tables]\n";
        let found = QueryFile::parse("q.toml", &wrong).unwrap_err().to_string();
        for part in ["no field `tz`", "no setting `wieght`", "no setting `tables`"] {
            assert!(found.contains(part), "{part}: {found}");
        }
    }
}
