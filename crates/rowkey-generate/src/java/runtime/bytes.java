  // ---- KeyException
  /** Why a record has no key, or a key no record. */
  public static final class KeyException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;
    private final String kind;
    private final String where;

    KeyException(String kind, String where, String message) {
      super(message);
      this.kind = kind;
      this.where = where;
    }

    /** What is wrong, as one word: {@code out_of_range}, {@code null}, {@code wrong_part} ... */
    public String kind() {
      return kind;
    }

    /** The field, or the part of the key as the notation has it; empty if it is the whole key. */
    public String where() {
      return where;
    }
  }

  // ---- refuse
  private static KeyException refuse(String kind, String where, String problem) {
    return new KeyException(kind, where, where.isEmpty() ? problem : where + ": " + problem);
  }

  // ---- outOfRange
  private static KeyException outOfRange(String where, Object value, Object least, Object most) {
    String problem = value + " does not fit: the key holds " + least + " to " + most + " here";
    return refuse("out_of_range", where, problem);
  }

  // ---- nullValue
  private static KeyException nullValue(String where) {
    return refuse("null", where, "the value is null, and this part of the key cannot be");
  }

  // ---- KeyWriter
  /** Bytes that grow at their end. */
  private static final class KeyWriter {
    byte[] bytes;
    int length;

    KeyWriter(int capacity) {
      bytes = new byte[capacity];
    }

    /** Makes room for so many bytes and returns the place of the first. */
    int room(int count) {
      int at = length;
      length = at + count;
      if (length > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(length, 2 * bytes.length));
      }
      return at;
    }

    void put8(long number) {
      int at = room(1);
      bytes[at] = (byte) number;
    }

    void put16(long number) {
      int at = room(2);
      bytes[at] = (byte) (number >> 8);
      bytes[at + 1] = (byte) number;
    }

    void put32(long number) {
      int at = room(4);
      ByteBuffer.wrap(bytes).putInt(at, (int) number);
    }

    void put64(long number) {
      int at = room(8);
      // The compiler makes one store of this, and no buffer.
      ByteBuffer.wrap(bytes).putLong(at, number);
    }

    void put(byte[] value) {
      int at = room(value.length);
      System.arraycopy(value, 0, bytes, at, value.length);
    }

    byte[] toBytes() {
      return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    }
  }

  // ---- finish
  /** The bytes of a key, if a row key can have so many. */
  private static byte[] finish(KeyWriter out) {
    if (out.length == 0) {
      throw refuse("empty_key", "", "the key is empty; a row key has at least one byte");
    }
    if (out.length > MAX_KEY_LENGTH) {
      String problem = "the key has " + out.length + " bytes; a row key has at most 32767";
      throw refuse("key_too_long", "", problem);
    }
    return out.toBytes();
  }

  // ---- putText
  /** Adds text as UTF-8. */
  private static void putText(KeyWriter out, String text, String where) {
    int count = text.length();
    int at = out.room(count);
    byte[] bytes = out.bytes;
    int all = 0;
    for (int i = 0; i < count; i++) {
      char unit = text.charAt(i);
      all |= unit;
      bytes[at + i] = (byte) unit;
    }
    // Without a branch for each letter, because most text is ASCII.
    if (all >= 0x80) {
      out.length = at;
      putWide(out, text, where);
    }
  }

  // ---- putWide
  /** Adds text that is not ASCII. */
  private static void putWide(KeyWriter out, String text, String where) {
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (unit < 0x80) {
        out.put8(unit);
      } else if (unit < 0x800) {
        out.put16(0xC080 | (unit & 0x7C0) << 2 | (unit & 0x3F));
      } else if (!Character.isSurrogate(unit)) {
        out.put8(0xE0 | unit >> 12);
        out.put16(0x8080 | (unit & 0xFC0) << 2 | (unit & 0x3F));
      } else if (Character.isHighSurrogate(unit)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        int point = Character.toCodePoint(unit, text.charAt(++i));
        out.put16(0xF080 | (point & 0x1C0000) >> 10 | (point & 0x3F000) >> 12);
        out.put16(0x8080 | (point & 0xFC0) << 2 | (point & 0x3F));
      } else {
        throw refuse("not_utf8", where, "the text has half of a surrogate pair at " + i);
      }
    }
  }

  // ---- complement
  /** Turns the bytes from a place on into their complement, so that they sort the other way. */
  private static void complement(KeyWriter out, int from) {
    for (int i = from; i < out.length; i++) {
      out.bytes[i] = (byte) ~out.bytes[i];
    }
  }

  // ---- insert
  /** Puts bytes before those from a place on. */
  private static void insert(KeyWriter out, int from, int count) {
    int old = out.length - from;
    out.room(count);
    System.arraycopy(out.bytes, from, out.bytes, from + count, old);
  }

  // ---- remove
  /** Takes bytes away; those behind them move up. */
  private static void remove(KeyWriter out, int from, int to) {
    System.arraycopy(out.bytes, to, out.bytes, from, out.length - to);
    out.length -= to - from;
  }

  // ---- textFrom
  /** The bytes from a place on as text. */
  private static String textFrom(KeyWriter out, int from) {
    return new String(out.bytes, from, out.length - from, StandardCharsets.UTF_8);
  }

  // ---- range
  /** A number that is not outside its limits. */
  private static long range(long number, long least, long most, String where) {
    if (number < least || number > most) {
      throw outOfRange(where, number, least, most);
    }
    return number;
  }

  // ---- signedRange
  /** An unsigned number that a signed one can be. */
  private static long signedRange(long number, long most, String where) {
    if (number < 0 || number > most) {
      throw outOfRange(where, Long.toUnsignedString(number), 0, most);
    }
    return number;
  }

  // ---- unsignedRange
  /** A number that is not negative, for a part of unsigned 64 bits. */
  private static long unsignedRange(long number, String where) {
    if (number < 0) {
      throw outOfRange(where, number, 0, "18446744073709551615");
    }
    return number;
  }

  // ---- bigRange
  /** A number that is not outside its limits. */
  private static BigInteger bigRange(BigInteger number, String least, String most, String where) {
    if (number.compareTo(new BigInteger(least)) < 0 || number.compareTo(new BigInteger(most)) > 0) {
      throw outOfRange(where, number, least, most);
    }
    return number;
  }

  // ---- fixed
  /** Refuses text or bytes, those from a place on, of another length than their part of the key. */
  private static void fixed(KeyWriter out, int from, int width, String where) {
    if (out.length - from != width) {
      String problem = "the value has " + (out.length - from) + " bytes, not " + width;
      throw refuse("wrong_length", where, problem);
    }
  }

  // ---- octets
  /** Bytes of which there must be so many. */
  private static byte[] octets(byte[] bytes, int width, String where) {
    if (bytes.length != width) {
      throw refuse("wrong_length", where, "the value has " + bytes.length + " bytes, not " + width);
    }
    return bytes;
  }

  // ---- escape
  /** Ends the text from a place on: 00 is written as 00 FF, and the end as 00 01. */
  private static void escape(KeyWriter out, int from) {
    for (int i = from; i < out.length; i++) {
      if (out.bytes[i] == 0) {
        insert(out, i + 1, 1);
        out.bytes[++i] = (byte) 0xFF;
      }
    }
    out.put16(0x0001);
  }

  // ---- putDigits
  /** Adds a number that is not negative as so many digits. */
  private static void putDigits(KeyWriter out, long number, int width) {
    int at = out.room(width);
    long rest = number;
    for (int i = at + width - 1; i >= at; i--) {
      out.bytes[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
  }

  // ---- putBigDigits
  /** Adds a number that is not negative as so many digits. */
  private static void putBigDigits(KeyWriter out, BigInteger number, int width) {
    String digits = number.toString();
    for (int i = digits.length(); i < width; i++) {
      out.put8('0');
    }
    putText(out, digits, "");
  }

  // ---- seconds
  /** The seconds of a time in milliseconds. */
  private static long seconds(long millis, String where) {
    if (millis % 1000 != 0 || millis < 0 || millis / 1000 > 0xFFFFFFFFL) {
      String problem = "the time " + millis + " ms is not a whole number of seconds of 32 bits";
      throw refuse("not_whole_seconds", where, problem);
    }
    return millis / 1000;
  }

  // ---- sortable64
  /** The bits of a number, changed so that they sort as numbers do. */
  private static long sortable64(double number, String where) {
    if (Double.isNaN(number)) {
      throw refuse("not_a_number", where, "NaN has no place in any order");
    }
    long bits = Double.doubleToLongBits(number + 0.0);
    return bits ^ (bits >> 63 | Long.MIN_VALUE);
  }

  // ---- sortable32
  /** The bits of a number, changed so that they sort as numbers do. */
  private static int sortable32(float number, String where) {
    if (Float.isNaN(number)) {
      throw refuse("not_a_number", where, "NaN has no place in any order");
    }
    int bits = Float.floatToIntBits(number + 0.0f);
    return bits ^ (bits >> 31 | Integer.MIN_VALUE);
  }

  // ---- narrow
  /** A number in 32 bits, which must hold it exactly. */
  private static float narrow(double number, String where) {
    if (Double.isNaN(number)) {
      throw refuse("not_a_number", where, "NaN has no place in any order");
    }
    if ((float) number != number) {
      throw refuse("not_exact", where, number + " is not exact in 32 bits");
    }
    return (float) number;
  }

  // ---- delimiter
  /** Refuses text, that from a place on, in which the bytes occur that end it in the key. */
  private static void delimiter(KeyWriter out, int from, byte[] delimiter, String where) {
    for (int at = from; at < out.length; at++) {
      int i = 0;
      while (i < delimiter.length && at + i < out.length && out.bytes[at + i] == delimiter[i]) {
        i++;
      }
      // At the end of the text the delimiter itself follows.
      while (at + i >= out.length
          && i < delimiter.length
          && delimiter[i] == delimiter[at + i - out.length]) {
        i++;
      }
      if (i == delimiter.length) {
        String problem = "the text contains the delimiter that ends it in the key, at its byte ";
        throw refuse("delimiter_inside", where, problem + (at - from));
      }
    }
  }

