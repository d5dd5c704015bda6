  // ---- Merge
  /**
   * The rows of many scans, one for each bucket, as one: in the order of the bytes behind the
   * bucket.
   *
   * <p>Rows are taken from a scan only when they are needed, and the next one is found in O(log n).
   * Of rows that are equal behind the bucket, the one with the smaller bucket comes first; where
   * rows fall, the one with the larger.
   */
  public static final class Merge<R> implements Iterator<R> {
    private final List<Iterator<R>> scans = new ArrayList<>();
    private final Function<? super R, byte[]> keyOf;
    private final int skip;
    private final boolean falling;
    private final List<R> rows = new ArrayList<>();
    private final byte[][] keys;

    /** The first eight bytes behind the bucket, so that most keys need not be looked at. */
    private final long[] heads;

    /** Scans by place in a heap, the one with the next row first. */
    private final int[] heap;

    private int size;

    /**
     * @param scans each in the order of its keys, falling if {@code falling}
     * @param keyOf the row key of a row
     * @param skip the bytes of a key that are its bucket, and those before it
     * @param falling whether the last row comes first, as reversed scans give it
     */
    public Merge(
        Iterable<? extends Iterator<R>> scans,
        Function<? super R, byte[]> keyOf,
        int skip,
        boolean falling) {
      for (Iterator<R> scan : scans) {
        this.scans.add(scan);
        rows.add(null);
      }
      this.keyOf = keyOf;
      this.skip = skip;
      this.falling = falling;
      keys = new byte[rows.size()][];
      heads = new long[rows.size()];
      heap = new int[rows.size()];
      for (int scan = 0; scan < heap.length; scan++) {
        if (advance(scan)) {
          heap[size++] = scan;
        }
      }
      for (int at = size / 2 - 1; at >= 0; at--) {
        sink(heap[at], at);
      }
    }

    @Override
    public boolean hasNext() {
      return size > 0;
    }

    @Override
    public R next() {
      if (size == 0) {
        throw new NoSuchElementException("the last row was returned");
      }
      int scan = heap[0];
      final R row = rows.get(scan);
      if (advance(scan)) {
        sink(scan, 0);
      } else if (--size > 0) {
        sink(heap[size], 0);
      }
      return row;
    }

    /** Goes to the next row of a scan. */
    private boolean advance(int scan) {
      if (!scans.get(scan).hasNext()) {
        rows.set(scan, null);
        keys[scan] = null;
        return false;
      }
      R row = scans.get(scan).next();
      byte[] key = keyOf.apply(row);
      long head = 0;
      for (int i = skip; i < skip + 8; i++) {
        head = head << 8 | (i < key.length ? key[i] & 0xFF : 0);
      }
      rows.set(scan, row);
      keys[scan] = key;
      heads[scan] = (falling ? ~head : head) ^ Long.MIN_VALUE;
      return true;
    }

    /** Puts a scan into the heap, at a place or below it. */
    private void sink(int scan, int from) {
      int at = from;
      int child = 2 * at + 1;
      while (child < size) {
        if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
          child++;
        }
        if (!isBefore(heap[child], scan)) {
          break;
        }
        heap[at] = heap[child];
        at = child;
        child = 2 * at + 1;
      }
      heap[at] = scan;
    }

    private boolean isBefore(int a, int b) {
      if (heads[a] != heads[b]) {
        return heads[a] < heads[b];
      }
      int order = compare(keys[a], keys[b], skip);
      return (falling ? -order : order) < 0;
    }

    /** How keys compare by their bytes from a place on; if these are equal, by those before it. */
    private static int compare(byte[] a, byte[] b, int skip) {
      int both = Math.min(a.length, b.length);
      for (int i = skip; i < both; i++) {
        if (a[i] != b[i]) {
          return (a[i] & 0xFF) - (b[i] & 0xFF);
        }
      }
      if (a.length != b.length) {
        return a.length - b.length;
      }
      for (int i = 0; i < Math.min(skip, both); i++) {
        if (a[i] != b[i]) {
          return (a[i] & 0xFF) - (b[i] & 0xFF);
        }
      }
      return 0;
    }
  }

