//! From rows of a column in memory to a field's column.
//!
//! The usual pairs of what a file holds and what a field is go over as they are, all rows at once. Everything else, and rows
//! with nulls, go value by value, the way of [`super::ParquetInput`]. Both give the same; the tests of `tests/parquet.rs`
//! read each file both ways.

use rowkey_core::Value;
use rowkey_core::batch::ColumnBuffer;
use rowkey_core::types::Kind;
use rowkey_core::value::likely_unit;

use super::Column;
use super::chunk::Chunk;
use super::holds::Holds;

const MILLISECONDS_IN_A_DAY: i64 = 86_400_000;

impl Chunk {
    /// Adds the rows in memory to the field's column; `None` if one of them does not fit.
    pub(super) fn fill(
        &mut self,
        column: &Column,
        into: &mut ColumnBuffer,
        numbers: &mut Vec<i64>,
    ) -> Option<()> {
        let kind = column.field.ty.kind();
        let whole = matches!(kind, Kind::Integer | Kind::Time);
        let (rows, complete) = (self.rows(), self.is_complete());
        numbers.clear();
        match (&*self, &column.holds) {
            _ if !complete || column.field.time.is_some() => {}
            (Self::Int64(own), Holds::Signed) if whole => {
                return into.extend_i64(own.values()).ok().filter(|()| are_plain(own.values(), kind));
            }
            (Self::Int32(own), Holds::Signed) if whole => {
                numbers.extend(own.values().iter().map(|&number| i64::from(number)));
                return into.extend_i64(numbers).ok().filter(|()| are_plain(numbers, kind));
            }
            (Self::Int32(own), Holds::Unsigned) if whole => {
                numbers.extend(own.values().iter().map(|&number| i64::from(number.cast_unsigned())));
                return into.extend_i64(numbers).ok().filter(|()| are_plain(numbers, kind));
            }
            (Self::Int64(own), Holds::Unsigned)
                if whole && own.values().iter().all(|&number| number >= 0) =>
            {
                return into.extend_i64(own.values()).ok().filter(|()| are_plain(own.values(), kind));
            }
            (Self::Int32(own), Holds::Date) => {
                numbers.extend(own.values().iter().map(|&days| i64::from(days) * MILLISECONDS_IN_A_DAY));
                return into.extend_i64(numbers).ok();
            }
            (Self::Int64(own), Holds::Time(unit)) => {
                let one = unit.in_a_millisecond();
                if one == 1 {
                    return into.extend_i64(own.values()).ok();
                }
                if own.values().iter().any(|&time| time % one != 0) {
                    return None;
                }
                numbers.extend(own.values().iter().map(|&time| time / one));
                return into.extend_i64(numbers).ok();
            }
            (Self::Double(own), _) if kind == Kind::Float && !column.field.ty.is_single() => {
                let finite = own.values().iter().all(|number| number.is_finite());
                return into.extend_f64(own.values().iter().copied()).ok().filter(|()| finite);
            }
            (Self::Float(own), _) if kind == Kind::Float => {
                let finite = own.values().iter().all(|number| number.is_finite());
                return into.extend_f32(own.values()).ok().filter(|()| finite);
            }
            (Self::Bytes(own), Holds::Text | Holds::Bytes) if kind == Kind::Text => {
                return into.extend_strings(own.values().iter().map(|text| text.data())).ok();
            }
            (Self::Bytes(own), Holds::Bytes) if kind == Kind::Bytes => {
                return into.extend_strings(own.values().iter().map(|bytes| bytes.data())).ok();
            }
            _ => {}
        }
        for _ in 0..rows {
            let value: Value<'_> = column.value(self.next()).ok()?;
            into.push(&value).ok()?;
        }
        Some(())
    }
}

/// Whether whole numbers are values of a kind: as times, none may be a likely one in another unit.
fn are_plain(numbers: &[i64], kind: Kind) -> bool {
    kind != Kind::Time || numbers.iter().all(|number| likely_unit(*number).is_none())
}
