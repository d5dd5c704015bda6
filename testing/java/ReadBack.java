import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What does HBase's own client find in a table that we wrote?
 *
 * <p>{@code ReadBack HOST:PORT TABLE} prints one line a cell, in scan order, all versions:
 * {@code rowHex family qualifierHex timestamp valueHex}. With {@code --raw} hidden cells and delete markers are
 * printed too, and behind each cell its type. {@code ReadBack HOST:PORT TABLE --regions} prints one line a
 * region, in key order: {@code startHex endHex}. Bytes that are empty are printed as {@code -}, so that every line
 * has the same number of words.
 */
public final class ReadBack {
    public static void main(String[] args) throws Exception {
        boolean regions = args.length == 3 && args[2].equals("--regions");
        boolean raw = args.length == 3 && args[2].equals("--raw");
        if (args.length != 2 && !regions && !raw) {
            System.err.println("usage: ReadBack HOST:PORT TABLE [--regions | --raw]");
            System.exit(2);
        }
        int colon = args[0].lastIndexOf(':');
        Configuration conf = HBaseConfiguration.create();
        conf.set("hbase.zookeeper.quorum", args[0].substring(0, colon));
        conf.set("hbase.zookeeper.property.clientPort", args[0].substring(colon + 1));
        // a test wants the error, not a quarter of an hour of patience
        conf.setInt("hbase.client.retries.number", 5);
        conf.setInt("zookeeper.recovery.retry", 1);
        TableName table = TableName.valueOf(args[1]);
        try (Connection connection = ConnectionFactory.createConnection(conf);
             PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8)) {
            if (regions) {
                printRegions(connection, table, out);
            } else {
                printCells(connection, table, raw, out);
            }
        }
    }

    private static void printCells(Connection connection, TableName name, boolean raw, PrintWriter out) throws Exception {
        Scan scan = new Scan().readAllVersions().setRaw(raw).setCaching(1000);
        try (Table table = connection.getTable(name); ResultScanner rows = table.getScanner(scan)) {
            for (Result row : rows) {
                for (Cell cell : row.rawCells()) {
                    out.println(hex(CellUtil.cloneRow(cell))
                        + ' ' + Bytes.toString(CellUtil.cloneFamily(cell))
                        + ' ' + hex(CellUtil.cloneQualifier(cell))
                        + ' ' + cell.getTimestamp()
                        + ' ' + hex(CellUtil.cloneValue(cell))
                        + (raw ? " " + cell.getType() : ""));
                }
            }
        }
    }

    private static void printRegions(Connection connection, TableName name, PrintWriter out) throws Exception {
        try (RegionLocator locator = connection.getRegionLocator(name)) {
            for (HRegionLocation location : locator.getAllRegionLocations()) {
                out.println(hex(location.getRegion().getStartKey()) + ' ' + hex(location.getRegion().getEndKey()));
            }
        }
    }

    private static String hex(byte[] bytes) {
        return bytes.length == 0 ? "-" : Bytes.toHex(bytes);
    }
}
