//! Types of a fixed number of bytes with a text form of their own, such as UUIDs.
//!
//! The bytes of a value are the same in keys, in columns and here, and sort as the values do. Everything that is particular
//! to such a type is one row of the table [`OctetsType::row`]; no other file names it, unless it means that type alone.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use crate::escape::from_hex;

/// A type of a fixed number of bytes with a text form of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[non_exhaustive]
pub enum OctetsType {
    /// A UUID.
    #[default]
    Uuid,
    /// An IPv4 address.
    Ipv4,
    /// An IPv6 address.
    Ipv6,
}

/// What is particular to a type.
struct Row {
    /// As the notation has it.
    name: &'static str,
    /// How many bytes each value has, at most 16.
    width: usize,
    /// What a value is, in an error.
    words: &'static str,
    /// A value as text.
    example: &'static str,
    /// Whether a value is given once only, to one thing.
    identifies: bool,
    /// The bytes of a text, as a big-endian number.
    read: fn(&str) -> Option<u128>,
    print: fn(u128, &mut fmt::Formatter<'_>) -> fmt::Result,
}

impl OctetsType {
    /// All types.
    pub const ALL: [Self; 3] = [Self::Uuid, Self::Ipv4, Self::Ipv6];

    fn row(self) -> Row {
        match self {
            Self::Uuid => Row {
                name: "uuid",
                width: 16,
                words: "a UUID",
                example: "123e4567-e89b-12d3-a456-426614174000",
                identifies: true,
                read: read_uuid,
                print: print_uuid,
            },
            Self::Ipv4 => Row {
                name: "ipv4",
                width: 4,
                words: "an IPv4 address",
                example: "192.0.2.1",
                identifies: false,
                read: |text| text.parse::<Ipv4Addr>().ok().map(|address| address.to_bits().into()),
                print: |number, f| write!(f, "{}", Ipv4Addr::from_bits(number as u32)),
            },
            Self::Ipv6 => Row {
                name: "ipv6",
                width: 16,
                words: "an IPv6 address",
                example: "2001:db8::1",
                identifies: false,
                read: |text| text.parse::<Ipv6Addr>().ok().map(Ipv6Addr::to_bits),
                print: |number, f| write!(f, "{}", Ipv6Addr::from_bits(number)),
            },
        }
    }

    /// The name that the notation has for it.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// How many bytes every value has.
    pub fn width(self) -> usize {
        self.row().width
    }

    /// What a value is, such as "a UUID".
    pub fn words(self) -> &'static str {
        self.row().words
    }

    /// A value as text.
    pub fn example(self) -> &'static str {
        self.row().example
    }

    /// Whether a value is given once only, to one thing: in other rows others are to be expected.
    pub fn identifies(self) -> bool {
        self.row().identifies
    }
}

/// A value of an [`OctetsType`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Octets {
    ty: OctetsType,
    /// The value's bytes are the last ones; those before them are zero, so that values of one type compare as they are.
    bytes: [u8; 16],
}

impl Octets {
    /// The value with these bytes; `None` if the type has not so many.
    pub fn new(ty: OctetsType, bytes: &[u8]) -> Option<Self> {
        let mut all = [0; 16];
        let own = all.get_mut(16 - ty.width()..)?;
        (own.len() == bytes.len()).then(|| own.copy_from_slice(bytes))?;
        Some(Self { ty, bytes: all })
    }

    /// The value whose bytes are the last ones of a big-endian number.
    pub fn of_number(ty: OctetsType, number: u128) -> Self {
        let mut bytes = number.to_be_bytes();
        bytes.iter_mut().take(16 - ty.width()).for_each(|byte| *byte = 0);
        Self { ty, bytes }
    }

    /// The value that a text is.
    pub fn read(text: &str, ty: OctetsType) -> Option<Self> {
        (ty.row().read)(text).map(|number| Self::of_number(ty, number))
    }

    /// Its type.
    pub fn ty(&self) -> OctetsType {
        self.ty
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(16 - self.ty.width()..).unwrap_or_default()
    }

    /// Its bytes as a big-endian number.
    pub fn number(&self) -> u128 {
        u128::from_be_bytes(self.bytes)
    }
}

impl fmt::Display for Octets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.ty.row().print)(self.number(), f)
    }
}

/// 32 hexadecimal digits, in groups with dashes or without.
fn read_uuid(text: &str) -> Option<u128> {
    let bytes = text.as_bytes();
    let dashes = [8, 13, 18, 23].iter().all(|&at| bytes.get(at) == Some(&b'-'));
    let hex = if bytes.len() == 36 && dashes { text.replace('-', "") } else { text.to_owned() };
    from_hex(&hex)?.try_into().ok().map(u128::from_be_bytes)
}

fn print_uuid(number: u128, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, byte) in number.to_be_bytes().iter().enumerate() {
        let dash = if matches!(index, 4 | 6 | 8 | 10) { "-" } else { "" };
        write!(f, "{dash}{byte:02x}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_type_print_and_read_back_and_sort_by_their_bytes() {
        for ty in OctetsType::ALL {
            let example = Octets::read(ty.example(), ty).expect("the example is a value");
            assert_eq!(example.to_string(), ty.example());
            let numbers = [0, 1, 0xFF, 0x0100, 0x7F00_0001, 0x8000_0000, u128::MAX];
            let values: Vec<Octets> =
                numbers.iter().map(|number| Octets::of_number(ty, *number)).chain([example]).collect();
            for a in &values {
                assert_eq!(a.as_bytes().len(), ty.width());
                assert_eq!(Octets::new(ty, a.as_bytes()), Some(*a));
                assert_eq!(Octets::read(&a.to_string(), ty), Some(*a));
                for b in &values {
                    assert_eq!(a.cmp(b), a.as_bytes().cmp(b.as_bytes()), "{a} {b}");
                }
            }
            for text in ["", "-", "x", "٣", "1.0", " 1", "0x10"] {
                assert_eq!(Octets::read(text, ty), None, "{text} as {}", ty.name());
            }
            assert_eq!(Octets::new(ty, &[0; 17]), None);
        }
    }

    #[test]
    fn an_ipv4_address_is_four_decimal_numbers_without_leading_zeros() {
        let read = |text| Octets::read(text, OctetsType::Ipv4);
        assert_eq!(read("192.0.2.1").expect("an address").as_bytes(), [192, 0, 2, 1]);
        for bad in
            ["192.0.2", "192.0.2.256", "192.0.2.01", "192.0.2.1.1", "192.0.2.1/24", "3221225985", "0x7f.1"]
        {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn an_ipv6_address_has_one_printed_form_and_keeps_a_mapped_ipv4_address() {
        let read = |text| Octets::read(text, OctetsType::Ipv6);
        for (text, printed) in [
            ("2001:0DB8:0:0:0:0:0:1", "2001:db8::1"),
            ("0:0:0:0:0:0:0:0", "::"),
            ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
            ("::ffff:c000:201", "::ffff:192.0.2.1"),
            ("64:ff9b::192.0.2.1", "64:ff9b::c000:201"),
        ] {
            assert_eq!(read(text).expect(text).to_string(), printed);
        }
        let mapped = read("::ffff:192.0.2.1").expect("an address");
        assert_eq!(mapped.as_bytes(), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 1]);
        for bad in ["192.0.2.1", "fe80::1%eth0", "[::1]", "::1/128", "1::2::3", "12345::", "1:2:3:4:5:6:7"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
