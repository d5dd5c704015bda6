import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Iterator;
import java.util.List;

import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.phoenix.util.PhoenixRuntime;

/**
 * Which row keys does Phoenix give to rows? SQL comes on standard input, one statement a line; for each UPSERT the row key
 * that Phoenix would write comes out in hex. Phoenix's driver without a connection keeps tables and rows in memory: no cluster.
 */
public final class PhoenixKeys {
  public static void main(String[] args) throws Exception {
    BufferedReader statements = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (Connection connection = DriverManager.getConnection("jdbc:phoenix:none")) {
      connection.setAutoCommit(false);
      StringBuilder keys = new StringBuilder();
      for (String sql = statements.readLine(); sql != null; sql = statements.readLine()) {
        try (Statement statement = connection.createStatement()) {
          statement.execute(sql);
        } catch (Exception e) {
          throw new IllegalArgumentException(sql, e);
        }
        if (sql.startsWith("UPSERT")) {
          keys.append(key(connection)).append('\n');
          connection.rollback();
        }
      }
      System.out.write(keys.toString().getBytes(StandardCharsets.US_ASCII));
      System.out.flush();
    }
    // Phoenix leaves threads behind that are not daemons.
    System.exit(0);
  }

  private static String key(Connection connection) throws Exception {
    Iterator<Pair<byte[], List<Cell>>> tables = PhoenixRuntime.getUncommittedDataIterator(connection);
    while (tables.hasNext()) {
      for (Cell cell : tables.next().getSecond()) {
        return Bytes.toHex(CellUtil.cloneRow(cell));
      }
    }
    throw new IllegalStateException("the statement wrote no row");
  }
}
