//! The options hash of a command, such as `{LIMIT => 10}`.

use std::ops::Bound;

use rowkey_core::KeyRange;
use rowkey_store::{Columns, Direction, Get, Scan, TimeRange};

use crate::cells::{CellStyle, ColumnName, Format};
use crate::error::ShellError;
use crate::filter_text::parse_filter;
use crate::language::{Hash, Value};

/// The options of a command.
pub(crate) struct Options<'h>(pub(crate) &'h Hash);

impl<'h> Options<'h> {
    /// The value of an option that is there and not nil.
    pub(crate) fn get(&self, name: &str) -> Option<&'h Value> {
        self.0
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
            .filter(|value| **value != Value::Nil)
    }

    pub(crate) fn is_true(&self, name: &str) -> bool {
        self.get(name).is_some_and(Value::is_true)
    }

    pub(crate) fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        self.get(name).map(Value::bytes)
    }

    pub(crate) fn int(&self, name: &str) -> Result<Option<i64>, ShellError> {
        self.get(name).map(|value| int(name, value)).transpose()
    }

    /// A number that counts something, if it is above zero.
    pub(crate) fn count(&self, name: &str) -> Result<Option<usize>, ShellError> {
        Ok(self.int(name)?.and_then(|number| usize::try_from(number).ok()).filter(|number| *number > 0))
    }

    /// `COLUMN` or `COLUMNS`: a text or a list of them.
    pub(crate) fn columns(&self) -> Result<Option<Vec<ColumnName>>, ShellError> {
        let named = match self.get("COLUMNS").or_else(|| self.get("COLUMN")) {
            None => return Ok(None),
            Some(text @ Value::Text(_)) => std::slice::from_ref(text),
            Some(Value::List(texts)) => texts,
            Some(_) => return ShellError::argument("COLUMNS must be specified as a String or an Array"),
        };
        named.iter().map(|text| ColumnName::parse(&text.bytes())).collect::<Result<_, _>>().map(Some)
    }

    /// `TIMESTAMP` or `TIMERANGE`.
    pub(crate) fn time_range(&self) -> Result<Option<TimeRange>, ShellError> {
        if let Some(range) = self.get("TIMERANGE") {
            let Value::List(ends) = range else {
                return ShellError::argument(format!("TIMERANGE is {}; write [from, to]", range.inspect()));
            };
            let [from, to] = ends.as_slice() else {
                return ShellError::argument(format!("TIMERANGE is {}; write [from, to]", range.inspect()));
            };
            return Ok(Some(TimeRange::new(int("TIMERANGE", from)?, int("TIMERANGE", to)?)?));
        }
        Ok(self.int("TIMESTAMP")?.map(TimeRange::at).transpose()?)
    }

    /// How cells are printed.
    pub(crate) fn style(&self, epoch: bool) -> Result<CellStyle, ShellError> {
        let format = self.get("FORMATTER").map(|name| Format::named(&name.text())).transpose()?;
        if let Some(class) = self.get("FORMATTER_CLASS")
            && class.bytes() != b"org.apache.hadoop.hbase.util.Bytes"
        {
            return ShellError::argument(format!(
                "FORMATTER_CLASS is {}, but there are no Java classes here; leave it out",
                class.inspect()
            ));
        }
        Ok(CellStyle {
            epoch,
            format: format.unwrap_or_default(),
            columns: self.columns()?.unwrap_or_default(),
            max_length: self.count("MAXLENGTH")?,
        })
    }

    /// The scan that `scan` and `count` run.
    pub(crate) fn scan(&self) -> Result<Scan, ShellError> {
        let reversed = self.is_true("REVERSED");
        let mut scan = Scan::new(self.range(reversed));
        scan.direction = if reversed { Direction::Reverse } else { Direction::Forward };
        scan.columns = columns(self.columns()?.unwrap_or_default());
        scan.versions = versions(self.int("VERSIONS")?);
        scan.time_range = self.time_range()?.unwrap_or_default();
        scan.filter = self.bytes("FILTER").map(|text| parse_filter(&text)).transpose()?;
        scan.raw = self.is_true("RAW");
        scan.limit = self.count("LIMIT")?;
        scan.cells_per_result = self.count("BATCH")?;
        if let Some(rows) = self.count("CACHE")? {
            scan.batch_rows = rows;
        }
        Ok(scan)
    }

    fn range(&self, reversed: bool) -> KeyRange {
        if let Some(prefix) = self.bytes("ROWPREFIXFILTER") {
            return KeyRange::prefix(&prefix);
        }
        let row = |name: &str| self.bytes(name).filter(|row| !row.is_empty());
        let (start, stop) = (row("STARTROW"), row("STOPROW"));
        let from = start.map_or(Bound::Unbounded, Bound::Included);
        let to = stop.map_or(Bound::Unbounded, Bound::Excluded);
        if reversed { KeyRange { start: to, end: from } } else { KeyRange { start: from, end: to } }
    }
}

fn int(name: &str, value: &Value) -> Result<i64, ShellError> {
    let number = match value {
        Value::Int(number) => Some(*number),
        Value::Text(text) => std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok()),
        _ => None,
    };
    number.ok_or_else(|| {
        ShellError::Argument(format!("{name} is {}; it must be a whole number", value.inspect()))
    })
}

fn columns(named: Vec<ColumnName>) -> Columns {
    if named.is_empty() {
        return Columns::All;
    }
    Columns::Only(named.into_iter().map(|column| (column.family, column.qualifier)).collect())
}

fn versions(asked: Option<i64>) -> u32 {
    asked.and_then(|versions| u32::try_from(versions).ok()).unwrap_or(1).max(1)
}

/// The row that `get` reads: columns one by one, or a hash.
pub(crate) fn get(row: &Value, arguments: &[Value]) -> Result<(Get, Hash), ShellError> {
    let hash: Hash = match arguments {
        [Value::Hash(hash), ..] => hash.clone(),
        columns => vec![("COLUMNS".to_owned(), Value::List(Value::flat(columns)))],
    };
    let options = Options(&hash);
    let mut get = Get::new(row.bytes());
    // What HBase takes out before it looks whether anything is left that says what to read.
    let aside = ["MAXLENGTH", "FILTER", "CONSISTENCY", "REGION_REPLICA_ID", "FORMATTER", "FORMATTER_CLASS"];
    let left: Hash = hash.iter().filter(|(key, _)| !aside.contains(&key.as_str())).cloned().collect();
    if !left.is_empty() {
        match options.columns()? {
            Some(named) => get.columns = columns(named),
            None if options.get("TIMESTAMP").or(options.get("TIMERANGE")).is_some() => {}
            None => {
                return ShellError::argument(format!(
                    "Failed parse of {}, Hash",
                    Value::Hash(left).inspect()
                ));
            }
        }
        get.versions = versions(options.int("VERSIONS")?);
        get.time_range = options.time_range()?.unwrap_or_default();
    }
    get.filter = options.bytes("FILTER").map(|text| parse_filter(&text)).transpose()?;
    Ok((get, hash))
}
