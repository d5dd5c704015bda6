//! Encodes and decodes single keys of a record type whose field types the program knows.
//!
//! A record of [`crate::Value`]s says of every value, with every record, what it is. A program that has a user id in a `u64` knows
//! that already: a [`TypedKey`] is a key bound once to a tuple of types, and then only moves bytes.
//!
//! ```text
//! bound once     [salt(16, user)]  [user: u64]    [ts: i64 desc]   [id]
//! places              0..1            1..9            9..17        17..
//! each record     salt of .0       .0 ^ 0, swapped  .1 ^ mask      .2 copied
//! ```
//!
//! That is the quick way, for keys whose numbers and literals have one place each, with or without a text at the end, bound
//! to exactly the types of their fields. Every other key, and every record or key that is not as usual, goes through
//! [`KeySchema::encode`] and [`KeySchema::decode`], which have the words for what is wrong.
//!
//! **Law** (`tests/typed.rs`): bytes, values and errors are those of the schema with [`crate::Value`]s.
//!
//! ```
//! use rowkey_core::KeySchema;
//! let key = KeySchema::parse("[salt(16, user)][user: u64][ts: i64 desc][id]").unwrap();
//! let orders = key.typed::<(u64, i64, &str)>().unwrap();
//! let mut bytes = Vec::new();
//! orders.encode(&(7, 30, "o1"), &mut bytes).unwrap();
//! assert_eq!(orders.decode(&bytes).unwrap(), (7, 30, "o1"));
//! ```
//!
//! Not here: many records at once, which is quicker still ([`crate::batch`]).

mod field;
mod layout;
mod record;

pub use field::{FieldType, Millis};
pub use record::Record;

use layout::Layout;

use crate::key::{DecodeError, EncodeError, Fields, KeySchema};
use crate::types::Type;
use crate::value::Value;

/// A key bound to the Rust types of its fields.
#[derive(Debug, Clone)]
pub struct TypedKey<'s, R> {
    schema: &'s KeySchema,
    /// Where everything stands, if every key has it there.
    layout: Option<Layout>,
    record: std::marker::PhantomData<fn() -> R>,
}

/// Types that cannot hold the fields of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// Another number of fields.
    #[error(
        "the key has {fields} fields ({names}), the record has {types}; give one type for each field, in this order"
    )]
    Count {
        /// How many fields the key has.
        fields: usize,
        /// Their names.
        names: String,
        /// How many types were given.
        types: usize,
    },
    /// A type for other values than the field's.
    #[error("field `{field}` is {ty}, whose values a `{given}` does not hold")]
    Kind {
        /// The field's name.
        field: String,
        /// The type of its values.
        ty: Type,
        /// The Rust type given.
        given: &'static str,
    },
}

/// A key that is no record of the types it was bound to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TypedDecodeError {
    /// A key that the schema did not write.
    #[error(transparent)]
    Key(#[from] DecodeError),
    /// A value that the type does not hold.
    #[error(
        "field `{field}`: a `{given}` cannot hold the value `{value}` of the key; bind it to an Option if it is null or does \
         not come back, to a Cow if its text is not in the key as it is, and to a wider number if it is too large"
    )]
    Value {
        /// The field's name.
        field: String,
        /// The value in the key, as text.
        value: String,
        /// The Rust type given.
        given: &'static str,
    },
}

impl KeySchema {
    /// The key for records of these types, one for each of [`KeySchema::fields`]: `key.typed::<(u64, Millis, &str)>()`.
    ///
    /// # Errors
    /// When there are more or fewer types than fields, or a type is for other values.
    pub fn typed<R: Record>(&self) -> Result<TypedKey<'_, R>, BindError> {
        self.fields().bind::<R>()?;
        let layout = Layout::of(&self.program, R::TYPES);
        Ok(TypedKey { schema: self, layout, record: std::marker::PhantomData })
    }
}

impl<R: Record> TypedKey<'_, R> {
    /// Adds the key of a record to `out`, without allocating if `out` has room. On an error `out` is as before.
    ///
    /// # Errors
    /// As [`KeySchema::encode`].
    #[inline]
    pub fn encode(&self, record: &R::Of<'_>, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        if let Some(layout) = &self.layout
            && layout.encode::<R>(record, out)
        {
            return Ok(());
        }
        self.encode_general(record, out)
    }

    /// Takes a key apart. Computed parts are computed again from the fields and must agree. Text is checked to be UTF-8 if
    /// it comes back as text; bound to `&[u8]`, it comes back as it is.
    ///
    /// # Errors
    /// As [`KeySchema::decode`], and when a value is not one of its type.
    #[inline]
    pub fn decode<'k>(&self, key: &'k [u8]) -> Result<R::Of<'k>, TypedDecodeError> {
        if let Some(layout) = &self.layout
            && let Some(record) = layout.decode::<R>(key)
        {
            return Ok(record);
        }
        self.decode_general(key)
    }

    #[cold]
    #[inline(never)]
    fn encode_general(&self, record: &R::Of<'_>, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let fields = self.schema.fields();
        let values = R::values(record, fields);
        self.schema.encode(values.get(..fields.len()).unwrap_or(&values), out)
    }

    #[cold]
    #[inline(never)]
    fn decode_general<'k>(&self, key: &'k [u8]) -> Result<R::Of<'k>, TypedDecodeError> {
        let values = self.schema.decode(key)?.values;
        self.schema.fields().record_of::<R>(values)
    }
}

/// Records of known Rust types beside the fields of a key or table, in their order.
impl Fields {
    /// Whether records of these types hold the values of all fields.
    ///
    /// # Errors
    /// When there are more or fewer types than fields, or a type is for other values.
    pub fn bind<R: Record>(&self) -> Result<(), BindError> {
        let types = R::TYPES;
        if types.len() != self.len() {
            let names: Vec<&str> = self.names().collect();
            return Err(BindError::Count { fields: self.len(), names: names.join(", "), types: types.len() });
        }
        for ((_, field), given) in self.iter().zip(types) {
            if !given.holds(field.ty.kind()) {
                return Err(BindError::Kind { field: field.name.clone(), ty: field.ty, given: given.name });
            }
        }
        Ok(())
    }

    /// The values of a record, one for each field.
    pub fn values_of<'a, R: Record>(&self, record: &'a R::Of<'_>) -> Vec<Value<'a>> {
        R::values(record, self).into_iter().take(self.len()).collect()
    }

    /// The record of values, one for each field.
    ///
    /// # Errors
    /// When a value is not one of its type: a null for a type that is no `Option`, or a number that it does not hold.
    pub fn record_of<'v, R: Record>(&self, values: Vec<Value<'v>>) -> Result<R::Of<'v>, TypedDecodeError> {
        R::of_values(values).map_err(|(field, value)| {
            let name = self.names().nth(field).unwrap_or_default().to_owned();
            let given = R::TYPES.get(field).map_or("", |given| given.name);
            TypedDecodeError::Value { field: name, value: value.to_string(), given }
        })
    }
}
