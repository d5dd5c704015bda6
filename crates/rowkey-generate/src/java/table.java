  private static Put put(byte[] key, List<OrdersKey.Cell> cells, long time) {
    Put put = new Put(key);
    for (OrdersKey.Cell cell : cells) {
      put.addColumn(cell.family(), cell.qualifier(), time, cell.value());
    }
    return put;
  }

  /**
   * Returns the record of a row; null if there is no row.
   *
   * @throws OrdersKey.KeyException if the row was not written by this schema
   */
  public static OrdersKey.Record record(Result row) {
    if (row.isEmpty()) {
      return null;
    }
    OrdersKey.Record record = OrdersKey.decode(row.getRow());
    for (Cell cell : row.rawCells()) {
      byte[] family = CellUtil.cloneFamily(cell);
      byte[] qualifier = CellUtil.cloneQualifier(cell);
      OrdersKey.read(record, family, qualifier, CellUtil.cloneValue(cell));
    }
    return record;
  }

  /**
   * Returns the scan of a range.
   *
   * @param falling whether the last row comes first
   */
  public static Scan scan(OrdersKey.Range range, boolean falling) {
    if (falling) {
      return new Scan()
          .withStartRow(range.stop(), range.stop().length == 0)
          .withStopRow(range.start(), true)
          .setReversed(true);
    }
    return new Scan().withStartRow(range.start()).withStopRow(range.stop());
  }

  /**
   * Returns the rows of all scans, one for each bucket, in the order of the bytes behind the
   * bucket. Rows are read when they are asked for.
   *
   * @param falling whether the last row comes first, as the scans give it
   */
  public static ResultScanner merged(Table table, List<Scan> scans, boolean falling)
      throws IOException {
    List<ResultScanner> scanners = new ArrayList<>();
    try {
      for (Scan scan : scans) {
        scanners.add(table.getScanner(scan));
      }
      return new Merged(scanners, falling);
    } catch (IOException | RuntimeException failed) {
      scanners.forEach(ResultScanner::close);
      throw failed;
    }
  }

  /** Refuses a live table whose keys are of another order. */
  public static void checkFingerprint(Table table) throws IOException {
    OrdersKey.checkFingerprint(table.getDescriptor().getValue("ROWKEY_FINGERPRINT"));
  }

  /** Many scanners as one. */
  private static final class Merged implements ResultScanner {
    private final List<ResultScanner> scanners;
    private final OrdersKey.Merge<Result> rows;

    Merged(List<ResultScanner> scanners, boolean falling) throws IOException {
      this.scanners = scanners;
      List<Iterator<Result>> iterators = new ArrayList<>();
      for (ResultScanner scanner : scanners) {
        iterators.add(scanner.iterator());
      }
      try {
        rows = new OrdersKey.Merge<>(iterators, Result::getRow, SKIP, falling);
      } catch (UncheckedIOException failed) {
        throw failed.getCause();
      }
    }

    @Override
    public Result next() throws IOException {
      try {
        return rows.hasNext() ? rows.next() : null;
      } catch (UncheckedIOException failed) {
        throw failed.getCause();
      }
    }

    @Override
    public boolean renewLease() {
      boolean renewed = true;
      for (ResultScanner scanner : scanners) {
        renewed &= scanner.renewLease();
      }
      return renewed;
    }

    @Override
    public ScanMetrics getScanMetrics() {
      return null;
    }

    @Override
    public void close() {
      scanners.forEach(ResultScanner::close);
    }
  }
