//! Where does the run take place? A cluster of its own, a proxy before each region server, two tables.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use rowkey_core::range::KeyRange;
use rowkey_hbase::{ClusterUrl, HBaseStore, HostPort, Options};
use rowkey_store::{
    Admin, Chore, Family, Get, Increment, Operation, RowBatch, RowStore, Scan, StoreError, TableDescriptor,
    TableName, with_causes,
};
use rowkey_testing::cluster::{self, Cluster};
use rowkey_testing::fault_proxy::{Done, FaultProxy, Faults};

use crate::{load, slow_reader};

/// How long an operation may take, retries included. A stopped server's regions are elsewhere after some ten seconds.
const DEADLINE: Duration = Duration::from_secs(60);
/// One answer: a swallowed frame costs so much.
const ONE_CALL: Duration = Duration::from_millis(1000);
/// A busy machine may wake a thread late.
const SLACK: Duration = Duration::from_secs(5);

/// About one frame of forty does not arrive as it was sent.
const BAD: Faults = Faults {
    cut_every: 60,
    stall_every: 900,
    drop_every: 400,
    delay_every: 20,
    delay: Duration::from_millis(3),
};

/// Regions of the table of rows; key spaces of the same size.
pub(crate) const REGIONS: usize = 16;

pub(crate) struct Scene {
    /// The client that suffers.
    pub(crate) store: HBaseStore,
    /// A client beside the proxies, who moves things and knows the truth.
    pub(crate) admin: HBaseStore,
    pub(crate) rows: TableName,
    pub(crate) counters: TableName,
    /// Neither loaded nor moved.
    pub(crate) still: TableName,
    pub(crate) cluster: Cluster,
    proxies: Vec<(HostPort, FaultProxy)>,
}

impl Scene {
    pub(crate) fn set() -> Self {
        let cluster = Cluster::start(&cluster_options()).expect("a cluster starts");
        let admin = HBaseStore::connect(&cluster.zookeeper_url).expect("the cluster answers");
        admin.switch(Chore::Balancer, false).expect("the master obeys");
        let [rows, counters, still] =
            ["rows", "counters", "still"].map(|name| name.parse::<TableName>().expect("a good name"));
        for (table, splits) in [(&rows, load::splits()), (&counters, Vec::new()), (&still, Vec::new())] {
            let families = vec![Family::new("d")];
            let table = TableDescriptor { name: table.clone(), families, attributes: Default::default() };
            admin.create_table(&table, &splits).expect("a new table");
        }
        let proxies = servers(&admin).into_iter().map(|server| {
            let target: SocketAddr = server.to_string().parse().expect("servers announce numbers");
            let proxy = FaultProxy::start(target, Faults::default()).expect("a free port");
            (server, proxy)
        });
        let proxies: Vec<_> = proxies.collect();
        let store = through(&cluster.zookeeper_url, &proxies, DEADLINE, ONE_CALL);
        for (_, proxy) in &proxies {
            proxy.set(BAD);
        }
        Self { store, admin, rows, counters, still, cluster, proxies }
    }

    pub(crate) fn servers(&self) -> Vec<HostPort> {
        servers(&self.admin)
    }

    pub(crate) fn good_network(&self) {
        self.proxies.iter().for_each(|(_, proxy)| proxy.set(Faults::default()));
    }

    /// What all proxies did together.
    pub(crate) fn network(&self) -> Done {
        let mut all = Done::default();
        self.proxies.iter().for_each(|(_, proxy)| all += proxy.done());
        all
    }

    /// A server that was started during the run has no proxy.
    fn key_behind_a_proxy(&self) -> Vec<u8> {
        let regions = self.admin.regions(&self.rows).expect("the table is there");
        let reached = |key: &[u8]| {
            let region = regions.iter().find(|region| region.range.contains(key));
            let server = region.and_then(|region| region.server.as_ref());
            self.proxies.iter().any(|(proxied, _)| server == Some(&proxied.to_string()))
        };
        (0..).map(load::key).find(|key| reached(key)).expect("most servers have a proxy")
    }

    /// With every frame lost, each kind of operation fails in time and says where.
    pub(crate) fn failures_name_table_region_server_and_attempt(&self) {
        let short = Duration::from_millis(1500);
        let store = through(&self.cluster.zookeeper_url, &self.proxies, short, Duration::from_millis(300));
        let key = self.key_behind_a_proxy();
        let mut batch = RowBatch::new();
        assert!(store.get(&self.rows, &Get::new(key.clone()), &mut batch).expect("a good network"));
        for (_, proxy) in &self.proxies {
            proxy.set(Faults { drop_every: 1, ..Faults::default() });
        }
        let increment: Operation = Increment::new(key.clone()).add("d", "n", 1).into();
        let failures: [(&str, &dyn Fn() -> Option<StoreError>); 4] = [
            ("a get", &|| store.get(&self.rows, &Get::new(key.clone()), &mut RowBatch::new()).err()),
            ("a put", &|| store.put_batch(&self.rows, &batch).err()),
            ("a batch", &|| match store.batch(&self.rows, std::slice::from_ref(&increment)) {
                Ok(results) => results.into_iter().find_map(Result::err),
                Err(failure) => Some(failure),
            }),
            ("a scan", &|| {
                let scan = Scan::new(KeyRange::half_open(Some(key.clone()), None));
                let mut scanner = store.scan_many(&self.rows, &[scan]).expect("a good scan").remove(0);
                scanner.next_batch(&mut RowBatch::new()).err()
            }),
        ];
        for (what, operation) in failures {
            let started = Instant::now();
            let failure = operation().unwrap_or_else(|| panic!("{what} cannot go well"));
            let took = started.elapsed();
            assert!(took < short + SLACK, "{what} took {took:?}, and its deadline is {short:?}");
            names_everything(&failure, self);
            println!("{what}, after {} ms: {}", took.as_millis(), with_causes(&failure));
        }
        self.good_network();
    }
}

fn cluster_options() -> cluster::Options {
    let lease = slow_reader::LEASE.as_millis().to_string();
    let settings = vec![("hbase.client.scanner.timeout.period".to_owned(), lease)];
    cluster::Options { settings, ..cluster::Options::default() }
}

fn servers(admin: &HBaseStore) -> Vec<HostPort> {
    let status = admin.cluster_status().expect("the master answers");
    let address = |server: &str| {
        let (host, port) = server.rsplit_once(':').expect("an address");
        HostPort { host: host.to_owned(), port: port.parse().expect("a port") }
    };
    status.servers.iter().map(|server| address(&server.server)).collect()
}

/// A client that reaches its servers through their proxies.
fn through(
    url: &str,
    proxies: &[(HostPort, FaultProxy)],
    operation_timeout: Duration,
    call_timeout: Duration,
) -> HBaseStore {
    let url: ClusterUrl = url.parse().expect("a good URL");
    let mut options = Options::default();
    options.operation_timeout = operation_timeout;
    options.call_timeout = call_timeout;
    let reached = |proxy: &FaultProxy| HostPort {
        host: proxy.address().ip().to_string(),
        port: proxy.address().port(),
    };
    options.addresses = proxies.iter().map(|(server, proxy)| (server.clone(), reached(proxy))).collect();
    HBaseStore::connect_with(&url, options).expect("the cluster answers")
}

/// Runs an operation that must end by its deadline.
pub(crate) fn in_time<T>(what: &str, operation: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let outcome = operation();
    let took = started.elapsed();
    assert!(took < DEADLINE + SLACK, "{what} took {took:?}, and its deadline is {DEADLINE:?}");
    outcome
}

pub(crate) fn names_everything(failure: &StoreError, scene: &Scene) {
    let said = with_causes(failure);
    let table = format!("table `{}`", scene.rows);
    // By its name, or by a key in it while its name is unknown.
    let region = said.contains(&format!("region {},", scene.rows))
        || said.contains(&format!("the region of {table} that holds key "));
    let (table, server) = (said.contains(&table), said.contains("127.0.0.1:"));
    assert!(table && region && server && said.contains("attempt"), "{said}");
}
