//! HBase's `Numeric` form of `OrderedBytes`, for decimal numbers.
//!
//! The number is written in base 100 as M × 100^E with 0.01 ≤ M < 1:
//!
//! ```text
//! header  [E]  M: one byte for two digits, 2d+1, the last one 2d
//!
//! 15            zero
//! 16  ~-E  M    0 < number < 1
//! 17+E     M    1 ≤ number, E from 1 to 10
//! 22   E   M    larger
//! ```
//!
//! A negative number has the header mirrored around zero (`2a` minus it) and the complement of all that follows. E
//! is a whole number of variable length whose bytes sort like it.
//!
//! 07, 23 and 26 are HBase's infinities and NaN, which are no [`Decimal`].

use super::{Decimal, OrderedError, OrderedType, Source};

const ZERO: u8 = 0x15;
const POSITIVE_SMALL: u8 = 0x16;
/// A number from 1 on has this header plus E, up to [`MEDIUM_E`].
const POSITIVE_MEDIUM: u8 = 0x17;
const POSITIVE_LARGE: u8 = 0x22;
/// A negative header is this minus the positive one.
const MIRROR: u8 = 2 * ZERO;
const MEDIUM_E: u16 = 10;
/// 31 digits, which may start in the middle of a pair.
const MAX_PAIRS: usize = 16;
/// Header, E (at most 3,072), pairs.
const MAX_LEN: usize = 1 + 3 + MAX_PAIRS;

/// Where the parts of a number that is not zero lie.
struct Shape {
    /// The power of 100.
    e: i32,
    /// How many pairs of digits.
    pairs: usize,
    /// The last pair is one digit and a zero.
    odd_end: bool,
}

fn shape(number: &Decimal) -> Shape {
    let integer_digits = number.integer_digits();
    let e = (integer_digits + 1).div_euclid(2);
    // The pairs end at an even place: the exponent of the last one is the number's, rounded down to even.
    let last = number.exponent().div_euclid(2);
    Shape { e, pairs: e.abs_diff(last) as usize, odd_end: number.exponent().rem_euclid(2) == 1 }
}

/// Appends the ascending bytes of a number.
pub fn encode_numeric(number: &Decimal, out: &mut Vec<u8>) {
    if number.coefficient() == 0 {
        out.push(ZERO);
        return;
    }
    let Shape { e, pairs, odd_end } = shape(number);
    let mut buffer = [0; MAX_LEN];
    let mut len = 0;
    let mut put = |byte: u8| {
        if let Some(slot) = buffer.get_mut(len) {
            *slot = byte;
            len += 1;
        }
    };
    // |E| is at most 3,072: see Decimal::MAX_PLACES.
    let size = u16::try_from(e.unsigned_abs()).unwrap_or(u16::MAX);
    if number.integer_digits() <= 0 {
        put(POSITIVE_SMALL);
        let (bytes, count) = varuint(size);
        bytes.iter().take(count).for_each(|byte| put(!byte));
    } else if size <= MEDIUM_E {
        // At most ten: no loss.
        put(POSITIVE_MEDIUM + size as u8);
    } else {
        put(POSITIVE_LARGE);
        let (bytes, count) = varuint(size);
        bytes.iter().take(count).for_each(|byte| put(*byte));
    }
    // At most 32 digits: two halves of 16, each of which a u64 holds. Most numbers have no upper half.
    const HALF: u128 = 10_u128.pow(16);
    let digits = number.coefficient().unsigned_abs() * if odd_end { 10 } else { 1 };
    let [mut upper, mut lower] =
        if digits < HALF { [0, digits as u64] } else { [(digits / HALF) as u64, (digits % HALF) as u64] };
    let mut mantissa = [0_u8; MAX_PAIRS];
    for (index, byte) in mantissa.iter_mut().rev().take(pairs).enumerate() {
        let half = if index < MAX_PAIRS / 2 { &mut lower } else { &mut upper };
        *byte = (*half % 100) as u8 * 2 + 1;
        *half /= 100;
    }
    mantissa.iter().skip(MAX_PAIRS - pairs).for_each(|byte| put(*byte));
    let written = buffer.get_mut(..len).unwrap_or_default();
    if let Some(last) = written.last_mut() {
        *last -= 1;
    }
    if number.coefficient() < 0
        && let Some((header, rest)) = written.split_first_mut()
    {
        *header = MIRROR - *header;
        rest.iter_mut().for_each(|byte| *byte = !*byte);
    }
    out.extend_from_slice(written);
}

/// How many bytes [`encode_numeric`] appends.
pub(super) fn numeric_len(number: &Decimal) -> usize {
    if number.coefficient() == 0 {
        return 1;
    }
    let Shape { e, pairs, .. } = shape(number);
    let size = u16::try_from(e.unsigned_abs()).unwrap_or(u16::MAX);
    let is_medium = number.integer_digits() > 0 && size <= MEDIUM_E;
    1 + if is_medium { 0 } else { varuint(size).1 } + pairs
}

/// A small whole number as bytes that sort like it, and how many of them count.
fn varuint(number: u16) -> ([u8; 3], usize) {
    match number {
        // The casts cut nothing off: each arm bounds its quotient.
        0..=240 => ([number as u8, 0, 0], 1),
        241..=2287 => {
            let rest = number - 240;
            ([(241 + rest / 256) as u8, (rest % 256) as u8, 0], 2)
        }
        2288.. => {
            let [high, low] = (number - 2288).to_be_bytes();
            ([249, high, low], 3)
        }
    }
}

/// Reads a number whose header has been looked at, but not taken.
pub(super) fn decode(source: &mut Source<'_>) -> Result<Decimal, OrderedError> {
    let ty = OrderedType::Numeric;
    let offset = source.offset();
    let header = source.next(ty)?;
    if header == ZERO {
        return Ok(Decimal::ZERO);
    }
    let is_negative = header < ZERO;
    let magnitude = if is_negative { MIRROR.wrapping_sub(header) } else { header };
    if is_negative {
        source.flip();
    }
    let e = match magnitude {
        POSITIVE_SMALL => {
            source.flip();
            let e = decode_varuint(source)?;
            source.flip();
            -i32::from(e)
        }
        POSITIVE_LARGE => {
            let at = source.offset();
            let e = decode_varuint(source)?;
            if e <= MEDIUM_E {
                return Err(OrderedError::NotCanonical { ty, offset: at, byte: e as u8 });
            }
            i32::from(e)
        }
        // 0x17 itself would be E = 0, which is a small number.
        0x18..POSITIVE_LARGE => i32::from(magnitude - POSITIVE_MEDIUM),
        0x17 => return Err(OrderedError::NotCanonical { ty, offset, byte: header }),
        0x23 => return Err(OrderedError::NotANumber { ty }),
        0x26 if !is_negative => return Err(OrderedError::NotANumber { ty }),
        _ => return Err(OrderedError::WrongHeader { ty, expected: None, got: header }),
    };
    let mut digits: i128 = 0;
    let mut pairs = 0;
    loop {
        let offset = source.offset();
        let byte = source.next(ty)?;
        let (pair, is_last) = (byte / 2, byte % 2 == 0);
        // No zero pair at either end, and no pair that the precision does not reach.
        if pair > 99 || pairs == MAX_PAIRS || (pair == 0 && (pairs == 0 || is_last)) {
            return Err(OrderedError::NotCanonical { ty, offset, byte });
        }
        digits = digits * 100 + i128::from(pair);
        pairs += 1;
        if is_last {
            break;
        }
    }
    let exponent = 2 * (e - pairs as i32);
    Ok(Decimal::new(if is_negative { -digits } else { digits }, exponent)?)
}

fn decode_varuint(source: &mut Source<'_>) -> Result<u16, OrderedError> {
    let ty = OrderedType::Numeric;
    let offset = source.offset();
    let first = source.next(ty)?;
    match first {
        0..=240 => Ok(first.into()),
        241..=248 => match (first, source.next(ty)?) {
            // 240 has a shorter form.
            (241, 0) => Err(OrderedError::NotCanonical { ty, offset, byte: first }),
            (_, second) => Ok(240 + 256 * u16::from(first - 241) + u16::from(second)),
        },
        249 => {
            let number = u16::from_be_bytes([source.next(ty)?, source.next(ty)?]);
            number.checked_add(2288).ok_or(super::TOO_FAR)
        }
        // HBase's longer forms begin at 67,824, past every Decimal.
        250.. => Err(super::TOO_FAR),
    }
}
