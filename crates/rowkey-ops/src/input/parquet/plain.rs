//! Texts of a column, as they lie in its pages.
//!
//! ```text
//!  page    levels: which rows have a value │ length  t e x t │ length  t e x t │ …
//! ```
//!
//! The library's reader makes an object of every text, which counts its owners: a sixth of the time of a simulation. A page
//! that is plain can be walked over instead, and its texts go over as they are.
//!
//! Not here: pages in any other form (a dictionary, differences), and pages with nulls. They are [`Walk::Unusual`], and the
//! library reads them; so it does where a page is broken, and says how.

use ::parquet::basic::{Encoding, Type as Physical};
use ::parquet::column::page::{Page, PageReader};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::ColumnChunkMetaData;
use bytes::Bytes;
use rowkey_core::batch::{ColumnBuffer, Strings};
use rowkey_core::types::Kind;

use super::Column;
use super::holds::Holds;

/// Whether rows were walked over.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Walk {
    Done,
    /// A page that this is not made for.
    Unusual,
}

/// A column of the group that is being read.
pub(super) struct PlainTexts {
    pages: Box<dyn PageReader>,
    /// Whether its pages say which rows have a value.
    optional: bool,
    page: Bytes,
    /// Where the next text of the page begins, with its length.
    at: usize,
    /// Texts of the page from there on.
    left: u64,
    /// What was read last.
    read: Vec<Texts>,
}

/// Texts in a page.
struct Texts {
    page: Bytes,
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl PlainTexts {
    /// Whether a column can be read so: what its file says of it, and what its field is.
    pub(super) fn fits(column: &Column, chunk: &ColumnChunkMetaData) -> bool {
        let field = match column.holds {
            Holds::Text => matches!(column.field.ty.kind(), Kind::Text),
            Holds::Bytes => matches!(column.field.ty.kind(), Kind::Text | Kind::Bytes),
            _ => false,
        };
        let described = chunk.column_descr();
        field
            && chunk.column_type() == Physical::BYTE_ARRAY
            && described.max_rep_level() == 0
            && described.max_def_level() <= 1
            // Levels have a form of their own, which some writers name and others do not.
            && chunk.encodings().all(|encoding| matches!(encoding, Encoding::PLAIN | Encoding::RLE))
    }

    pub(super) fn new(pages: Box<dyn PageReader>, chunk: &ColumnChunkMetaData) -> Self {
        let optional = chunk.column_descr().max_def_level() > 0;
        Self { pages, optional, page: Bytes::new(), at: 0, left: 0, read: Vec::new() }
    }

    /// Passes over rows; whole pages of them are not even unpacked.
    pub(super) fn skip(&mut self, mut rows: u64) -> Result<Walk, ParquetError> {
        while rows > self.left {
            rows -= self.left;
            self.left = 0;
            let Some(next) = self.pages.peek_next_page()? else { return Ok(Walk::Unusual) };
            // Where nothing is nested, a row is a level.
            let Some(of_page) = next.num_levels.or(next.num_rows).filter(|_| !next.is_dict) else {
                return Ok(Walk::Unusual);
            };
            if of_page as u64 > rows {
                break;
            }
            rows -= of_page as u64;
            self.pages.skip_next_page()?;
        }
        self.walk(rows, false)
    }

    /// Brings so many rows into memory, in place of those that were there.
    pub(super) fn read(&mut self, rows: u64) -> Result<Walk, ParquetError> {
        self.read.clear();
        self.walk(rows, true)
    }

    /// Adds the rows in memory to the field's column; `None` if one of them does not fit.
    pub(super) fn fill(&self, into: &mut ColumnBuffer) -> Option<()> {
        self.read.iter().try_for_each(|Texts { page, starts, ends }| {
            into.extend_from(Strings::bytes(page, starts, ends).ok()?).ok()
        })
    }

    fn walk(&mut self, rows: u64, keep: bool) -> Result<Walk, ParquetError> {
        let mut wanted = rows;
        while wanted > 0 {
            if self.left == 0 && self.next_page()? == Walk::Unusual {
                return Ok(Walk::Unusual);
            }
            let here = wanted.min(self.left);
            let room = if keep { here as usize } else { 0 };
            let (mut starts, mut ends) = (Vec::with_capacity(room), Vec::with_capacity(room));
            for _ in 0..here {
                let length = self.page.get(self.at..).and_then(length);
                let start = self.at + 4;
                let Some(end) = length.map(|length| start + length).filter(|end| *end <= self.page.len())
                else {
                    return Ok(Walk::Unusual);
                };
                if keep {
                    // A page has less than four billion bytes: its length has four.
                    starts.push(start as u32);
                    ends.push(end as u32);
                }
                self.at = end;
            }
            if keep {
                self.read.push(Texts { page: self.page.clone(), starts, ends });
            }
            self.left -= here;
            wanted -= here;
        }
        Ok(Walk::Done)
    }

    /// Goes to the next page that has texts.
    fn next_page(&mut self) -> Result<Walk, ParquetError> {
        while self.left == 0 {
            let values = match self.pages.get_next_page()? {
                Some(Page::DataPage {
                    buf,
                    num_values,
                    encoding: Encoding::PLAIN,
                    def_level_encoding,
                    ..
                }) => {
                    let behind = match self.optional {
                        false => Some(0),
                        true if def_level_encoding == Encoding::RLE => behind_levels(&buf, num_values),
                        true => None,
                    };
                    behind.map(|at| (buf, at, num_values))
                }
                Some(Page::DataPageV2 {
                    buf,
                    num_values,
                    encoding: Encoding::PLAIN,
                    num_nulls: 0,
                    def_levels_byte_len,
                    rep_levels_byte_len: 0,
                    ..
                }) => Some((buf, def_levels_byte_len as usize, num_values)),
                _ => None,
            };
            let Some((page, at, values)) = values else { return Ok(Walk::Unusual) };
            (self.page, self.at, self.left) = (page, at, values.into());
        }
        Ok(Walk::Done)
    }
}

/// Where values begin behind the levels of a page of the first version, if the levels say that all rows have one.
fn behind_levels(page: &[u8], values: u32) -> Option<usize> {
    let length = length(page)?;
    let mut levels = page.get(4..4 + length)?;
    let mut covered = 0;
    while covered < u64::from(values) {
        let header = varint(&mut levels)?;
        let (level, after) = levels.split_first()?;
        // An even number is twice the length of a run of one level; an odd one begins levels bit by bit.
        if header % 2 != 0 || header == 0 || *level != 1 {
            return None;
        }
        covered += header / 2;
        levels = after;
    }
    Some(4 + length)
}

/// The length that something begins with.
#[expect(clippy::little_endian_bytes, reason = "numbers of Parquet begin with their lowest byte")]
fn length(bytes: &[u8]) -> Option<usize> {
    bytes.first_chunk().map(|length| u32::from_le_bytes(*length) as usize)
}

/// A number of seven bits a byte, the smallest first.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..35).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ::parquet::data_type::{ByteArray, ByteArrayType};
    use ::parquet::file::properties::{WriterProperties, WriterVersion};
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;
    use rowkey_core::Type;

    use super::*;

    /// A column of so many texts, read from a file in memory; `null` is a row without one.
    fn texts(rows: usize, null: Option<usize>, version: WriterVersion, dictionary: bool) -> PlainTexts {
        let schema = parse_message_type("message rows { optional binary s (utf8); }").unwrap();
        let properties = WriterProperties::builder()
            .set_writer_version(version)
            .set_dictionary_enabled(dictionary)
            .set_encoding(Encoding::PLAIN)
            .set_data_page_row_count_limit(100)
            .set_write_batch_size(100);
        let mut file = Vec::new();
        let mut writer =
            SerializedFileWriter::new(&mut file, Arc::new(schema), Arc::new(properties.build())).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let present = |row: &usize| null != Some(*row);
        let levels: Vec<i16> = (0..rows).map(|row| i16::from(present(&row))).collect();
        let values: Vec<ByteArray> =
            (0..rows).filter(present).map(|row| text(row).into_bytes().into()).collect();
        column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        writer.close().unwrap();
        let file = SerializedFileReader::new(Bytes::from(file)).unwrap();
        let group = file.get_row_group(0).unwrap();
        PlainTexts::new(group.get_column_page_reader(0).unwrap(), group.metadata().column(0))
    }

    fn text(row: usize) -> String {
        "é".repeat(row % 40) + &row.to_string()
    }

    #[test]
    fn texts_of_plain_pages_are_read_whatever_the_pages() {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let mut texts = texts(1000, None, version, false);
            assert_eq!(texts.skip(7).unwrap(), Walk::Done);
            let mut next = 7;
            for rows in [1, 50, 300, 0, 642] {
                assert_eq!(texts.read(rows).unwrap(), Walk::Done);
                let mut column = ColumnBuffer::new(Type::Text);
                texts.fill(&mut column).unwrap();
                assert_eq!(column.len(), rows as usize);
                for row in 0..column.len() {
                    assert_eq!(column.column().value(row), rowkey_core::Value::Text(text(next + row).into()));
                }
                next += column.len();
            }
            assert!(texts.read.len() > 3, "several pages");
            assert_eq!(texts.read(1).unwrap(), Walk::Unusual, "the column has ended");
        }
    }

    #[test]
    fn pages_with_nulls_and_dictionaries_are_left_to_the_library() {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let mut with_null = texts(1000, Some(350), version, false);
            assert_eq!(with_null.skip(250).unwrap(), Walk::Done, "the pages before it");
            assert_eq!(with_null.read(100).unwrap(), Walk::Unusual);
            let mut with_null = texts(1000, Some(350), version, false);
            assert_eq!(with_null.skip(400).unwrap(), Walk::Done, "a page that nobody looks into");
            assert_eq!(with_null.read(600).unwrap(), Walk::Done);
            assert_eq!(texts(1000, None, version, false).skip(1001).unwrap(), Walk::Unusual, "too few");
            assert_eq!(texts(1000, None, version, true).read(1).unwrap(), Walk::Unusual);
        }
    }

    #[test]
    fn levels_say_whether_all_rows_have_a_value() {
        // One run of 300 ones: 600 in seven bits a byte.
        let page = [3, 0, 0, 0, 0xD8, 0x04, 1, b'x'];
        assert_eq!(behind_levels(&page, 300), Some(7));
        assert_eq!(behind_levels(&page, 301), None, "the levels end early");
        assert_eq!(behind_levels(&page[..6], 300), None, "the page ends early");
        assert_eq!(behind_levels(&[2, 0, 0, 0, 8, 0], 4), None, "four nulls");
        assert_eq!(behind_levels(&[2, 0, 0, 0, 3, 0xFF], 8), None, "bit by bit, which is not looked at");
        assert_eq!(behind_levels(&[2, 0, 0, 0, 0, 1], 1), None, "a run of no rows would go on for ever");
        assert_eq!(behind_levels(&[4, 0, 0, 0, 4, 1, 6, 1], 5), Some(8), "two runs");
        assert_eq!(behind_levels(&[], 0), None);
    }
}
