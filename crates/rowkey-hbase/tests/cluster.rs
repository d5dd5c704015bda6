//! Does what only a cluster has work: moving regions, figures, the balancer, endpoints, namespaces, snapshots?

use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use rowkey_core::range::KeyRange;
use rowkey_hbase::{ClusterUrl, Endpoint, HBaseStore, Options, Procedure, Wait, Watcher};
use rowkey_store::filter::{Comparator, CompareOp, Filter};
use rowkey_store::{
    Admin, Aggregate, Aggregated, Chore, Columns, Family, Get, Increment, Namespace, Operation, Put,
    RowBatch, RowStore, Scan, SnapshotOptions, StoreError, TableDescriptor, TableName, with_causes,
};
use rowkey_testing::cluster;

struct Table {
    store: HBaseStore,
    name: TableName,
}

impl Table {
    fn create(name: &str, splits: &[&str]) -> Self {
        let store = HBaseStore::connect(&cluster::shared().zookeeper_url).expect("the cluster answers");
        let name: TableName = format!("cluster_{name}_{}", std::process::id()).parse().expect("a valid name");
        let families = vec![Family::new("d"), Family::new("e")];
        let table = TableDescriptor { name: name.clone(), families, attributes: Default::default() };
        let splits: Vec<Vec<u8>> = splits.iter().map(|split| split.as_bytes().to_vec()).collect();
        store.create_table(&table, &splits).expect("a new table");
        Self { store, name }
    }

    /// Rows `r000` to `r999` with their number in `d:n`, and every tenth also in `e:n`.
    fn numbers(&self) {
        let mut batch = RowBatch::new();
        for number in 0..1000i64 {
            batch.begin_row(format!("r{number:03}").as_bytes());
            batch.cell(b"d", b"n", 7, &(number - 10).to_be_bytes());
            if number % 10 == 0 {
                batch.cell(b"e", b"n", 7, &number.to_be_bytes());
            }
        }
        self.store.put_batch(&self.name, &batch).expect("good rows");
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let _ = self.store.drop_table(&self.name);
    }
}

fn column(family: &str) -> Columns {
    Columns::Only(vec![(family.as_bytes().to_vec(), Some(b"n".to_vec()))])
}

fn scan(family: &str, range: KeyRange) -> Scan {
    Scan { columns: column(family), ..Scan::new(range) }
}

#[test]
fn servers_count_and_add_where_the_rows_lie() {
    let table = Table::create("aggregate", &["r250", "r500", "r750"]);
    table.numbers();
    let (store, name) = (&table.store, &table.name);
    assert_eq!(store.row_count(name, &Scan::new(KeyRange::all())).expect("a count"), 1000);
    assert_eq!(store.row_count(name, &scan("e", KeyRange::all())).expect("a count"), 100);
    let some = KeyRange::half_open(Some(b"r100".to_vec()), Some(b"r600".to_vec()));
    assert_eq!(store.row_count(name, &Scan::new(some.clone())).expect("a count"), 500);
    let filter = Some(Filter::Row(CompareOp::Equal, Comparator::Substring("99".to_owned())));
    let filtered = Scan { filter, ..Scan::new(KeyRange::all()) };
    assert_eq!(store.row_count(name, &filtered).expect("a count"), 19);

    let numbers = scan("d", KeyRange::all());
    let found = |scan: &Scan, what| store.aggregate(name, scan, what).expect("a number");
    assert_eq!(found(&numbers, Aggregate::Sum), Aggregated::Number((-10..990).sum()));
    assert_eq!(found(&numbers, Aggregate::Min), Aggregated::Number(-10));
    assert_eq!(found(&numbers, Aggregate::Max), Aggregated::Number(989));
    assert_eq!(found(&scan("d", some), Aggregate::Sum), Aggregated::Number((90..590).sum()));
    let nothing = scan("d", KeyRange::prefix(b"x"));
    assert_eq!(found(&nothing, Aggregate::Sum), Aggregated::Nothing);
    assert_eq!(found(&nothing, Aggregate::Max), Aggregated::Nothing);
    assert_eq!(store.row_count(name, &nothing).expect("a count"), 0);

    let all = store.aggregate(name, &Scan::new(KeyRange::all()), Aggregate::Sum);
    let refused = all.expect_err("all columns cannot be added");
    assert!(format!("{refused:?}").contains("AggregateColumns"), "{refused:?}");
}

/// Another client splits and merges, so that this one has to find out.
#[test]
fn an_endpoint_counts_every_row_once_while_regions_change() {
    let table = Table::create("endpoint", &["r500"]);
    table.numbers();
    let count = || table.store.row_count(&table.name, &Scan::new(KeyRange::all())).expect("a count");
    assert_eq!(count(), 1000);
    let admin = HBaseStore::connect(&cluster::shared().rpc_url).expect("the cluster answers");
    let regions = |at: usize| admin.regions(&table.name).expect("the table exists").remove(at).name;
    admin.split_region(&table.name, &regions(0), Some(b"r123")).expect("a good split");
    assert_eq!(count(), 1000);
    admin.merge_regions(&table.name, &[regions(1), regions(2)]).expect("a good merge");
    assert_eq!(count(), 1000);
    admin.truncate_table(&table.name, rowkey_store::TruncateSplits::Drop).expect("a good table");
    assert_eq!(count(), 0);
}

#[test]
fn a_service_that_no_region_has_is_named_in_the_error() {
    let table = Table::create("service", &[]);
    let endpoint = Endpoint { service: "NoSuchService".to_owned(), method: "Work".to_owned() };
    let started = Instant::now();
    let refused = table.store.call_endpoint(&table.name, &KeyRange::all(), &endpoint, |_| Vec::new());
    let words = format!("{:?}", refused.expect_err("there is no such service"));
    assert!(words.contains("NoSuchService") && words.contains("UnknownProtocolException"), "{words}");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn the_status_has_servers_and_regions_with_their_figures() {
    let table = Table::create("status", &["r500"]);
    table.numbers();
    table.store.flush(&table.name).expect("a good table");
    // The master hears of its servers twice a second.
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let status = table.store.cluster_status().expect("the cluster answers");
        assert_eq!(status.servers.len(), 3);
        assert!(status.version.starts_with("2.") && status.master.is_some(), "{}", status.version);
        let prefix = format!("{},", table.name);
        let regions: Vec<_> = status
            .servers
            .iter()
            .flat_map(|server| &server.regions)
            .filter(|region| region.name.starts_with(&prefix))
            .collect();
        let writes: u64 = regions.iter().map(|region| region.writes).sum();
        let files: u32 = regions.iter().map(|region| region.store_files).sum();
        if regions.len() == 2 && writes == 1000 && files == 4 {
            assert!(regions.iter().all(|region| region.stores == 2));
            return;
        }
        assert!(Instant::now() < deadline, "{regions:?}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_region_moves_to_the_server_asked_for() {
    let table = Table::create("move", &[]);
    table.numbers();
    let status = table.store.cluster_status().expect("the cluster answers");
    let servers: BTreeSet<String> = status.servers.iter().map(|server| server.server.clone()).collect();
    let region = || table.store.regions(&table.name).expect("the table exists").remove(0);
    for _ in 0..3 {
        let now = region();
        let other = servers.iter().find(|server| now.server.as_ref() != Some(server)).expect("three servers");
        table.store.move_region(&table.name, &now.name, Some(other)).expect("a good move");
        assert_eq!(region().server.as_deref(), Some(other.as_str()));
        let mut found = RowBatch::new();
        assert!(table.store.get(&table.name, &Get::new("r500"), &mut found).expect("a good get"));
    }
    let refused = table.store.move_region(&table.name, &region().name, Some("127.0.0.1:1"));
    assert!(matches!(refused, Err(StoreError::ServerNotFound { .. })), "{refused:?}");
    let refused = table.store.move_region(&table.name, "no such region", None);
    assert!(matches!(refused, Err(StoreError::RegionNotFound { .. })), "{refused:?}");
}

#[test]
fn balancer_and_normalizer_say_how_they_were() {
    let table = Table::create("balancer", &[]);
    for chore in [Chore::Balancer, Chore::Normalizer] {
        let switch = |on| table.store.switch(chore, on).expect("the cluster answers");
        let before = switch(false);
        assert!(!table.store.is_on(chore).expect("the cluster answers"));
        let ran = match chore {
            Chore::Normalizer => table.store.normalize(&[]),
            _ => table.store.balance(false),
        };
        assert!(!ran.expect("the cluster answers"), "{chore} is off");
        assert!(!switch(true));
        assert!(table.store.is_on(chore).expect("the cluster answers"));
        assert!(switch(before));
    }
    table.store.compact(&table.name).expect("a good table");
}

impl Table {
    fn value(&self, row: &str) -> Option<Vec<u8>> {
        let mut found = RowBatch::new();
        self.store.get(&self.name, &Get::new(row), &mut found).expect("a good get");
        found.row(0).and_then(|row| row.value(b"d", b"n").map(<[u8]>::to_vec))
    }

    fn put(&self, row: &str, value: &str) {
        self.store.mutate(&self.name, Put::new(row).cell("d", "n", value).into()).expect("a good put");
    }

    fn count(&self, table: &TableName) -> u64 {
        self.store.row_count(table, &Scan::new(KeyRange::all())).expect("a count")
    }
}

#[test]
fn a_snapshot_brings_old_rows_back_and_makes_tables() {
    let table = Table::create("snapshot", &["r2", "r7"]);
    let (store, snapshot) = (&table.store, format!("snap_{}", table.name));
    table.numbers();
    let old = table.value("r500");
    store.snapshot(&table.name, &snapshot, &SnapshotOptions::default()).expect("a new snapshot");
    table.put("r500", "changed");
    table.put("s", "new");
    store
        .split_region(&table.name, &store.regions(&table.name).expect("regions")[0].name, Some(b"r1"))
        .expect("a split");

    let listed = store.list_snapshots().expect("the cluster answers");
    let found = listed.iter().find(|known| known.name == snapshot).expect("it was taken");
    assert_eq!((&found.table, found.ttl_seconds), (&table.name, None));
    assert!(found.created > 1_700_000_000_000, "{found:?}");

    let copy: TableName = format!("{}_copy", table.name).parse().expect("a valid name");
    store.clone_snapshot(&snapshot, &copy).expect("a new table");
    assert_eq!((table.count(&copy), store.regions(&copy).expect("the table exists").len()), (1000, 3));
    let again = store.clone_snapshot(&snapshot, &copy);
    assert!(matches!(again, Err(StoreError::TableExists { .. })), "{again:?}");
    let nowhere = store.clone_snapshot(&snapshot, &"no_such_namespace:t".parse().expect("a valid name"));
    assert!(matches!(nowhere, Err(StoreError::NamespaceNotFound { .. })), "{nowhere:?}");

    store.restore_snapshot(&snapshot).expect("a good snapshot");
    assert_eq!((table.value("r500"), table.value("s")), (old.clone(), None));
    assert_eq!((table.count(&table.name), store.regions(&table.name).expect("regions").len()), (1000, 3));
    store.disable_table(&table.name).expect("it is enabled");
    store.restore_snapshot(&snapshot).expect("a good snapshot");
    assert!(!store.is_enabled(&table.name).expect("the table exists"), "it stays disabled");
    store.drop_table(&table.name).expect("the table exists");
    store.restore_snapshot(&snapshot).expect("a good snapshot");
    assert_eq!(table.value("r500"), old, "a dropped table comes back");

    store.delete_snapshot(&snapshot).expect("it is there");
    assert_eq!(table.count(&copy), 1000, "a table that was made of it stays");
    store.drop_table(&copy).expect("the table exists");
}

#[test]
fn mistakes_with_snapshots_are_named() {
    let table = Table::create("snaperrors", &[]);
    let (store, snapshot) = (&table.store, format!("snap_{}", table.name));
    let kept = SnapshotOptions { skip_flush: true, ttl_seconds: Some(86_400), max_file_size: None };
    store.snapshot(&table.name, &snapshot, &kept).expect("a new snapshot");
    let listed = store.list_snapshots().expect("the cluster answers");
    let found = listed.iter().find(|known| known.name == snapshot).expect("it was taken");
    assert_eq!(found.ttl_seconds, Some(86_400));
    let twice = store.snapshot(&table.name, &snapshot, &kept).expect_err("the name is taken");
    assert_eq!(
        with_causes(&twice),
        format!("snapshot `{snapshot}` exists already; delete it first, or choose another name")
    );
    let missing: TableName = "no_such_table".parse().expect("a valid name");
    let refused = store.snapshot(&missing, "never_taken", &kept);
    assert!(matches!(refused, Err(StoreError::TableNotFound { .. })), "{refused:?}");
    for refused in [
        store.restore_snapshot("never_taken"),
        store.delete_snapshot("never_taken"),
        store.clone_snapshot("never_taken", &missing),
    ] {
        assert!(matches!(refused, Err(StoreError::SnapshotNotFound { .. })), "{refused:?}");
    }
    store.delete_snapshot(&snapshot).expect("it is there");
}

#[test]
fn a_namespace_is_dropped_when_it_is_empty() {
    let table = Table::create("namespace", &[]);
    let store = &table.store;
    let mut namespace = Namespace::new(format!("ns_{}", std::process::id()));
    namespace.attributes.insert("owner".to_owned(), "anna".to_owned());
    store.create_namespace(&namespace).expect("a new namespace");
    let again = store.create_namespace(&namespace);
    assert!(matches!(again, Err(StoreError::NamespaceExists { .. })), "{again:?}");
    assert_eq!(store.describe_namespace(&namespace.name).expect("it is there"), namespace);
    let names: Vec<String> =
        store.list_namespaces().expect("the cluster answers").into_iter().map(|known| known.name).collect();
    assert!(
        names.is_sorted() && ["default", "hbase"].iter().all(|name| names.iter().any(|known| known == name))
    );

    let inside: TableName = format!("{}:t", namespace.name).parse().expect("a valid name");
    let described = store.describe(&table.name).expect("the table exists");
    store.create_table(&TableDescriptor { name: inside.clone(), ..described }, &[]).expect("a new table");
    assert_eq!(
        store.tables_of_namespace(&namespace.name).expect("it is there"),
        std::slice::from_ref(&inside)
    );
    let refused = store.drop_namespace(&namespace.name);
    assert!(matches!(refused, Err(StoreError::NamespaceNotEmpty { tables: 1, .. })), "{refused:?}");
    store.drop_table(&inside).expect("the table exists");
    store.drop_namespace(&namespace.name).expect("it is empty");
    for refused in [
        store.drop_namespace(&namespace.name),
        store.describe_namespace(&namespace.name).map(drop),
        store.tables_of_namespace(&namespace.name).map(drop),
    ] {
        assert!(matches!(refused, Err(StoreError::NamespaceNotFound { .. })), "{refused:?}");
    }
}

/// Batches that go to every server and region at once, with a bad one among them.
#[test]
fn a_large_batch_has_a_result_for_each_operation() {
    let table = Table::create("batch", &["r2", "r4", "r6", "r8"]);
    let mut operations: Vec<Operation> = (0..5000)
        .map(|number| Increment::new(format!("r{number:04}")).add("d", "n", number).into())
        .collect();
    operations.insert(2500, Increment::new("r0").add("nowhere", "n", 1).into());
    for times in 1..=2i64 {
        let results = table.store.batch(&table.name, &operations).expect("a good table");
        assert_eq!(results.len(), operations.len());
        for (operation, result) in operations.iter().zip(results) {
            if operation.row() == b"r0" {
                assert!(matches!(result, Err(StoreError::UnknownFamily { .. })), "{result:?}");
                continue;
            }
            let rows = result.expect("a good increment").rows;
            let row = rows.row(0).expect("new values");
            let number: i64 = String::from_utf8_lossy(&row.key()[1..]).parse().expect("a number");
            assert_eq!(
                (row.key(), row.value(b"d", b"n")),
                (operation.row(), Some(&(number * times).to_be_bytes()[..]))
            );
        }
    }
}

#[test]
fn a_watcher_hears_of_a_procedure_until_its_end() {
    let url: ClusterUrl = cluster::shared().zookeeper_url.parse().unwrap();
    let heard: Arc<Mutex<Vec<Procedure>>> = Arc::default();
    let mut options = Options::from_url(&url);
    let told = Arc::clone(&heard);
    options.watcher = Watcher::new(move |procedure| told.lock().unwrap().push(procedure.clone()));
    let store = HBaseStore::connect_with(&url, options).unwrap();
    let name: TableName = format!("cluster_watched_{}", std::process::id()).parse().unwrap();
    let families = vec![Family::new("d")];
    let table = TableDescriptor { name: name.clone(), families, attributes: Default::default() };
    let splits: Vec<Vec<u8>> = (b'a'..=b'z').map(|letter| vec![letter]).collect();
    store.create_table(&table, &splits).unwrap();
    let created = std::mem::take(&mut *heard.lock().unwrap());
    store.drop_table(&name).unwrap();
    let dropped = std::mem::take(&mut *heard.lock().unwrap());

    assert!(
        created.iter().all(|told| told.method == "CreateTable" && told.table.as_ref() == Some(&name)),
        "{created:?}"
    );
    assert!(created.len() >= 2, "the beginning and the end: {created:?}");
    let ended: Vec<bool> = created.iter().map(|told| told.ended).collect();
    assert_eq!(ended.iter().position(|&ended| ended), Some(created.len() - 1), "{created:?}");
    let counted: Vec<(usize, usize)> = created.iter().filter_map(|told| told.regions).collect();
    assert!(counted.iter().all(|(open, all)| open <= all && *all <= 27), "{counted:?}");
    assert!(counted.is_sorted(), "regions only open: {counted:?}");
    let methods: BTreeSet<&str> = dropped.iter().map(|told| told.method).collect();
    assert_eq!(methods, BTreeSet::from(["DeleteTable", "DisableTable"]));
}

/// A region moves without a pause, until it is waited for.
#[test]
fn merges_and_splits_wait_for_regions_in_transition() {
    let letters: Vec<String> = (b'a'..=b'z').map(|letter| char::from(letter).to_string()).collect();
    let table = &Table::create("transit", &letters.iter().map(String::as_str).collect::<Vec<_>>());
    let url: ClusterUrl = cluster::shared().zookeeper_url.parse().unwrap();
    let (waited, last): (Arc<AtomicBool>, Arc<Mutex<Option<Procedure>>>) = Default::default();
    let told = (Arc::clone(&waited), Arc::clone(&last));
    let mut options = Options::from_url(&url);
    options.watcher = Watcher::new(move |procedure| {
        told.0.fetch_or(procedure.waits_for == Some(Wait::Transition), Ordering::SeqCst);
        *told.1.lock().unwrap() = Some(procedure.clone());
    });
    let store = HBaseStore::connect_with(&url, options).unwrap();
    let regions = store.regions(&table.name).unwrap();
    // A move may be over before the master is asked, so there are many; the first region has no start.
    let (merged, cut) = regions[1..].split_at(14);
    for (method, regions) in [("MergeTableRegions", merged), ("SplitRegion", cut)] {
        waited.store(false, Ordering::SeqCst);
        for pair in regions.chunks_exact(2) {
            let (moved, over) = (&pair[0].name, AtomicBool::new(false));
            let (begun, has_begun) = mpsc::channel();
            let done = std::thread::scope(|scope| {
                scope.spawn(|| {
                    let begun = begun;
                    while !waited.load(Ordering::SeqCst) && !over.load(Ordering::SeqCst) {
                        let moved = table.store.move_region(&table.name, moved, None);
                        if begun.send(()).is_err() || moved.is_err() {
                            return;
                        }
                    }
                });
                has_begun.recv().unwrap();
                let Bound::Included(start) = &pair[0].range.start else { panic!("{:?}", pair[0]) };
                let done = match method {
                    "SplitRegion" => {
                        store.split_region(&table.name, moved, Some(&[start.as_slice(), b"m"].concat()))
                    }
                    _ => store.merge_regions(&table.name, &[moved.clone(), pair[1].name.clone()]),
                };
                over.store(true, Ordering::SeqCst);
                done
            });
            done.unwrap_or_else(|error| panic!("{method}: {error:?}"));
            let last = last.lock().unwrap();
            assert!(last.as_ref().is_some_and(|last| last.ended && last.method == method), "{last:?}");
            if waited.load(Ordering::SeqCst) {
                break;
            }
        }
        assert!(waited.load(Ordering::SeqCst), "{method} never met a region in transition");
    }
}

/// What has just been cut still reads its parent's files, and waits for a compaction.
#[test]
fn a_region_is_cut_right_after_it_was_cut() {
    let table = Table::create("twice", &[]);
    table.numbers();
    table.store.flush(&table.name).expect("a good table");
    let region = |at: usize| table.store.regions(&table.name).expect("the table exists").remove(at).name;
    for (at, key) in [(0, b"r500"), (0, b"r250"), (2, b"r750")] {
        table.store.split_region(&table.name, &region(at), Some(key)).expect("it waits");
    }
    table.store.merge_regions(&table.name, &[region(0), region(1)]).expect("it waits");
    assert_eq!(table.store.regions(&table.name).expect("the table exists").len(), 3);
    assert_eq!(table.store.row_count(&table.name, &Scan::new(KeyRange::all())).expect("a count"), 1000);
}
