//! Record types with fields of known types.

use super::field::{FieldType, RustType};
use super::layout::{FIELDS, NumberPlace, ROOM};
use crate::key::Fields;
use crate::types::Kind;
use crate::value::Value;

/// A tuple of up to eight [`FieldType`]s.
#[expect(
    private_interfaces,
    reason = "the set of records is closed; how they are moved is not part of the surface"
)]
pub trait Record: Sized {
    /// The record as it is encoded, or comes back from a key.
    type Of<'a>;
    #[doc(hidden)]
    const TYPES: &'static [RustType];
    /// The bytes of its text.
    #[doc(hidden)]
    fn string<'a>(record: &'a Self::Of<'_>) -> &'a [u8];
    /// Writes its numbers to their places; `false` if one has none.
    #[doc(hidden)]
    fn put(record: &Self::Of<'_>, places: &[NumberPlace; FIELDS], room: &mut [u8; ROOM]) -> bool;
    /// Writes the salts of its numbers; `false` if one has no place.
    #[doc(hidden)]
    fn put_salts(record: &Self::Of<'_>, places: &[NumberPlace; FIELDS], room: &mut [u8; ROOM]) -> bool;
    /// The record of a key with these bytes in places, and those behind them.
    #[doc(hidden)]
    fn get<'k>(places: &[NumberPlace; FIELDS], head: &'k [u8], tail: &'k [u8]) -> Option<Self::Of<'k>>;
    /// Whether a key has the salts of its numbers.
    #[doc(hidden)]
    fn salts_agree(places: &[NumberPlace; FIELDS], head: &[u8]) -> bool;
    /// Its values.
    #[doc(hidden)]
    fn values<'a>(record: &'a Self::Of<'_>, fields: &Fields) -> [Value<'a>; FIELDS];
    /// The record of values; else the field whose value is not one of its type.
    #[doc(hidden)]
    fn of_values(values: Vec<Value<'_>>) -> Result<Self::Of<'_>, (usize, Value<'_>)>;
}

macro_rules! tuples {
    ($(($($name:ident $at:tt),+);)*) => {
        $(
            #[expect(private_interfaces, reason = "as the trait")]
            impl<$($name: FieldType),+> Record for ($($name,)+) {
                type Of<'a> = ($($name::Of<'a>,)+);
                const TYPES: &'static [RustType] = &[$($name::TYPE),+];

                #[inline(always)]
                fn string<'a>(record: &'a Self::Of<'_>) -> &'a [u8] {
                    // A layout has one text at most; all other fields give nothing.
                    let mut string: &[u8] = &[];
                    $(
                        let of_field = $name::string(&record.$at);
                        if !of_field.is_empty() {
                            string = of_field;
                        }
                    )+
                    string
                }

                #[inline(always)]
                fn put(record: &Self::Of<'_>, places: &[NumberPlace; FIELDS], room: &mut [u8; ROOM]) -> bool {
                    $($name::put(&record.$at, &places[$at], room))&&+
                }

                #[inline(always)]
                fn put_salts(record: &Self::Of<'_>, places: &[NumberPlace; FIELDS], room: &mut [u8; ROOM]) -> bool {
                    $($name::put_salt(&record.$at, &places[$at], room))&&+
                }

                #[inline(always)]
                fn get<'k>(places: &[NumberPlace; FIELDS], head: &'k [u8], tail: &'k [u8]) -> Option<Self::Of<'k>> {
                    Some(($($name::get(&places[$at], head, tail)?,)+))
                }

                #[inline(always)]
                fn salts_agree(places: &[NumberPlace; FIELDS], head: &[u8]) -> bool {
                    $($name::salt_agrees(&places[$at], head))&&+
                }

                fn values<'a>(record: &'a Self::Of<'_>, fields: &Fields) -> [Value<'a>; FIELDS] {
                    let kind = |at: usize| fields.iter().nth(at).map_or(Kind::Text, |(_, field)| field.ty.kind());
                    let mut values = [const { Value::Null }; FIELDS];
                    $(values[$at] = $name::value(&record.$at, kind($at));)+
                    values
                }

                fn of_values(values: Vec<Value<'_>>) -> Result<Self::Of<'_>, (usize, Value<'_>)> {
                    let mut values = values.into_iter();
                    Ok(($($name::of_value(values.next().unwrap_or_default()).map_err(|value| ($at, value))?,)+))
                }
            }
        )*
    };
}

tuples!(
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, E 4);
    (A 0, B 1, C 2, D 3, E 4, F 5);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
);
