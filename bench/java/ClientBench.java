import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.LongFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;

/**
 * HBase's own client in rowkey's benchmark: {@code ClientBench HOST:PORT ROWS COUNTERS}.
 *
 * <p>Reads a job a line from standard input, does it, and answers with a line: two numbers that prove the work. The jobs,
 * rows and answers are those of bench/src/hbase/ours.rs. Time, processor and memory are measured from outside.
 */
public final class ClientBench {
  private static final byte[] FAMILY = {'d'};
  private static final byte[] COLUMN = {'v'};
  private static final byte[] COUNTER = {'n'};
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final Connection connection;
  private final AsyncTable<AdvancedScanResultConsumer> rows;
  private final AsyncTable<AdvancedScanResultConsumer> counters;
  private final TableName rowTable;

  private ClientBench(Configuration conf, String rowTable, String counterTable) throws Exception {
    this.connection = ConnectionFactory.createConnection(conf);
    AsyncConnection async = ConnectionFactory.createAsyncConnection(conf).get();
    this.rowTable = TableName.valueOf(rowTable);
    this.rows = async.getTable(this.rowTable);
    this.counters = async.getTable(TableName.valueOf(counterTable));
  }

  public static void main(String[] args) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    String[] zookeeper = args[0].split(":");
    conf.set("hbase.zookeeper.quorum", zookeeper[0]);
    conf.set("hbase.zookeeper.property.clientPort", zookeeper[1]);
    ClientBench bench = new ClientBench(conf, args[1], args[2]);
    System.out.println("ready 0");
    BufferedReader jobs = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = jobs.readLine(); line != null; line = jobs.readLine()) {
      System.out.println(bench.work(line.split(" ")));
    }
    Runtime.getRuntime().halt(0);
  }

  private String work(String[] job) throws Exception {
    long first = job.length > 1 ? Long.parseLong(job[1]) : 0;
    long count = job.length > 2 ? Long.parseLong(job[2]) : 0;
    int more = job.length > 3 ? Integer.parseInt(job[3]) : 1;
    switch (job[0]) {
      case "put":
        return put(first, count);
      case "get":
        return inFlight(first, count, more, row -> rows.get(new Get(key(row))), result -> result.isEmpty() ? 0 : 1);
      case "multiget":
        return multiGet(first, count, more);
      case "scan":
        return scan();
      case "increment":
        return inFlight(first, count, more,
            row -> counters.increment(new Increment(counter(row)).addColumn(FAMILY, COUNTER, 1)),
            result -> result.size());
      default:
        throw new IllegalArgumentException(job[0]);
    }
  }

  private String put(long first, long count) throws Exception {
    try (BufferedMutator mutator = connection.getBufferedMutator(rowTable)) {
      for (long row = first; row < first + count; row++) {
        mutator.mutate(new Put(key(row)).addColumn(FAMILY, COLUMN, value(row)));
      }
      mutator.flush();
    }
    return count + " " + count;
  }

  private interface Worth {
    long of(Result result);
  }

  private String inFlight(long first, long count, int most, LongFunction<CompletableFuture<Result>> start, Worth worth)
      throws Exception {
    Semaphore places = new Semaphore(most);
    java.util.concurrent.atomic.LongAdder found = new java.util.concurrent.atomic.LongAdder();
    for (long row = first; row < first + count; row++) {
      places.acquire();
      start.apply(row).whenComplete((result, failure) -> {
        if (failure == null) {
          found.add(worth.of(result));
        }
        places.release();
      });
    }
    places.acquire(most);
    return count + " " + found.sum();
  }

  private String multiGet(long first, long count, int size) throws Exception {
    long found = 0;
    for (long begin = first; begin < first + count; begin += size) {
      List<Get> gets = new ArrayList<>(size);
      for (long row = begin; row < Math.min(begin + size, first + count); row++) {
        gets.add(new Get(key(row)));
      }
      for (Result result : rows.getAll(gets).get()) {
        found += result.isEmpty() ? 0 : 1;
      }
    }
    return count + " " + found;
  }

  private String scan() throws Exception {
    long count = 0;
    long bytes = 0;
    try (ResultScanner scanner = rows.getScanner(new Scan().addFamily(FAMILY))) {
      for (Result result : scanner) {
        count++;
        for (Cell cell : result.rawCells()) {
          bytes += cell.getRowLength() + cell.getValueLength();
        }
      }
    }
    return count + " " + bytes;
  }

  private static byte[] key(long row) {
    long mixed = (row + 1) * 0x9E3779B97F4A7C15L;
    byte[] key = new byte[16];
    for (int at = 0; at < 16; at++) {
      key[at] = HEX[(int) (mixed >>> (60 - 4 * at)) & 15];
    }
    return key;
  }

  private static byte[] value(long row) {
    byte[] value = new byte[100];
    java.util.Arrays.fill(value, (byte) ('a' + row % 26));
    return value;
  }

  private static byte[] counter(long row) {
    return ("c" + row % 1000).getBytes(StandardCharsets.US_ASCII);
  }
}
