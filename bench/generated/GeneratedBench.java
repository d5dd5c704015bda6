import com.sematext.hbase.wd.DistributedScanner;
import com.sematext.hbase.wd.RowKeyDistributorByOneBytePrefix;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.apache.hadoop.hbase.types.RawByte;
import org.apache.hadoop.hbase.types.RawLong;
import org.apache.hadoop.hbase.types.RawString;
import org.apache.hadoop.hbase.types.Struct;
import org.apache.hadoop.hbase.types.StructBuilder;
import org.apache.hadoop.hbase.util.ByteArrayHashKey;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.MurmurHash3;
import org.apache.hadoop.hbase.util.PositionedByteRange;
import org.apache.hadoop.hbase.util.SimplePositionedMutableByteRange;

/**
 * Generated Java beside code written by hand, HBase's types and HBaseWD.
 *
 * <p>Reads names of candidates from standard input, one a line; does that work for some milliseconds and answers with
 * a line of JSON. Its only argument is the file of records.
 */
public final class GeneratedBench {
  private static final long TURN_NANOS = 1_000_000;
  private static final long FNV_START = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;
  private static final int BUCKETS = 64;
  private static final Struct STRUCT =
      new StructBuilder().add(new RawByte()).add(new RawLong()).add(new RawLong()).add(RawString.ASCENDING).toStruct();

  private final List<GivenKey.Record> given = new ArrayList<>();
  private final List<ComputedKey.Record> computed = new ArrayList<>();
  private final int count;
  private final byte[] salts;
  private final long[] userIds;
  private final long[] times;
  private final String[] orderIds;
  private final List<List<Result>> buckets = new ArrayList<>();
  private final Map<String, Candidate> candidates = new LinkedHashMap<>();

  /** The last result of a timed pass: as if somebody used it. */
  private Object held;

  private interface Keys {
    byte[] at(int record);
  }

  private static final class Candidate {
    final Runnable pass;
    final String checksum;

    Candidate(Runnable pass, String checksum) {
      this.pass = pass;
      this.checksum = checksum;
    }
  }

  /** Rows in memory, as a scanner of one bucket gives them. */
  private static final class InMemory implements ResultScanner {
    private final List<Result> rows;
    private int next;

    InMemory(List<Result> rows) {
      this.rows = rows;
    }

    @Override
    public Result next() {
      return next < rows.size() ? rows.get(next++) : null;
    }

    @Override
    public Result[] next(int wanted) {
      int end = Math.min(rows.size(), next + wanted);
      Result[] some = rows.subList(next, end).toArray(new Result[0]);
      next = end;
      return some;
    }

    @Override
    public boolean renewLease() {
      return true;
    }

    @Override
    public ScanMetrics getScanMetrics() {
      return null;
    }

    @Override
    public void close() {}
  }

  private GeneratedBench(List<String> lines) throws Exception {
    count = lines.size();
    salts = new byte[count];
    userIds = new long[count];
    times = new long[count];
    orderIds = new String[count];
    for (int i = 0; i < count; i++) {
      String[] values = lines.get(i).split("\t");
      salts[i] = Byte.parseByte(values[0]);
      userIds[i] = Long.parseLong(values[1]);
      times[i] = Long.parseLong(values[2]);
      orderIds[i] = values[3];
      GivenKey.Record one = new GivenKey.Record();
      one.salt = salts[i];
      one.userId = userIds[i];
      one.ts = times[i];
      one.orderId = orderIds[i];
      given.add(one);
      ComputedKey.Record other = new ComputedKey.Record();
      other.userId = userIds[i];
      other.ts = times[i];
      other.orderId = orderIds[i];
      computed.add(other);
    }
    // Each has a loop of its own, which the JVM compiles for it alone.
    add("given: by hand", i -> bytesAdd(salts[i], i), () -> {
      for (int i = 0; i < count; i++) {
        held = bytesAdd(salts[i], i);
      }
    });
    add("given: struct", i -> struct(salts[i], i), () -> {
      for (int i = 0; i < count; i++) {
        held = struct(salts[i], i);
      }
    });
    add("given: record", i -> GivenKey.encode(given.get(i)), () -> {
      for (int i = 0; i < count; i++) {
        held = GivenKey.encode(given.get(i));
      }
    });
    add("given: values", i -> GivenKey.encode(salts[i], userIds[i], times[i], orderIds[i]), () -> {
      for (int i = 0; i < count; i++) {
        held = GivenKey.encode(salts[i], userIds[i], times[i], orderIds[i]);
      }
    });
    add("computed: by hand", i -> bytesAdd(salt(userIds[i]), i), () -> {
      for (int i = 0; i < count; i++) {
        held = bytesAdd(salt(userIds[i]), i);
      }
    });
    add("computed: struct", i -> struct(salt(userIds[i]), i), () -> {
      for (int i = 0; i < count; i++) {
        held = struct(salt(userIds[i]), i);
      }
    });
    add("computed: record", i -> ComputedKey.encode(computed.get(i)), () -> {
      for (int i = 0; i < count; i++) {
        held = ComputedKey.encode(computed.get(i));
      }
    });
    add("computed: values", i -> ComputedKey.encode(userIds[i], times[i], orderIds[i]), () -> {
      for (int i = 0; i < count; i++) {
        held = ComputedKey.encode(userIds[i], times[i], orderIds[i]);
      }
    });
    fillBuckets();
    merge("merge: hbasewd", this::hbasewd);
    merge("merge: generated", this::generated);
  }

  private byte[] bytesAdd(byte salt, int i) {
    byte[] head = Bytes.add(new byte[] {salt}, Bytes.toBytes(userIds[i]), Bytes.toBytes(Long.MAX_VALUE - times[i]));
    return Bytes.add(head, Bytes.toBytes(orderIds[i]));
  }

  private byte[] struct(byte salt, int i) {
    Object[] record = {salt, userIds[i], Long.MAX_VALUE - times[i], orderIds[i]};
    PositionedByteRange range = new SimplePositionedMutableByteRange(STRUCT.encodedLength(record));
    STRUCT.encode(range, record);
    return range.getBytes();
  }

  private static byte salt(long userId) {
    ByteArrayHashKey key = new ByteArrayHashKey(Bytes.toBytes(userId), 0, 8);
    return (byte) Math.floorMod(MurmurHash3.getInstance().hash(key, -1), 16);
  }

  private void fillBuckets() {
    byte[] empty = {};
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      buckets.add(new ArrayList<>());
    }
    for (int i = 0; i < count; i++) {
      byte[] row = MergedKey.encode(userIds[i], times[i], orderIds[i]);
      Cell cell = new KeyValue(row, new byte[] {'d'}, empty, 1L, empty);
      buckets.get(row[0]).add(Result.create(new Cell[] {cell}));
    }
    Comparator<Result> byRow = (a, b) -> Bytes.compareTo(a.getRow(), b.getRow());
    buckets.forEach(rows -> rows.sort(byRow));
  }

  private Iterator<Result> hbasewd() throws IOException {
    ResultScanner[] scanners = new ResultScanner[BUCKETS];
    Arrays.setAll(scanners, bucket -> new InMemory(buckets.get(bucket)));
    return new DistributedScanner(new RowKeyDistributorByOneBytePrefix((byte) BUCKETS), scanners).iterator();
  }

  private Iterator<Result> generated() {
    List<Iterator<Result>> scans = new ArrayList<>();
    for (List<Result> rows : buckets) {
      scans.add(new InMemory(rows).iterator());
    }
    return new MergedKey.Merge<>(scans, Result::getRow, MergedKey.BUCKET_WIDTH, false);
  }

  private void add(String name, Keys keys, Runnable pass) {
    long hash = FNV_START;
    for (int i = 0; i < count; i++) {
      hash = hashed(hash, keys.at(i));
    }
    candidates.put(name, new Candidate(pass, Long.toHexString(hash)));
  }

  private void merge(String name, Callable<Iterator<Result>> merged) throws Exception {
    long hash = FNV_START;
    for (Iterator<Result> rows = merged.call(); rows.hasNext(); ) {
      hash = hashed(hash, rows.next().getRow());
    }
    Runnable pass = () -> {
      try {
        for (Iterator<Result> rows = merged.call(); rows.hasNext(); ) {
          held = rows.next();
        }
      } catch (Exception impossible) {
        throw new IllegalStateException(impossible);
      }
    };
    candidates.put(name, new Candidate(pass, Long.toHexString(hash)));
  }

  private static long hashed(long hash, byte[] key) {
    long more = hash;
    for (byte b : key) {
      more = (more ^ (b & 0xff)) * FNV_PRIME;
    }
    return more;
  }

  private String turn(String name) {
    Candidate candidate = candidates.get(name);
    if (candidate == null) {
      throw new IllegalArgumentException("there is no candidate `" + name + "`; there are " + candidates.keySet());
    }
    long start = System.nanoTime();
    long passes = 0;
    long took;
    do {
      candidate.pass.run();
      passes++;
      took = System.nanoTime() - start;
    } while (took < TURN_NANOS);
    double nanos = (double) took / passes / count;
    return String.format(Locale.ROOT, "{\"ns_per_key\":%.3f,\"checksum\":\"%s\"}", nanos, candidate.checksum);
  }

  public static void main(String[] args) throws Exception {
    GeneratedBench bench = new GeneratedBench(Files.readAllLines(Paths.get(args[0])));
    BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String name = questions.readLine(); name != null; name = questions.readLine()) {
      System.out.println(bench.turn(name));
    }
  }
}
