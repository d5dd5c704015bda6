import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.LocalHBaseCluster;
import org.apache.hadoop.hbase.Server;
import org.apache.hadoop.hbase.master.HMaster;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.util.JVMClusterUtil;
import org.apache.hadoop.hbase.zookeeper.MiniZooKeeperCluster;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * A real HBase for tests: ZooKeeper, a master and N region servers in one JVM.
 *
 * <p>Usage: {@code Cluster FOLDER REGION_SERVERS folder|hdfs [KEY=VALUE …]}. FOLDER takes all data and is deleted at the
 * end; HBase keeps it there as files, or in an HDFS of its own. The rest are settings of HBase. When the master
 * is initialised and every region server is online it prints {@code READY zookeeper=HOST:PORT master=HOST:PORT}.
 *
 * <p>It ends when its standard input closes. The pipe closes however the parent ends, by kill -9 too, so no JVM is
 * ever left behind; that is why there is no other way to stop it.
 *
 * <p>Two commands are taken from standard input once it is ready, one line each: {@code stop HOST:PORT} stops a region
 * server as an operator would and answers {@code STOPPED HOST:PORT} when it has gone; {@code start} starts another one
 * and answers {@code STARTED HOST:PORT}. What cannot be done is answered with {@code FAILED} and the reason.
 */
public final class Cluster {
    private static final String HOST = "127.0.0.1";
    private static final CompletableFuture<LocalHBaseCluster> RUNNING = new CompletableFuture<>();

    public static void main(String[] args) throws Exception {
        if (args.length < 3) {
            System.err.println("usage: Cluster FOLDER REGION_SERVERS folder|hdfs [KEY=VALUE ...]");
            System.exit(2);
        }
        Path folder = Path.of(args[0]);
        int regionServers = Integer.parseInt(args[1]);
        endWithStandardInput(folder);
        try {
            start(folder, regionServers, args[2], List.of(args).subList(3, args.length));
        } catch (Throwable failure) {
            failure.printStackTrace();
            // halt, because half-started servers keep threads that would keep the JVM
            Runtime.getRuntime().halt(1);
        }
    }

    private static void start(Path folder, int regionServers, String place, List<String> more) throws Exception {
        Configuration conf = settings(folder, regionServers);
        // without it the second region server of a JVM dies: its metrics have the first one's names
        DefaultMetricsSystem.setMiniClusterMode(true);
        if (place.equals("hdfs")) {
            keepInHdfs(folder, conf);
        } else {
            keepInFolder(folder, conf);
        }
        for (String setting : more) {
            int equals = setting.indexOf('=');
            conf.set(setting.substring(0, equals), setting.substring(equals + 1));
        }

        // read once for the whole JVM, and elsewhere from a file that we do not have
        UserGroupInformation.setConfiguration(conf);

        MiniZooKeeperCluster zookeeper = new MiniZooKeeperCluster(conf);
        // a session lives 20 ticks at most; on a machine busy with a compiler the default 40 s is too near
        zookeeper.setTickTime(6000);
        int zookeeperPort = zookeeper.startup(new File(folder.toFile(), "zookeeper"));
        conf.set("hbase.zookeeper.quorum", HOST);
        conf.setInt("hbase.zookeeper.property.clientPort", zookeeperPort);

        LocalHBaseCluster cluster = new LocalHBaseCluster(conf, 1, regionServers);
        cluster.startup();
        HMaster master = cluster.getMasters().get(0).getMaster();
        while (!master.isInitialized() || master.getServerManager().countOfRegionServers() < regionServers) {
            failIfDead(cluster);
            Thread.sleep(50);
        }
        RUNNING.complete(cluster);
        System.out.println("READY zookeeper=" + HOST + ":" + zookeeperPort
            + " master=" + master.getServerName().getAddress());
        System.out.flush();
    }

    /** A name node and a data node in this JVM, and HBase's folder and logs on them, as in production but for the copies. */
    private static void keepInHdfs(Path folder, Configuration conf) throws Exception {
        conf.set("dfs.namenode.name.dir", folder.resolve("names").toUri().toString());
        conf.set("dfs.datanode.data.dir", folder.resolve("blocks").toUri().toString());
        conf.set("fs.defaultFS", "hdfs://" + HOST + ":0");
        for (String address : List.of("namenode.http-", "datanode.", "datanode.ipc.", "datanode.http.")) {
            conf.set("dfs." + address + "address", HOST + ":0");
        }
        // as the region servers are called, so that they know their own files
        conf.set("dfs.datanode.hostname", HOST);
        conf.setInt("dfs.replication", 1);
        conf.setBoolean("dfs.permissions.enabled", false);
        NameNode.format(conf);
        NameNode names = NameNode.createNameNode(new String[0], conf);
        conf.set("fs.defaultFS", "hdfs://" + HOST + ":" + names.getNameNodeAddress().getPort());
        DataNode.createDataNode(new String[0], conf);
        while (names.getNamesystem().getNumLiveDataNodes() < 1 || names.isInSafeMode()) {
            Thread.sleep(50);
        }
        conf.set("hbase.rootdir", conf.get("fs.defaultFS") + "/hbase");
    }

    private static void keepInFolder(Path folder, Configuration conf) {
        conf.set("hbase.rootdir", folder.resolve("hbase").toUri().toString());
        // a plain folder promises no hflush; a test cluster may lose data with its machine
        conf.setBoolean("hbase.unsafe.stream.capability.enforce", false);
        conf.set("hbase.wal.provider", "filesystem");
    }

    private static Configuration settings(Path folder, int regionServers) {
        Configuration conf = HBaseConfiguration.create();
        conf.set("hbase.tmp.dir", folder.resolve("tmp").toString());
        conf.set("hadoop.tmp.dir", folder.resolve("tmp").toString());

        conf.setBoolean("hbase.localcluster.assign.random.ports", true);
        // the web pages are not in the jars; with a port the servers die
        conf.setInt("hbase.master.info.port", -1);
        conf.setInt("hbase.regionserver.info.port", -1);
        for (String role : List.of("master", "regionserver")) {
            conf.set("hbase." + role + ".ipc.address", HOST);
        }
        // the address that clients are told; as a number, so that nothing depends on how `localhost` resolves
        conf.set("hbase.master.hostname", HOST);
        conf.set("hbase.unsafe.regionserver.hostname", HOST);

        // all servers share one heap, and each takes its part of it
        float share = 0.5f / (regionServers + 1);
        conf.setFloat("hfile.block.cache.size", share);
        conf.setFloat("hbase.regionserver.global.memstore.size", share);
        // with it every family of every region holds 2 MB from its first write; tests make hundreds of regions
        conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false);
        conf.setInt("hbase.regionserver.handler.count", 10);

        conf.setInt("hbase.master.wait.on.regionservers.mintostart", regionServers);
        // request counts reach the master with this message (milliseconds)
        conf.setInt("hbase.regionserver.msginterval", 500);
        // the files of a region that was split stay with it until they are put away, and so long it cannot be merged
        conf.setInt("hbase.hfile.compaction.discharger.interval", 500);
        // a real endpoint on every region, for calls that run on the server; not every version's jars can be had
        String endpoint = "org.apache.hadoop.hbase.coprocessor.AggregateImplementation";
        try {
            Class.forName(endpoint);
            conf.set("hbase.coprocessor.user.region.classes", endpoint);
        } catch (ClassNotFoundException absent) {
            System.err.println("no endpoint: " + absent);
        }
        return conf;
    }

    private static void failIfDead(LocalHBaseCluster cluster) {
        List<String> dead = Stream.<Server>concat(
                cluster.getMasters().stream().map(thread -> thread.getMaster()),
                cluster.getRegionServers().stream().map(thread -> thread.getRegionServer()))
            .filter(server -> server.isAborted() || server.isStopped())
            .map(Object::toString)
            .collect(Collectors.toList());
        if (!dead.isEmpty()) {
            throw new IllegalStateException("died while the cluster started: " + dead + "; its reason is in the log");
        }
    }

    private static void endWithStandardInput(Path folder) {
        Thread watch = new Thread(() -> {
            ExecutorService commands = Executors.newSingleThreadExecutor(work -> {
                Thread thread = new Thread(work, "commands");
                thread.setDaemon(true);
                return thread;
            });
            try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in))) {
                for (String line = input.readLine(); line != null; line = input.readLine()) {
                    String command = line.trim();
                    // elsewhere, because this thread watches for the end
                    commands.execute(() -> answer(command));
                }
            } catch (IOException closed) {
                // the same as the end of input
            }
            // The servers still write while we delete, so the first round may leave files; halt, not exit, because
            // an orderly stop takes many seconds and this data is not read again.
            delete(folder);
            delete(folder);
            Runtime.getRuntime().halt(0);
        }, "end-with-standard-input");
        watch.setDaemon(true);
        watch.start();
    }

    private static void answer(String command) {
        String answer;
        try {
            answer = obey(command, RUNNING.get());
        } catch (Exception failure) {
            answer = "FAILED " + command + ": " + failure;
        }
        System.out.println(answer);
        System.out.flush();
    }

    private static String obey(String command, LocalHBaseCluster cluster) throws Exception {
        if (command.equals("start")) {
            int number = cluster.getRegionServers().size();
            Configuration conf = HBaseConfiguration.create(cluster.getConfiguration());
            JVMClusterUtil.RegionServerThread thread = cluster.addRegionServer(conf, number);
            thread.start();
            thread.waitForServerOnline();
            return "STARTED " + thread.getRegionServer().getServerName().getAddress();
        }
        if (command.startsWith("stop ")) {
            String address = command.substring("stop ".length());
            for (JVMClusterUtil.RegionServerThread thread : cluster.getRegionServers()) {
                HRegionServer server = thread.getRegionServer();
                if (server.getServerName().getAddress().toString().equals(address) && thread.isAlive()) {
                    server.stop("asked for on standard input");
                    thread.join();
                    return "STOPPED " + address;
                }
            }
            throw new IllegalArgumentException("no live region server has this address");
        }
        throw new IllegalArgumentException("there are the commands start and stop HOST:PORT");
    }

    private static void delete(Path folder) {
        try (Stream<Path> paths = Files.walk(folder)) {
            paths.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        } catch (IOException | RuntimeException gone) {
            // the parent may delete at the same time
        }
    }
}
