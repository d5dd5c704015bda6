// From the root of the repository, with a JDK and Maven:
//
//   mvn -q -f testing/opentsdb/pom.xml dependency:copy-dependencies -DoutputDirectory=/tmp/opentsdb-jars
//   java -cp '/tmp/opentsdb-jars/*' testing/java/OpenTsdbVectors.java > testdata/vectors/opentsdb.jsonl

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.HexFormat;
import net.opentsdb.core.RowKey;
import net.opentsdb.core.TSDB;
import net.opentsdb.utils.Config;
import org.hbase.async.HBaseClient;
import org.slf4j.LoggerFactory;

/**
 * Which row keys does the real OpenTSDB build?
 *
 * <p>Prints one JSON object a line. A series is what OpenTSDB calls a TSUID: the metric's id and the ids of its tags,
 * three bytes each. {@code timestamp} is what was asked for, {@code base_time} what OpenTSDB put into the key.
 *
 * <p>Salt width and bucket count go the way of a user's configuration, through a {@code TSDB}; its HBase client is
 * never used and so never connects.
 */
public final class OpenTsdbVectors {
    private static final int ID = 3;
    /** Salt width and number of buckets; width 0 is OpenTSDB's default, no salt. */
    private static final int[][] SALTS = {
        {0, 20}, {1, 1}, {1, 8}, {1, 20}, {1, 256}, {2, 8}, {2, 20}, {2, 256}, {2, 1000}, {4, 100000}, {6, 1000},
    };
    /** Metric, then tag key and tag value by turns. */
    private static final String[] SERIES = {
        "000001" + "000001" + "000002",
        "000001" + "000001" + "000003",
        "000002" + "000001" + "000002" + "000004" + "0000ff",
        "800000" + "7fffff" + "80ff01",
        "ffffff" + "fffffe" + "fffffd" + "ffffff" + "fffffc",
        "0a80fe" + "00807f" + "ff0080" + "01ff00" + "c3a9bf" + "8080ff" + "000100",
        // a row without tags, and the row of global annotations, which OpenTSDB does not salt
        "0000f0",
        "000000" + "000001" + "000002",
    };
    /** In seconds and, where they do not fit 32 bits, in milliseconds. */
    private static final long[] TIMESTAMPS = {1432425600L, 1432426980L, 4294967295L, 1432429199999L, 0L};

    public static void main(String[] args) throws Exception {
        ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.WARN);
        // logging goes to standard output by default; only vectors belong there
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out));
        System.setOut(System.err);
        for (int[] salt : SALTS) {
            TSDB tsdb = configured(salt[0], salt[1]);
            for (int series = 0; series < SERIES.length; series++) {
                // every series at one time, and one series at every time: the salt must not depend on it
                for (int time = 0; time < (series == 2 ? TIMESTAMPS.length : 1); time++) {
                    out.println(line(tsdb, salt[0], salt[1], SERIES[series], TIMESTAMPS[time]));
                }
            }
        }
        out.flush();
        // a TSDB's timers would keep the program alive
        System.exit(0);
    }

    private static TSDB configured(int width, int buckets) throws Exception {
        Config config = new Config(false);
        config.overrideConfig("tsd.storage.salt.width", Integer.toString(width));
        config.overrideConfig("tsd.storage.salt.buckets", Integer.toString(buckets));
        config.overrideConfig("tsd.storage.enable_compaction", "false");
        return new TSDB(new HBaseClient("127.0.0.1:1"), config);
    }

    private static String line(TSDB tsdb, int width, int buckets, String series, long timestamp) {
        byte[] row = RowKey.rowKeyFromTSUID(tsdb, HexFormat.of().parseHex(series), timestamp);
        String hex = HexFormat.of().formatHex(row);
        int time = 2 * (width + ID);
        long baseTime = Long.parseLong(hex.substring(time, time + 8), 16);
        return String.format(
            "{\"salt_width\":%d,\"buckets\":%d,\"metric\":\"%s\",\"timestamp\":%d,\"base_time\":%d,\"tags\":\"%s\",\"hex\":\"%s\"}",
            width, buckets, series.substring(0, 2 * ID), timestamp, baseTime, series.substring(2 * ID), hex);
    }
}
