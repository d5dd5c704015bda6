//! Exact decimal numbers of as many digits as HBase keeps.
//!
//! A [`Decimal`] is a whole coefficient times a power of ten: `-12.5` is -125 × 10^-1. It holds what HBase's
//! `Numeric` keeps without rounding, so that every decimal has its bytes ([`super::encode_numeric`]) and none is
//! changed on the way.
//!
//! **Laws** (tests below): a number has one form, so that equality, hash and order all go by value; printing and
//! reading give the number back.
//!
//! ```
//! # use rowkey_core::ordered::Decimal;
//! let price: Decimal = "-12.50".parse()?;
//! assert_eq!((price.coefficient(), price.exponent()), (-125, -1));
//! assert_eq!(price.to_string(), "-12.5");
//! # Ok::<(), rowkey_core::ordered::DecimalError>(())
//! ```
//!
//! Quirks: HBase rounds what has more than 31 significant digits; here it is refused. HBase's exponents reach two
//! thousand million; here no digit stands more than 6,144 places from the point (the reach of IEEE 754 decimal128),
//! so that the plain form stays printable. It reads the scientific form, and does not print it. There is no infinity and no NaN.

use crate::disclosure::said;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// An exact decimal number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Decimal {
    /// At most [`Decimal::MAX_DIGITS`] digits, the last of them not zero unless the number is.
    ///
    /// In halves, high and low: as one 128-bit number it would make every [`crate::Value`] larger by half.
    high: i64,
    low: u64,
    /// Zero if the number is.
    exponent: i32,
}

/// A number that no [`Decimal`] is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecimalError {
    /// Not a plain decimal number.
    #[error(
        "`{text}` is not a decimal number; write digits with an optional minus, point and exponent, as -12.5 or 1.25e-7",
        text = said(text)
    )]
    NotADecimal {
        /// The text as given.
        text: String,
    },
    /// More digits than HBase keeps.
    #[error("the number has {digits} significant digits, and a numeric keeps {limit}; round it first")]
    TooManyDigits {
        /// Its significant digits.
        digits: usize,
        /// The most digits that HBase keeps.
        limit: usize,
    },
    /// A digit too far from the point.
    #[error(
        "a digit of the number stands more than {limit} places from the point; a numeric reaches no further"
    )]
    TooFar {
        /// How many places there are on either side.
        limit: usize,
    },
}

impl Decimal {
    /// How many significant digits a number may have: as many as HBase does not round away.
    pub const MAX_DIGITS: usize = 31;
    /// How many places a digit may stand from the point, on either side.
    pub const MAX_PLACES: usize = 6_144;
    /// Zero.
    pub const ZERO: Self = Self { high: 0, low: 0, exponent: 0 };

    /// The number `coefficient` × 10^`exponent`.
    ///
    /// # Errors
    /// When it has too many digits or they stand too far from the point.
    pub fn new(mut coefficient: i128, exponent: i32) -> Result<Self, DecimalError> {
        if coefficient == 0 {
            return Ok(Self::ZERO);
        }
        // An i128 has at most 38 trailing zeros, so an i64 exponent cannot overflow.
        let mut exponent = i64::from(exponent);
        while coefficient % 10 == 0 {
            coefficient /= 10;
            exponent += 1;
        }
        let digits = digits(coefficient);
        if digits > Self::MAX_DIGITS {
            return Err(DecimalError::TooManyDigits { digits, limit: Self::MAX_DIGITS });
        }
        let reach = -(Self::MAX_PLACES as i64)..=Self::MAX_PLACES as i64;
        match i32::try_from(exponent) {
            Ok(narrow) if reach.contains(&exponent) && reach.contains(&(exponent + digits as i64)) => {
                Ok(Self { high: (coefficient >> 64) as i64, low: coefficient as u64, exponent: narrow })
            }
            _ => Err(DecimalError::TooFar { limit: Self::MAX_PLACES }),
        }
    }

    /// The whole number that, times ten to the [`exponent`](Self::exponent), is this number. It does not end in
    /// zero unless it is zero.
    pub fn coefficient(&self) -> i128 {
        i128::from(self.high) << 64 | i128::from(self.low)
    }

    /// The power of ten.
    pub fn exponent(&self) -> i32 {
        self.exponent
    }

    /// How many digits stand before the point; below zero, how many zeros follow it. Zero has none.
    pub(super) fn integer_digits(&self) -> i32 {
        // At most 31 digits: no loss.
        self.exponent + digits(self.coefficient()) as i32
    }
}

/// How many digits a number has; zero has none.
fn digits(number: i128) -> usize {
    number.unsigned_abs().checked_ilog10().map_or(0, |log| log as usize + 1)
}

impl From<i64> for Decimal {
    fn from(number: i64) -> Self {
        Self::new(number.into(), 0).expect("a 64-bit number has at most 20 digits")
    }
}

impl From<u64> for Decimal {
    fn from(number: u64) -> Self {
        Self::new(number.into(), 0).expect("a 64-bit number has at most 20 digits")
    }
}

impl Ord for Decimal {
    /// By value.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_sign = self.coefficient().signum().cmp(&other.coefficient().signum());
        let by_size = self.integer_digits().cmp(&other.integer_digits());
        let by_size = if self.coefficient() < 0 { by_size.reverse() } else { by_size };
        by_sign.then(by_size).then_with(|| {
            // Equally many digits before the point: the exponents differ by less than 31, and a coefficient that
            // is scaled to the other's exponent still has at most 31 digits.
            let common = self.exponent.min(other.exponent);
            let scaled = |number: &Self| number.coefficient() * 10_i128.pow(number.exponent.abs_diff(common));
            scaled(self).cmp(&scaled(other))
        })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    /// The plain form, which [`FromStr`] takes back: `-12.5`, `300`, `0.004`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let zeros = |f: &mut fmt::Formatter<'_>, count: u32| (0..count).try_for_each(|_| f.write_str("0"));
        if self.exponent >= 0 {
            write!(f, "{}", self.coefficient())?;
            return zeros(f, self.exponent.unsigned_abs());
        }
        if self.coefficient() < 0 {
            f.write_str("-")?;
        }
        let magnitude = self.coefficient().unsigned_abs();
        let before_point = self.integer_digits();
        if before_point <= 0 {
            f.write_str("0.")?;
            zeros(f, before_point.unsigned_abs())?;
            return write!(f, "{magnitude}");
        }
        // Digits on both sides of the point: the exponent is above -31.
        let scale = 10_u128.pow(self.exponent.unsigned_abs());
        let places = self.exponent.unsigned_abs() as usize;
        write!(f, "{}.{:0places$}", magnitude / scale, magnitude % scale)
    }
}

impl FromStr for Decimal {
    type Err = DecimalError;

    /// Reads digits with an optional minus, an optional point with digits on both sides, and an optional exponent of ten.
    fn from_str(text: &str) -> Result<Self, DecimalError> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (unsigned, power) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let is_power = is_digits(power.strip_prefix(['-', '+']).unwrap_or(power));
        if !is_digits(whole) || !is_digits(fraction) || !is_power {
            return Err(DecimalError::NotADecimal { text: text.to_owned() });
        }
        let too_far = |_| DecimalError::TooFar { limit: Self::MAX_PLACES };
        let whole = whole.trim_start_matches('0');
        let fraction = fraction.trim_end_matches('0');
        let (whole, fraction, exponent) = if fraction.is_empty() {
            let significant = whole.trim_end_matches('0');
            (significant, "", i32::try_from(whole.len() - significant.len()).map_err(too_far)?)
        } else {
            let exponent = -i32::try_from(fraction.len()).map_err(too_far)?;
            (whole, if whole.is_empty() { fraction.trim_start_matches('0') } else { fraction }, exponent)
        };
        let digits = whole.len() + fraction.len();
        if digits > Self::MAX_DIGITS {
            return Err(DecimalError::TooManyDigits { digits, limit: Self::MAX_DIGITS });
        }
        let magnitude = whole
            .bytes()
            .chain(fraction.bytes())
            .fold(0_i128, |number, digit| number * 10 + i128::from(digit - b'0'));
        if magnitude == 0 {
            return Ok(Self::ZERO);
        }
        // Digits enough to overflow a power are too far from the point anyway.
        let power: i32 = power.parse().map_err(|_| DecimalError::TooFar { limit: Self::MAX_PLACES })?;
        let exponent = exponent.saturating_add(power);
        Self::new(if text.starts_with('-') { -magnitude } else { magnitude }, exponent)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn any_decimal() -> impl Strategy<Value = Decimal> {
        let limit = 10_i128.pow(31);
        let coefficient = prop_oneof![-limit + 1..limit, -1000..1000_i128, Just(limit - 1)];
        let exponent = prop_oneof![4 => -40..40, 1 => -6144..6113];
        (coefficient, 0..31_u32, exponent)
            .prop_map(|(coefficient, cut, exponent)| (coefficient / 10_i128.pow(cut), exponent))
            .prop_filter_map("in reach", |(coefficient, exponent)| Decimal::new(coefficient, exponent).ok())
    }

    #[test]
    fn a_number_has_one_form() {
        let decimal = |text: &str| text.parse::<Decimal>().unwrap();
        for (texts, coefficient, exponent, printed) in [
            (["0", "-0.000"], 0, 0, "0"),
            (["007", "7.0"], 7, 0, "7"),
            (["-12.50", "-012.5"], -125, -1, "-12.5"),
            (["300", "300.00"], 3, 2, "300"),
            (["0.0040", "00.004"], 4, -3, "0.004"),
            (["1.25e3", "12500E-1"], 125, 1, "1250"),
            (["-1.4718e-07", "-14.718e-8"], -14718, -11, "-0.00000014718"),
            (["0e99999999999999999999", "-0.0e-5"], 0, 0, "0"),
            (["1000.001", "1000.0010"], 1_000_001, -3, "1000.001"),
        ] {
            for text in texts {
                let number = decimal(text);
                assert_eq!((number.coefficient(), number.exponent()), (coefficient, exponent), "{text}");
                assert_eq!(number.to_string(), printed);
            }
        }
        assert_eq!(Decimal::from(-500_i64), decimal("-500"));
        assert_eq!(Decimal::from(u64::MAX), decimal("18446744073709551615"));
    }

    #[test]
    fn what_is_no_decimal_is_refused() {
        for text in
            ["", "-", "+1", ".5", "5.", "1e", "e3", "1e3.5", "1e++3", "1.2.3", " 1", "--1", "1,5", "NaN", "٣"]
        {
            let error = text.parse::<Decimal>().unwrap_err();
            assert_eq!(error, DecimalError::NotADecimal { text: text.to_owned() });
        }
        let digits = "1".repeat(32);
        let too_many = Err(DecimalError::TooManyDigits { digits: 32, limit: 31 });
        assert_eq!(digits.parse::<Decimal>(), too_many);
        assert_eq!(format!("0.{digits}").parse::<Decimal>(), too_many);
        assert_eq!(Decimal::new(digits.parse().unwrap(), 0), too_many);
        assert_eq!(Decimal::new(i128::MIN, 0), Err(DecimalError::TooManyDigits { digits: 39, limit: 31 }));
    }

    #[test]
    fn the_reach_is_6144_places() {
        let too_far = Err(DecimalError::TooFar { limit: 6_144 });
        assert!(Decimal::new(1, 6_143).is_ok());
        assert_eq!(Decimal::new(1, 6_144), too_far);
        assert_eq!(Decimal::new(12, 6_143), too_far);
        assert!(Decimal::new(-1, -6_144).is_ok());
        assert_eq!(Decimal::new(-1, -6_145), too_far);
        assert_eq!(Decimal::new(1, i32::MAX), too_far);
        assert_eq!(Decimal::new(1, i32::MIN), too_far);
        let text = format!("1{}", "0".repeat(6_143));
        assert_eq!(text.parse::<Decimal>().unwrap().to_string(), text);
        assert_eq!(format!("{text}0").parse::<Decimal>(), too_far);
        for text in ["1e6144", "1e-6145", "1e99999999999999999999", "1e-99999999999999999999"] {
            assert_eq!(text.parse::<Decimal>(), too_far, "{text}");
        }
    }

    proptest! {
        #[test]
        fn printing_and_reading_give_the_number_back(number in any_decimal()) {
            prop_assert_eq!(number.to_string().parse(), Ok(number));
        }

        #[test]
        fn any_text_reads_without_panic(text in "-?[0-9]{0,40}\\.?[0-9]{0,40}") {
            if let Ok(number) = text.parse::<Decimal>() {
                prop_assert_eq!(number.to_string().parse(), Ok(number));
            }
        }

        #[test]
        fn order_is_that_of_the_values(a in -10_000_000..10_000_000_i64, b in -10_000_000..10_000_000_i64, places in 0..9_i32) {
            let decimal = |number: i64| Decimal::new(number.into(), -places).unwrap();
            prop_assert_eq!(decimal(a).cmp(&decimal(b)), a.cmp(&b));
            prop_assert_eq!(decimal(a) == decimal(b), a == b);
            let shifted = Decimal::new(i128::from(b) * 1000, -places - 3).unwrap();
            prop_assert_eq!(decimal(a).cmp(&shifted), a.cmp(&b));
        }
    }
}
