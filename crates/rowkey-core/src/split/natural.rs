//! Keys as natural numbers of any length, to compute split points.
//!
//! HBase's split algorithms take a key for a number of as many digits as it has; keys of 32,767 bytes included. All they
//! need are a difference, a quotient and a multiple by a small number, and digits read and written.

/// A whole number, its bytes from the highest to the lowest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Natural(Vec<u8>);

impl Natural {
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }

    /// Reads digits, of either case; `None` if one is none.
    pub(super) fn from_digits(text: &str, radix: u8) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let digit = |character: char| character.to_digit(radix.into());
        text.chars().try_fold(Self(Vec::new()), |number, character| {
            Some(number.multiply_add(radix.into(), digit(character)?.into()))
        })
    }

    /// Lower-case digits, filled up with zeros to `width`.
    pub(super) fn to_digits(&self, radix: u8, width: usize) -> String {
        let mut digits = Vec::new();
        let mut rest = self.clone();
        while !rest.is_zero() {
            let (quotient, digit) = rest.divide(radix.into());
            digits.push(u32::try_from(digit).ok().and_then(|digit| char::from_digit(digit, radix.into())));
            rest = quotient;
        }
        digits.resize(digits.len().max(width), Some('0'));
        digits.into_iter().rev().flatten().collect()
    }

    /// Its lowest bytes, `width` of them.
    pub(super) fn to_bytes(&self, width: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.0.iter().rev().copied().take(width).collect();
        bytes.resize(width, 0);
        bytes.reverse();
        bytes
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.iter().all(|&byte| byte == 0)
    }

    /// `self * by + add`
    pub(super) fn multiply_add(&self, by: u64, add: u64) -> Self {
        let mut carry = u128::from(add);
        let mut bytes = Vec::with_capacity(self.0.len() + 8);
        for &byte in self.0.iter().rev() {
            carry += u128::from(byte) * u128::from(by);
            bytes.push((carry & 0xFF) as u8);
            carry >>= 8;
        }
        while carry > 0 {
            bytes.push((carry & 0xFF) as u8);
            carry >>= 8;
        }
        bytes.reverse();
        Self(bytes)
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        let width = self.0.len().max(other.0.len()) + 1;
        let mut carry = 0;
        let pairs = self.to_bytes(width).into_iter().zip(other.to_bytes(width)).rev();
        let mut bytes: Vec<u8> = pairs
            .map(|(a, b)| {
                let sum = u16::from(a) + u16::from(b) + carry;
                carry = sum >> 8;
                (sum & 0xFF) as u8
            })
            .collect();
        bytes.reverse();
        Self(bytes)
    }

    /// The difference; `None` if it were negative.
    pub(super) fn subtract(&self, other: &Self) -> Option<Self> {
        let width = self.0.len().max(other.0.len());
        let mut borrow = 0;
        let pairs = self.to_bytes(width).into_iter().zip(other.to_bytes(width)).rev();
        let mut bytes: Vec<u8> = pairs
            .map(|(a, b)| {
                let difference = 256 + u16::from(a) - u16::from(b) - borrow;
                borrow = u16::from(difference < 256);
                (difference & 0xFF) as u8
            })
            .collect();
        bytes.reverse();
        (borrow == 0).then_some(Self(bytes))
    }

    /// The quotient, rounded down, and the rest.
    pub(super) fn divide(&self, by: u64) -> (Self, u64) {
        let by = u128::from(by.max(1));
        let mut rest = 0u128;
        let bytes = self.0.iter().map(|&byte| {
            rest = rest << 8 | u128::from(byte);
            let digit = rest / by;
            rest %= by;
            digit as u8
        });
        let bytes: Vec<u8> = bytes.skip_while(|&byte| byte == 0).collect();
        // Below the divisor, which has 64 bits.
        (Self(bytes), rest as u64)
    }

    pub(super) fn is_below(&self, number: u64) -> bool {
        self.subtract(&Self(number.to_be_bytes().to_vec())).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn natural(number: u128) -> Natural {
        Natural(number.to_be_bytes().to_vec())
    }

    fn back(number: &Natural) -> u128 {
        u128::from_be_bytes(number.to_bytes(16).try_into().unwrap())
    }

    proptest! {
        #[test]
        fn arithmetic_is_that_of_machine_numbers(a in any::<u128>(), b in any::<u128>(), by in 1u64.., short in any::<u32>()) {
            let (a, b) = (a >> 66, b >> 66);
            prop_assert_eq!(back(&natural(a).add(&natural(b))), a + b);
            prop_assert_eq!(natural(a).subtract(&natural(b)).map(|number| back(&number)), a.checked_sub(b));
            let (quotient, rest) = natural(a).divide(by);
            prop_assert_eq!((back(&quotient), u128::from(rest)), (a / u128::from(by), a % u128::from(by)));
            let product = natural(a).multiply_add(short.into(), 7);
            prop_assert_eq!(back(&product), a * u128::from(short) + 7);
            prop_assert_eq!(natural(a).is_below(by), a < u128::from(by));
        }

        #[test]
        fn digits_read_back(number in any::<u128>()) {
            prop_assert_eq!(natural(number).to_digits(16, 1), format!("{number:x}"));
            prop_assert_eq!(natural(number).to_digits(10, 45), format!("{number:045}"));
            prop_assert_eq!(back(&Natural::from_digits(&format!("{number:X}"), 16).unwrap()), number);
        }
    }

    #[test]
    fn only_digits_are_numbers() {
        assert_eq!(Natural::from_digits("", 10), None);
        assert_eq!(Natural::from_digits("1a", 10), None);
        assert!(Natural::from_digits("000", 10).is_some_and(|zero| zero.is_zero()));
    }
}
