//! Prints cells, and parses the names of columns.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rowkey_core::escape::escape;
use rowkey_store::CellView;

use crate::error::ShellError;

/// How values are printed: the methods of HBase's `Bytes` that people name in a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Format {
    /// HBase's escaped form.
    #[default]
    Escaped,
    Text,
    Short,
    Int,
    Long,
    Float,
    Double,
    Boolean,
}

impl Format {
    /// By the name of a method, with or without its class.
    pub(crate) fn named(name: &str) -> Result<Self, ShellError> {
        let method = name.strip_prefix("c(org.apache.hadoop.hbase.util.Bytes).").unwrap_or(name);
        Ok(match method {
            "toStringBinary" => Self::Escaped,
            "toString" => Self::Text,
            "toShort" => Self::Short,
            "toInt" => Self::Int,
            "toLong" => Self::Long,
            "toFloat" => Self::Float,
            "toDouble" => Self::Double,
            "toBoolean" => Self::Boolean,
            _ => {
                return ShellError::argument(format!(
                    "there is no format `{name}`; take toStringBinary, toString, toShort, toInt, toLong, toFloat, \
                     toDouble or toBoolean"
                ));
            }
        })
    }

    /// A value in this format.
    pub(crate) fn show(self, bytes: &[u8]) -> Result<String, ShellError> {
        Ok(match self {
            Self::Escaped => escape(bytes).to_string(),
            Self::Text => String::from_utf8_lossy(bytes).into_owned(),
            Self::Short => i16::from_be_bytes(first(bytes)?).to_string(),
            Self::Int => i32::from_be_bytes(first(bytes)?).to_string(),
            Self::Long => i64::from_be_bytes(first(bytes)?).to_string(),
            Self::Float => number(f64::from(f32::from_bits(u32::from_be_bytes(first(bytes)?)))),
            Self::Double => number(f64::from_bits(u64::from_be_bytes(first(bytes)?))),
            Self::Boolean => (exactly::<1>(bytes)? != [0]).to_string(),
        })
    }
}

/// The first bytes of a value, as HBase's formats take them: what follows does not matter.
fn first<const N: usize>(bytes: &[u8]) -> Result<[u8; N], ShellError> {
    bytes.first_chunk().copied().ok_or_else(|| {
        let length = bytes.len();
        ShellError::Argument(format!("offset (0) + length ({N}) exceed the capacity of the array: {length}"))
    })
}

/// The bytes of a number, which has a fixed length.
pub(crate) fn exactly<const N: usize>(bytes: &[u8]) -> Result<[u8; N], ShellError> {
    bytes.try_into().map_err(|_| ShellError::Argument(format!("Wrong length: {}, expected {N}", bytes.len())))
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e16 { format!("{value:.1}") } else { value.to_string() }
}

/// `family`, `family:qualifier` or `family:qualifier:format`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ColumnName {
    pub(crate) family: Vec<u8>,
    /// `None` for a whole family; `family:` is the column with the empty qualifier.
    pub(crate) qualifier: Option<Vec<u8>>,
    pub(crate) format: Option<Format>,
}

impl ColumnName {
    pub(crate) fn parse(text: &[u8]) -> Result<Self, ShellError> {
        let mut parts = text.splitn(3, |byte| *byte == b':').map(<[u8]>::to_vec);
        let family = parts.next().unwrap_or_default();
        let qualifier = parts.next();
        let format = parts.next().map(|name| Format::named(&String::from_utf8_lossy(&name))).transpose()?;
        Ok(Self { family, qualifier, format })
    }
}

/// How cells are printed.
#[derive(Debug, Clone, Default)]
pub(crate) struct CellStyle {
    /// Times as milliseconds since 1970.
    pub(crate) epoch: bool,
    /// The format of all values that have none of their own; also of keys and names.
    pub(crate) format: Format,
    /// Formats of columns.
    pub(crate) columns: Vec<ColumnName>,
    /// Cut what is printed of a cell to so many characters.
    pub(crate) max_length: Option<usize>,
}

impl CellStyle {
    /// `family:qualifier`.
    pub(crate) fn column(&self, cell: &CellView<'_>) -> Result<String, ShellError> {
        Ok(format!("{}:{}", self.format.show(cell.family)?, self.format.show(cell.qualifier)?))
    }

    /// Time and value, or time and kind of a delete marker.
    pub(crate) fn cell(&self, cell: &CellView<'_>) -> Result<String, ShellError> {
        let time = time(cell.timestamp, self.epoch);
        let shown = if cell.kind.is_marker() {
            format!("timestamp={time}, type={}", cell.kind)
        } else {
            let own = self.columns.iter().find(|column| {
                column.family == cell.family && column.qualifier.as_deref() == Some(cell.qualifier)
            });
            let format = own.and_then(|column| column.format).unwrap_or(self.format);
            format!("timestamp={time}, value={}", format.show(cell.value)?)
        };
        Ok(match self.max_length {
            Some(length) => shown.chars().take(length).collect(),
            None => shown,
        })
    }
}

/// A time as Java's `LocalDateTime` prints it, in the zone of the machine: no seconds where they are zero, no fraction
/// where it is.
pub(crate) fn time(millis: i64, epoch: bool) -> String {
    let in_zone = Timestamp::from_millisecond(millis).map(|at| at.to_zoned(TimeZone::system()).datetime());
    match in_zone {
        Ok(at) if !epoch => {
            let minutes = at.strftime("%Y-%m-%dT%H:%M").to_string();
            match (at.second(), at.millisecond()) {
                (0, 0) => minutes,
                (second, 0) => format!("{minutes}:{second:02}"),
                (second, fraction) => format!("{minutes}:{second:02}.{fraction:03}"),
            }
        }
        // Past the year 9999, where a date says nothing.
        _ => millis.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_families_qualifiers_and_formats() {
        let parse = |text: &str| ColumnName::parse(text.as_bytes()).unwrap();
        let of = |family: &str, qualifier: Option<&str>, format| ColumnName {
            family: family.into(),
            qualifier: qualifier.map(Into::into),
            format,
        };
        assert_eq!(parse("f"), of("f", None, None));
        assert_eq!(parse("f:"), of("f", Some(""), None));
        assert_eq!(parse("f:q:toInt"), of("f", Some("q"), Some(Format::Int)));
        let with_class = "f:q:c(org.apache.hadoop.hbase.util.Bytes).toLong";
        assert_eq!(parse(with_class), of("f", Some("q"), Some(Format::Long)));
        assert!(ColumnName::parse(b"f:q:toFoo").unwrap_err().to_string().contains("toFoo"));
    }

    #[test]
    fn values_are_shown_in_their_format() {
        assert_eq!(Format::Long.show(&7i64.to_be_bytes()).unwrap(), "7");
        assert_eq!(Format::Int.show(b"\x00\x00\x00\x07 more").unwrap(), "7");
        let short = Format::Int.show(b"abc").unwrap_err().to_string();
        assert_eq!(short, "offset (0) + length (4) exceed the capacity of the array: 3");
        assert_eq!(exactly::<8>(b"abc").unwrap_err().to_string(), "Wrong length: 3, expected 8");
        assert_eq!(Format::Double.show(&1.5f64.to_bits().to_be_bytes()).unwrap(), "1.5");
        assert_eq!(Format::default().show(b"a\x00").unwrap(), "a\\x00");
    }

    #[test]
    fn times_leave_out_what_is_zero() {
        assert_eq!(time(1_234, true), "1234");
        assert_eq!(time(i64::MAX, false), i64::MAX.to_string());
        // Whole minutes of any zone of today.
        assert_eq!(time(1_700_000_040_000, false).len(), "2023-11-14T22:14".len());
        assert!(time(1_700_000_041_000, false).ends_with(":01"));
        assert!(time(1_700_000_041_005, false).ends_with(":01.005"));
    }
}
