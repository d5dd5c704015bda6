//! Is every acknowledged row there once when network and cluster misbehave?
//!
//! A client reaches its region servers through proxies that cut frames in the middle, swallow them, fall silent and delay
//! ([`rowkey_testing::fault_proxy`]), while another thread moves, splits and merges the regions and stops a server. Meanwhile
//! threads load rows, read all of them in order, forwards and backwards, and count up counters.
//!
//! **The law**: a row that was acknowledged is read once by every scan that begins later; a counter has counted every
//! acknowledged increment once; no operation ends later than its deadline; an operation that fails names table, region,
//! server and attempt. The run counts only if enough relocations and cut frames really happened.
//!
//! `ROWKEY_FAULT_ROWS` says how many rows (default 20,000; the long run is 200,000):
//!
//! ```text
//! ROWKEY_FAULT_ROWS=200000 cargo test --release -p rowkey-hbase --test faults -- --nocapture
//! ```

#![expect(clippy::print_stdout, reason = "the figures of a run are its result")]

mod counters;
mod disturbance;
mod load;
mod pace;
mod scans;
mod scene;
mod slow_reader;

use std::thread;
use std::time::Instant;

use pace::Pace;
use scene::Scene;

/// How much must have happened, by the number of rows.
struct Least {
    steps: usize,
    relocations: u64,
    cut: u64,
}

fn least(rows: usize) -> Least {
    if rows >= 200_000 {
        Least { steps: 24, relocations: 20, cut: 50 }
    } else {
        Least { steps: 8, relocations: 5, cut: 10 }
    }
}

#[test]
fn every_acknowledged_row_is_there_once_on_a_bad_network_and_a_moving_cluster() {
    let rows = std::env::var("ROWKEY_FAULT_ROWS")
        .ok()
        .map_or(20_000, |text| text.replace('_', "").parse().expect("ROWKEY_FAULT_ROWS is a number of rows"));
    let Least { steps, relocations, cut } = least(rows);
    let scene = Scene::set();
    let pace = Pace::new(rows, steps);
    let started = Instant::now();
    let (loaded, scanned, counted, disturbed) = thread::scope(|threads| {
        let disturbing = threads.spawn(|| disturbance::run(&scene, &pace, steps));
        let loading: Vec<_> =
            (0..load::THREADS).map(|_| threads.spawn(|| load::run(&scene, &pace))).collect();
        let scanning = threads.spawn(|| scans::run(&scene, &pace));
        let dozing = threads.spawn(|| slow_reader::run(&scene, &pace));
        let counting = threads.spawn(|| counters::run(&scene, &pace));
        let mut loaded = load::Loaded::default();
        for part in loading {
            loaded += part.join().expect("rows are loaded");
        }
        dozing.join().expect("a slow reader keeps its scanner");
        (
            loaded,
            scanning.join().expect("scans are right"),
            counting.join().expect("counters are right"),
            disturbing.join().expect("the cluster obeys"),
        )
    });
    let (client, network) = (scene.store.figures(), scene.network());
    println!("{rows} rows acknowledged in {:.1} s, {loaded}", started.elapsed().as_secs_f64());
    println!("{scanned}");
    println!("{counted}");
    println!("the cluster: {disturbed}");
    println!("the network: {network:?}");
    println!("the client: {client:?}");

    scene.good_network();
    scans::everything_is_there_once(&scene, rows);
    counters::every_acknowledged_one_counted_once(&scene, &counted);
    assert!(
        client.relocations >= relocations,
        "only {} relocations; the run does not count",
        client.relocations
    );
    assert!(network.cut >= cut, "only {} cut frames; the run does not count", network.cut);
    assert!(network.dropped > 0 && network.stalled > 0 && network.delayed > 0, "{network:?}");
    println!("every acknowledged row was there once; every acknowledged increment and append happened once");

    scene.failures_name_table_region_server_and_attempt();
}
