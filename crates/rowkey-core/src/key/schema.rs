//! The compiled key.

use std::collections::HashMap;
use std::num::NonZeroU16;
use std::sync::Arc;

use super::compile;
use super::node::Node;
use super::program::Program;
use crate::escape::to_hex;
use crate::finding::{Finding, Findings};
use crate::hash::fnv1a;
use crate::span::Span;
use crate::types::{Kind, Nulls, Order, Type};

/// The index of a field in a record, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId(pub usize);

/// A field and the type of its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The name, as the key and the data write it; case-sensitive.
    pub name: String,
    /// The type of its values.
    pub ty: Type,
    /// Whether it may be null.
    pub nullable: bool,
}

/// The fields of a record, in order. Keys share them: a copy costs nothing, however many there are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fields(Arc<FieldList>);

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct FieldList {
    fields: Vec<Field>,
    /// Where each name stands first.
    places: HashMap<String, usize>,
}

impl Fields {
    /// Fields in the order given.
    pub fn new(fields: Vec<Field>) -> Self {
        let mut all = Self::default();
        fields.into_iter().for_each(|field| {
            all.push(field);
        });
        all
    }

    /// Adds a field at the end.
    pub(crate) fn push(&mut self, field: Field) -> FieldId {
        let list = Arc::make_mut(&mut self.0);
        let place = list.fields.len();
        list.places.entry(field.name.clone()).or_insert(place);
        list.fields.push(field);
        FieldId(place)
    }

    /// The field of this name.
    pub fn id(&self, name: &str) -> Option<FieldId> {
        self.0.places.get(name).copied().map(FieldId)
    }

    /// The field at a place.
    ///
    /// # Panics
    /// If the id is of another record's fields: a mistake of the program.
    pub fn get(&self, id: FieldId) -> &Field {
        self.0.fields.get(id.0).expect("a field id comes from the fields that made it")
    }

    /// All fields with their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (FieldId, &Field)> {
        self.0.fields.iter().enumerate().map(|(index, field)| (FieldId(index), field))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.fields.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.fields.is_empty()
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.fields.iter().map(|field| field.name.as_str())
    }
}

/// One step of a compiled key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Fixed bytes; neighbouring literals are one.
    Literal(Vec<u8>),
    /// The bytes of an expression.
    Value(ValueStep),
}

/// A step that depends on the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueStep {
    pub(crate) node: Node,
    /// What the node gives; asked for with every record, so it is kept.
    pub(crate) kind: Kind,
    pub(crate) ty: Type,
    pub(crate) width: Option<usize>,
    pub(crate) nulls: Nulls,
    pub(crate) order: Order,
    pub(crate) boundary: Boundary,
    /// The part as written, brackets included, and its place in the key.
    pub(crate) label: String,
    pub(crate) span: Span,
}

impl ValueStep {
    /// The part as written.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Its place in the notation.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The type that chooses its bytes.
    pub fn ty(&self) -> Type {
        self.ty
    }

    /// The direction it sorts in.
    pub fn order(&self) -> Order {
        self.order
    }

    /// How a reader finds its end.
    pub fn boundary(&self) -> &Boundary {
        &self.boundary
    }

    /// The field, if the part is nothing but a field.
    pub fn field(&self) -> Option<FieldId> {
        match self.node {
            Node::Field(id) => Some(id),
            _ => None,
        }
    }

    /// The fields it is computed from, from left to right, each once.
    pub fn fields(&self) -> Vec<FieldId> {
        let mut fields = Vec::new();
        self.node.visit_fields(&mut |id| {
            if !fields.contains(&id) {
                fields.push(id);
            }
        });
        fields
    }

    /// The field that comes back from its bytes, if a reader can find their end.
    pub fn recovers(&self) -> Option<FieldId> {
        if self.boundary == Boundary::Unclear { None } else { self.node.source_field() }
    }

    /// Whether it draws a random value, which a Get cannot compute.
    pub fn is_random(&self) -> bool {
        self.node.is_random()
    }

    /// Whether it may be null.
    pub fn may_be_null(&self) -> bool {
        self.nulls != Nulls::Refused || matches!(self.ty, Type::Ordered(_))
    }

    /// The byte before a value that is not null, in a part that may be.
    pub(crate) fn value_mark(&self) -> &'static [u8] {
        if self.nulls == Nulls::Refused { &[] } else { &[super::encode::NOT_NULL] }
    }

    /// How many different values it can have, where that is a property of the expression: 16 for `salt(16, …)`,
    /// 65,536 for four hex digits.
    pub fn value_count(&self) -> Option<u128> {
        self.node.value_count()
    }
}

/// How a reader of a key finds the end of a part.
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
    /// The steps that decoding computes again: not plain, not random, and every field comes back.
    pub(crate) computed_again: Vec<usize>,
    /// The buckets of the salt, if the first part is one over the stored bytes behind it.
    pub(crate) row_salt: Option<NonZeroU16>,
    /// The steps as they usually go.
    pub(crate) program: Program,
}

impl KeySchema {
    /// Compiles a key by itself: its fields are those it names, in order of appearance, with the types that the key
    /// gives them.
    ///
    /// # Errors
    /// All findings about the key.
    pub fn parse(source: &str) -> Result<Self, Findings> {
        compile::compile_source(source, None).map_err(|findings| Findings::new("key", source, findings))
    }

    /// Compiles a key over declared fields; records then have all of these.
    ///
    /// # Errors
    /// All findings about the key, placed relative to `source`.
    pub fn with_fields(source: &str, fields: &Fields) -> Result<Self, Vec<Finding>> {
        compile::compile_source(source, Some(fields))
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

    /// The steps that depend on the record.
    pub fn value_steps(&self) -> impl Iterator<Item = &ValueStep> {
        self.steps.iter().filter_map(|step| match step {
            Step::Literal(_) => None,
            Step::Value(value) => Some(value),
        })
    }

    /// The fields that the key names, in order of appearance.
    pub fn named_fields(&self) -> Vec<FieldId> {
        let mut named = Vec::new();
        for step in self.value_steps() {
            step.node.visit_fields(&mut |id| {
                if !named.contains(&id) {
                    named.push(id);
                }
            });
        }
        named
    }

    /// Whether a function in it once had another meaning ([`KeySchema::of_order`]).
    pub fn has_older_meaning(&self) -> bool {
        let mut found = false;
        for step in self.value_steps() {
            step.node.visit(&mut |node| found |= matches!(node, Node::Lowercase(_)));
        }
        found
    }

    /// The key with the meaning that its functions had when a table of this fingerprint was made: `lower` once mapped each
    /// character by itself. The key as it is, if that is not the difference.
    #[must_use]
    pub fn of_order(self, fingerprint: &str) -> Self {
        if !self.has_older_meaning() {
            return self;
        }
        let mut older = self.clone();
        for step in &mut older.steps {
            if let Step::Value(value) = step {
                value.node.make_older();
            }
        }
        older.program = Program::new(&older.steps, &older.fields, &older.computed_again);
        if self.fingerprint() != fingerprint && older.fingerprint() == fingerprint { older } else { self }
    }

    /// A name for the order of this key's bytes: equal for keys that give every record the same bytes, however
    /// they are written. It is stored with a table and must never change for a given order.
    pub fn fingerprint(&self) -> String {
        let mut canonical = String::from("rowkey-order-1");
        for step in &self.steps {
            canonical.push(' ');
            match step {
                Step::Literal(bytes) => canonical.push_str(&format!("literal={}", to_hex(bytes))),
                Step::Value(value) => canonical.push_str(&value.canonical(&self.fields)),
            }
        }
        format!("{:016x}", fnv1a(canonical.as_bytes()))
    }
}
