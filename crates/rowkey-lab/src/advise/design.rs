//! What can be chosen about a key, as data.
//!
//! A [`KeyDesign`] is a list of parts and one way to spread rows. It is rendered into the notation, and from there on the
//! compiler, the rules, the planner and the encoder see what they would see of a key written by hand: there is no
//! second meaning of a key here.
//!
//! **Law** (`tests/advise.rs`): every design of the candidate space compiles.

use rowkey_core::key::{Field, FieldId, Fields};
use rowkey_core::types::{Kind, Order, Type};

use super::facts::FieldFacts;

/// A key as a list of choices.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyDesign {
    /// How rows are spread.
    pub spread: Spread,
    /// The parts behind it, from left to right.
    pub parts: Vec<PartDesign>,
}

/// How rows are spread over regions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Spread {
    /// By nothing but the fields themselves.
    None,
    /// By a salt in front, of these fields.
    Salt {
        /// How many buckets.
        buckets: u32,
        /// What is hashed.
        by: Vec<FieldId>,
    },
    /// By the first bytes of a hash of a field.
    Hash {
        /// The field that is hashed.
        of: FieldId,
        /// How many bytes: 1 or 2.
        bytes: u8,
    },
    /// A remainder of the first field in front, where that counts up.
    Modulo {
        /// The first field of the key.
        of: FieldId,
        /// How many buckets.
        buckets: u32,
    },
    /// By turning the first field round.
    Reverse,
    /// By a salt behind the first part, which spreads the rows of one value of it.
    Within {
        /// How many buckets.
        buckets: u32,
        /// What is hashed.
        by: Vec<FieldId>,
    },
}

/// One part.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PartDesign {
    /// The field that the part holds.
    pub field: FieldId,
    /// Its bytes.
    pub form: Form,
    /// Its direction.
    pub order: Order,
}

/// Which bytes a field gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// Those of its own type, as it is declared.
    Declared,
    /// Those of another type that all values fit.
    Typed(Type),
    /// Text with an end mark.
    Escaped,
    /// Text before a delimiter that it does not contain.
    Delimited(char),
    /// A code for each of its few values.
    Coded,
    /// The time without its end: whole units of so many milliseconds.
    Coarse(i64),
}

/// Milliseconds of an hour and of a day: the units in which times are grouped.
pub(super) const UNITS: [(i64, &str); 2] = [(3_600_000, "hour"), (86_400_000, "day")];

/// How careful the bytes of parts are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Forms {
    /// Anything that the types allow has a key: declared widths, escaped texts.
    Safe,
    /// Widths and delimiters that fit what the data holds, with room to grow.
    Compact,
    /// The same, and codes for fields with few values.
    Coded,
}

impl KeyDesign {
    /// The key in the notation.
    pub fn render(&self, fields: &Fields, facts: &[FieldFacts]) -> String {
        let name = |field: &FieldId| fields.get(*field).name.as_str();
        let list = |by: &[FieldId]| by.iter().map(name).collect::<Vec<_>>().join(", ");
        let mut out = match &self.spread {
            Spread::Salt { buckets, by } => format!("[salt({buckets}, {})]", list(by)),
            Spread::Hash { of, bytes } => format!("[md5({}).bytes({bytes})]", name(of)),
            Spread::Modulo { of, buckets } => format!("[{} % {buckets}]", name(of)),
            Spread::None | Spread::Reverse | Spread::Within { .. } => String::new(),
        };
        for (place, part) in self.parts.iter().enumerate() {
            let is_last = place + 1 == self.parts.len();
            let reversed = place == 0 && self.spread == Spread::Reverse;
            out.push_str(&part.render(fields, facts, is_last, reversed));
            if let (0, Spread::Within { buckets, by }) = (place, &self.spread) {
                out.push_str(&format!("[salt({buckets}, {})]", list(by)));
            }
        }
        out
    }

    /// How much there is to understand: what decides between designs of equal cost.
    pub fn complexity(&self) -> usize {
        let spread = match &self.spread {
            Spread::None => 0,
            Spread::Salt { by, .. } => 1 + by.len(),
            Spread::Modulo { .. } => 2,
            Spread::Hash { .. } | Spread::Reverse => 3,
            Spread::Within { by, .. } => 3 + by.len(),
        };
        let form = |part: &PartDesign| match part.form {
            Form::Declared => 0,
            Form::Escaped | Form::Typed(_) => 1,
            Form::Coarse(_) | Form::Coded => 2,
            Form::Delimited(_) => 3,
        };
        2 * self.parts.len() + spread + self.parts.iter().map(form).sum::<usize>()
    }
}

impl PartDesign {
    fn render(&self, fields: &Fields, facts: &[FieldFacts], is_last: bool, reversed: bool) -> String {
        let field = fields.get(self.field);
        let name = &field.name;
        let null = if field.nullable { "?" } else { "" };
        let desc = if self.order == Order::Descending { " desc" } else { "" };
        if reversed {
            let digits = FieldFacts::digits(field.ty);
            return match field.ty.kind() {
                Kind::Integer => format!("[reverse({name}: decimal({digits})){null}]"),
                _ if is_last => format!("[reverse({name}){null}]"),
                _ => format!("[reverse({name}): escaped{null}]"),
            };
        }
        match self.form {
            Form::Declared => format!("[{name}{desc}]"),
            Form::Typed(ty) => format!("[{name}: {ty}{null}{desc}]"),
            Form::Escaped => format!("[{name}: escaped{null}{desc}]"),
            Form::Delimited(delimiter) => format!("[{name}][{delimiter}]"),
            Form::Coarse(unit) => {
                let ty = if unit >= 86_400_000 { "u16" } else { "u32" };
                format!("[{name} / {unit}: {ty}{null}{desc}]")
            }
            Form::Coded => {
                let codes = facts.get(self.field.0).map(FieldFacts::codes).unwrap_or_default();
                let codes: Vec<String> = codes
                    .iter()
                    .map(|(value, code)| format!("'{}'='{code}'", value.replace('\'', "''")))
                    .collect();
                format!("[code({name}, {})]", codes.join(", "))
            }
        }
    }
}

/// The bytes of a field under a policy; `is_last` if nothing follows.
pub(super) fn form(field: &Field, order: Order, forms: Forms, is_last: bool, facts: &FieldFacts) -> Form {
    let Field { ty, nullable, .. } = *field;
    if forms == Forms::Coded && !nullable && order == Order::Ascending && !facts.codes().is_empty() {
        return Form::Coded;
    }
    let compact = forms != Forms::Safe;
    match ty {
        Type::Text => {
            let plain = order == Order::Ascending && !nullable;
            match facts.width().filter(|_| compact) {
                _ if is_last && plain => Form::Declared,
                Some(width) => Form::Typed(Type::Fixed(width)),
                None => match facts.delimiter().filter(|_| compact && plain) {
                    Some(delimiter) => Form::Delimited(delimiter),
                    None => Form::Escaped,
                },
            }
        }
        Type::Int(_) if compact => facts.narrow(ty).map_or(Form::Declared, Form::Typed),
        _ => Form::Declared,
    }
}
