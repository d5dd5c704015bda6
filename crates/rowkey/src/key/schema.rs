//! The compiled key.

use std::fmt::Write;

use super::compile;
use crate::escape::to_hex;
use crate::finding::{Finding, Findings};
use crate::hash::fnv1a;
use crate::notation;
use crate::types::{Order, Type};

/// A field's place in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId(pub usize);

/// A field and the type of its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub ty: Type,
}

/// The fields of a record, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fields(Vec<Field>);

impl Fields {
    /// Fields in the order given.
    pub fn new(fields: Vec<Field>) -> Self {
        Self(fields)
    }

    /// Adds a field at the end.
    pub(crate) fn push(&mut self, field: Field) -> FieldId {
        self.0.push(field);
        FieldId(self.0.len() - 1)
    }

    /// The field of this name.
    pub fn id(&self, name: &str) -> Option<FieldId> {
        self.0.iter().position(|field| field.name == name).map(FieldId)
    }

    /// The field at a place.
    ///
    /// # Panics
    /// If the id is of another record's fields: a mistake of the program.
    pub fn get(&self, id: FieldId) -> &Field {
        self.0.get(id.0).expect("a field id comes from the fields that made it")
    }

    /// All fields with their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (FieldId, &Field)> {
        self.0.iter().enumerate().map(|(index, field)| (FieldId(index), field))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|field| field.name.as_str())
    }
}

/// One step of a compiled key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Fixed bytes; neighbouring literals are one.
    Literal(Vec<u8>),
    /// A bucket number, big-endian, computed from fields.
    Salt {
        /// How many buckets.
        buckets: u32,
        /// How many bytes the number takes: 1 or 2.
        width: usize,
        /// The fields it hashes, in order.
        fields: Vec<FieldId>,
    },
    /// A field's value.
    Field {
        /// The field.
        field: FieldId,
        /// The type that chooses its bytes.
        ty: Type,
        /// The direction it sorts in.
        order: Order,
        /// How a reader finds its end.
        boundary: Boundary,
    },
}

/// How a reader of a key finds the end of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Boundary {
    /// By its own bytes: a fixed width or an end mark.
    Own,
    /// It is the last part.
    KeyEnd,
    /// By the first occurrence of the literal that follows, which the text cannot contain.
    Literal(Vec<u8>),
    /// Not at all: it and everything after it do not come back.
    Unclear,
}

/// A key that can encode, decode and answer questions about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySchema {
    pub(super) source: String,
    pub(super) fields: Fields,
    pub(super) steps: Vec<Step>,
}

impl KeySchema {
    /// Compiles a key by itself: its fields are those it names, in order of appearance, text unless a part says
    /// otherwise.
    ///
    /// # Errors
    /// All findings about the key.
    pub fn parse(source: &str) -> Result<Self, Findings> {
        notation::parse(source)
            .and_then(|notation| compile::compile(source, &notation, None))
            .map_err(|findings| Findings::new("key", source, findings))
    }

    /// Compiles a key over declared fields; records then have all of these.
    ///
    /// # Errors
    /// All findings about the key, placed relative to `source`.
    pub fn with_fields(source: &str, fields: &Fields) -> Result<Self, Vec<Finding>> {
        compile::compile(source, &notation::parse(source)?, Some(fields))
    }

    /// The key as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The fields of a record, in the order in which values are given and returned.
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// The steps, from left to right.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The fields that decoding brings back: those in parts, up to the first unclear boundary.
    pub fn recoverable(&self) -> Vec<FieldId> {
        let mut back = Vec::new();
        for step in &self.steps {
            if let Step::Field { field, boundary, .. } = step {
                if *boundary == Boundary::Unclear {
                    break;
                }
                if !back.contains(field) {
                    back.push(*field);
                }
            }
        }
        back
    }

    /// The fields that the key names, in order of appearance.
    pub fn named_fields(&self) -> Vec<FieldId> {
        let mut named = Vec::new();
        for step in &self.steps {
            let fields = match step {
                Step::Literal(_) => &[][..],
                Step::Salt { fields, .. } => fields,
                Step::Field { field, .. } => std::slice::from_ref(field),
            };
            for &field in fields {
                if !named.contains(&field) {
                    named.push(field);
                }
            }
        }
        named
    }

    /// A name for the order of this key's bytes: equal for keys that give every record the same bytes, however
    /// they are written. It is stored with a table and must never change for a given order.
    pub fn fingerprint(&self) -> String {
        let mut canonical = String::from("rowkey-order-1");
        for step in &self.steps {
            let written = match step {
                Step::Literal(bytes) => write!(canonical, " literal={}", to_hex(bytes)),
                Step::Salt { buckets, fields, .. } => {
                    let hashed: Vec<String> = fields.iter().map(|&id| self.typed_name(id)).collect();
                    write!(canonical, " salt={buckets},{}", hashed.join(","))
                }
                Step::Field { field, ty, order, .. } => {
                    let order = if *order == Order::Descending { "desc" } else { "asc" };
                    write!(canonical, " field={}:{ty}:{order}", self.fields.get(*field).name)
                }
            };
            written.expect("writing to a String cannot fail");
        }
        format!("{:016x}", fnv1a(canonical.as_bytes()))
    }

    fn typed_name(&self, id: FieldId) -> String {
        let Field { name, ty } = self.fields.get(id);
        format!("{name}:{ty}")
    }
}
