import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;

import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.phoenix.compile.QueryPlan;
import org.apache.phoenix.filter.SkipScanFilter;
import org.apache.phoenix.jdbc.PhoenixStatement;
import org.apache.phoenix.util.PhoenixRuntime;

/**
 * How many rows does Phoenix read for a query? SQL comes on standard input, one statement a line. CREATE TABLE begins an empty
 * table, each UPSERT adds the row key that Phoenix gives it, and for each SELECT the rows come out that a server would look at:
 * those of the compiled scan, less what its skip scan filter passes over. Then the number of seeks. No cluster takes part.
 */
public final class PhoenixReads {
  public static void main(String[] args) throws Exception {
    BufferedReader statements = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    TreeSet<byte[]> rows = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    StringBuilder answers = new StringBuilder();
    try (Connection connection = DriverManager.getConnection("jdbc:phoenix:none")) {
      connection.setAutoCommit(false);
      for (String sql = statements.readLine(); sql != null; sql = statements.readLine()) {
        try (Statement statement = connection.createStatement()) {
          if (sql.startsWith("SELECT")) {
            QueryPlan plan = statement.unwrap(PhoenixStatement.class).compileQuery(sql);
            answers.append(read(plan.getContext().getScan(), rows)).append('\n');
            continue;
          }
          statement.execute(sql);
          if (sql.startsWith("CREATE")) {
            rows.clear();
          } else {
            rows.add(key(connection));
            connection.rollback();
          }
        } catch (Exception e) {
          throw new IllegalArgumentException(sql, e);
        }
      }
    }
    System.out.write(answers.toString().getBytes(StandardCharsets.US_ASCII));
    System.out.flush();
    // Phoenix leaves threads behind that are not daemons.
    System.exit(0);
  }

  private static byte[] key(Connection connection) throws Exception {
    Iterator<Pair<byte[], List<Cell>>> tables = PhoenixRuntime.getUncommittedDataIterator(connection);
    while (tables.hasNext()) {
      for (Cell cell : tables.next().getSecond()) {
        return CellUtil.cloneRow(cell);
      }
    }
    throw new IllegalStateException("the statement wrote no row");
  }

  /** The skip scan filter of a scan, alone or among others. */
  private static SkipScanFilter skip(Filter filter) {
    if (filter instanceof SkipScanFilter) {
      return (SkipScanFilter) filter;
    }
    if (filter instanceof FilterList) {
      for (Filter one : ((FilterList) filter).getFilters()) {
        SkipScanFilter found = skip(one);
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }

  private static String read(Scan scan, TreeSet<byte[]> rows) throws Exception {
    SkipScanFilter filter = skip(scan.getFilter());
    if (filter != null) {
      // As it reaches a server.
      filter = SkipScanFilter.parseFrom(filter.toByteArray());
    }
    byte[] stop = scan.getStopRow();
    byte[] at = scan.getStartRow().length == 0 ? (rows.isEmpty() ? null : rows.first()) : rows.ceiling(scan.getStartRow());
    if (at != null && !scan.includeStartRow() && Bytes.equals(at, scan.getStartRow())) {
      at = rows.higher(at);
    }
    int read = 0;
    int seeks = 0;
    while (at != null && (stop.length == 0 || Bytes.compareTo(at, stop) < (scan.includeStopRow() ? 1 : 0))) {
      read++;
      if (filter == null) {
        at = rows.higher(at);
        continue;
      }
      filter.reset();
      Cell cell = new KeyValue(at, Bytes.toBytes("0"), Bytes.toBytes("_"), 1L, new byte[0]);
      Filter.ReturnCode code = filter.filterCell(cell);
      if (code == Filter.ReturnCode.SEEK_NEXT_USING_HINT) {
        byte[] hint = CellUtil.cloneRow(filter.getNextCellHint(cell));
        seeks++;
        at = Bytes.compareTo(hint, at) > 0 ? rows.ceiling(hint) : rows.higher(at);
      } else {
        at = rows.higher(at);
      }
      if (filter.filterAllRemaining()) {
        break;
      }
    }
    return read + " " + seeks;
  }
}
