  // ---- plain
  /** Refuses what HBase's ordered bytes would sort where it does not belong. */
  private static double plain(double number, String where) {
    if (Double.isNaN(number)) {
      throw refuse("not_a_number", where, "NaN has no place among numbers");
    }
    if (number == 0 && 1 / number < 0) {
      throw refuse("negative_zero", where, "-0.0 equals 0.0 but would sort before it; write 0.0");
    }
    return number;
  }

  // ---- endText
  /** Ends ordered text, that from a place on, which has no zero byte. */
  private static void endText(KeyWriter out, int from, String where) {
    for (int i = from; i < out.length; i++) {
      if (out.bytes[i] == 0) {
        String problem = "the text has a zero byte at " + (i - from) + ", where it would end";
        throw refuse("zero_byte", where, problem);
      }
    }
    out.put8(0);
  }

  // ---- putBlob
  /** Adds bytes as HBase's blob-var has them: seven bits a byte, the top bit says that more follow. */
  private static void putBlob(KeyWriter out, byte[] bytes) {
    int bits = 0;
    int count = 0;
    for (byte value : bytes) {
      bits = bits << 8 | value & 0xFF;
      count += 8;
      while (count >= 7) {
        count -= 7;
        out.put8(0x80 | bits >> count & 0x7F);
      }
    }
    if (count > 0) {
      out.put8(bits << 7 - count & 0x7F);
    } else if (bytes.length == 0) {
      out.put8(0);
    } else {
      out.bytes[out.length - 1] &= 0x7F;
    }
  }

  // ---- putNumeric
  /** Adds a decimal number as HBase's ordered bytes have it: pairs of digits behind their power of 100. */
  private static void putNumeric(KeyWriter out, BigDecimal value, String where) {
    BigDecimal number = numeric(value, where);
    if (number.signum() == 0) {
      out.put8(0x15);
      return;
    }
    int start = out.length;
    int integerDigits = number.precision() - number.scale();
    int power = Math.floorDiv(integerDigits + 1, 2);
    int pairs = power - Math.floorDiv(-number.scale(), 2);
    if (integerDigits <= 0) {
      out.put8(0x16);
      int size = out.length;
      putVarUint(out, -power);
      complement(out, size);
    } else if (power <= 10) {
      out.put8(0x17 + power);
    } else {
      out.put8(0x22);
      putVarUint(out, power);
    }
    BigInteger digits = number.unscaledValue().abs();
    if (number.scale() % 2 != 0) {
      digits = digits.multiply(BigInteger.TEN);
    }
    String text = digits.toString();
    text = text.length() < 2 * pairs ? "0" + text : text;
    for (int i = 0; i < pairs; i++) {
      int pair = 10 * (text.charAt(2 * i) - '0') + text.charAt(2 * i + 1) - '0';
      out.put8(2 * pair + (i + 1 < pairs ? 1 : 0));
    }
    if (number.signum() < 0) {
      out.bytes[start] = (byte) (0x2A - out.bytes[start]);
      complement(out, start + 1);
    }
  }

  // ---- numeric
  /** A decimal number without zeros at its end, if HBase keeps all of its digits. */
  private static BigDecimal numeric(BigDecimal value, String where) {
    if (value.signum() == 0) {
      return BigDecimal.ZERO;
    }
    BigDecimal number = value.stripTrailingZeros();
    if (number.precision() > 31) {
      String problem = "the number has " + number.precision() + " digits, and a numeric keeps 31";
      throw refuse("wrong_kind", where, problem);
    }
    long exponent = -(long) number.scale();
    if (exponent < -6144 || exponent + number.precision() > 6144) {
      throw refuse("wrong_kind", where, "a digit stands more than 6144 places from the point");
    }
    return number;
  }

  // ---- putVarUint
  /** Adds a small number as bytes that sort like it. */
  private static void putVarUint(KeyWriter out, int number) {
    if (number <= 240) {
      out.put8(number);
    } else if (number <= 2287) {
      out.put8(241 + (number - 240) / 256);
      out.put8((number - 240) % 256);
    } else {
      out.put8(249);
      out.put16(number - 2288);
    }
  }

  // ---- readHeader
  /** Takes the first byte of an ordered value; true if it says null. */
  private static boolean readHeader(KeyReader in, int header, int flip, String where) {
    int first = in.peek(where) ^ flip;
    if (first != 0x05 && first != header) {
      String problem = String.format("an ordered value cannot start with %02x", first);
      throw in.bad("wrong_header", where, problem);
    }
    in.at++;
    return first == 0x05;
  }

  // ---- readOrderedText
  private static String readOrderedText(KeyReader in, int flip, String where) {
    int end = in.at;
    while (end < in.end && in.key[end] != (byte) flip) {
      end++;
    }
    if (end == in.end) {
      throw in.bad("no_end", where, "the ordered text has no end mark");
    }
    String text = in.text(in.at, end, flip, where);
    in.at = end + 1;
    return text;
  }

  // ---- readBlob
  private static byte[] readBlob(KeyReader in, int flip, String where) {
    int end = in.at;
    while (end < in.end && ((in.key[end] ^ flip) & 0x80) != 0) {
      end++;
    }
    if (end == in.end) {
      throw in.bad("no_end", where, "the ordered bytes have no end");
    }
    int groups = end + 1 - in.at;
    byte[] bytes = new byte[(int) (groups * 7L / 8)];
    int bits = 0;
    int count = 0;
    int length = 0;
    for (int i = in.at; i <= end; i++) {
      bits = bits << 7 | (in.key[i] ^ flip) & 0x7F;
      count += 7;
      if (count >= 8) {
        count -= 8;
        bytes[length++] = (byte) (bits >> count);
      }
    }
    // What fills up the last group is zero, and there is no group too many.
    if ((bits & (1 << count) - 1) != 0 || count == 7 && groups > 1) {
      throw in.bad("not_canonical", where, "HBase would have written these bytes otherwise");
    }
    in.at = end + 1;
    return bytes;
  }

  // ---- readNumeric
  /** Takes an ordered decimal number; null if it is null. */
  private static BigDecimal readNumeric(KeyReader in, int order, String where) {
    int header = in.peek(where) ^ order;
    in.at++;
    if (header == 0x05) {
      return null;
    }
    if (header == 0x15) {
      return BigDecimal.ZERO;
    }
    int flip = header < 0x15 ? order ^ 0xFF : order;
    int size = header < 0x15 ? 0x2A - header : header;
    int power;
    if (size == 0x16) {
      power = -readVarUint(in, flip ^ 0xFF, where);
    } else if (size == 0x22) {
      power = readVarUint(in, flip, where);
      if (power <= 10) {
        throw in.bad("not_canonical", where, "HBase would have written this number otherwise");
      }
    } else if (size > 0x17 && size < 0x22) {
      power = size - 0x17;
    } else if (size == 0x17) {
      throw in.bad("not_canonical", where, "HBase would have written this number otherwise");
    } else if (size == 0x23 || header == 0x26) {
      throw in.bad("odd_float", where, "the bytes are HBase's NaN or infinity");
    } else {
      String problem = String.format("an ordered number cannot start with %02x", header);
      throw in.bad("wrong_header", where, problem);
    }
    BigInteger digits = BigInteger.ZERO;
    int pairs = 0;
    int pair;
    do {
      int value = in.peek(where) ^ flip;
      pair = value / 2;
      boolean last = value % 2 == 0;
      if (pair > 99 || pairs == 16 || pair == 0 && (pairs == 0 || last)) {
        throw in.bad("not_canonical", where, "HBase would have written this number otherwise");
      }
      digits = digits.multiply(BigInteger.valueOf(100)).add(BigInteger.valueOf(pair));
      pairs++;
      in.at++;
      if (last) {
        break;
      }
    } while (true);
    BigDecimal number =
        new BigDecimal(header < 0x15 ? digits.negate() : digits, 2 * (pairs - power));
    try {
      return numeric(number, where);
    } catch (KeyException odd) {
      throw in.bad("out_of_range", where, odd.getMessage());
    }
  }

  // ---- readVarUint
  private static int readVarUint(KeyReader in, int flip, String where) {
    int first = in.peek(where) ^ flip;
    in.at++;
    if (first <= 240) {
      return first;
    }
    if (first > 249) {
      throw in.bad("out_of_range", where, "a digit stands more than 6144 places from the point");
    }
    int second = in.peek(where) ^ flip;
    in.at++;
    if (first == 241 && second == 0) {
      throw in.bad("not_canonical", where, "HBase would have written this number otherwise");
    }
    if (first < 249) {
      return 240 + 256 * (first - 241) + second;
    }
    int third = in.peek(where) ^ flip;
    in.at++;
    int number = 2288 + (second << 8 | third);
    if (number > 0xFFFF) {
      throw in.bad("out_of_range", where, "a digit stands more than 6144 places from the point");
    }
    return number;
  }

