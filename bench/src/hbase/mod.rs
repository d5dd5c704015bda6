//! Measures rowkey's HBase client beside HBase's own and gohbase.
//!
//! One local cluster, and one process for each client ([`candidate`]), ours too ([`ours`]), so that processor time and
//! memory are measured alike, from outside. They take turns at the same jobs, and in each round another one begins; a figure
//! is the median over the rounds of the ratio within a round, because the machine is never quiet.
//!
//! The servers run on the same machine and take most of its processors, so throughput says as much about them as about the
//! client; processor time of the client does not.

mod candidate;
pub mod ours;
mod report;

use std::net::SocketAddr;

use candidate::{Candidate, Turn};
use report::{Goal, Job};
use rowkey_hbase::{HBaseStore, HostPort};
use rowkey_store::{Admin, Chore, Family, TableDescriptor, TableName};
use rowkey_testing::cluster::{self, Cluster};
use rowkey_testing::fault_proxy::{FaultProxy, Faults};

const ROWS: &str = "bench_rows";
const COUNTERS: &str = "bench_counters";
/// In each direction, so a call takes two milliseconds longer.
const DELAY: std::time::Duration = std::time::Duration::from_millis(1);

/// How much is done.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub rows: u64,
    pub rounds: usize,
    pub java: bool,
    pub go: bool,
}

/// Runs all and prints the tables.
///
/// # Errors
/// Without a cluster, or when a client does not do its work.
pub fn run(size: Size) -> Result<(), String> {
    let said = |problem: &dyn std::fmt::Display| problem.to_string();
    let cluster = Cluster::start_with(&cluster::Options::default(), &mut |line| eprintln!("{line}"))
        .map_err(|problem| said(&problem))?;
    let admin = HBaseStore::connect(&cluster.zookeeper_url).map_err(|problem| said(&problem))?;
    admin.switch(Chore::Balancer, false).map_err(|problem| said(&problem))?;
    let rows = create(&admin, ROWS, &["2", "4", "6", "8", "a", "c", "e"])?;
    create(&admin, COUNTERS, &["c3", "c6"])?;

    let mut candidates = vec![Candidate::ours("rowkey", &cluster.zookeeper_url, &[])?];
    if size.java {
        candidates.push(Candidate::java(cluster.endpoints().zookeeper_address())?);
    }
    if size.go {
        match Candidate::go(cluster.endpoints().zookeeper_address()) {
            Ok(go) => candidates.push(go),
            Err(reason) => println!("gohbase is left out: {reason}\n"),
        }
    }
    let mut bench = Bench { candidates, size, next: 0 };
    println!(
        "{} rows of one cell of 100 bytes, 8 regions, 3 region servers, {} rounds\n",
        size.rows, size.rounds
    );
    bench.warm_up()?;
    let puts = bench.puts()?;
    puts.show(Goal { throughput: 0.95, cpu_of_java: Some(0.35) });
    admin.major_compact(&rows).map_err(|problem| said(&problem))?;

    let gets = (size.rows / 20).clamp(1_000, 50_000);
    let one = bench.reads("single gets, 1 in flight", &format!("{} 1", gets / 10), "get")?;
    one.show(Goal { throughput: 0.95, cpu_of_java: None });
    let many = bench.reads("single gets, 64 in flight", &format!("{gets} 64"), "get")?;
    many.show(Goal { throughput: 0.95, cpu_of_java: None });
    let batched = bench.reads("gets in batches of 100", &format!("{} 100", gets * 2), "multiget")?;
    batched.show(Goal { throughput: 0.95, cpu_of_java: None });
    bench.scans()?.show(Goal { throughput: 0.95, cpu_of_java: Some(0.2) });
    let increments = bench.reads("increments, 64 in flight", &format!("{gets} 64"), "increment")?;
    increments.show(Goal { throughput: 0.95, cpu_of_java: None });

    report::memory(&bench.candidates);
    report::in_flight("without delay", one.rate_of_first(), many.rate_of_first(), 4.0);
    with_delay(&cluster, &admin, gets, size.rounds)
}

fn create(admin: &HBaseStore, name: &str, splits: &[&str]) -> Result<TableName, String> {
    let name: TableName = name.parse().expect("a valid name");
    let families = vec![Family::new("d")];
    let table = TableDescriptor { name: name.clone(), families, attributes: Default::default() };
    let splits: Vec<Vec<u8>> = splits.iter().map(|split| split.as_bytes().to_vec()).collect();
    admin.create_table(&table, &splits).map_err(|problem| problem.to_string())?;
    Ok(name)
}

struct Bench {
    candidates: Vec<Candidate>,
    size: Size,
    /// The first row that nobody has written or read yet.
    next: u64,
}

impl Bench {
    /// Connections are opened, and the JVM compiles what runs often.
    fn warm_up(&mut self) -> Result<(), String> {
        let rows = (self.size.rows / 10).clamp(1_000, 20_000);
        for candidate in &mut self.candidates {
            candidate.turn(&format!("put 0 {rows}"))?;
            for job in ["get", "increment"] {
                candidate.turn(&format!("{job} 0 {} 64", rows / 2))?;
            }
            candidate.turn(&format!("multiget 0 {rows} 100"))?;
            candidate.turn("scan")?;
        }
        Ok(())
    }

    /// Everybody does one job after another; the work of each is proved by its answer.
    fn rounds(
        &mut self,
        title: &str,
        rounds: usize,
        mut job: impl FnMut(usize) -> String,
    ) -> Result<Job, String> {
        let count = self.candidates.len();
        let mut turns: Vec<Vec<Turn>> = vec![Vec::new(); count];
        for round in 0..rounds {
            let mut proofs = Vec::new();
            for at in (0..count).map(|place| (place + round) % count) {
                let job = job(at);
                let turn = self.candidates[at].turn(&job)?;
                proofs.push((turn.operations, turn.proof));
                turns[at].push(turn);
            }
            if proofs.iter().any(|proof| *proof != proofs[0]) {
                return Err(format!("{title}: the candidates did not do the same: {proofs:?}"));
            }
        }
        let names = self.candidates.iter().map(|candidate| candidate.name).collect();
        Ok(Job { title: title.to_owned(), names, turns })
    }

    /// All rows, a part of them by each candidate.
    fn puts(&mut self) -> Result<Job, String> {
        let parts = self.size.rounds * self.candidates.len();
        let each = self.size.rows.div_ceil(parts as u64);
        let mut next = self.next;
        let job = self.rounds("bulk put", self.size.rounds, |_| {
            let first = next;
            next += each;
            format!("put {first} {each}")
        })?;
        self.next = next;
        Ok(job)
    }

    /// A job on rows that each candidate takes from another place of the table.
    fn reads(&mut self, title: &str, rest: &str, name: &str) -> Result<Job, String> {
        let count: u64 = rest.split(' ').next().and_then(|count| count.parse().ok()).unwrap_or(1);
        let (mut first, rows) = (0, self.next.saturating_sub(count).max(1));
        let rounds = self.size.rounds.max(3);
        self.rounds(title, rounds, |_| {
            first = (first + count) % rows;
            format!("{name} {first} {rest}")
        })
    }

    fn scans(&mut self) -> Result<Job, String> {
        self.rounds("scan of all rows", self.size.rounds, |_| "scan".to_owned())
    }
}

/// Our own client through proxies that hold every frame back.
fn with_delay(cluster: &Cluster, admin: &HBaseStore, gets: u64, rounds: usize) -> Result<(), String> {
    let slow = Faults { delay_every: 1, delay: DELAY, ..Faults::default() };
    let status = admin.cluster_status().map_err(|problem| problem.to_string())?;
    let mut proxies = Vec::new();
    for server in status.servers {
        let target: SocketAddr =
            server.server.parse().map_err(|_| format!("{} is no address", server.server))?;
        let proxy = FaultProxy::start(target, slow).map_err(|problem| problem.to_string())?;
        proxies.push((server.server, proxy));
    }
    let via: Vec<(String, String)> =
        proxies.iter().map(|(server, proxy)| (server.clone(), proxy.address().to_string())).collect();
    let mut ours = Candidate::ours("rowkey", &cluster.zookeeper_url, &via)?;
    ours.turn("get 0 500 64")?;
    let (mut one, mut many) = (Vec::new(), Vec::new());
    for _ in 0..rounds.max(3) {
        one.push(ours.turn(&format!("get 0 {} 1", gets / 20))?.rate());
        many.push(ours.turn(&format!("get 0 {gets} 64"))?.rate());
    }
    report::in_flight("with 2 ms of delay", report::median(one), report::median(many), 10.0);
    Ok(())
}

/// `host:port`, as the command line has it.
fn address(text: &str) -> Result<HostPort, String> {
    let (host, port) = text.rsplit_once(':').ok_or(format!("`{text}` is no address"))?;
    let port = port.parse().map_err(|_| format!("`{text}` has no port"))?;
    Ok(HostPort { host: host.to_owned(), port })
}
