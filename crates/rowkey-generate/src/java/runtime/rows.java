  // ---- Cell
  /** A cell of a row. */
  public static final class Cell {
    private final byte[] family;
    private final byte[] qualifier;
    private final byte[] value;

    Cell(String family, String qualifier, byte[] value) {
      this.family = family.getBytes(StandardCharsets.UTF_8);
      this.qualifier = qualifier.getBytes(StandardCharsets.UTF_8);
      this.value = value;
    }

    /** The column family. */
    public byte[] family() {
      return family;
    }

    /** The name of the column in its family. */
    public byte[] qualifier() {
      return qualifier;
    }

    /** The value in the layout of HBase's {@code Bytes}. */
    public byte[] value() {
      return value;
    }
  }

  // ---- Entry
  /** A row of an index table. */
  public static final class Entry {
    private final String table;
    private final byte[] key;
    private final List<Cell> cells;

    Entry(String table, byte[] key, List<Cell> cells) {
      this.table = table;
      this.key = key;
      this.cells = cells;
    }

    /** The name of the index table. */
    public String table() {
      return table;
    }

    /** The row key. */
    public byte[] key() {
      return key;
    }

    /** The cells. */
    public List<Cell> cells() {
      return cells;
    }
  }

  // ---- nameOf
  /** The name that bytes are, if they are one. */
  private static String nameOf(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  // ---- signed
  /** The number of bytes, big-endian, in two's complement. */
  private static long signed(byte[] bytes) {
    long number = bytes[0];
    for (int i = 1; i < bytes.length; i++) {
      number = number << 8 | bytes[i] & 0xFF;
    }
    return number;
  }

  // ---- uuid
  private static UUID uuid(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new UUID(buffer.getLong(), buffer.getLong());
  }

  // ---- parseNumeric
  /** A decimal number as rowkey writes it. */
  private static BigDecimal parseNumeric(String text, String where) {
    int point = 0;
    boolean good = !text.isEmpty() && text.charAt(text.length() - 1) != '.';
    for (int i = 0; good && i < text.length(); i++) {
      char one = text.charAt(i);
      boolean inside = i > 0 && text.charAt(i - 1) >= '0';
      good = one >= '0' && one <= '9' || one == '-' && i == 0 || one == '.' && inside && point++ == 0;
    }
    if (!good || text.equals("-")) {
      throw refuse("not_a_number", where, "`" + text + "` is not a decimal number");
    }
    return numeric(new BigDecimal(text), where);
  }

  // ---- keysOfHex
  /** Keys in hex, with blanks between them. */
  private static List<byte[]> keysOfHex(String hex) {
    List<byte[]> keys = new ArrayList<>();
    for (String digits : hex.isEmpty() ? new String[0] : hex.split(" ")) {
      byte[] key = new byte[digits.length() / 2];
      for (int i = 0; i < key.length; i++) {
        key[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
      }
      keys.add(key);
    }
    return keys;
  }

  // ---- joined
  private static byte[] joined(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  // ---- prefixEnd
  /** The first key behind all that begin with a prefix; empty for the end of the table. */
  private static byte[] prefixEnd(byte[] prefix) {
    int length = prefix.length;
    while (length > 0 && prefix[length - 1] == -1) {
      length--;
    }
    byte[] end = Arrays.copyOf(prefix, length);
    if (length > 0) {
      end[length - 1]++;
    }
    return end;
  }

  // ---- Range
  /** Keys from a first one on, up to but not including another. */
  public static final class Range {
    private final byte[] start;
    private final byte[] stop;

    /** The range of these keys; each can be empty. */
    public Range(byte[] start, byte[] stop) {
      this.start = start;
      this.stop = stop;
    }

    /** The first key; empty for the beginning of the table. */
    public byte[] start() {
      return start;
    }

    /** The first key behind the range; empty for the end of the table. */
    public byte[] stop() {
      return stop;
    }
  }

