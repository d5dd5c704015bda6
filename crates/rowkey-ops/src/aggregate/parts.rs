//! Divides a plan's work among regions.

use rowkey_core::key::FieldId;
use rowkey_core::query::Plan;
use rowkey_core::types::IntForm;
use rowkey_core::{KeyRange, Table, Type, Value};
use rowkey_store::{Aggregate, Aggregated, Columns, Filter, RowView, Scan, Store, TableName, per_region};

use super::{AggregateOptions, Figures};
use crate::query::{self, QueryError, QueryOptions, divided};
use crate::record;

/// A plan, ready to be divided.
pub(super) struct Parts<'a> {
    store: &'a dyn Store,
    name: &'a TableName,
    table: &'a Table,
    plan: &'a Plan,
    options: &'a AggregateOptions,
    /// The keys to read, or `None` if the plan can only be run as a whole.
    ranges: Option<Vec<KeyRange>>,
}

impl<'a> Parts<'a> {
    pub(super) fn new(
        store: &'a dyn Store,
        name: &'a TableName,
        table: &'a Table,
        plan: &'a Plan,
        options: &'a AggregateOptions,
    ) -> Self {
        let ranges = divided::ranges(plan);
        Self { store, name, table, plan, options, ranges }
    }

    /// One state for each region, with every record in it that the plan returns.
    pub(super) fn records<T: Send>(
        &self,
        start: impl Fn() -> T + Sync,
        see: impl Fn(&mut T, &[Value<'_>]) + Sync,
    ) -> Result<Vec<T>, QueryError> {
        let Some(ranges) = &self.ranges else { return self.as_a_whole(start, see) };
        let template = Scan::new(KeyRange::all());
        self.by_region(ranges, &template, start, |state, row| {
            let values = record::read(self.table, row)?;
            if self.plan.residual.matches(&values) == Some(true) {
                see(state, &values);
            }
            Ok(())
        })
    }

    /// The same, where keys are enough to know that a row is one of the answer's; the record is then empty.
    pub(super) fn keys_or_records<T: Send>(
        &self,
        start: impl Fn() -> T + Sync,
        see: impl Fn(&mut T, &[Value<'_>]) + Sync,
    ) -> Result<Vec<T>, QueryError> {
        let Some(ranges) = self.exact_ranges() else { return self.records(start, see) };
        let mut template = Scan::new(KeyRange::all());
        if self.store.reads_ahead() {
            // Rows travel: one cell without its value is enough. In this process a filter costs more than it saves.
            let first = Filter::FirstKeyOnly;
            template.filter = Some(Filter::All(vec![first, Filter::KeyOnly { length_as_value: false }]));
        }
        self.by_region(ranges, &template, start, |state, row| {
            self.table.key.decode_values(row.key(), &mut Vec::new()).map_err(record::RowError::from)?;
            see(state, &[]);
            Ok(())
        })
    }

    /// The ranges, if every row in them is one of the answer's.
    fn exact_ranges(&self) -> Option<&Vec<KeyRange>> {
        self.ranges.as_ref().filter(|_| self.plan.residual.is_true())
    }

    /// Whether a key says that its row is one of the answer's.
    pub(super) fn keys_are_enough(&self) -> bool {
        self.exact_ranges().is_some()
    }

    fn as_a_whole<T>(
        &self,
        start: impl Fn() -> T,
        see: impl Fn(&mut T, &[Value<'_>]),
    ) -> Result<Vec<T>, QueryError> {
        let options = QueryOptions {
            skip_undecodable: self.options.skip_undecodable,
            cancel: self.options.cancel.clone(),
            ..QueryOptions::default()
        };
        let mut state = start();
        for record in query::run_with(self.store, self.name, self.table, self.plan, &options)? {
            see(&mut state, &record?.values);
        }
        Ok(vec![state])
    }

    fn by_region<T: Send>(
        &self,
        ranges: &[KeyRange],
        template: &Scan,
        start: impl Fn() -> T + Sync,
        take: impl Fn(&mut T, RowView<'_>) -> Result<(), record::RowError> + Sync,
    ) -> Result<Vec<T>, QueryError> {
        let work = |_: &_, part: KeyRange| -> Result<Option<T>, QueryError> {
            let inside = divided::inside(ranges, &part);
            if inside.is_empty() {
                return Ok(None);
            }
            let mut state = start();
            divided::rows(self.store, self.name, template, inside, &self.options.cancel, |row| {
                match take(&mut state, row) {
                    Err(_) if self.options.skip_undecodable => Ok(()),
                    other => other.map_err(QueryError::from),
                }
            })?;
            Ok(Some(state))
        };
        let found = per_region(self.store, self.name, &KeyRange::all(), self.options.threads, work)?;
        Ok(found.into_iter().flatten().collect())
    }

    /// What the store itself works out, range by range; `None` if it does not offer that, or if it could not know
    /// which rows count.
    pub(super) fn ask_store(&self, what: &Aggregate) -> Result<Option<Vec<Aggregated>>, QueryError> {
        self.ask_store_for(what, &Columns::All)
    }

    fn ask_store_for(
        &self,
        what: &Aggregate,
        columns: &Columns,
    ) -> Result<Option<Vec<Aggregated>>, QueryError> {
        let Some(ranges) = self.exact_ranges() else { return Ok(None) };
        // Without a range the store is not asked, and cannot say whether it would answer.
        if !self.options.endpoints || ranges.is_empty() {
            return Ok(None);
        }
        let mut found = Vec::with_capacity(ranges.len());
        for range in ranges {
            let scan = Scan { columns: columns.clone(), ..Scan::new(range.clone()) };
            match self.store.aggregate(self.name, &scan, *what)? {
                Aggregated::NotOffered => return Ok(None),
                answer => found.push(answer),
            }
        }
        Ok(Some(found))
    }

    /// The figures of a column, if it holds numbers as the endpoint reads them.
    ///
    /// The endpoint adds in 64 bits without a word about overflow, so its sum counts only if no sum of so many numbers
    /// between the smallest and the largest could have left them.
    pub(super) fn figures_by_store(&self, field: FieldId) -> Result<Option<Figures>, QueryError> {
        let declared = self.table.key.fields().get(field);
        let column = self.table.columns.iter().find(|column| column.field == field);
        let is_long = matches!(declared.ty, Type::Int(ty) if ty.bytes == 8 && ty.form != IntForm::Unsigned);
        let Some(column) = column.filter(|_| is_long) else { return Ok(None) };
        let names = (column.family.as_bytes().to_vec(), Some(column.qualifier.as_bytes().to_vec()));
        let only = Columns::Only(vec![names]);
        let numbers = |what, columns: &Columns| -> Result<Option<Vec<i128>>, QueryError> {
            let found = self.ask_store_for(&what, columns)?;
            Ok(found.map(|found| found.iter().filter_map(Aggregated::number).collect()))
        };
        let Some(rows) = numbers(Aggregate::Rows, &Columns::All)? else { return Ok(None) };
        let Some(values) = numbers(Aggregate::Rows, &only)? else { return Ok(None) };
        let (Some(min), Some(max)) = (numbers(Aggregate::Min, &only)?, numbers(Aggregate::Max, &only)?)
        else {
            return Ok(None);
        };
        let (min, max) = (min.into_iter().min(), max.into_iter().max());
        let values: i128 = values.into_iter().sum();
        let farthest = min.unwrap_or(0).abs().max(max.unwrap_or(0).abs());
        if farthest.checked_mul(values).is_none_or(|most| most > i128::from(i64::MAX)) {
            return Ok(None);
        }
        let Some(sum) = numbers(Aggregate::Sum, &only)? else { return Ok(None) };
        let count = |number: i128| u64::try_from(number).unwrap_or(u64::MAX);
        let value = |number: Option<i128>| number.map_or(Value::Null, Value::Int);
        Ok(Some(Figures {
            rows: count(rows.into_iter().sum()),
            values: count(values),
            min: value(min),
            max: value(max),
            sum: value((values > 0).then(|| sum.into_iter().sum())),
        }))
    }
}
