//! The dialect of a data file: delimiter, nulls, column names, formats of times.
//!
//! The caller says what is known ([`InputOptions`]); the rest is guessed from its first bytes ([`super::look`]) or left as it is
//! usual. A [`Dialect`] goes with the bytes ([`super::Source`]), so that every reader of them has it.

use rowkey_core::key::Fields;
use rowkey_core::types::Kind;
use rowkey_core::value::TimeFormat;

use super::compressed::Compression;
use super::error::InputError;
use super::{Format, Source};

/// What is said about data before it is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputOptions {
    /// The format; `None` to look.
    pub format: Option<Format>,
    /// How it is compressed; `None` to look.
    pub compression: Option<Compression>,
    /// What cells, columns, nulls and times look like.
    pub dialect: Dialect,
    /// The longest record, in bytes.
    pub max_record: usize,
}

impl Default for InputOptions {
    fn default() -> Self {
        Self { format: None, compression: None, dialect: Dialect::default(), max_record: Source::MAX_RECORD }
    }
}

/// How records are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dialect {
    /// What stands between two cells of CSV; a comma if nothing is said.
    pub delimiter: Option<u8>,
    /// Cells of CSV that mean null, besides empty ones; `None` if not given: they are guessed.
    pub nulls: Option<Vec<String>>,
    /// Columns that are fields of another name: the column's, the field's.
    pub renames: Vec<(String, String)>,
    /// Columns that are not read.
    pub ignored: Ignored,
    /// How times are written.
    pub times: Times,
}

/// Columns that are not read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Ignored {
    /// Every column is a field.
    #[default]
    Nothing,
    /// Those of these names, the column's or the field's.
    These(Vec<String>),
    /// Those that are no field.
    NoFields,
}

/// How times are written, in all fields or in one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Times {
    /// In fields that nothing else is said of; `None` for the usual.
    pub usual: Option<TimeFormat>,
    /// In the field of a name.
    pub of: Vec<(String, TimeFormat)>,
    /// The same, but guessed: it is meant only if the field has times.
    pub guessed: Vec<(String, TimeFormat)>,
}

impl Dialect {
    /// What stands between two cells.
    pub fn delimiter(&self) -> u8 {
        self.delimiter.unwrap_or(b',')
    }

    /// Cells that mean null, besides empty ones.
    pub fn nulls(&self) -> &[String] {
        self.nulls.as_deref().unwrap_or_default()
    }

    /// Whether a column is left out that is called so, and is no field or is the field of this name.
    pub(super) fn ignores(&self, column: &str, field: &str, is_field: bool) -> bool {
        match &self.ignored {
            Ignored::Nothing => false,
            Ignored::These(names) => names.iter().any(|name| name == column || name == field),
            Ignored::NoFields => !is_field,
        }
    }

    /// How times of each field are written, where it is not as usual.
    ///
    /// # Errors
    /// When something is said of a field that does not exist, or that has no times.
    pub(super) fn times(&self, fields: &Fields, label: &str) -> Result<Vec<Option<TimeFormat>>, InputError> {
        for (name, _) in &self.times.of {
            if !fields.id(name).is_some_and(|id| fields.get(id).ty.kind() == Kind::Time) {
                let ty = fields.id(name).map(|id| fields.get(id).ty.to_string());
                let (data, field) = (label.to_owned(), name.clone());
                return Err(InputError::NoTimeField { data, field, ty });
            }
        }
        let of = |name: &str| {
            let mut all = self.times.of.iter().chain(&self.times.guessed);
            all.find(|(field, _)| field == name).map(|(_, format)| format)
        };
        let fields = fields.iter().map(|(_, field)| {
            let is_time = field.ty.kind() == Kind::Time;
            of(&field.name).or(self.times.usual.as_ref()).filter(|_| is_time).cloned()
        });
        Ok(fields.collect())
    }
}
