//! Counts rows and sums numbers on the region servers.
//!
//! HBase's own endpoint `AggregateImplementation` works on each region, and only its results travel. A cluster has it if
//! `hbase.coprocessor.user.region.classes` (or the table's descriptor) names it; otherwise the call fails, and the
//! server says that there is no such service.
//!
//! Values are numbers as HBase's `Bytes.toBytes(long)` writes them; a value of another length counts as none.

use prost::Message;
use rowkey_core::range::KeyRange;
use rowkey_store::filter::{Comparator, CompareOp};
use rowkey_store::{Aggregate, Aggregated, Columns, Filter, Scan, TableName};

use std::sync::Arc;

use crate::client::HBaseClient;
use crate::error::HBaseError;
use crate::request::cursor::Cursor;
use crate::request::endpoint::{Endpoint, RegionAnswer};
use crate::request::scan;
use crate::wire::messages::endpoint::{AggregateRequest, AggregateResponse, LongMsg};

const SERVICE: &str = "AggregateService";
/// Reads a value as a number of 8 bytes.
const LONGS: &str = "org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter";

impl HBaseClient {
    /// How many rows a scan would return.
    pub async fn row_count(self: &Arc<Self>, table: &TableName, scan: &Scan) -> Result<u64, HBaseError> {
        let answers = self.answers(table, &whole_families(scan), "GetRowNum").await?;
        answers
            .iter()
            .map(|answer| answer.number(read_count))
            .try_fold(0, |sum, count| Ok(sum + count?.unwrap_or(0)))
    }

    /// Works something out of the rows of a scan; not offered where the regions have no such endpoint.
    pub async fn aggregate(
        self: &Arc<Self>,
        table: &TableName,
        scan: &Scan,
        what: Aggregate,
    ) -> Result<Aggregated, HBaseError> {
        let found = match what {
            Aggregate::Rows => self.row_count(table, scan).await.map(|rows| Some(i128::from(rows))),
            Aggregate::Sum => {
                self.numbers(table, scan, "GetSum").await.map(|sums| sums.into_iter().reduce(|a, b| a + b))
            }
            Aggregate::Min => self.numbers(table, scan, "GetMin").await.map(|found| found.into_iter().min()),
            Aggregate::Max => self.numbers(table, scan, "GetMax").await.map(|found| found.into_iter().max()),
            _ => return Ok(Aggregated::NotOffered),
        };
        match found {
            // What a server says that has no such endpoint on the region.
            Err(error) if error.is_remote("UnknownProtocolException") => Ok(Aggregated::NotOffered),
            found => Ok(found?.map_or(Aggregated::Nothing, Aggregated::Number)),
        }
    }

    /// The number of each region that has one.
    async fn numbers(
        self: &Arc<Self>,
        table: &TableName,
        scan: &Scan,
        method: &str,
    ) -> Result<Vec<i128>, HBaseError> {
        require_one_column(scan)?;
        let answers = self.answers(table, scan, method).await?;
        answers.iter().filter_map(|answer| answer.number(read_number).transpose()).collect()
    }

    async fn answers(
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
    fn number<T>(&self, read: fn(&[u8]) -> Option<T>) -> Result<Option<T>, HBaseError> {
        let Some(part) = self.response.first_part.first() else { return Ok(None) };
        read(part).map(Some).ok_or_else(|| malformed(&self.region, "a result is not a number"))
    }
}

fn malformed(region: &str, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> HBaseError {
    HBaseError::Endpoint { service: SERVICE.to_owned(), region: region.to_owned(), source: source.into() }
}

fn read_number(bytes: &[u8]) -> Option<i128> {
    LongMsg::decode(bytes).ok().map(|message| message.long_msg.into())
}

fn read_count(bytes: &[u8]) -> Option<u64> {
    bytes.try_into().ok().map(u64::from_be_bytes)
}
