//! The Rust types that hold the values of a field.

use std::borrow::Cow;
use std::net::{Ipv4Addr, Ipv6Addr};

use super::layout::{NumberPlace, ROOM};
use crate::codec::NumberForm;
use crate::types::{Kind, Octets, OctetsType};
use crate::utf8;
use crate::value::Value;

/// A point in time: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub i64);

/// A Rust type that holds values of a field: the integers, `f64`, `bool`, [`Millis`], `[u8; 16]` for a UUID, [`Ipv4Addr`], [`Ipv6Addr`],
/// `&str`, `Cow<str>`, `&[u8]`, and an `Option` of any of them.
#[expect(
    private_interfaces,
    reason = "the set of types is closed; how they get to their places is not part of the surface"
)]
pub trait FieldType: Sized {
    /// The value as it is in a record, or comes back from a key.
    type Of<'a>;
    #[doc(hidden)]
    const TYPE: RustType;
    /// The value of a field of some kind.
    #[doc(hidden)]
    fn value<'a>(of: &'a Self::Of<'_>, field: Kind) -> Value<'a>;
    /// The other way; the value itself if it is none of this type.
    #[doc(hidden)]
    fn of_value<'k>(value: Value<'k>) -> Result<Self::Of<'k>, Value<'k>>;
    /// Writes a number to its place; `false` if it has none.
    #[doc(hidden)]
    #[inline(always)]
    fn put(_: &Self::Of<'_>, _: &NumberPlace, _: &mut [u8; ROOM]) -> bool {
        true
    }
    /// Writes the salt of a number to its place, if it has one; `false` if it cannot.
    #[doc(hidden)]
    #[inline(always)]
    fn put_salt(_: &Self::Of<'_>, _: &NumberPlace, _: &mut [u8; ROOM]) -> bool {
        true
    }
    /// The bytes of a text; of everything else none.
    #[doc(hidden)]
    #[inline(always)]
    fn string<'a>(_: &'a Self::Of<'_>) -> &'a [u8] {
        &[]
    }
    /// Reads a number from its place among those of a key, or a text that is the rest.
    #[doc(hidden)]
    #[inline(always)]
    fn get<'k>(_: &NumberPlace, _: &'k [u8], _: &'k [u8]) -> Option<Self::Of<'k>> {
        None
    }
    /// Whether a key has the salt of the number at a place, if it has one.
    #[doc(hidden)]
    #[inline(always)]
    fn salt_agrees(_: &NumberPlace, _: &[u8]) -> bool {
        true
    }
}

/// What binding has to know about a Rust type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RustType {
    pub(super) name: &'static str,
    kinds: &'static [Kind],
    pub(super) exact: Exact,
}

/// The fields whose bytes are those of a Rust type, but for order and sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exact {
    Number { width: usize, signed: bool, time: bool },
    Text,
    Bytes,
    None,
}

impl Exact {
    pub(super) fn of(form: NumberForm) -> Self {
        Self::Number { width: form.width(), signed: form.is_signed(), time: form.is_time() }
    }
}

impl RustType {
    /// Whether it is for values of a kind.
    pub(super) fn holds(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }
}

/// A number in a key: at its place, with its mask.
macro_rules! number_at_its_place {
    ($unsigned:ty, $of:expr, $bits:expr) => {
        #[inline(always)]
        fn put(of: &Self::Of<'_>, place: &NumberPlace, room: &mut [u8; ROOM]) -> bool {
            let bits: $unsigned = $bits(*of);
            let Some(slot) = place.slot(room) else { return false };
            *slot = (bits ^ place.mask as $unsigned).to_be_bytes();
            true
        }

        #[inline(always)]
        fn put_salt(of: &Self::Of<'_>, place: &NumberPlace, room: &mut [u8; ROOM]) -> bool {
            let bits: $unsigned = $bits(*of);
            let Some(salt) = &place.salt else { return true };
            salt.put(plain(bits ^ salt.mask as $unsigned), size_of::<$unsigned>(), room)
        }

        #[inline(always)]
        fn get<'k>(place: &NumberPlace, head: &'k [u8], _: &'k [u8]) -> Option<Self::Of<'k>> {
            Some($of(<$unsigned>::from_be_bytes(place.bytes(head)?) ^ place.mask as $unsigned))
        }

        #[inline(always)]
        fn salt_agrees(place: &NumberPlace, head: &[u8]) -> bool {
            let Some(salt) = &place.salt else { return true };
            let Some(bytes) = place.bytes(head) else { return false };
            let bits = <$unsigned>::from_be_bytes(bytes) ^ place.mask as $unsigned;
            salt.agrees(plain(bits ^ salt.mask as $unsigned), size_of::<$unsigned>(), head)
        }
    };
}

/// The bytes of a number at the front of eight.
#[inline(always)]
fn plain<N: Into<u64>>(bits: N) -> [u8; 8] {
    (bits.into() << (64 - 8 * size_of::<N>())).to_be_bytes()
}

macro_rules! integers {
    ($($integer:ident $unsigned:ident $signed:literal),*) => {
        $(
            #[expect(private_interfaces, reason = "as the trait")]
            impl FieldType for $integer {
                type Of<'a> = $integer;
                const TYPE: RustType = RustType {
                    name: stringify!($integer),
                    kinds: &[Kind::Integer, Kind::Numeric],
                    exact: Exact::Number { width: size_of::<$integer>(), signed: $signed, time: false },
                };

                fn value<'a>(of: &'a Self::Of<'_>, _: Kind) -> Value<'a> {
                    Value::Int((*of).into())
                }

                fn of_value<'k>(value: Value<'k>) -> Result<Self::Of<'k>, Value<'k>> {
                    match value {
                        Value::Int(number) => Self::try_from(number).map_err(|_| value),
                        _ => Err(value),
                    }
                }

                number_at_its_place!($unsigned, |bits: $unsigned| bits as $integer, |of: $integer| of as $unsigned);
            }
        )*
    };
}

integers!(
    u8 u8 false, u16 u16 false, u32 u32 false, u64 u64 false, i8 u8 true, i16 u16 true, i32 u32 true, i64 u64 true
);

#[expect(private_interfaces, reason = "as the trait")]
impl FieldType for Millis {
    type Of<'a> = Self;
    const TYPE: RustType = RustType {
        name: "Millis",
        kinds: &[Kind::Time],
        exact: Exact::Number { width: 8, signed: true, time: true },
    };

    fn value<'a>(of: &'a Self::Of<'_>, _: Kind) -> Value<'a> {
        Value::Time(of.0)
    }

    fn of_value<'k>(value: Value<'k>) -> Result<Self::Of<'k>, Value<'k>> {
        match value {
            Value::Time(millis) => Ok(Self(millis)),
            _ => Err(value),
        }
    }

    number_at_its_place!(u64, |bits: u64| Millis(bits.cast_signed()), |of: Millis| of.0.cast_unsigned());
}

/// A type without a place of its own in a key; its values are one kind, made and taken apart so.
macro_rules! in_general {
    ($($ty:ty, $kind:expr, $pattern:pat $(if $guard:expr)? => $of:expr, $own:ident => $value:expr;)*) => {
        $(
            #[expect(private_interfaces, reason = "as the trait")]
            impl FieldType for $ty {
                type Of<'a> = $ty;
                const TYPE: RustType =
                    RustType { name: stringify!($ty), kinds: &[$kind], exact: Exact::None };

                fn value<'a>(of: &'a Self::Of<'_>, _: Kind) -> Value<'a> {
                    let $own = *of;
                    $value
                }

                fn of_value<'k>(value: Value<'k>) -> Result<Self::Of<'k>, Value<'k>> {
                    match value {
                        $pattern $(if $guard)? => Ok($of),
                        _ => Err(value),
                    }
                }
            }
        )*
    };
}

in_general! {
    f64, Kind::Float, Value::Float(of) => of, of => Value::Float(of);
    bool, Kind::Bool, Value::Bool(of) => of, of => Value::Bool(of);
    [u8; 16], Kind::Octets(OctetsType::Uuid),
        Value::Octets(of) if of.ty() == OctetsType::Uuid => of.number().to_be_bytes(),
        of => Value::uuid(of);
    Ipv4Addr, Kind::Octets(OctetsType::Ipv4),
        Value::Octets(of) if of.ty() == OctetsType::Ipv4 => Ipv4Addr::from_bits(of.number() as u32),
        of => Value::Octets(Octets::of_number(OctetsType::Ipv4, of.to_bits().into()));
    Ipv6Addr, Kind::Octets(OctetsType::Ipv6),
        Value::Octets(of) if of.ty() == OctetsType::Ipv6 => Ipv6Addr::from_bits(of.number()),
        of => Value::Octets(Octets::of_number(OctetsType::Ipv6, of.to_bits()));
}

#[expect(private_interfaces, reason = "as the trait")]
impl FieldType for &str {
    type Of<'a> = &'a str;
    const TYPE: RustType = RustType { name: "&str", kinds: &[Kind::Text], exact: Exact::Text };

    fn value<'a>(of: &'a Self::Of<'_>, _: Kind) -> Value<'a> {
        Value::Text(Cow::Borrowed(of))
    }

    fn of_value<'k>(value: Value<'k>) -> Result<Self::Of<'k>, Value<'k>> {
        match value {
            Value::Text(Cow::Borrowed(text)) => Ok(text),
            _ => Err(value),
        }
    }

    #[inline(always)]
    fn string<'a>(of: &'a Self::Of<'_>) -> &'a [u8] {
        of.as_bytes()
    }

    #[inline(always)]
    fn get<'k>(_: &NumberPlace, _: &'k [u8], tail: &'k [u8]) -> Option<Self::Of<'k>> {
        utf8::check(tail).ok()
    }
}

#[expect(private_interfaces, reason = "as the trait")]
impl FieldType for Cow<'_, str> {
    type Of<'a> = Cow<'a, str>;
    const TYPE: RustType = RustType { name: "Cow<str>", kinds: &[Kind::Text], exact: Exact::Text };

    fn value<'a>(of: &'a Self::Of<'_>, _: Kind) -> Value<'a> {
        Value::Text(Cow::Borrowed(of))
    }

    fn of_value<'k>(value: Value<'k>) -> Result<Self::Of<'k>, Value<'k>> {
        match value {
            Value::Text(text) => Ok(text),
            _ => Err(value),
        }
    }

    #[inline(always)]
    fn string<'a>(of: &'a Self::Of<'_>) -> &'a [u8] {
        of.as_bytes()
    }

    #[inline(always)]
    fn get<'k>(_: &NumberPlace, _: &'k [u8], tail: &'k [u8]) -> Option<Self::Of<'k>> {
        utf8::check(tail).ok().map(Cow::Borrowed)
    }
}

/// Bytes, or a text that is not looked at when it comes back.
#[expect(private_interfaces, reason = "as the trait")]
impl FieldType for &[u8] {
    type Of<'a> = &'a [u8];
    const TYPE: RustType = RustType { name: "&[u8]", kinds: &[Kind::Bytes, Kind::Text], exact: Exact::Bytes };

    fn value<'a>(of: &'a Self::Of<'_>, field: Kind) -> Value<'a> {
        match utf8::check(of) {
            Ok(text) if field == Kind::Text => Value::Text(Cow::Borrowed(text)),
            _ => Value::Bytes(Cow::Borrowed(of)),
        }
    }

    fn of_value<'k>(value: Value<'k>) -> Result<Self::Of<'k>, Value<'k>> {
        match value {
            Value::Bytes(Cow::Borrowed(bytes)) => Ok(bytes),
            Value::Text(Cow::Borrowed(text)) => Ok(text.as_bytes()),
            _ => Err(value),
        }
    }

    #[inline(always)]
    fn string<'a>(of: &'a Self::Of<'_>) -> &'a [u8] {
        of
    }

    #[inline(always)]
    fn get<'k>(_: &NumberPlace, _: &'k [u8], tail: &'k [u8]) -> Option<Self::Of<'k>> {
        Some(tail)
    }
}

#[expect(private_interfaces, reason = "as the trait")]
impl<T: FieldType> FieldType for Option<T> {
    type Of<'a> = Option<T::Of<'a>>;
    const TYPE: RustType = T::TYPE;

    fn value<'a>(of: &'a Self::Of<'_>, field: Kind) -> Value<'a> {
        of.as_ref().map_or(Value::Null, |of| T::value(of, field))
    }

    fn of_value<'k>(value: Value<'k>) -> Result<Self::Of<'k>, Value<'k>> {
        if value.is_null() { Ok(None) } else { T::of_value(value).map(Some) }
    }

    #[inline(always)]
    fn put(of: &Self::Of<'_>, place: &NumberPlace, room: &mut [u8; ROOM]) -> bool {
        // Null has no place; what a key says of it is not for here.
        of.as_ref().is_some_and(|of| T::put(of, place, room))
    }

    #[inline(always)]
    fn put_salt(of: &Self::Of<'_>, place: &NumberPlace, room: &mut [u8; ROOM]) -> bool {
        of.as_ref().is_some_and(|of| T::put_salt(of, place, room))
    }

    #[inline(always)]
    fn string<'a>(of: &'a Self::Of<'_>) -> &'a [u8] {
        of.as_ref().map_or(&[], |of| T::string(of))
    }

    #[inline(always)]
    fn get<'k>(place: &NumberPlace, head: &'k [u8], tail: &'k [u8]) -> Option<Self::Of<'k>> {
        T::get(place, head, tail).map(Some)
    }

    #[inline(always)]
    fn salt_agrees(place: &NumberPlace, head: &[u8]) -> bool {
        T::salt_agrees(place, head)
    }
}
