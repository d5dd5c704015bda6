//! What queries read of six designs, by HBase's own counts, beside what was predicted.
//!
//! | figure | predicted | counted |
//! | --- | --- | --- |
//! | rows | rows read by scans and gets | `ROWS_SCANNED` of HBase's scan metrics, and gets |
//! | calls | scanners opened at regions, again for each jump of the reader, and rows asked for by their keys | the same |
//!
//! Both are the means of a query's draws, and may differ by 15% of the prediction, or by two rows or one call.

use rowkey_core::batch::{Column, ColumnBuffer};
use rowkey_core::query::Plan;
use rowkey_hbase::HBaseStore;
use rowkey_lab::simulate::{Data, Outcome, QueryCost, Workload};
use rowkey_testing::cluster;

use super::POINTS;
use super::counting::{Counting, Requests};
use super::orders::{SEED, SERVERS, WRITES, designs, drawn, questions};
use super::tried::Tried;

/// What is counted may differ by so much of the prediction, or so many rows or calls.
const WITHIN: f64 = 0.15;
const ROWS: f64 = 2.0;
const CALLS: f64 = 1.0;
/// Where times are asked for, by `ROWKEY_TRUTH_QUERIES`, the recommended design may take so many times what the best takes.
const DEARER: f64 = 1.1;
/// Records of one write.
const BATCH: usize = 1_000;

/// How much is done: records, queries, and rounds in which these are timed.
fn amounts() -> (usize, usize, usize) {
    let asked = std::env::var("ROWKEY_TRUTH_QUERIES").ok().and_then(|text| text.parse().ok());
    asked.map_or((4_000, 50, 1), |queries| (20_000, queries, 5))
}

#[test]
fn hbase_reads_what_was_simulated() {
    let store = Counting::new(HBaseStore::connect(&cluster::shared().zookeeper_url).unwrap());
    let (records, count, rounds) = amounts();
    let drawn = drawn(records);
    let mut buffers: Vec<ColumnBuffer> =
        drawn.fields.iter().map(|(_, field)| ColumnBuffer::new(field.ty)).collect();
    for record in &drawn.sample {
        buffers.iter_mut().zip(record).for_each(|(buffer, value)| buffer.push(value).unwrap());
    }
    let columns: Vec<Column<'_>> = buffers.iter().map(ColumnBuffer::column).collect();
    let data = Data { fields: &drawn.fields, columns: &columns, rows: drawn.sample.len() };
    let draws = count.div_ceil(questions().len());
    let asked = Workload { queries: questions(), draws }.draw(&data, SEED).unwrap();

    let prefix = format!("truth_reads_{}", std::process::id());
    let made = designs(&drawn, &prefix);
    let mut tried: Vec<Tried<'_>> =
        made.into_iter().map(|(label, table)| Tried::create(&store, label, table)).collect();
    let outcomes: Vec<Outcome> = tried.iter().map(|tried| tried.predict(&data, &asked)).collect();
    for records in drawn.sample.chunks(BATCH) {
        tried.iter_mut().for_each(|tried| tried.write(records));
    }
    let mut wrong = Vec::new();
    for (tried, outcome) in tried.iter().zip(&outcomes) {
        shares(tried, outcome, data.rows as u64, &mut wrong);
    }
    // By design and query, the plans of its draws.
    let plans: Vec<Vec<Vec<Plan>>> = tried
        .iter()
        .map(|tried| asked.drawn().map(|(_, drawn)| drawn.map(|query| tried.plan(query)).collect()).collect())
        .collect();
    let mut returned: Vec<Vec<usize>> = Vec::new();
    for ((tried, outcome), plans) in tried.iter().zip(&outcomes).zip(&plans) {
        println!("{}", tried.label);
        let mut own = Vec::new();
        for (query, plans) in outcome.reads.as_ref().unwrap().queries.iter().zip(plans) {
            let counts: Vec<(Requests, usize)> = plans.iter().map(|plan| tried.count(plan)).collect();
            own.push(counts.iter().map(|(_, returned)| returned).sum());
            compare(tried, query, &counts, &mut wrong);
        }
        returned.push(own);
    }
    // Whatever the design, the answers are the same.
    assert!(returned.windows(2).all(|two| two[0] == two[1]), "{returned:?}");
    let times = times(&tried, &plans, (records, rounds));
    if rounds > 1 && times > DEARER {
        wrong.push(format!("the recommended design takes {times:.2} times what the best takes"));
    }
    assert!(wrong.is_empty(), "not as predicted:\n{}", wrong.join("\n"));
}

/// Shares of writes: of the table by region, of its index tables by server as regions are assigned to these.
fn shares(tried: &Tried<'_>, outcome: &Outcome, rows: u64, wrong: &mut Vec<String>) {
    let mut before = 0;
    for (place, writes) in tried.writes(rows).iter().enumerate() {
        let mut servers = vec![0; SERVERS];
        for (region, writes) in writes.iter().enumerate() {
            servers[(before + region) % SERVERS] += writes;
        }
        before += writes.len();
        let (counted, predicted): (&[u64], Vec<u64>) = match place {
            0 => (writes, outcome.region_loads.iter().map(|region| region.rows).collect()),
            _ => (&servers, outcome.tables[place].rows.clone()),
        };
        let share = |all: &[u64], at: usize| all[at] as f64 / all.iter().sum::<u64>() as f64 * 100.0;
        assert_eq!(counted.len(), predicted.len(), "{}", tried.label);
        let difference = (0..counted.len()).map(|at| (share(counted, at) - share(&predicted, at)).abs());
        let difference = difference.fold(0.0, f64::max);
        println!("writes of table {place} of {}: largest difference {difference:.2} points", tried.label);
        if difference > POINTS {
            wrong.push(format!("{}: shares of writes of table {place}, {difference:.2} points", tried.label));
        }
    }
}

fn compare(tried: &Tried<'_>, query: &QueryCost, counts: &[(Requests, usize)], wrong: &mut Vec<String>) {
    let mean = |figure: fn(&Requests) -> u64| {
        counts.iter().map(|(requests, _)| figure(requests) as f64).sum::<f64>() / counts.len() as f64
    };
    let rows = (query.reading.rows, mean(|requests| requests.rows + requests.gets));
    let calls = (query.calls(), mean(|requests| requests.regions + requests.gets));
    let line = format!(
        "  {:<20} by {}  rows {:>8.1} {:>8.1}  calls {:>6.1} {:>6.1}",
        query.name, query.by, rows.0, rows.1, calls.0, calls.1
    );
    println!("{line}");
    for ((predicted, counted), least) in [(rows, ROWS), (calls, CALLS)] {
        if (predicted - counted).abs() > (WITHIN * predicted).max(least) {
            wrong.push(format!("{}{line}", tried.label));
        }
    }
}

/// How long requests take, in turns: how many times what the best design takes the recommended one does.
fn times(tried: &[Tried<'_>], plans: &[Vec<Vec<Plan>>], (records, rounds): (usize, usize)) -> f64 {
    let weights: Vec<f64> = questions().iter().map(|query| f64::from(query.weight) / 100.0).collect();
    // By design and query, what each round took in the mean of its draws.
    let mut seconds: Vec<Vec<Vec<f64>>> = vec![vec![Vec::new(); weights.len()]; tried.len()];
    for _ in 0..rounds {
        for ((tried, plans), seconds) in tried.iter().zip(plans).zip(&mut seconds) {
            for (plans, seconds) in plans.iter().zip(seconds) {
                let sum: f64 = plans.iter().map(|plan| tried.time(plan)).sum();
                seconds.push(sum / plans.len() as f64);
            }
        }
    }
    println!("milliseconds of a read, a write, and a request of which {:.0}% are writes", WRITES * 100.0);
    let mut requests = Vec::new();
    for (tried, seconds) in tried.iter().zip(&mut seconds) {
        let mut read = 0.0;
        let mut each = String::new();
        for (seconds, weight) in seconds.iter_mut().zip(&weights) {
            seconds.sort_by(f64::total_cmp);
            let median = seconds[seconds.len() / 2] * 1e3;
            read += weight * median;
            each.push_str(&format!(" {median:>7.2}"));
        }
        let write = tried.writing.as_secs_f64() * 1e3 / records as f64;
        requests.push(WRITES * write + (1.0 - WRITES) * read);
        println!("{read:>8.2} {write:>8.3} {:>8.2}  |{each}  {}", requests.last().unwrap(), tried.label);
    }
    let best = requests.iter().copied().fold(f64::INFINITY, f64::min);
    println!(
        "the recommended design takes {:.2} times what the best of {} takes",
        requests[0] / best,
        tried.len()
    );
    requests[0] / best
}
