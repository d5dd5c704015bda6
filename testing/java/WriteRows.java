import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;

/**
 * What does our client find in a table that HBase's own wrote?
 *
 * <p>{@code WriteRows HOST:PORT TABLE} writes for every byte B the row {@code B 00 ff 2c}: four versions of a column
 * with the times 1 to 4, a cell with neither qualifier nor value, a binary column; and one delete marker of each kind.
 */
public final class WriteRows {
    public static void main(String[] args) throws Exception {
        if (args.length != 2) {
            System.err.println("usage: WriteRows HOST:PORT TABLE");
            System.exit(2);
        }
        int colon = args[0].lastIndexOf(':');
        Configuration conf = HBaseConfiguration.create();
        conf.set("hbase.zookeeper.quorum", args[0].substring(0, colon));
        conf.set("hbase.zookeeper.property.clientPort", args[0].substring(colon + 1));
        conf.setInt("hbase.client.retries.number", 5);
        conf.setInt("zookeeper.recovery.retry", 1);
        byte[] a = "a".getBytes(StandardCharsets.US_ASCII);
        byte[] d = "d".getBytes(StandardCharsets.US_ASCII);
        byte[] q = "q".getBytes(StandardCharsets.US_ASCII);
        try (Connection connection = ConnectionFactory.createConnection(conf);
             Table table = connection.getTable(TableName.valueOf(args[1]))) {
            for (int number = 0; number < 256; number++) {
                byte[] row = {(byte) number, 0, (byte) 0xFF, ','};
                byte[] binary = {0, (byte) number};
                Put put = new Put(row);
                for (int time = 1; time <= 4; time++) {
                    put.addColumn(a, q, time, new byte[] {(byte) time, (byte) 0xFF, 0});
                }
                put.addColumn(d, new byte[0], 3, new byte[0]);
                put.addColumn(d, binary, 5, new byte[] {(byte) number});
                table.put(put);
                table.delete(new Delete(row)
                    // first, because it forgets what was said of its family before
                    .addFamily(a, 1)
                    .addColumn(a, q, 4)
                    .addFamilyVersion(d, 3)
                    .addColumns(d, binary, 5));
            }
        }
    }
}
