//! Our own client at the same jobs as its rivals.
//!
//! ```text
//! put FIRST COUNT                 rows in bulk
//! get FIRST COUNT IN_FLIGHT       single gets
//! multiget FIRST COUNT SIZE       gets in batches
//! scan                            all rows
//! increment FIRST COUNT IN_FLIGHT single increments of a thousand counters
//! ```
//!
//! The answer is the number of operations (rows, for a scan) and a proof: rows found, bytes of keys and values read.

use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rowkey_core::range::KeyRange;
use rowkey_hbase::{ClusterUrl, HBaseClient, Options};
use rowkey_store::{Get, Increment, RowBatch, Scan, TableName};
use tokio::task::JoinSet;

use super::address;

/// Rows in a batch of a bulk load, and batches on their way at once.
const BATCH: u64 = 2_000;
const BATCHES: usize = 2;

const HEX: &[u8; 16] = b"0123456789abcdef";

fn key(row: u64) -> [u8; 16] {
    let mixed = (row + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    std::array::from_fn(|at| HEX[(mixed >> (60 - 4 * at)) as usize & 15])
}

fn value(row: u64) -> [u8; 100] {
    [b'a' + (row % 26) as u8; 100]
}

/// Does jobs from standard input until it ends. `args`: URL, table of rows, table of counters, then `SERVER=ADDRESS`.
///
/// # Errors
/// What the client says.
pub fn run(args: &[String]) -> Result<(), String> {
    let [url, rows, counters, via @ ..] = args else { return Err("four arguments are needed".to_owned()) };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.map_err(|problem| problem.to_string())?.block_on(async {
        let url: ClusterUrl = url.parse().map_err(|problem| format!("{problem}"))?;
        let mut options = Options::default();
        for pair in via {
            let (server, reached) = pair.split_once('=').ok_or(format!("`{pair}` is not SERVER=ADDRESS"))?;
            options.addresses.insert(address(server)?, address(reached)?);
        }
        let client =
            HBaseClient::connect_with(&url, options).await.map_err(|problem| format!("{problem:?}"))?;
        let name = |name: &str| name.parse::<TableName>().map_err(|problem| problem.to_string());
        let ours = Arc::new(Ours { client, rows: name(rows)?, counters: name(counters)? });
        let mut out = std::io::stdout();
        let mut say = |line: String| writeln!(out, "{line}").and_then(|()| out.flush());
        say("ready 0".to_owned()).map_err(|problem| problem.to_string())?;
        for line in std::io::stdin().lock().lines() {
            let line = line.map_err(|problem| problem.to_string())?;
            let (operations, proof) =
                ours.work(&line).await.map_err(|problem| format!("{line}: {problem}"))?;
            say(format!("{operations} {proof}")).map_err(|problem| problem.to_string())?;
        }
        Ok(())
    })
}

struct Ours {
    client: Arc<HBaseClient>,
    rows: TableName,
    counters: TableName,
}

type Done = Result<(u64, u64), String>;

/// A failure with its causes.
fn words(error: rowkey_hbase::HBaseError) -> String {
    format!("{error:?}")
}

impl Ours {
    async fn work(self: &Arc<Self>, line: &str) -> Done {
        let mut parts = line.split(' ');
        let job = parts.next().unwrap_or_default();
        let mut number = || parts.next().and_then(|part| part.parse::<u64>().ok()).unwrap_or(0);
        let (first, count, more) = (number(), number(), number());
        match job {
            "put" => self.put(first, count).await,
            "get" => self.in_flight(first, count, more, Self::get).await,
            "multiget" => self.multi_get(first, count, more).await,
            "scan" => self.scan().await,
            "increment" => self.in_flight(first, count, more, Self::increment).await,
            unknown => Err(format!("there is no job `{unknown}`")),
        }
    }

    async fn put(self: &Arc<Self>, first: u64, count: u64) -> Done {
        let next = Arc::new(AtomicU64::new(first));
        let mut tasks = JoinSet::new();
        for _ in 0..BATCHES {
            let (ours, next, end) = (Arc::clone(self), Arc::clone(&next), first + count);
            tasks.spawn(async move {
                let mut batch = RowBatch::new();
                loop {
                    let begin = next.fetch_add(BATCH, Ordering::Relaxed);
                    if begin >= end {
                        return Ok::<(), String>(());
                    }
                    batch.clear();
                    for row in begin..(begin + BATCH).min(end) {
                        batch.begin_row(&key(row));
                        batch.cell(b"d", b"v", rowkey_store::LATEST_TIMESTAMP, &value(row));
                    }
                    ours.client.put_batch(&ours.rows, &batch).await.map_err(words)?;
                }
            });
        }
        while let Some(done) = tasks.join_next().await {
            done.map_err(|problem| problem.to_string())??;
        }
        Ok((count, count))
    }

    /// Many tasks, each with one operation at a time.
    async fn in_flight<F, Fut>(self: &Arc<Self>, first: u64, count: u64, most: u64, operation: F) -> Done
    where
        F: Fn(Arc<Self>, u64) -> Fut + Copy + Send + 'static,
        Fut: Future<Output = Result<u64, String>> + Send,
    {
        let next = Arc::new(AtomicU64::new(first));
        let mut tasks = JoinSet::new();
        for _ in 0..most {
            let (ours, next, end) = (Arc::clone(self), Arc::clone(&next), first + count);
            tasks.spawn(async move {
                let mut found = 0;
                loop {
                    let row = next.fetch_add(1, Ordering::Relaxed);
                    if row >= end {
                        return Ok::<u64, String>(found);
                    }
                    found += operation(Arc::clone(&ours), row).await?;
                }
            });
        }
        let mut found = 0;
        while let Some(of_task) = tasks.join_next().await {
            found += of_task.map_err(|problem| problem.to_string())??;
        }
        Ok((count, found))
    }

    async fn get(self: Arc<Self>, row: u64) -> Result<u64, String> {
        let mut found = RowBatch::new();
        let there = self.client.get(&self.rows, &Get::new(key(row)), &mut found).await.map_err(words)?;
        Ok(u64::from(there))
    }

    async fn increment(self: Arc<Self>, row: u64) -> Result<u64, String> {
        let increment = Increment::new(format!("c{}", row % 1000)).add("d", "n", 1);
        let outcome = self.client.run(&self.counters, &increment.into()).await.map_err(words)?;
        Ok(outcome.rows.cell_count() as u64)
    }

    async fn multi_get(&self, first: u64, count: u64, size: u64) -> Done {
        let (mut found, mut batch) = (0, RowBatch::new());
        let mut begin = first;
        while begin < first + count {
            let end = (begin + size.max(1)).min(first + count);
            let gets: Vec<Get> = (begin..end).map(|row| Get::new(key(row))).collect();
            batch.clear();
            let there = self.client.get_many(&self.rows, &gets, &mut batch).await.map_err(words)?;
            found += there.into_iter().filter(|&there| there).count() as u64;
            begin = end;
        }
        Ok((count, found))
    }

    async fn scan(&self) -> Done {
        // As many as fit an answer of 2 MB, which is what HBase's own client asks for.
        let scan = Scan { batch_rows: 20_000, ..Scan::new(KeyRange::all()) };
        let mut rows = self.client.scan(&self.rows, &scan).await.map_err(words)?;
        let (mut count, mut bytes, mut batch) = (0, 0, RowBatch::new());
        while rows.next(&mut batch).await.map_err(words)? {
            for row in batch.rows() {
                count += 1;
                bytes += row.cells().map(|cell| row.key().len() + cell.value.len()).sum::<usize>() as u64;
            }
        }
        Ok((count, bytes))
    }
}
