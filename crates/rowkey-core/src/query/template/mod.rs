//! A query as it is before its values are known: which ranges it will read, as data that a program of any language can be made of.
//!
//! A [`QueryTemplate`] is what the planner does with a query of this form, step by step: the parts that are known, the buckets of
//! those that are not, and what is between two bounds. [`QueryTemplate::ranges`] carries it out; generated programs do the same.
//! How a query is read does not depend on its values here, as with a prepared statement of a database: a range of two equal bounds
//! stays a range, nothing is skipped over, and of the tables the best is chosen once.
//!
//! **Laws** (`tests/templates`): the rows of a template's ranges, filtered by its residual, are exactly those of a full scan, in the
//! order asked for; and its ranges are those of one of the planner's plans for the values, but for values that say more than their
//! form does (a range that is one value, a list of equal values, a contradiction).

mod build;
mod evaluate;
mod form;

pub use build::{template, template_by_key};
pub use evaluate::{TemplateError, TemplateGroup};

use super::parse::Parameter;
use super::plan::{PlanError, Via};
use crate::finding::Findings;
use crate::key::FieldId;
use crate::range::KeyRange;
use crate::types::Order;
use crate::value::Value;

/// How to read the rows of a query, whatever its values are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTemplate {
    /// The `?` of the query, from left to right.
    pub parameters: Vec<TemplateParameter>,
    /// By which table: steps are those of its key ([`crate::KeySchema::steps`]).
    pub via: Via,
    /// Nothing is read where one of these is empty.
    pub spans: Vec<TemplateSpan>,
    /// The fields that have one value. Nothing is read if it is null or NaN, but for a constant null.
    pub bound: Vec<(FieldId, Operand)>,
    /// The fields that have one of several values: ranges are made for each combination of different ones. A parameter that is null or NaN
    /// is left out.
    pub lists: Vec<(FieldId, Vec<Operand>)>,
    /// What every key begins with.
    pub pieces: Vec<TemplatePiece>,
    /// What follows.
    pub end: TemplateEnd,
    /// Rising keys, or falling ones.
    pub direction: Order,
    /// What the rows must still be sorted by; empty if they come as asked for. Null is smaller than every value.
    pub sort: Vec<(FieldId, Order)>,
    /// At most so many rows.
    pub limit: Option<TemplateLimit>,
    /// What must still be true of each row, as SQL with `:name` for parameters.
    pub residual: Option<String>,
    /// The same as conditions that are all to be true, each with the fields that it is about.
    pub conditions: Vec<(String, Vec<FieldId>)>,
    /// Whether the ranges are the whole table.
    pub whole_table: bool,
}

/// What is given when the query is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateParameter {
    /// As `:name` in the query, or made of its field: `user_id`, `ts_from`, `ts_to`, `limit`; no two are equal.
    pub name: String,
    /// What it stands for, with its field, whose type is the parameter's.
    pub role: Parameter,
}

impl TemplateParameter {
    /// The field whose type it has; none of the number of rows.
    pub fn field(&self) -> Option<FieldId> {
        match self.role {
            Parameter::Value(field)
            | Parameter::Lower(field)
            | Parameter::Upper(field)
            | Parameter::Pattern(field) => Some(field),
            Parameter::Limit => None,
        }
    }
}

/// A value that a template works with; -0 is taken as 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// The parameter of this number, from 0.
    Parameter(usize),
    /// This value.
    Constant(Value<'static>),
}

/// How many rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateLimit {
    /// So many.
    Constant(usize),
    /// As the parameter of this number says.
    Parameter(usize),
}

/// One end of a range of values. Of numbers and times one that is not inclusive is the next inclusive one; where the
/// field's type has no next one, the range is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateBound {
    /// The value.
    pub operand: Operand,
    /// Whether the value itself belongs to the range.
    pub inclusive: bool,
}

/// The values of a field between two bounds. It is empty if no value lies between them, and if a bound is null or NaN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateSpan {
    /// The field.
    pub field: FieldId,
    /// Where it begins; `None` for no bound.
    pub lower: Option<TemplateBound>,
    /// Where it ends; `None` for no bound.
    pub upper: Option<TemplateBound>,
    /// The whole numbers of one sign, in two's complement: the span ends there, and is encoded with both bounds.
    pub half: Option<(i128, i128)>,
}

/// What a key goes on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePiece {
    /// These bytes.
    Literal(Vec<u8>),
    /// The bytes of a step whose fields are all bound or listed. If it has none for these values, nothing is read (of this
    /// combination).
    Step {
        /// The place of the step in the key.
        step: usize,
        /// Whether rows of several combinations come by its bytes; if not, it only spreads them, as a salt does.
        ranked: bool,
    },
    /// Each of these, which have one length and are in order; ranges are made for each. Never ranked.
    Buckets {
        /// The place of the step in the key.
        step: usize,
        /// The bytes.
        values: Vec<Vec<u8>>,
    },
}

/// How the ranges end, behind the pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateEnd {
    /// The pieces are the whole key, so that a range holds one row: it goes from the key to the key and a zero byte.
    Row,
    /// Everything that begins so.
    Prefix,
    /// What follows the pieces lies in one of these, which are in order.
    Constant(Vec<KeyRange>),
    /// A field lies between bounds.
    Between(TemplateBetween),
}

/// A range of values of a field as a range of bytes.
///
/// For each span: its bounds, as [`Fit`] says, are encoded by `steps` one after another, and `delimiter` is added. A bound that has no bytes is an
/// error. If `falling`, the bounds change places. From an inclusive first bound the range starts at its bytes; from
/// another, behind all that begin with them ([`crate::range::prefix_end`]; if there is no such key the range is empty), or,
/// with `whole_key`, at the bytes and a zero byte. It ends behind all that begin with the bytes of an inclusive last bound, or, with
/// `whole_key`, at them and a zero byte; at the bytes of another. Without a bound it starts or ends with `area`, in which the
/// range lies in any case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateBetween {
    /// The field.
    pub field: FieldId,
    /// The values, in the order of their bytes; empty ones are left out.
    pub spans: Vec<TemplateSpan>,
    /// The places of the steps in the key: one that follows the field, or several that do so ever finer.
    pub steps: std::ops::RangeInclusive<usize>,
    /// The numbers that the step can hold.
    pub fit: Option<Fit>,
    /// The literal with which a text ends.
    pub delimiter: Vec<u8>,
    /// Whether different values have different bytes; if not, both bounds are taken as inclusive.
    pub strict: bool,
    /// Whether the bytes fall where the values rise.
    pub falling: bool,
    /// Whether nothing follows in the key.
    pub whole_key: bool,
    /// Where all bytes of the part lie that are not null.
    pub area: KeyRange,
}

/// The whole numbers that a part can hold; times are taken in milliseconds.
///
/// Bounds of times are first moved inwards to a multiple of `apart`. A span that lies outside is empty; a lower bound at or below
/// `min` is none, and so is an upper one at or above `max`; with a `half`, both bounds are brought into it instead, unless there
/// is none at either end: then the range is the whole `area`, and the only one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fit {
    /// The smallest.
    pub min: i128,
    /// The greatest.
    pub max: i128,
    /// How many milliseconds lie between two times; 1 of other numbers.
    pub apart: i64,
}

/// Why a query has no template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateRefusal {
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(Box<Findings>),
    /// It cannot be planned.
    #[error("{0}")]
    Planned(#[from] PlanError),
    /// No row can match, whatever the values are.
    #[error("its conditions contradict each other, so no row can match")]
    Nothing,
    /// Several conditions on one field.
    #[error(
        "several conditions are on `{field}`, of which its values alone say what they mean together; write one"
    )]
    Several {
        /// The field.
        field: String,
    },
    /// A pattern that is not known yet.
    #[error(
        "only the pattern for `{field}` will say whether its beginning or its end is known; write the pattern into the query, or \
         compare with >= and <"
    )]
    Pattern {
        /// The field.
        field: String,
    },
    /// An `or` with a parameter.
    #[error("an `or` with a parameter is on `{field}`; write a query for each side")]
    Or {
        /// The field.
        field: String,
    },
    /// Everything but some values.
    #[error(
        "`{field}` may have every value but given ones, which are many ranges; leave that to the program that reads"
    )]
    Except {
        /// The field.
        field: String,
    },
    /// A range of truth values.
    #[error("`{field}` is true or false, and compared by order; compare it with =")]
    BoolOrder {
        /// The field.
        field: String,
    },
    /// A range of texts whose bytes have another order.
    #[error(
        "the bytes of {part} do not sort as its texts do, so a range of them is many ranges; use the type escaped"
    )]
    TextOrder {
        /// The part as written.
        part: String,
    },
    /// Several texts whose end cannot be found.
    #[error(
        "the end of {part} cannot be told, so ranges for several values may overlap; use the type escaped"
    )]
    UnclearList {
        /// The part as written.
        part: String,
    },
    /// Too many ranges.
    #[error(
        "it may need {ranges} ranges; the limit is {limit}: list fewer values, or bind the fields of {part}"
    )]
    TooMany {
        /// How many.
        ranges: usize,
        /// The most there may be.
        limit: usize,
        /// The part that makes them so many.
        part: String,
    },
}

impl TemplateRefusal {
    /// In one word.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "unreadable",
            Self::Planned(PlanError::FullScan { .. }) => "full scan",
            Self::Planned(PlanError::Order { .. }) => "order",
            Self::Planned(PlanError::FanOut { .. }) | Self::TooMany { .. } => "too many ranges",
            Self::Nothing => "nothing",
            Self::Several { .. } => "several conditions",
            Self::Pattern { .. } => "pattern",
            Self::Or { .. } => "or",
            Self::Except { .. } => "except",
            Self::BoolOrder { .. } => "order of truth",
            Self::TextOrder { .. } => "order of texts",
            Self::UnclearList { .. } => "unclear end",
        }
    }
}
