  // ---- KeyReader
  /** A key that is being read. */
  private static final class KeyReader {
    final byte[] key;

    /** Where a part ends for which the key does not tell. */
    int end;

    int at;

    KeyReader(byte[] key) {
      this.key = key;
      this.end = key.length;
      if (key.length == 0) {
        throw refuse("empty_key", "", "the key is empty; a row key has at least one byte");
      }
    }

    KeyException bad(String kind, String where, String problem) {
      return refuse(kind, where, "at byte " + at + " of the key: " + problem);
    }

    KeyException impossible(String where) {
      String problem = "no record gives this value: the key was not written by this schema";
      return refuse("impossible", where, problem);
    }

    /** Takes so many bytes and returns the place of the first. */
    int take(int count, String where) {
      int from = at;
      if (end - from < count) {
        throw bad("too_short", where, "needs " + count + " bytes but " + (end - from) + " remain");
      }
      at = from + count;
      return from;
    }

    int peek(String where) {
      if (at >= end) {
        throw bad("too_short", where, "the key ends inside a value");
      }
      return key[at] & 0xFF;
    }

    int read8(String where) {
      return key[take(1, where)];
    }

    int read16(String where) {
      int from = take(2, where);
      return key[from] << 8 | key[from + 1] & 0xFF;
    }

    int read32(String where) {
      return ByteBuffer.wrap(key).getInt(take(4, where));
    }

    long read64(String where) {
      return ByteBuffer.wrap(key).getLong(take(8, where));
    }

    /** Bytes of the key, complemented or not. */
    byte[] bytes(int from, int to, int flip) {
      byte[] bytes = Arrays.copyOfRange(key, from, to);
      for (int i = 0; flip != 0 && i < bytes.length; i++) {
        bytes[i] ^= (byte) flip;
      }
      return bytes;
    }

    /** Bytes of the key as text. */
    String text(int from, int to, int flip, String where) {
      return utf8(flip == 0 ? key : bytes(from, to, flip), flip == 0 ? from : 0, to - from, where);
    }
  }

  // ---- utf8
  /** Bytes as text, which they must be. */
  private static String utf8(byte[] bytes, int from, int length, String where) {
    int ascii = from;
    while (ascii < from + length && bytes[ascii] >= 0) {
      ascii++;
    }
    if (ascii == from + length) {
      return new String(bytes, from, length, StandardCharsets.US_ASCII);
    }
    try {
      ByteBuffer text = ByteBuffer.wrap(bytes, from, length);
      return StandardCharsets.UTF_8.newDecoder().decode(text).toString();
    } catch (CharacterCodingException notText) {
      throw refuse("not_utf8", where, "the text is not UTF-8");
    }
  }

  // ---- literal
  /** Takes fixed bytes. */
  private static void literal(KeyReader in, byte[] literal) {
    for (int i = 0; i < literal.length; i++) {
      if (in.at + i >= in.key.length || in.key[in.at + i] != literal[i]) {
        throw in.bad("no_literal", "", "the bytes between two parts are missing");
      }
    }
    in.at += literal.length;
  }

  // ---- until
  /** Where text ends that ends before some bytes. */
  private static int until(KeyReader in, byte[] literal) {
    for (int at = in.at; at + literal.length <= in.key.length; at++) {
      int i = 0;
      while (i < literal.length && in.key[at + i] == literal[i]) {
        i++;
      }
      if (i == literal.length) {
        return at;
      }
    }
    throw in.bad("no_literal", "", "the bytes that end a text are missing");
  }

  // ---- isNull
  /** Takes the mark of a part that may be null. */
  private static boolean isNull(KeyReader in, int nullMark, String where) {
    int mark = in.peek(where);
    if (mark != 1 && mark != nullMark) {
      throw in.bad("not_a_null_mark", where, String.format("%02x is no null mark", mark));
    }
    in.at++;
    return mark == nullMark;
  }

  // ---- readEscaped
  /** Text with an end mark. */
  private static String readEscaped(KeyReader in, int flip, String where) {
    int start = in.at;
    int zeros = 0;
    int end = start;
    for (; ; end += 2) {
      while (end < in.key.length && in.key[end] != (byte) flip) {
        end++;
      }
      if (end + 1 >= in.key.length) {
        throw in.bad("no_end", where, "the escaped text has no end mark");
      }
      int next = (in.key[end + 1] ^ flip) & 0xFF;
      if (next == 0x01) {
        break;
      }
      if (next != 0xFF) {
        throw in.bad("bad_escape", where, "a zero byte is neither escaped nor the end mark");
      }
      zeros++;
    }
    in.at = end + 2;
    if (zeros == 0) {
      return in.text(start, end, flip, where);
    }
    byte[] text = new byte[end - start - zeros];
    int from = start;
    for (int i = 0; i < text.length; i++) {
      text[i] = (byte) (in.key[from] ^ flip);
      from += text[i] == 0 ? 2 : 1;
    }
    return utf8(text, 0, text.length, where);
  }

  // ---- readBool
  private static boolean readBool(KeyReader in, int flip, String where) {
    int value = in.read8(where) ^ (byte) flip;
    if (value != 0 && value != 1) {
      throw in.bad("not_a_bool", where, "a bool is 00 or 01");
    }
    return value == 1;
  }

  // ---- readDigits
  /** A number of at most 18 digits. */
  private static long readDigits(KeyReader in, int width, int flip, String where) {
    return Long.parseLong(decimalDigits(in, width, flip, where));
  }

  // ---- readBigDigits
  private static BigInteger readBigDigits(KeyReader in, int width, int flip, String where) {
    return new BigInteger(decimalDigits(in, width, flip, where));
  }

  // ---- decimalDigits
  private static String decimalDigits(KeyReader in, int width, int flip, String where) {
    int from = in.take(width, where);
    byte[] digits = in.bytes(from, from + width, flip);
    for (byte digit : digits) {
      if (digit < '0' || digit > '9') {
        in.at = from;
        throw in.bad("not_a_digit", where, "a decimal holds digits");
      }
    }
    return new String(digits, StandardCharsets.US_ASCII);
  }

  // ---- readDouble
  private static double readDouble(KeyReader in, long flip, String where) {
    long raw = in.read64(where) ^ flip;
    double number = Double.longBitsToDouble(raw < 0 ? raw ^ Long.MIN_VALUE : ~raw);
    if (Double.isNaN(number) || number == 0 && 1 / number < 0) {
      throw in.bad("odd_float", where, "the bytes are NaN or -0.0");
    }
    return number;
  }

  // ---- readFloat
  private static float readFloat(KeyReader in, int flip, String where) {
    int raw = in.read32(where) ^ flip;
    float number = Float.intBitsToFloat(raw < 0 ? raw ^ Integer.MIN_VALUE : ~raw);
    if (Float.isNaN(number) || number == 0 && 1 / number < 0) {
      throw in.bad("odd_float", where, "the bytes are NaN or -0.0");
    }
    return number;
  }

  // ---- same
  /** Refuses a key whose bytes in a place are not those that its record gives. */
  private static void same(KeyReader in, int from, int to, KeyWriter out, String where) {
    boolean same = to - from == out.length;
    for (int i = 0; same && i < out.length; i++) {
      same = in.key[from + i] == out.bytes[i];
    }
    if (!same) {
      throw refuse("wrong_part", where, "the key has other bytes than its record gives");
    }
  }

  // ---- ended
  /** Refuses a key that goes on after its last part. */
  private static void ended(KeyReader in) {
    if (in.at < in.key.length) {
      throw in.bad("trailing_bytes", "", "the key goes on after its last part");
    }
  }

  // ---- parseNumber
  /** A number in digits as Java prints it; null for other text. */
  private static BigInteger parseNumber(String text) {
    boolean digits = !text.isEmpty() && text.length() <= 40;
    for (int i = 0; digits && i < text.length(); i++) {
      char digit = text.charAt(i);
      digits = digit >= '0' && digit <= '9' || i == 0 && digit == '-' && text.length() > 1;
    }
    if (!digits) {
      return null;
    }
    BigInteger number = new BigInteger(text);
    return number.toString().equals(text) ? number : null;
  }

  // ---- parseDigits
  /** A number in digits that may begin with zeros; null for other text. */
  private static BigInteger parseDigits(String text) {
    boolean digits = !text.isEmpty();
    for (int i = 0; digits && i < text.length(); i++) {
      char digit = text.charAt(i);
      digits = digit >= '0' && digit <= '9' || i == 0 && digit == '-' && text.length() > 1;
    }
    return digits ? new BigInteger(text) : null;
  }

  // ---- stripLeft
  private static String stripLeft(String text, char pad) {
    int from = 0;
    while (from < text.length() && text.charAt(from) == pad) {
      from++;
    }
    return text.substring(from);
  }

  // ---- stripRight
  private static String stripRight(String text, char pad) {
    int to = text.length();
    while (to > 0 && text.charAt(to - 1) == pad) {
      to--;
    }
    return text.substring(0, to);
  }

  // ---- readText
  /** Takes so many bytes as text. */
  private static String readText(KeyReader in, int count, int flip, String where) {
    int from = in.take(count, where);
    return in.text(from, in.at, flip, where);
  }

  // ---- readBytes
  /** Takes so many bytes. */
  private static byte[] readBytes(KeyReader in, int count, int flip, String where) {
    int from = in.take(count, where);
    return in.bytes(from, in.at, flip);
  }

  // ---- reversed
  /** The characters of a text from the last to the first. */
  private static String reversed(String text) {
    return new StringBuilder(text).reverse().toString();
  }

  // ---- found
  /** What a key was led back to; null if no record gives that. */
  private static <T> T found(KeyReader in, T value, String where) {
    if (value == null) {
      throw in.impossible(where);
    }
    return value;
  }

  // ---- whole
  /** A whole number of an ordered decimal number. */
  private static BigInteger whole(KeyReader in, BigDecimal number, String where) {
    if (number.scale() > 0 || number.precision() - number.scale() > 39) {
      throw in.impossible(where);
    }
    return number.toBigInteger();
  }

  // ---- within
  /** A number that a record can have. */
  private static long within(KeyReader in, long number, long least, long most, String where) {
    if (number < least || number > most) {
      throw in.impossible(where);
    }
    return number;
  }

  // ---- bigWithin
  /** A number that a record can have. */
  private static BigInteger bigWithin(
      KeyReader in, BigInteger number, String least, String most, String where) {
    boolean above = number.compareTo(new BigInteger(most)) > 0;
    if (above || number.compareTo(new BigInteger(least)) < 0) {
      throw in.impossible(where);
    }
    return number;
  }

  // ---- beforeLongMax
  /** {@code Long.MAX_VALUE - number} of a number that is not negative. */
  private static long beforeLongMax(KeyReader in, long number, String where) {
    return Long.MAX_VALUE - within(in, number, 0, Long.MAX_VALUE, where);
  }

  // ---- single
  /** A number that 32 bits hold exactly. */
  private static float single(KeyReader in, double number, String where) {
    if ((float) number != number) {
      throw in.impossible(where);
    }
    return (float) number;
  }

  // ---- ofLength
  /** A text of so many bytes in UTF-8. */
  private static String ofLength(KeyReader in, String text, int bytes, String where) {
    if (text.getBytes(StandardCharsets.UTF_8).length != bytes) {
      throw in.impossible(where);
    }
    return text;
  }

  // ---- twoValues
  private static KeyException twoValues(String field) {
    return refuse("two_values", field, "the key has two different values in two parts");
  }

  // ---- present
  /** Refuses null. */
  private static void present(Object value, String where) {
    if (value == null) {
      throw nullValue(where);
    }
  }

