//! Runs work on every region at once.
//!
//! HBase's endpoint idea, on any store: a function runs on each region of a range, several at a time, and the caller
//! merges what comes back.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rowkey_core::range::KeyRange;

use crate::{Region, Store, StoreError, TableName};

/// Runs `work` on every region that holds keys of `range`, on up to `threads` threads, and returns what each gave, in
/// key order. `work` gets the region and the part of `range` that lies in it; the parts have no gap and no overlap,
/// also when regions are split or merged meanwhile, so rows that `work` scans there are each seen once.
///
/// ```no_run
/// # use rowkey_core::range::KeyRange;
/// # use rowkey_store::{RowBatch, Scan, Store, StoreError, TableName, per_region};
/// # fn count(store: &dyn Store, table: &TableName) -> Result<usize, StoreError> {
/// let counts = per_region(store, table, &KeyRange::all(), 4, |_region, range| {
///     let mut scanner = store.scan(table, &Scan::new(range))?;
///     let (mut batch, mut rows) = (RowBatch::new(), 0);
///     while scanner.next_batch(&mut batch)? {
///         rows += batch.len();
///     }
///     Ok::<usize, StoreError>(rows)
/// })?;
/// # Ok(
/// counts.iter().sum()
/// # )
/// # }
/// ```
///
/// # Errors
/// The first failure by key order, after all work that was begun has ended.
pub fn per_region<T: Send, E: From<StoreError> + Send>(
    store: &dyn Store,
    table: &TableName,
    range: &KeyRange,
    threads: usize,
    work: impl Fn(&Region, KeyRange) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let parts: Vec<(Region, KeyRange)> = store
        .regions(table)?
        .into_iter()
        .map(|region| {
            let part = region.range.intersect(range);
            (region, part)
        })
        .filter(|(_, part)| !part.is_empty())
        .collect();
    in_parallel(&parts, threads, |_, (region, part)| work(region, part.clone()))
}

/// Runs `work` on every item and its number, on up to `threads` threads, and returns what each gave, in the order of the items. They are
/// begun in that order, so that work on one may wait for those before it.
///
/// # Errors
/// The first failure by the order of the items, after all work that was begun has ended.
pub fn in_parallel<I: Sync, T: Send, E: Send>(
    items: &[I],
    threads: usize,
    work: impl Fn(usize, &I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
    let results: Mutex<Vec<(usize, Result<T, E>)>> = Mutex::new(Vec::with_capacity(items.len()));
    let worker = || {
        // After a failure nothing new is begun behind it; what lies before it may fail too, and would come first.
        while let at = next.fetch_add(1, Ordering::Relaxed)
            && at < failed.load(Ordering::Relaxed)
            && let Some(item) = items.get(at)
        {
            let result = work(at, item);
            if result.is_err() {
                failed.fetch_min(at, Ordering::Relaxed);
            }
            results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((at, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(items.len()) {
            // This thread works too, so fewer others will do.
            if std::thread::Builder::new().spawn_scoped(scope, worker).is_err() {
                break;
            }
        }
        worker();
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}
