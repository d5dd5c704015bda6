  /** Answers the requests of standard input. */
  public static void main(String[] args) throws IOException {
    BufferedReader requests =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream answers = new PrintStream(System.out, false, "UTF-8");
    for (String line = requests.readLine(); line != null; line = requests.readLine()) {
      answers.print(answer(line) + "\n");
      answers.flush();
    }
  }

  /** A request that the language cannot hold the values of. */
  static final class Refused extends RuntimeException {
    static final long serialVersionUID = 1L;

    Refused(String kind) {
      super(kind);
    }
  }

  static String text(Map<?, ?> values, String name) {
    return (String) values.get(name);
  }

  static IntUnaryOperator draws(List<?> drawn) {
    int[] next = {0};
    return count ->
        drawn == null || next[0] >= drawn.size()
            ? 0
            : Integer.parseInt(drawn.get(next[0]++).toString());
  }

  static String javaNumber(String text) {
    return text.replace("inf", "Infinity");
  }

  static String number(String text) {
    return text.replace("Infinity", "inf");
  }

  static UUID uuid(String hex) {
    return new UUID(
        Long.parseUnsignedLong(hex.substring(0, 16), 16),
        Long.parseUnsignedLong(hex.substring(16), 16));
  }

  static void field(StringBuilder fields, String name, String value) {
    fields.append(fields.length() > 0 ? "," : "");
    fields.append(quoted(name)).append(':').append(value == null ? "null" : quoted(value));
  }

  static String hex(byte[] bytes) {
    StringBuilder hex = new StringBuilder();
    for (byte one : bytes) {
      hex.append(Character.forDigit(one >> 4 & 15, 16)).append(Character.forDigit(one & 15, 16));
    }
    return hex.toString();
  }

  static byte[] bytes(String hex) {
    byte[] bytes = new byte[hex.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
    }
    return bytes;
  }

  static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char one = text.charAt(i);
      if (one == '"' || one == '\\') {
        quoted.append('\\').append(one);
      } else if (one < ' ' || one >= 127) {
        quoted.append(String.format("\\u%04x", (int) one));
      } else {
        quoted.append(one);
      }
    }
    return quoted.append('"').toString();
  }

  /** Reads JSON: objects as maps, arrays as lists, numbers as their text. */
  private static final class Json {
    private final String text;
    private int at;

    Json(String text) {
      this.text = text;
    }

    Object value() {
      char first = next();
      if (first == '"') {
        return string();
      }
      if (first == '{') {
        Map<String, Object> members = new LinkedHashMap<>();
        while (next() != '}') {
          at -= text.charAt(at - 1) == ',' ? 0 : 1;
          next();
          String name = string();
          next();
          members.put(name, value());
        }
        return members;
      }
      if (first == '[') {
        List<Object> elements = new ArrayList<>();
        while (next() != ']') {
          at -= text.charAt(at - 1) == ',' ? 0 : 1;
          elements.add(value());
        }
        return elements;
      }
      int start = at - 1;
      while (at < text.length() && ",]} \t".indexOf(text.charAt(at)) < 0) {
        at++;
      }
      String word = text.substring(start, at);
      return word.equals("null") ? null : word;
    }

    /** The next character that is not white. */
    private char next() {
      while (Character.isWhitespace(text.charAt(at))) {
        at++;
      }
      return text.charAt(at++);
    }

    /** The rest of a string. */
    private String string() {
      StringBuilder string = new StringBuilder();
      for (char one = text.charAt(at++); one != '"'; one = text.charAt(at++)) {
        if (one != '\\') {
          string.append(one);
          continue;
        }
        char escaped = text.charAt(at++);
        int plain = "bfnrt".indexOf(escaped);
        if (escaped == 'u') {
          string.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
          at += 4;
        } else {
          string.append(plain < 0 ? escaped : "\b\f\n\r\t".charAt(plain));
        }
      }
      return string.toString();
    }
  }
