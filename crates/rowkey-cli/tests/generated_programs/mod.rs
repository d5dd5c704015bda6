//! Programs in Java, Python and Go, by generated code, and rowkey itself share one salted table with an index on a real HBase.
//!
//! Each writes its part of the same orders at the same time as the others, then changes rows that another has written; after that all of
//! them must read the same rows in the same order, by the key, by queries and by the index table. Java has `hbase-client`; Python
//! goes through happybase and HBase's Thrift server; Go needs gohbase, from the module proxy or a copy that `ROWKEY_GOHBASE` names. One
//! that cannot be had is left out, and the test says so.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rowkey_core::Value;
use rowkey_testing::random::Random;
use rowkey_testing::thrift::Gateway;
use rowkey_testing::{artifacts, cluster, java, python};

use crate::program::{Workplace, json};

const ORDERS: u64 = 600;

const USERS: [u64; 9] = [0, 1, 7, 255, 256, 300, i64::MAX as u64, 1 << 63, u64::MAX];

const SELLERS: [&str; 8] = ["", "ann", "anna", "o'neil", "Zoë", "日本", "\u{1f600}", "a\0b"];

/// The table, in a namespace that no other run has.
fn table_file(namespace: &str) -> String {
    format!(
        r#"[table]
name = "{namespace}:shop"
key = "[salt(16, user_id)][user_id][ts desc][order_id]"
identity = ["order_id"]
splits = "salt"
cell_time = "ts"

[fields]
user_id = "u64"
ts = "timestamp"
order_id = "text"
seller = "text"
amount = "i64"

[families.d]
columns = {{ s = "seller", a = "amount" }}

[[index]]
name = "{namespace}:shop_by_seller"
key = "[seller: escaped][ts desc][user_id][order_id]"
columns = ["amount"]

[[query]]
name = "latest"
where = "user_id = ? order by ts desc limit 20"

[[query]]
name = "window"
where = "user_id >= ? and user_id < ?"

[[query]]
name = "of a seller"
where = "seller = ? order by ts desc limit 20"
"#
    )
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Order {
    user_id: u64,
    ts: i64,
    order_id: String,
    seller: String,
    amount: i64,
}

impl Order {
    /// As the programs read and write it.
    fn line(&self) -> String {
        let Self { user_id, ts, order_id, seller, amount } = self;
        format!("{user_id}\t{ts}\t{order_id}\t{seller}\t{amount}")
    }

    /// As rowkey prints it.
    fn of_rowkey(line: &str) -> (String, String, String, String, String) {
        let record = &json(line)["record"];
        let field = |name: &str| {
            let value = &record[name];
            value.as_str().map_or_else(|| value.to_string(), str::to_owned)
        };
        (field("user_id"), field("ts"), field("order_id"), field("seller"), field("amount"))
    }

    fn as_rowkey_prints(&self) -> (String, String, String, String, String) {
        let time = Value::Time(self.ts).to_string();
        let Self { user_id, order_id, seller, amount, .. } = self.clone();
        (user_id.to_string(), time, order_id, seller, amount.to_string())
    }
}

fn orders() -> Vec<Order> {
    let mut random = Random::new(24);
    let mut below = |count: usize| usize::try_from(random.below(count as u64)).expect("a small number");
    let one = |number: u64| Order {
        user_id: USERS[below(USERS.len())],
        // Some at the same time, so that the rest of the key decides.
        ts: 1_735_689_600_000 + i64::try_from(below(200)).expect("a small number") * 60_000,
        order_id: format!("o{number}"),
        seller: SELLERS[below(SELLERS.len())].to_owned(),
        amount: i64::try_from(below(100_000)).expect("a small number") - 50_000,
    };
    (0..ORDERS).map(one).collect()
}

/// A program that waits for jobs.
struct Program {
    name: &'static str,
    child: Child,
    jobs: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Program {
    fn start(name: &'static str, command: &mut Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
        let jobs = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { name, child, jobs, answers }
    }

    fn tell(&mut self, job: &str) {
        let jobs = self.jobs.as_mut().expect("taken only at the end");
        writeln!(jobs, "{job}").and_then(|()| jobs.flush()).expect("it listens");
    }

    /// The lines of its answer.
    fn answer(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            let read = self.answers.read_line(&mut line).expect("UTF-8");
            assert!(read > 0, "{} has ended: its own words stand above", self.name);
            match line.trim_end_matches(['\r', '\n']) {
                "." => return lines,
                line => lines.push(line.to_owned()),
            }
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.jobs = None;
        let _ = self.child.wait();
    }
}

fn ran(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|problem| format!("{:?}: {problem}", command.get_program()))?;
    let said = [output.stdout, output.stderr].concat();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&said).into_owned()) }
}

fn java_program(place: &Workplace, zookeeper: &str) -> Program {
    place.ok(&["generate", "java", "shop.toml", "--out", "java"]);
    place.write("java/Shop.java", include_str!("Shop.java.txt"));
    let (sources, classes) = (place.path("java"), place.path("classes"));
    std::fs::create_dir(&classes).expect("a new folder");
    let jars = artifacts::fetch(&mut |_| {}).expect("the cluster's jars").class_path_entry();
    let mut javac = Command::new("javac");
    // The jars have warnings of their own: annotations that are not there.
    javac.args(["--release", "8", "-Xlint:all,-options,-classfile,-path", "-Werror", "-d"]).arg(&classes);
    javac.arg("-cp").arg(jars);
    for name in ["ShopKey", "ShopKeyTest", "ShopTable", "Shop"] {
        javac.arg(sources.join(format!("{name}.java")));
    }
    ran(&mut javac).unwrap_or_else(|said| panic!("javac: {said}"));
    let mut command = java::with_classes(&classes).expect("a JVM");
    command.args(["-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "Shop", zookeeper]);
    // It warns that its log is not configured.
    Program::start("Java", command.stderr(Stdio::null()))
}

/// With the gateway that it goes through.
fn python_program(place: &Workplace, zookeeper: &str) -> Result<(Program, Gateway), String> {
    let mut command = python::with_happybase(&mut |_| {}).map_err(|error| error.to_string())?;
    place.ok(&["generate", "python", "shop.toml", "--out", "python"]);
    place.write("python/shop.py", include_str!("shop.py.txt"));
    let gateway = Gateway::start(zookeeper).map_err(|error| error.to_string())?;
    command.arg("shop.py").arg(&gateway.address).current_dir(place.path("python"));
    Ok((Program::start("Python", &mut command), gateway))
}

fn go_program(place: &Workplace, zookeeper: &str) -> Result<Program, String> {
    let folder = place.path("go");
    place.ok(&["generate", "go", "shop.toml", "--out", "go"]);
    place.write("go/main.go", include_str!("shop.go.txt"));
    let mut module = "module program\n\ngo 1.21\n".to_owned();
    match std::env::var_os("ROWKEY_GOHBASE") {
        Some(copy) => {
            let copy = Path::new(&copy).display();
            module += &format!(
                "\nrequire github.com/tsuna/gohbase v0.0.0\n\nreplace github.com/tsuna/gohbase => {copy}\n"
            );
        }
        None => ran(Command::new("go").args(["mod", "download", "github.com/tsuna/gohbase@latest"]))?,
    }
    place.write("go/go.mod", &module);
    let mut build = Command::new("go");
    build.args(["build", "-mod=mod", "-tags", "gohbase", "-o", "program", "."]).current_dir(&folder);
    ran(&mut build)?;
    // It tells what it does, all the time.
    Ok(Program::start("Go", Command::new(folder.join("program")).arg(zookeeper).stderr(Stdio::null())))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[test]
fn programs_of_several_languages_and_rowkey_share_a_table_with_an_index() {
    let endpoints = cluster::shared();
    let place = Workplace::on_cluster("shop", &endpoints.zookeeper_url);
    let namespace = format!("programs{}", std::process::id());
    place.ok(&["shell", "-e", &format!("create_namespace '{namespace}'")]);
    place.write("shop.toml", &table_file(&namespace));
    place.ok(&["create", "shop.toml"]);

    let zookeeper = endpoints.zookeeper_address();
    let mut programs = vec![java_program(&place, zookeeper)];
    let mut gateways = Vec::new();
    match python_program(&place, zookeeper) {
        Ok((program, gateway)) => {
            programs.push(program);
            gateways.push(gateway);
        }
        Err(why) => eprintln!("Python is left out: {}", first_line(&why)),
    }
    match go_program(&place, zookeeper) {
        Ok(program) => programs.push(program),
        Err(why) => eprintln!("Go is left out, for want of gohbase: {}", first_line(&why)),
    }

    let mut orders = orders();
    let count = programs.len();
    let together = |programs: &mut Vec<Program>, job: &str, parts: &[Vec<&Order>]| {
        for ((number, program), part) in programs.iter_mut().enumerate().zip(parts) {
            let name = format!("{job}{number}");
            let lines: String = part.iter().map(|order| order.line() + "\n").collect();
            place.write(&name, &lines);
            program.tell(&format!("{job}\t{}", place.path(&name).display()));
        }
        programs.iter_mut().for_each(|program| assert_eq!(program.answer(), [""; 0]));
    };
    let all = orders.len();
    let mine = |number: usize| (0..all).filter(move |order| order % count == number);
    let parts: Vec<Vec<&Order>> =
        (0..count).map(|number| mine(number).map(|order| &orders[order]).collect()).collect();
    together(&mut programs, "write", &parts);
    assert_agree(&place, &mut programs, &orders);

    // Every third order of another program gets another seller, and so another entry.
    let changed: Vec<Vec<usize>> =
        (0..count).map(|number| mine((number + 1) % count).step_by(3).collect()).collect();
    for &order in changed.iter().flatten() {
        let order = &mut orders[order];
        let place = SELLERS.iter().position(|seller| *seller == order.seller).expect("one of them");
        order.seller = SELLERS[(place + 1) % SELLERS.len()].to_owned();
        order.amount += 1;
    }
    let parts: Vec<Vec<&Order>> =
        changed.iter().map(|part| part.iter().map(|&order| &orders[order]).collect()).collect();
    together(&mut programs, "change", &parts);
    assert_agree(&place, &mut programs, &orders);

    let names: Vec<&str> = programs.iter().map(|program| program.name).collect();
    eprintln!("{} orders written and read by {} and rowkey", orders.len(), names.join(", "));
    drop(programs);
    drop(gateways);
}

/// Shows the first row that differs, not all of them.
#[track_caller]
fn assert_same<Row: PartialEq + std::fmt::Debug>(found: &[Row], expected: &[Row], what: &str) {
    let first = found.iter().zip(expected).position(|(found, expected)| found != expected);
    let place = first.unwrap_or(found.len().min(expected.len()));
    assert!(
        found == expected,
        "{what}: {} rows, expected {}; row {place} is {:?}, expected {:?}",
        found.len(),
        expected.len(),
        found.get(place),
        expected.get(place)
    );
}

/// All give the same rows in the same order, for every way to read them.
#[track_caller]
fn assert_agree(place: &Workplace, programs: &mut [Program], orders: &[Order]) {
    let verified = place.run(&["--json", "index", "verify", "shop.toml"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    let verified = json(verified.out.trim());
    assert_eq!(
        (&verified["rows"], &verified["entries"], &verified["missing"]),
        (&ORDERS.into(), &ORDERS.into(), &0.into()),
        "{verified}"
    );

    let mut by_key: Vec<&Order> = orders.iter().collect();
    by_key.sort_by(|a, b| (a.user_id, -a.ts, &a.order_id).cmp(&(b.user_id, -b.ts, &b.order_id)));
    let mut by_time = by_key.clone();
    by_time.sort_by(|a, b| (-a.ts, a.user_id, &a.order_id).cmp(&(-b.ts, b.user_id, &b.order_id)));
    let falling: Vec<&Order> = by_key.iter().rev().copied().collect();

    let mut check = |job: &str, query: &[&str], expected: Vec<&Order>| {
        for program in programs.iter_mut() {
            program.tell(job);
        }
        let lines: Vec<String> = expected.iter().map(|order| order.line()).collect();
        for program in programs.iter_mut() {
            assert_same(&program.answer(), &lines, &format!("{}: {job}", program.name));
        }
        let found = place.run(&[&["--json", "query", "shop.toml"], query].concat());
        let found: Vec<_> = found.out.lines().map(Order::of_rowkey).collect();
        let expected: Vec<_> = expected.iter().map(|order| order.as_rowkey_prints()).collect();
        assert_same(&found, &expected, &format!("rowkey: {query:?}"));
    };
    check("scan\trising", &["", "--full-scan"], by_key.clone());
    let order = "order by user_id desc, ts, order_id desc";
    check("scan\tfalling", &[order, "--full-scan"], falling);
    for user in [0, 7, 1 << 63, u64::MAX, 8] {
        let own = by_key.iter().filter(|order| order.user_id == user).take(20).copied().collect();
        check(&format!("latest\t{user}"), &[&format!("user_id = {user} order by ts desc limit 20")], own);
    }
    for (from, to) in [(1, 256), (300, 1 << 63), (1 << 63, u64::MAX), (9, 9)] {
        let own = by_key.iter().filter(|order| (from..to).contains(&order.user_id)).copied().collect();
        check(&format!("window\t{from}\t{to}"), &[&format!("user_id >= {from} and user_id < {to}")], own);
    }
    for seller in SELLERS.into_iter().chain(["nobody"]).filter(|seller| !seller.contains('\0')) {
        let own = by_time.iter().filter(|order| order.seller == seller).take(20).copied().collect();
        let text = seller.replace('\'', "''");
        check(&format!("seller\t{seller}"), &[&format!("seller = '{text}' order by ts desc limit 20")], own);
    }
}
