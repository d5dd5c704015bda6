  // ---- Ranges
  /** What a query reads: one group after another. */
  public static final class Ranges {
    private final List<Group> groups = new ArrayList<>();
    private final boolean reverse;
    private final int limit;

    Ranges(boolean reverse, int limit) {
      this.reverse = reverse;
      this.limit = limit;
    }

    /** The groups in the order in which they are read. */
    public List<Group> groups() {
      return Collections.unmodifiableList(groups);
    }

    /** Whether each range is read from its last row to its first. */
    public boolean reverse() {
      return reverse;
    }

    /** How many rows are asked for at most; -1 for all. */
    public int limit() {
      return limit;
    }
  }

  // ---- Group
  /** Ranges that are read at the same time, and merged. */
  public static final class Group {
    private final List<Range> ranges = new ArrayList<>();
    private final int mergeFrom;

    Group(int mergeFrom) {
      this.mergeFrom = mergeFrom;
    }

    /** The ranges, in the order of their keys. */
    public List<Range> ranges() {
      return Collections.unmodifiableList(ranges);
    }

    /** The byte of the keys from which on the rows of the ranges are merged, see {@link Merge}. */
    public int mergeFrom() {
      return mergeFrom;
    }
  }

  // ---- RangeBound
  /** A value at the end of a range, and whether it belongs to it. */
  private static final class RangeBound {
    final byte[] encoded;
    final boolean inclusive;

    RangeBound(KeyWriter out, boolean inclusive) {
      encoded = Arrays.copyOf(out.bytes, out.length);
      this.inclusive = inclusive;
    }
  }

  // ---- RangePiece
  /**
   * A range, where it begins without the bytes that only spread rows, and the length of its prefix.
   */
  private static final class RangePiece implements Comparable<RangePiece> {
    final byte[] rank;
    final byte[] start;
    final byte[] stop;
    final int fixed;

    RangePiece(byte[] rank, byte[] start, byte[] stop, int fixed) {
      this.rank = rank;
      this.start = start;
      this.stop = stop;
      this.fixed = fixed;
    }

    @Override
    public int compareTo(RangePiece other) {
      int order = compareBytes(rank, other.rank);
      order = order != 0 ? order : compareBytes(start, other.start);
      return order != 0 ? order : compareBytes(stop, other.stop);
    }
  }

  // ---- RangeQuery
  /** Collects the ranges of a query. */
  private static final class RangeQuery {
    /**
     * Where ranges begin and end behind the prefix of their keys; without an end they go on as far
     * as these.
     */
    final List<byte[][]> ends = new ArrayList<>();

    final List<RangePiece> pieces = new ArrayList<>();

    /** Adds an end. */
    void end(byte[] start, byte[] stop) {
      ends.add(new byte[][] {start, stop});
    }

    /** Adds an end: what lies between two values, of which null is none, in an area. */
    void between(
        RangeBound first, RangeBound last, boolean wholeKey, byte[] areaStart, byte[] areaStop) {
      byte[] start = areaStart;
      byte[] stop = areaStop;
      if (first != null) {
        byte[] begin = first.encoded;
        if (!first.inclusive) {
          begin = wholeKey ? concatenated(begin, new byte[1]) : behindAll(begin);
          if (begin == null) {
            return;
          }
        }
        start = compareBytes(begin, start) > 0 ? begin : start;
      }
      if (last != null) {
        byte[] end = last.encoded;
        if (last.inclusive) {
          end = wholeKey ? concatenated(end, new byte[1]) : behindAll(end);
        }
        if (end != null && (stop == null || compareBytes(end, stop) < 0)) {
          stop = end;
        }
      }
      if (stop == null || compareBytes(start, stop) < 0) {
        end(start, stop);
      }
    }

    /**
     * Adds the ranges of a prefix; {@code rank} is the prefix without bytes that only spread rows.
     */
    void add(byte[] prefix, byte[] rank) {
      for (byte[][] end : ends) {
        byte[] start = withinLength(concatenated(prefix, end[0]));
        byte[] stop =
            end[1] == null ? behindAll(prefix) : withinLength(concatenated(prefix, end[1]));
        byte[] first = start.length == 0 ? new byte[1] : start;
        if (stop == null || compareBytes(first, stop) < 0) {
          byte[] to = stop == null ? new byte[0] : stop;
          pieces.add(new RangePiece(concatenated(rank, end[0]), start, to, prefix.length));
        }
      }
    }

    /**
     * All that was added, in order; ranges of one rank are read at the same time, but for single
     * rows.
     */
    Ranges ranges(Ranges all, boolean rows) {
      Collections.sort(pieces);
      RangePiece before = null;
      for (RangePiece piece : pieces) {
        if (before != null && before.compareTo(piece) == 0) {
          continue;
        }
        if (before == null || rows || !Arrays.equals(before.rank, piece.rank)) {
          all.groups.add(new Group(piece.fixed));
        }
        all.groups.get(all.groups.size() - 1).ranges.add(new Range(piece.start, piece.stop));
        before = piece;
      }
      if (all.reverse) {
        Collections.reverse(all.groups);
      }
      return all;
    }
  }

  // ---- concatenated
  /** Bytes one after another. */
  private static byte[] concatenated(byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    byte[] all = new byte[length];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, all, at, part.length);
      at += part.length;
    }
    return all;
  }

  // ---- taken
  /** The bytes that were written, which are then forgotten. */
  private static byte[] taken(KeyWriter out) {
    byte[] bytes = Arrays.copyOf(out.bytes, out.length);
    out.length = 0;
    return bytes;
  }

  // ---- compareBytes
  /** Compares bytes as HBase does, without a sign. */
  private static int compareBytes(byte[] one, byte[] other) {
    for (int i = 0; i < one.length && i < other.length; i++) {
      if (one[i] != other[i]) {
        return (one[i] & 255) - (other[i] & 255);
      }
    }
    return one.length - other.length;
  }

  // ---- compareTexts
  /**
   * Compares texts by their characters, as UTF-8 sorts; Java's own order has surrogates before
   * others.
   */
  private static int compareTexts(String one, String other) {
    return compareBytes(
        one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
  }

  // ---- compareUuids
  /** Compares as the bytes do; Java's own order takes the halves for signed numbers. */
  private static int compareUuids(UUID one, UUID other) {
    int order =
        Long.compareUnsigned(one.getMostSignificantBits(), other.getMostSignificantBits());
    return order != 0
        ? order
        : Long.compareUnsigned(one.getLeastSignificantBits(), other.getLeastSignificantBits());
  }

  // ---- behindAll
  /** The first key behind all that begin so; null if there is none. */
  private static byte[] behindAll(byte[] prefix) {
    byte[] end = prefixEnd(prefix);
    return end.length == 0 ? null : end;
  }

  // ---- withinLength
  /** A bound longer than keys can be as one that they can have. */
  private static byte[] withinLength(byte[] key) {
    return key.length > MAX_KEY_LENGTH
        ? concatenated(Arrays.copyOf(key, MAX_KEY_LENGTH), new byte[1])
        : key;
  }
