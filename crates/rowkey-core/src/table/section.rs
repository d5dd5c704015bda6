//! Reading a TOML table so that nothing is overlooked: wrong types and unknown settings become findings.

use std::cell::RefCell;

use toml::de::{DeTable, DeValue};

use crate::finding::{Finding, MAX_FINDINGS, Problem};
use crate::key::Fields;
use crate::span::{Span, nearest};

/// The whole file; what is no TOML becomes findings.
pub(super) fn parse<'s>(source: &'s str, findings: &RefCell<Vec<Finding>>) -> toml::Spanned<DeTable<'s>> {
    let (root, errors) = DeTable::parse_recoverable(source);
    for error in errors.into_iter().take(MAX_FINDINGS) {
        let span = error.span().map_or(Span::default(), Span::from);
        let message = error.message().to_owned();
        findings.borrow_mut().push(Finding::new(span, Problem::Toml { message }));
    }
    root
}

/// A value with its place in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spanned<T> {
    pub(super) value: T,
    pub(super) span: Span,
}

/// One table of the file. Every setting that is asked for counts as known; the rest is reported by
/// [`Section::finish`].
pub(super) struct Section<'f> {
    table: &'f DeTable<'f>,
    /// How messages call it, such as `[table]`.
    pub(super) name: String,
    pub(super) span: Span,
    known: RefCell<Vec<&'static str>>,
    findings: &'f RefCell<Vec<Finding>>,
}

impl<'f> Section<'f> {
    pub(super) fn new(
        table: &'f DeTable<'f>,
        name: impl Into<String>,
        span: Span,
        findings: &'f RefCell<Vec<Finding>>,
    ) -> Self {
        Self { table, name: name.into(), span, known: RefCell::default(), findings }
    }

    pub(super) fn find(&self, span: Span, problem: Problem) {
        if !self.is_full() {
            self.findings.borrow_mut().push(Finding::new(span, problem));
        }
    }

    /// A name that is none of the fields; the nearest one is only looked for where the finding is kept.
    pub(super) fn find_unknown_field(&self, span: Span, name: &str, fields: &Fields) {
        if !self.is_full() {
            self.find(span, Problem::unknown_field(name, fields));
        }
    }

    /// Whether so much is wrong that looking on says nothing new.
    fn is_full(&self) -> bool {
        self.findings.borrow().len() >= MAX_FINDINGS
    }

    fn raw(&self, key: &'static str) -> Option<Spanned<&'f DeValue<'f>>> {
        self.known.borrow_mut().push(key);
        self.table.get(key).map(|value| Spanned { value: value.get_ref(), span: value.span().into() })
    }

    fn typed<T>(
        &self,
        key: &'static str,
        expected: &'static str,
        take: impl FnOnce(&'f DeValue<'f>) -> Option<T>,
    ) -> Option<Spanned<T>> {
        let Spanned { value, span } = self.raw(key)?;
        let taken = take(value);
        if taken.is_none() {
            self.wrong(key, span, expected, value);
        }
        taken.map(|value| Spanned { value, span })
    }

    fn wrong(&self, key: &str, span: Span, expected: &'static str, found: &DeValue<'_>) {
        self.find(span, Problem::WrongToml { key: key.to_owned(), expected, found: found.type_str() });
    }

    pub(super) fn string(&self, key: &'static str) -> Option<Spanned<&'f str>> {
        self.typed(key, "a string", DeValue::as_str)
    }

    pub(super) fn required_string(&self, key: &'static str) -> Option<Spanned<&'f str>> {
        if !self.table.contains_key(key) {
            self.find(self.span, Problem::MissingKey { key, section: self.name.clone() });
        }
        self.string(key)
    }

    pub(super) fn bool(&self, key: &'static str) -> Option<Spanned<bool>> {
        self.typed(key, "true or false", DeValue::as_bool)
    }

    /// A whole number from `min` on.
    pub(super) fn number(&self, key: &'static str, min: u32) -> Option<Spanned<u32>> {
        let Spanned { value, span } = self.typed(key, "a whole number", DeValue::as_integer)?;
        let number = u32::from_str_radix(value.as_str(), value.radix()).ok().filter(|number| *number >= min);
        if number.is_none() {
            let cure = format!("it is a whole number from {min} to {}", u32::MAX);
            self.find(
                span,
                Problem::BadSetting { key: key.to_owned(), value: value.as_str().to_owned(), cure },
            );
        }
        number.map(|value| Spanned { value, span })
    }

    /// A list of strings; `None` if it is missing or something else.
    pub(super) fn strings(&self, key: &'static str) -> Option<Vec<Spanned<&'f str>>> {
        let array = self.typed(key, "a list of strings", DeValue::as_array)?;
        let mut strings = Vec::new();
        for item in array.value.iter() {
            let span = item.span().into();
            match item.get_ref().as_str() {
                Some(value) => strings.push(Spanned { value, span }),
                None => self.wrong(key, span, "a list of strings", item.get_ref()),
            }
        }
        Some(strings)
    }

    /// `columns`, as a list of fields or as `{ qualifier = "field" }`: fields, with their qualifiers where they are said.
    pub(super) fn columns(&self) -> Vec<(Option<Spanned<&'f str>>, Spanned<&'f str>)> {
        let Some(Spanned { value, span }) = self.raw("columns") else { return Vec::new() };
        match value {
            DeValue::Array(_) => {
                let fields = self.strings("columns").unwrap_or_default();
                fields.into_iter().map(|field| (None, field)).collect()
            }
            DeValue::Table(table) => {
                let columns = self.nested(table, format!("columns of {}", self.name), span);
                let columns = columns.string_entries();
                columns.into_iter().map(|(qualifier, field)| (Some(qualifier), field)).collect()
            }
            other => {
                self.wrong("columns", span, "a list of fields, or { qualifier = \"field\" }", other);
                Vec::new()
            }
        }
    }

    pub(super) fn is_string(&self, key: &'static str) -> bool {
        self.table.get(key).is_some_and(|value| value.get_ref().is_str())
    }

    pub(super) fn section(&self, key: &'static str, name: impl Into<String>) -> Option<Section<'f>> {
        let table = self.typed(key, "a table", DeValue::as_table)?;
        Some(Section::new(table.value, name, table.span, self.findings))
    }

    /// A table found below this one, whose findings go to the same list.
    pub(super) fn nested(&self, table: &'f DeTable<'f>, name: String, span: Span) -> Section<'f> {
        Section::new(table, name, span, self.findings)
    }

    /// `[[key]]` tables.
    pub(super) fn sections(&self, key: &'static str) -> Vec<Section<'f>> {
        let Some(array) = self.typed(key, "a list of tables", DeValue::as_array) else { return Vec::new() };
        let mut sections = Vec::new();
        for item in array.value.iter() {
            match item.get_ref().as_table() {
                Some(table) => {
                    sections.push(Section::new(
                        table,
                        format!("[[{key}]]"),
                        item.span().into(),
                        self.findings,
                    ));
                }
                None => self.wrong(key, item.span().into(), "a list of tables", item.get_ref()),
            }
        }
        sections
    }

    /// All entries of a table whose keys are free, in the order of the file.
    pub(super) fn entries(&self) -> Vec<(Spanned<&'f str>, Spanned<&'f DeValue<'f>>)> {
        let mut entries: Vec<_> = self
            .table
            .iter()
            .map(|(key, value)| {
                let key = Spanned { value: key.get_ref().as_ref(), span: key.span().into() };
                (key, Spanned { value: value.get_ref(), span: value.span().into() })
            })
            .collect();
        entries.sort_by_key(|(key, _)| key.span.start);
        entries
    }

    /// Strings of a table whose keys are free, in the order of the file.
    pub(super) fn string_entries(&self) -> Vec<(Spanned<&'f str>, Spanned<&'f str>)> {
        let entries = self.entries().into_iter();
        entries
            .filter_map(|(key, Spanned { value, span })| match value.as_str() {
                Some(value) => Some((key, Spanned { value, span })),
                None => {
                    self.wrong(key.value, span, "a string", value);
                    None
                }
            })
            .collect()
    }

    /// Reports settings that no reader of this section knows.
    pub(super) fn finish(&self) {
        let known = self.known.borrow();
        for (key, _) in self.entries() {
            if self.is_full() {
                return;
            }
            if !known.contains(&key.value) {
                let problem = Problem::UnknownKey {
                    key: key.value.to_owned(),
                    section: self.name.clone(),
                    nearest: nearest(key.value, known.iter().copied()).map(str::to_owned),
                    known: known.iter().map(|&key| key.to_owned()).collect(),
                };
                self.find(key.span, problem);
            }
        }
    }
}
