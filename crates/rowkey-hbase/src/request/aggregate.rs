//! How are rows counted and numbers added where they lie?
//!
//! HBase's own endpoint `AggregateImplementation` works on each region, and only its results travel. A cluster has it if
//! `hbase.coprocessor.user.region.classes` (or the table's descriptor) names it; otherwise the call fails, and the
//! server says that there is no such service.
//!
//! Values are numbers as HBase's `Bytes.toBytes(long)` writes them; a value of another length counts as none.

use prost::Message;
use rowkey_core::range::KeyRange;
use rowkey_store::filter::{Comparator, CompareOp};
use rowkey_store::{Columns, Filter, Scan, TableName};

use std::sync::Arc;

use crate::client::Client;
use crate::error::HBaseError;
use crate::request::cursor::Cursor;
use crate::request::endpoint::{Endpoint, RegionAnswer};
use crate::request::scan;
use crate::wire::messages::endpoint::{AggregateRequest, AggregateResponse, LongMsg};

const SERVICE: &str = "AggregateService";
/// Reads a value as a number of 8 bytes.
const LONGS: &str = "org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter";

impl Client {
    /// How many rows a scan would return.
    pub(crate) async fn row_count(
        self: &Arc<Self>,
        table: &TableName,
        scan: &Scan,
    ) -> Result<u64, HBaseError> {
        let answers = self.aggregate(table, &whole_families(scan), "GetRowNum").await?;
        answers
            .iter()
            .map(|answer| answer.first(read_count))
            .try_fold(0, |sum, count| Ok(sum + count?.unwrap_or(0)))
    }

    /// The sum of the numbers in one column; `None` if there is none.
    pub(crate) async fn sum(
        self: &Arc<Self>,
        table: &TableName,
        scan: &Scan,
    ) -> Result<Option<i128>, HBaseError> {
        let sums = self.numbers(table, scan, "GetSum").await?;
        Ok((!sums.is_empty()).then(|| sums.into_iter().map(i128::from).sum()))
    }

    /// The smallest number in one column.
    pub(crate) async fn min(
        self: &Arc<Self>,
        table: &TableName,
        scan: &Scan,
    ) -> Result<Option<i64>, HBaseError> {
        Ok(self.numbers(table, scan, "GetMin").await?.into_iter().min())
    }

    /// The largest number in one column.
    pub(crate) async fn max(
        self: &Arc<Self>,
        table: &TableName,
        scan: &Scan,
    ) -> Result<Option<i64>, HBaseError> {
        Ok(self.numbers(table, scan, "GetMax").await?.into_iter().max())
    }

    /// The mean of the numbers in one column.
    pub(crate) async fn avg(
        self: &Arc<Self>,
        table: &TableName,
        scan: &Scan,
    ) -> Result<Option<f64>, HBaseError> {
        require_one_column(scan)?;
        let (mut sum, mut count) = (0i128, 0u64);
        for answer in self.aggregate(table, scan, "GetAvg").await? {
            if let Some(part) = answer.first(read_number)? {
                sum += i128::from(part);
                count += answer.second(read_count)?.unwrap_or(0);
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "a mean is as exact as a floating-point number")]
        Ok((count > 0).then(|| sum as f64 / count as f64))
    }

    async fn numbers(
        self: &Arc<Self>,
        table: &TableName,
        scan: &Scan,
        method: &str,
    ) -> Result<Vec<i64>, HBaseError> {
        require_one_column(scan)?;
        let answers = self.aggregate(table, scan, method).await?;
        answers.iter().filter_map(|answer| answer.first(read_number).transpose()).collect()
    }

    async fn aggregate(
        self: &Arc<Self>,
        table: &TableName,
        scan: &Scan,
        method: &str,
    ) -> Result<Vec<Answer>, HBaseError> {
        self.require(table, |known| known.validate_scan(scan)).await?;
        let endpoint = Endpoint { service: SERVICE.to_owned(), method: method.to_owned() };
        let answers = self.call_endpoint(table, &scan.range, &endpoint, |part| request(scan, part)).await?;
        answers.into_iter().map(Answer::decode).collect()
    }
}

/// The same rows, asked for by whole families and a filter: the endpoint forgets the first column of a scan when it counts
/// (docs/hbase-faults.md).
fn whole_families(scan: &Scan) -> Scan {
    let Columns::Only(columns) = &scan.columns else { return scan.clone() };
    if columns.iter().all(|(_, qualifier)| qualifier.is_none()) {
        return scan.clone();
    }
    let is = |bytes: &[u8]| (CompareOp::Equal, Comparator::Binary(bytes.to_vec()));
    let one = |(family, qualifier): &(Vec<u8>, Option<Vec<u8>>)| {
        let (op, comparator) = is(family);
        let family = Filter::Family(op, comparator);
        let qualifier = qualifier.as_ref().map(|qualifier| {
            let (op, comparator) = is(qualifier);
            Filter::Qualifier(op, comparator)
        });
        Filter::All([family].into_iter().chain(qualifier).collect())
    };
    let chosen = Filter::One(columns.iter().map(one).collect());
    let filter = match &scan.filter {
        Some(filter) => Filter::All(vec![chosen, filter.clone()]),
        None => chosen,
    };
    let families = columns.iter().map(|(family, _)| (family.clone(), None)).collect();
    Scan { columns: Columns::Only(families), filter: Some(filter), ..scan.clone() }
}

fn require_one_column(scan: &Scan) -> Result<(), HBaseError> {
    match &scan.columns {
        Columns::Only(columns) if columns.len() == 1 => Ok(()),
        _ => Err(HBaseError::AggregateColumns),
    }
}

fn request(scan: &Scan, part: &KeyRange) -> Vec<u8> {
    let mut wire = scan::to_wire(scan, i64::MAX as u64);
    if let Some(cursor) = Cursor::new(part, scan.direction) {
        let ((start, include_start), (stop, include_stop)) = (cursor.wire_start(), cursor.wire_stop());
        (wire.start_row, wire.include_start_row) = (Some(start.to_vec()), Some(include_start));
        (wire.stop_row, wire.include_stop_row) = (Some(stop.to_vec()), Some(include_stop));
    }
    AggregateRequest { interpreter_class_name: LONGS.to_owned(), scan: wire }.encode_to_vec()
}

/// One region's answer, decoded.
struct Answer {
    region: String,
    response: AggregateResponse,
}

impl Answer {
    fn decode(answer: RegionAnswer) -> Result<Self, HBaseError> {
        match AggregateResponse::decode(answer.answer.as_slice()) {
            Ok(response) => Ok(Self { region: answer.region, response }),
            Err(error) => Err(malformed(&answer.region, error)),
        }
    }

    /// The result, if the region has one: without values there is no sum.
    fn first<T>(&self, read: fn(&[u8]) -> Option<T>) -> Result<Option<T>, HBaseError> {
        self.read(self.response.first_part.first(), read)
    }

    fn second<T>(&self, read: fn(&[u8]) -> Option<T>) -> Result<Option<T>, HBaseError> {
        self.read(self.response.second_part.as_ref(), read)
    }

    fn read<T>(&self, part: Option<&Vec<u8>>, read: fn(&[u8]) -> Option<T>) -> Result<Option<T>, HBaseError> {
        let Some(part) = part else { return Ok(None) };
        read(part).map(Some).ok_or_else(|| malformed(&self.region, "a result is not a number"))
    }
}

fn malformed(region: &str, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> HBaseError {
    HBaseError::Endpoint { service: SERVICE.to_owned(), region: region.to_owned(), source: source.into() }
}

fn read_number(bytes: &[u8]) -> Option<i64> {
    LongMsg::decode(bytes).ok().map(|message| message.long_msg)
}

fn read_count(bytes: &[u8]) -> Option<u64> {
    bytes.try_into().ok().map(u64::from_be_bytes)
}
