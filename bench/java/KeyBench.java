import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
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
 * The keys of rowkey's benchmark as a Java client of HBase makes them.
 *
 * <p>Reads names of candidates from standard input, one a line; does that work for some milliseconds and answers with
 * a line of JSON. The records are those of bench/src/records.rs, which the checksums prove.
 */
public final class KeyBench {
  private static final int RECORDS = 8192;
  private static final int MURMUR_SEED = -1;
  private static final long TURN_NANOS = 1_000_000;
  private static final long FNV_START = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;
  private static final Struct STRUCT =
      new StructBuilder().add(new RawByte()).add(new RawLong()).add(new RawLong()).add(RawString.ASCENDING).toStruct();

  private final byte[] salts = new byte[RECORDS];
  private final long[] userIds = new long[RECORDS];
  private final long[] times = new long[RECORDS];
  private final String[] orderIds = new String[RECORDS];
  private final byte[][] ids = new byte[RECORDS][];
  private final byte[][] keys = new byte[RECORDS][];
  private final Map<String, Candidate> candidates = new LinkedHashMap<>();

  /** The last result of a timed pass: as if somebody used it. */
  private Object held;

  /** One key made or read; the bytes of the key, or the record read from it. */
  private interface Work {
    Object at(int record) throws Exception;
  }

  private static final class Candidate {
    final Runnable pass;
    final String checksum;

    Candidate(Runnable pass, String checksum) {
      this.pass = pass;
      this.checksum = checksum;
    }
  }

  /** A record read from a key. */
  private static final class Decoded {
    final byte salt;
    final long userId;
    final long time;
    final String orderId;

    Decoded(byte salt, long userId, long time, String orderId) {
      this.salt = salt;
      this.userId = userId;
      this.time = time;
      this.orderId = orderId;
    }
  }

  private KeyBench() throws Exception {
    long[] state = {2026};
    for (int i = 0; i < RECORDS; i++) {
      userIds[i] = next(state) % 1_000_000_000L;
      salts[i] = salt(userIds[i]);
      times[i] = 1_600_000_000_000L + next(state) % 200_000_000_000L;
      StringBuilder orderId = new StringBuilder();
      for (long left = 10 + next(state) % 5; left > 0; left--) {
        orderId.append(Character.forDigit((int) (next(state) % 36), 36));
      }
      orderIds[i] = orderId.toString();
      ids[i] = String.format(Locale.ROOT, "%012d", userIds[i]).getBytes(StandardCharsets.US_ASCII);
      keys[i] = bytesAdd(salts[i], i);
    }
    MessageDigest md5 = MessageDigest.getInstance("MD5");
    // Each has a loop of its own, which the JVM compiles for it alone.
    add("Bytes.toBytes + Bytes.add", i -> bytesAdd(salts[i], i), () -> {
      for (int i = 0; i < RECORDS; i++) {
        held = bytesAdd(salts[i], i);
      }
    });
    add("types.Struct of Raw*", this::struct, () -> {
      for (int i = 0; i < RECORDS; i++) {
        held = struct(i);
      }
    });
    add("MurmurHash3 + Bytes.toBytes + Bytes.add", i -> bytesAdd(salt(userIds[i]), i), () -> {
      for (int i = 0; i < RECORDS; i++) {
        held = bytesAdd(salt(userIds[i]), i);
      }
    });
    add("Bytes.toLong + Bytes.toString", i -> decodeBytes(keys[i]), () -> {
      for (int i = 0; i < RECORDS; i++) {
        held = decodeBytes(keys[i]);
      }
    });
    add("types.Struct of Raw*, decode", i -> decodeStruct(keys[i]), () -> {
      for (int i = 0; i < RECORDS; i++) {
        held = decodeStruct(keys[i]);
      }
    });
    add("MessageDigest, reused", i -> md5Prefix(md5, ids[i]), () -> {
      for (int i = 0; i < RECORDS; i++) {
        held = md5Prefix(md5, ids[i]);
      }
    });
  }

  private byte[] bytesAdd(byte salt, int i) {
    byte[] head = Bytes.add(new byte[] {salt}, Bytes.toBytes(userIds[i]), Bytes.toBytes(Long.MAX_VALUE - times[i]));
    return Bytes.add(head, Bytes.toBytes(orderIds[i]));
  }

  private byte[] struct(int i) {
    Object[] record = {salts[i], userIds[i], Long.MAX_VALUE - times[i], orderIds[i]};
    PositionedByteRange range = new SimplePositionedMutableByteRange(STRUCT.encodedLength(record));
    STRUCT.encode(range, record);
    return range.getBytes();
  }

  private static Decoded decodeBytes(byte[] key) {
    String orderId = Bytes.toString(key, 17, key.length - 17);
    return new Decoded(key[0], Bytes.toLong(key, 1), Long.MAX_VALUE - Bytes.toLong(key, 9), orderId);
  }

  private static Decoded decodeStruct(byte[] key) {
    Object[] record = STRUCT.decode(new SimplePositionedMutableByteRange(key));
    return new Decoded((Byte) record[0], (Long) record[1], Long.MAX_VALUE - (Long) record[2], (String) record[3]);
  }

  private static byte[] md5Prefix(MessageDigest md5, byte[] id) {
    byte[] digest = md5.digest(id);
    byte[] prefix = new byte[4];
    for (int i = 0; i < 4; i++) {
      int half = i % 2 == 0 ? digest[i / 2] >> 4 : digest[i / 2];
      prefix[i] = (byte) Character.forDigit(half & 15, 16);
    }
    return prefix;
  }

  private static byte salt(long userId) {
    ByteArrayHashKey key = new ByteArrayHashKey(Bytes.toBytes(userId), 0, 8);
    return (byte) Math.floorMod(MurmurHash3.getInstance().hash(key, MURMUR_SEED), 16);
  }

  /** SplitMix64 without its lowest bit, so that numbers are positive. */
  private static long next(long[] state) {
    state[0] += 0x9e3779b97f4a7c15L;
    long mixed = state[0];
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return (mixed ^ (mixed >>> 31)) >>> 1;
  }

  private void add(String name, Work work, Runnable pass) throws Exception {
    long hash = FNV_START;
    for (int i = 0; i < RECORDS; i++) {
      Object result = work.at(i);
      if (result instanceof Decoded) {
        Decoded decoded = (Decoded) result;
        hash = (hash ^ (decoded.salt & 0xff)) * FNV_PRIME;
        hash = (hash ^ decoded.userId) * FNV_PRIME;
        hash = (hash ^ decoded.time) * FNV_PRIME;
        result = decoded.orderId.getBytes(StandardCharsets.UTF_8);
      }
      for (byte b : (byte[]) result) {
        hash = (hash ^ (b & 0xff)) * FNV_PRIME;
      }
    }
    candidates.put(name, new Candidate(pass, Long.toHexString(hash)));
  }

  private String turn(String name) throws Exception {
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
    double nanos = (double) took / passes / RECORDS;
    return String.format(Locale.ROOT, "{\"candidate\":\"%s\",\"ns_per_key\":%.3f,\"checksum\":\"%s\"}", name, nanos,
        candidate.checksum);
  }

  public static void main(String[] args) throws Exception {
    KeyBench bench = new KeyBench();
    BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String name = questions.readLine(); name != null; name = questions.readLine()) {
      System.out.println(bench.turn(name));
    }
  }
}
