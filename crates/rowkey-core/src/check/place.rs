//! The place that an issue is about.

use toml::de::{DeTable, DeValue};

use crate::span::Span;
use crate::table::Table;

/// What an issue is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The whole key.
    Key,
    /// A part of the key.
    Part {
        /// Its place among the parts, literals included, from 0.
        index: usize,
        /// The part as written.
        label: String,
        /// Where it stands in the key.
        span: Span,
    },
    /// A setting of the table file: `families`, `d`, `versions`.
    Setting(Vec<String>),
    /// The query of this number, from 0, and its name.
    Query(usize, String),
    /// A place in the key of the index table of this number, from 0.
    Index(usize, Box<Place>),
}

impl Place {
    /// Parts from left to right, then the rest.
    pub(super) fn order(&self) -> (usize, usize) {
        match self {
            Self::Key => (0, 0),
            Self::Part { index, .. } => (1, *index),
            Self::Query(index, _) => (2, *index),
            Self::Setting(_) => (3, 0),
            Self::Index(index, place) => (4 + *index, place.order().1),
        }
    }

    /// How people call it: the part as written, `families.d.versions`, a query's name.
    pub fn label(&self) -> String {
        match self {
            Self::Key => "key".to_owned(),
            Self::Part { label, .. } => label.clone(),
            Self::Setting(path) => path.join("."),
            Self::Query(_, name) => name.clone(),
            Self::Index(_, place) => place.label(),
        }
    }

    /// The place in the key of an index table, or itself.
    pub fn within(&self) -> &Self {
        match self {
            Self::Index(_, place) => place,
            place => place,
        }
    }

    /// Its place in a key that has this many bytes; `None` if it is not in the key.
    pub fn in_key(&self, length: usize) -> Option<Span> {
        match self {
            Self::Key => Some(Span::new(0, length)),
            Self::Part { span, .. } => Some(*span),
            Self::Setting(_) | Self::Query(..) | Self::Index(..) => None,
        }
    }

    /// Its place in the table's file; of a setting that is not written there, the nearest one around it.
    pub fn in_file(&self, table: &Table) -> Option<Span> {
        let root = DeTable::parse(&table.source).ok()?;
        let root = root.get_ref();
        match self {
            Self::Key | Self::Part { .. } => self.in_string(&table.source, value(root, &["table", "key"])?),
            Self::Index(index, place) => {
                let (indexes, _) = value(root, &["index"])?;
                let index = indexes.as_array()?.get(*index)?.get_ref().as_table()?;
                place.in_string(&table.source, value(index, &["key"])?)
            }
            Self::Setting(path) => {
                let path: Vec<&str> = path.iter().map(String::as_str).collect();
                (1..=path.len()).rev().find_map(|depth| setting(root, path.get(..depth)?))
            }
            Self::Query(index, _) => {
                let (queries, _) = value(root, &["query"])?;
                let query = queries.as_array()?.get(*index)?.get_ref().as_table()?;
                value(query, &["where"]).map(|(_, span)| span)
            }
        }
    }

    /// Its place in the string that holds the key.
    fn in_string(&self, source: &str, (value, span): (&DeValue<'_>, Span)) -> Option<Span> {
        let written = source.get(span.start + 1..span.end.saturating_sub(1))?;
        // Inside a plain string the key's bytes are the file's bytes; otherwise the string is the place.
        let plain = value.as_str() == Some(written);
        let inner = self.in_key(written.len()).filter(|_| plain);
        Some(inner.map_or(span, |inner| inner.shifted(span.start + 1)))
    }
}

fn value<'t>(root: &'t DeTable<'t>, path: &[&str]) -> Option<(&'t DeValue<'t>, Span)> {
    let (last, before) = path.split_last()?;
    let table = before.iter().try_fold(root, |table, name| table.get(*name)?.get_ref().as_table())?;
    table.get(*last).map(|value| (value.get_ref(), value.span().into()))
}

/// A plain value's place is the value, a table's is its name.
fn setting(root: &DeTable<'_>, path: &[&str]) -> Option<Span> {
    let (last, before) = path.split_last()?;
    let table = before.iter().try_fold(root, |table, name| table.get(*name)?.get_ref().as_table())?;
    let (name, value) = table.iter().find(|(name, _)| name.get_ref() == *last)?;
    Some(if value.get_ref().is_table() { name.span().into() } else { value.span().into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_found_in_the_file() {
        let source = "[table]\nname = \"t\"\nkey = \"[a]_[b]\"\n[fields]\na = \"text\"\nb = \"text\"\n\
                      [families.data]\nversions = 500\n[[query]]\nname = \"q\"\nwhere = \"a = ?\"\n\
                      [[index]]\nname = \"i\"\nkey = \"[b: escaped][a]\"\n";
        let table = Table::parse("t.toml", source).expect("a table");
        let shown = |place: &Place| place.in_file(&table).and_then(|span| source.get(span.start..span.end));
        let setting = |path: &[&str]| Place::Setting(path.iter().map(|&name| name.to_owned()).collect());
        let part = Place::Part { index: 2, label: "[b]".to_owned(), span: Span::new(4, 7) };
        assert_eq!(shown(&part), Some("[b]"));
        assert_eq!(shown(&Place::Key), Some("[a]_[b]"));
        assert_eq!(shown(&Place::Index(0, Box::new(Place::Key))), Some("[b: escaped][a]"));
        assert_eq!(shown(&setting(&["families", "data", "versions"])), Some("500"));
        assert_eq!(shown(&setting(&["families", "data", "min_versions"])), Some("data"));
        assert_eq!(shown(&Place::Query(0, "q".to_owned())), Some("\"a = ?\""));
    }
}
