//! Measures what index tables cost beside the plain table.
//!
//! The program is called as a user calls it: the same orders are loaded into a table without index tables, with one thin one and with
//! two that keep copies; once into empty tables and once over rows that are there. Then an index table is built over rows, and a
//! row is found by an index in a closed store and in one whose process was killed. With `--hbase` the loads are repeated on a
//! cluster; with `--old REV` the program of that revision loads beside.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rowkey_testing::cluster::{Cluster, Options};

use crate::{Failure, Outcome, against, workspace};

/// Kinds of tables: their names, and the index tables of their files.
const KINDS: [(&str, &str); 3] = [
    ("plain", ""),
    (
        "one thin index",
        "[[index]]\nname = \"by_seller\"\nkey = \"[seller: escaped][ts desc][user_id][order_id: escaped]\"\n",
    ),
    (
        "two with copies",
        "[[index]]\nname = \"by_seller\"\nkey = \"[seller: escaped][ts desc][user_id][order_id: escaped]\"\n\
         columns = [\"amount\", \"status\"]\n\n\
         [[index]]\nname = \"by_status\"\nkey = \"[status: escaped][ts desc][user_id][order_id: escaped]\"\n\
         columns = [\"amount\", \"seller\"]\n",
    ),
];

const TABLE: &str = r#"[table]
name = "orders"
key = "[salt(16, user_id)][user_id][ts desc][order_id: escaped]"
splits = "salt"

[fields]
user_id = "u64"
ts = "timestamp"
order_id = "text"
seller = "text"
amount = "i64"
status = "text"

[families.d]
columns = { s = "seller", a = "amount", t = "status" }

"#;

/// At most so many times the cost of the plain load.
const GOALS: [f64; 3] = [1.0, 2.5, 5.0];

/// What a call of the program took.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    wall: f64,
    processor: f64,
    /// The most memory, in megabytes.
    memory: f64,
}

/// `cargo xtask bench index [--rows N] [--rounds N] [--hbase] [--old REV]`
pub(crate) fn run(args: &[String]) -> Outcome {
    let (mut most, mut rounds, mut hbase, mut old) = (10_000_000u64, 3, false, None);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut number = || args.next().and_then(|number| number.parse().ok());
        match arg.as_str() {
            "--rows" => most = number().ok_or_else(|| Failure::new("`--rows` needs a number"))?,
            "--rounds" => rounds = number().ok_or_else(|| Failure::new("`--rounds` needs a number"))?,
            "--hbase" => hbase = true,
            "--old" => old = args.next(),
            unknown => {
                return Err(Failure::new(format!("`cargo xtask bench index` has no option `{unknown}`")));
            }
        }
    }
    let program = workspace::release_build()?;
    let place = workspace::target().join("bench-index");
    fs::create_dir_all(&place)?;
    for (kind, (_, indexes)) in KINDS.iter().enumerate() {
        fs::write(place.join(format!("{kind}.toml")), format!("{TABLE}{indexes}"))?;
    }
    let bench = Bench { program, place };
    if let Some(revision) = old {
        let program = against::program_of(revision)?;
        println!("\n## the program of {revision}, 100,000 rows");
        Bench { program, place: bench.place.clone() }.loads(100_000, 1)?;
    }
    let sizes: Vec<u64> = [100_000, 1_000_000, 10_000_000].into_iter().filter(|rows| *rows <= most).collect();
    let mut per_row = Vec::new();
    for rows in sizes {
        println!("\n## {rows} rows, embedded store");
        per_row.push((rows, bench.loads(rows, if rows > 1_000_000 { 1 } else { rounds })?));
    }
    if let (Some((few, small)), Some((many, large))) = (per_row.first(), per_row.last()) {
        println!("\n## cost of a row, {many} rows beside {few} (goal: below 1.3)");
        for (kind, (small, large)) in KINDS.iter().zip(small.iter().zip(large)) {
            let each = |cost: &Cost, rows: &u64| cost.processor / *rows as f64;
            println!("{:<16} {:.2} of the processor time", kind.0, each(large, many) / each(small, few));
        }
        bench.build(*many)?;
        bench.gets()?;
    }
    if hbase { bench.on_hbase(most) } else { Ok(()) }
}

struct Bench {
    program: PathBuf,
    place: PathBuf,
}

impl Bench {
    fn store(&self, kind: usize) -> PathBuf {
        self.place.join(format!("store-{kind}"))
    }

    fn data(&self, rows: u64, nth: u64) -> Result<PathBuf, Failure> {
        let path = self.place.join(format!("orders-{rows}-{nth}.csv"));
        if !path.exists() {
            let mut out = BufWriter::new(fs::File::create(&path)?);
            writeln!(out, "user_id,ts,order_id,seller,amount,status")?;
            for row in 0..rows {
                let drawn = (row + nth * 77_777_777).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let (seller, amount) = ((drawn >> 40) % 2000, (drawn >> 20) % 100_000);
                let status = if drawn % 10 < 7 { "paid" } else { "open" };
                writeln!(
                    out,
                    "{},{},o{row:08},s{seller:04},{amount},{status}",
                    row.wrapping_mul(7919) % 50_000,
                    1_735_689_600_000u64 + row * 1000
                )?;
            }
            out.flush()?;
        }
        Ok(path)
    }

    /// Loads every kind of table, first and again over its rows, by turns; the medians of the first loads.
    fn loads(&self, rows: u64, rounds: u64) -> Result<Vec<Cost>, Failure> {
        let files = [self.data(rows, 1)?, self.data(rows, 2)?];
        let mut costs = vec![[Vec::new(), Vec::new()]; KINDS.len()];
        let mut sizes = [0.0; KINDS.len()];
        for _ in 0..rounds {
            for (kind, of_kind) in costs.iter_mut().enumerate() {
                let store = self.store(kind);
                if store.exists() {
                    fs::remove_dir_all(&store)?;
                }
                self.call(kind, &store, "create", &[])?;
                for (nth, file) in files.iter().enumerate() {
                    of_kind[nth].push(self.call(kind, &store, "load", &[file])?);
                    if nth == 0 {
                        sizes[kind] = bytes_in(&store)? as f64 / 1e6;
                    }
                }
            }
        }
        let medians = costs.into_iter().map(|both| both.map(|costs| median(&costs)));
        let medians: Vec<[Cost; 2]> = medians.collect();
        for (nth, what) in ["into empty tables", "over rows that are there"].iter().enumerate() {
            println!("{what}:");
            for ((kind, costs), goal) in KINDS.iter().zip(&medians).zip(GOALS) {
                let (cost, plain) = (costs[nth], medians[0][nth]);
                let (wall, processor) = (cost.wall / plain.wall, cost.processor / plain.processor);
                let missed = if wall.max(processor) > goal {
                    format!("  above the goal of {goal}")
                } else {
                    String::new()
                };
                println!(
                    "  {:<16} {:>7.2} s, {:>7.2} s of processor time, {:>4.0} MB of memory: {wall:.2} and {processor:.2} times the plain load{missed}",
                    kind.0, cost.wall, cost.processor, cost.memory
                );
            }
        }
        for (kind, size) in KINDS.iter().zip(sizes) {
            println!("  {:<16} {size:.1} MB on disk right after the first load", kind.0);
        }
        // What the cells need is what a compaction leaves.
        self.shell(
            &self.store(2),
            "major_compact 'orders'; major_compact 'by_seller'; major_compact 'by_status'",
        )?;
        let needed = bytes_in(&self.store(2))? as f64 / 1e6;
        println!(
            "  two with copies, compacted: {needed:.1} MB; right after the load {:.2} times that (goal: 1.3)",
            sizes[2] / needed
        );
        Ok(medians.iter().map(|both| both[0]).collect())
    }

    /// Builds an index table over the rows of the plain table.
    fn build(&self, rows: u64) -> Outcome {
        println!("\n## index build over {rows} rows (goal: 300,000 rows a second)");
        let cost = self.call(1, &self.store(0), "index build", &[])?;
        println!(
            "{:.2} s, {:.2} s of processor time, {:.0} MB of memory: {:.0} rows a second",
            cost.wall,
            cost.processor,
            cost.memory,
            rows as f64 / cost.wall
        );
        let verified = self.call(1, &self.store(0), "index verify", &[])?;
        println!("index verify: {:.2} s", verified.wall);
        Ok(())
    }

    /// Finds a row by an index in the largest store, closed and killed.
    fn gets(&self) -> Outcome {
        println!("\n## a row found by an index, from the command line");
        let get = || self.call(2, &self.store(2), "query", &[Path::new("seller = 's0042' limit 1")]);
        let closed = (0..7).map(|_| get()).collect::<Result<Vec<_>, _>>()?;
        println!("closed store: {:.0} ms (goal: 50)", median(&closed).wall * 1000.0);
        let small = self.data(20_000, 3)?;
        let mut load = self.command(2, &self.store(2), "load", &[&small]);
        let mut load = load.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        std::thread::sleep(Duration::from_millis(300));
        // It may have ended.
        let _ = load.kill();
        load.wait()?;
        println!("after a kill: {:.0} ms (goal: 300)", get()?.wall * 1000.0);
        Ok(())
    }

    fn on_hbase(&self, most: u64) -> Outcome {
        let cluster = Cluster::start_with(&Options::default(), &mut |line| eprintln!("{line}"))?;
        for rows in [100_000, 1_000_000] {
            if rows <= most {
                self.loads_on(&cluster, rows)?;
            }
        }
        Ok(cluster.stop()?)
    }

    fn loads_on(&self, cluster: &Cluster, rows: u64) -> Outcome {
        println!("\n## {rows} rows, HBase with three region servers");
        let (file, store) = (self.data(rows, 1)?, PathBuf::from(&cluster.zookeeper_url));
        let mut plain = 0.0;
        for (kind, (name, _)) in KINDS.iter().enumerate() {
            self.call(kind, &store, "create", &[])?;
            let rate = rows as f64 / self.call(kind, &store, "load", &[&file])?.wall;
            if kind == 0 {
                plain = rate;
            }
            let goal = if kind == 1 { " (goal: 0.4)" } else { "" };
            println!("{name:<16} {rate:>6.0} rows a second, {:.2} of the plain load{goal}", rate / plain);
            for table in ["orders", "by_seller", "by_status"] {
                self.shell(&store, &format!("disable '{table}'; drop '{table}'"))?;
            }
        }
        Ok(())
    }

    fn command(&self, kind: usize, store: &Path, command: &str, rest: &[&Path]) -> std::process::Command {
        let mut program = workspace::program(&self.program);
        program.arg("--store").arg(store).args(command.split(' '));
        program.arg(self.place.join(format!("{kind}.toml"))).args(rest);
        program
    }

    fn shell(&self, store: &Path, text: &str) -> Outcome {
        let mut program = workspace::program(&self.program);
        program.arg("--store").arg(store).args(["shell", "--keep-going"]);
        for command in text.split("; ") {
            program.args(["--execute", command]);
        }
        // Tables that a kind does not have are not there to drop.
        program.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        Ok(())
    }

    /// Calls the program and waits; the shell tells the processor time, and the kernel how much memory it had at most.
    fn call(&self, kind: usize, store: &Path, command: &str, rest: &[&Path]) -> Result<Cost, Failure> {
        let inner = self.command(kind, store, command, rest);
        let mut timed = workspace::program("bash");
        timed.args(["-c", "TIMEFORMAT='%U %S'; time \"$@\" >/dev/null 2>\"$ERRORS\"", "bash"]);
        let errors = self.place.join("errors.txt");
        timed.arg(inner.get_program()).args(inner.get_args()).env("ERRORS", &errors);
        let started = Instant::now();
        let mut child = timed.stderr(Stdio::piped()).spawn().map_err(Failure::cannot("run bash"))?;
        let mut memory = 0.0f64;
        while child.try_wait()?.is_none() {
            memory = memory.max(peak_of_child(child.id()).unwrap_or(0.0));
            std::thread::sleep(Duration::from_millis(1));
        }
        let wall = started.elapsed().as_secs_f64();
        let output = child.wait_with_output()?;
        if !output.status.success() {
            let why = fs::read_to_string(&errors).unwrap_or_default();
            return Err(Failure::new(format!("rowkey {command} failed: {}", why.trim())));
        }
        let printed = String::from_utf8_lossy(&output.stderr);
        let processor = printed.split_whitespace().filter_map(|number| number.parse::<f64>().ok()).sum();
        Ok(Cost { wall, processor, memory })
    }
}

/// The most memory that the child of a process had so far, in megabytes.
fn peak_of_child(process: u32) -> Option<f64> {
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).ok()?;
    let child = children.split_whitespace().next()?;
    let status = fs::read_to_string(format!("/proc/{child}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(peak.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? / 1e3)
}

fn bytes_in(folder: &Path) -> Result<u64, Failure> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        bytes += if kind.is_dir() { bytes_in(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}

/// By its processor time, the cost in the middle.
fn median(costs: &[Cost]) -> Cost {
    let mut costs = costs.to_vec();
    costs.sort_by(|a, b| a.processor.total_cmp(&b.processor).then(a.wall.total_cmp(&b.wall)));
    costs.get(costs.len() / 2).copied().unwrap_or_default()
}
