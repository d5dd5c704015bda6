  // ---- unsigned
  /** The number that the bits of an unsigned one stand for. */
  private static BigInteger unsigned(long bits) {
    BigInteger low = BigInteger.valueOf(bits & Long.MAX_VALUE);
    return bits < 0 ? low.setBit(63) : low;
  }

  // ---- floorDiv
  /** The quotient, rounded down; the divisor is positive. */
  private static BigInteger floorDiv(BigInteger number, BigInteger by) {
    return number.subtract(number.mod(by)).divide(by);
  }

  // ---- check128
  /** Refuses a result that 128 bits do not hold. */
  private static BigInteger check128(BigInteger number, String where) {
    if (number.bitLength() > 127) {
      throw refuse("overflow", where, "the arithmetic overflows");
    }
    return number;
  }

  // ---- fromLongMax
  /** {@code Long.MAX_VALUE - number}, which must not be negative. */
  private static long fromLongMax(long number, String where) {
    if (number < 0) {
      String problem = "Long.MAX_VALUE - (" + number + ") is not between 0 and Long.MAX_VALUE";
      throw refuse("reverse_range", where, problem);
    }
    return Long.MAX_VALUE - number;
  }

  // ---- fromLongMaxBig
  /** {@code Long.MAX_VALUE - number}, which must not be negative. */
  private static long fromLongMaxBig(BigInteger number, String where) {
    return fromLongMax(number.bitLength() > 63 ? -1 : number.longValue(), where);
  }

  // ---- reverse
  /** Reverses the characters from a place on. */
  private static void reverse(KeyWriter out, int from) {
    String text = textFrom(out, from);
    out.length = from;
    putText(out, new StringBuilder(text).reverse().toString(), "");
  }

  // ---- cut
  /** Keeps some characters of the text from a place on. */
  private static void cut(KeyWriter out, int from, int first, int end, String where) {
    int start = place(out, from, first);
    int stop = place(out, from, end);
    if (start < 0 || stop < 0) {
      String problem = "`" + textFrom(out, from) + "` has fewer than " + end + " characters";
      throw refuse("too_few_characters", where, problem);
    }
    out.length = stop;
    remove(out, from, start);
  }

  // ---- place
  /** Where a character of the text from a place on begins; -1 if there are not so many. */
  private static int place(KeyWriter out, int from, int character) {
    int seen = 0;
    for (int i = from; i < out.length; i++) {
      if ((out.bytes[i] & 0xC0) != 0x80 && seen++ == character) {
        return i;
      }
    }
    return seen == character ? out.length : -1;
  }

  // ---- padding
  /** How many pad bytes the text from a place on needs; at {@code end} it is padded. */
  private static int padding(KeyWriter out, int from, int end, int pad, int width, String where) {
    int length = out.length - from;
    if (length > width) {
      String problem = "the text has " + length + " bytes and cannot be padded to " + width;
      throw refuse("too_long_to_pad", where, problem);
    }
    if (length > 0 && out.bytes[end] == pad) {
      String problem = "`" + textFrom(out, from) + "` already has the pad at the padded end";
      throw refuse("pad_in_text", where, problem);
    }
    return width - length;
  }

  // ---- padLeft
  private static void padLeft(KeyWriter out, int from, int pad, int width, String where) {
    int count = padding(out, from, from, pad, width, where);
    insert(out, from, count);
    Arrays.fill(out.bytes, from, from + count, (byte) pad);
  }

  // ---- padRight
  private static void padRight(KeyWriter out, int from, int pad, int width, String where) {
    int count = padding(out, from, out.length - 1, pad, width, where);
    int at = out.room(count);
    Arrays.fill(out.bytes, at, at + count, (byte) pad);
  }

  // ---- code
  /** Replaces the text from a place on by its code; {@code codes} has each text with its code. */
  private static void code(KeyWriter out, int from, String[][] codes, String where) {
    String text = textFrom(out, from);
    for (String[] code : codes) {
      if (code[0].equals(text)) {
        out.length = from;
        putText(out, code[1], where);
        return;
      }
    }
    throw refuse("not_in_code", where, "`" + text + "` has no code");
  }

  // ---- textOfCode
  /** The text of a code; null if it is none. */
  private static String textOfCode(String code, String[][] codes) {
    for (String[] known : codes) {
      if (known[1].equals(code)) {
        return known[0];
      }
    }
    return null;
  }

  // ---- putDate
  /**
   * Adds a date and time in UTC. Letters of the pattern: y year, M month, d day, H hour, m minute, s
   * second, S millisecond; each stands for all digits of its number, and all else for itself.
   */
  private static void putDate(KeyWriter out, long millis, String pattern, String where) {
    if (millis < -62135596800000L || millis > 253402300799999L) {
      String problem = "the time " + millis + " ms is not in the years 0001 to 9999";
      throw refuse("date_range", where, problem);
    }
    long days = Math.floorDiv(millis, 86400000L);
    long time = Math.floorMod(millis, 86400000L);
    // Years begin in March here, so that the leap day is the last of its year.
    long shifted = days + 719468;
    long era = Math.floorDiv(shifted, 146097L);
    long day = Math.floorMod(shifted, 146097L);
    long year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    long ofYear = day - (365 * year + year / 4 - year / 100);
    long month = (5 * ofYear + 2) / 153;
    for (int i = 0; i < pattern.length(); i++) {
      char letter = pattern.charAt(i);
      switch (letter) {
        case 'y':
          putDigits(out, year + era * 400 + (month > 9 ? 1 : 0), 4);
          break;
        case 'M':
          putDigits(out, month > 9 ? month - 9 : month + 3, 2);
          break;
        case 'd':
          putDigits(out, ofYear - (153 * month + 2) / 5 + 1, 2);
          break;
        case 'H':
          putDigits(out, time / 3600000, 2);
          break;
        case 'm':
          putDigits(out, time / 60000 % 60, 2);
          break;
        case 's':
          putDigits(out, time / 1000 % 60, 2);
          break;
        case 'S':
          putDigits(out, time % 1000, 3);
          break;
        default:
          out.put8(letter);
      }
    }
  }

  // ---- putBigDate
  private static void putBigDate(KeyWriter out, BigInteger millis, String pattern, String where) {
    putDate(out, millis.bitLength() > 63 ? Long.MAX_VALUE : millis.longValue(), pattern, where);
  }

  // ---- drawn
  /** A random number below a count. */
  private static int drawn(IntUnaryOperator draws, int count, String where) {
    if (draws == null) {
      throw refuse("no_generator", where, "the part is random: it needs a generator");
    }
    return Math.min(draws.applyAsInt(count), count - 1);
  }

  // ---- upper
  /** Upper case of each character from a place on, by the Unicode tables of rowkey. */
  private static void upper(KeyWriter out, int from) {
    mapCase(out, from, UPPER);
  }

  // ---- lowerEach
  /** Lower case of each character from a place on, by the Unicode tables of rowkey. */
  private static void lowerEach(KeyWriter out, int from) {
    mapCase(out, from, LOWER);
  }

  // ---- upperAscii
  /** Upper case of ASCII text from a place on. */
  private static void upperAscii(KeyWriter out, int from) {
    for (int i = from; i < out.length; i++) {
      if (out.bytes[i] >= 'a' && out.bytes[i] <= 'z') {
        out.bytes[i] -= 32;
      }
    }
  }

  // ---- lowerAscii
  /** Lower case of ASCII text from a place on. */
  private static void lowerAscii(KeyWriter out, int from) {
    for (int i = from; i < out.length; i++) {
      if (out.bytes[i] >= 'A' && out.bytes[i] <= 'Z') {
        out.bytes[i] += 32;
      }
    }
  }

  // ---- mapCase
  private static void mapCase(KeyWriter out, int from, CaseTable table) {
    String text = textFrom(out, from);
    StringBuilder mapped = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      table.map(text.codePointAt(i), mapped);
    }
    out.length = from;
    putText(out, mapped.toString(), "");
  }

  // ---- lower
  /** Lower case of the text from a place on: a sigma that ends a word becomes another letter. */
  private static void lower(KeyWriter out, int from) {
    String text = textFrom(out, from);
    StringBuilder mapped = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      int point = text.codePointAt(i);
      if (point == 0x3A3) {
        mapped.append(endsWord(text, i) ? '\u03c2' : '\u03c3');
      } else {
        LOWER.map(point, mapped);
      }
    }
    out.length = from;
    putText(out, mapped.toString(), "");
  }

  // ---- endsWord
  /** Whether a letter stands before a place of a text, and none behind it. */
  private static boolean endsWord(String text, int at) {
    int before = at;
    while (before > 0 && contains(IGNORED, text.codePointBefore(before))) {
      before -= Character.charCount(text.codePointBefore(before));
    }
    if (before == 0 || !contains(CASED, text.codePointBefore(before))) {
      return false;
    }
    int after = at + 1;
    while (after < text.length() && contains(IGNORED, text.codePointAt(after))) {
      after += Character.charCount(text.codePointAt(after));
    }
    return after == text.length() || !contains(CASED, text.codePointAt(after));
  }

  // ---- contains
  /** Whether a set of ranges, first and last of each, has a number. */
  private static boolean contains(int[] ranges, int number) {
    int found = Arrays.binarySearch(ranges, number);
    // At an even place a range begins; behind one the number is inside.
    return found >= 0 || (-found - 1) % 2 == 1;
  }

  // ---- CaseTable
  /** Characters and what they are in another case. */
  private static final class CaseTable {
    private final int[] first;
    private final int[] last;
    private final int[] step;
    private final int[] delta;
    private final Map<Integer, String> longer = new HashMap<>();

    /** Runs as {@code first last step delta} in hex, and characters with several as {@code from=to+to}. */
    CaseTable(String runs, String several) {
      String[] words = runs.split(" ");
      int count = words.length / 4;
      first = new int[count];
      last = new int[count];
      step = new int[count];
      delta = new int[count];
      for (int i = 0; i < count; i++) {
        first[i] = Integer.parseInt(words[4 * i], 16);
        last[i] = Integer.parseInt(words[4 * i + 1], 16);
        step[i] = Integer.parseInt(words[4 * i + 2], 16);
        delta[i] = Integer.parseInt(words[4 * i + 3], 16);
      }
      for (String word : several.isEmpty() ? new String[0] : several.split(" ")) {
        String[] sides = word.split("=");
        StringBuilder text = new StringBuilder();
        for (String point : sides[1].split("\\+")) {
          text.appendCodePoint(Integer.parseInt(point, 16));
        }
        longer.put(Integer.parseInt(sides[0], 16), text.toString());
      }
    }

    void map(int point, StringBuilder to) {
      String several = longer.get(point);
      if (several != null) {
        to.append(several);
        return;
      }
      int found = Arrays.binarySearch(first, point);
      int run = found >= 0 ? found : -found - 2;
      boolean mapped = run >= 0 && point <= last[run] && (point - first[run]) % step[run] == 0;
      to.appendCodePoint(mapped ? point + delta[run] : point);
    }
  }

  // ---- points
  /** Numbers in hex. */
  private static int[] points(String words) {
    String[] all = words.split(" ");
    int[] points = new int[all.length];
    for (int i = 0; i < all.length; i++) {
      points[i] = Integer.parseInt(all[i], 16);
    }
    return points;
  }

