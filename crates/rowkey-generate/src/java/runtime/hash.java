  // ---- murmur3
  /** MurmurHash3 (x86, 32 bits) with seed -1, as HBase has it, of the bytes from a place on. */
  private static int murmur3(KeyWriter out, int from) {
    byte[] bytes = out.bytes;
    int end = out.length;
    int hash = -1;
    int at = from;
    for (; at + 4 <= end; at += 4) {
      int word =
          (bytes[at] & 0xFF)
              | (bytes[at + 1] & 0xFF) << 8
              | (bytes[at + 2] & 0xFF) << 16
              | bytes[at + 3] << 24;
      hash ^= Integer.rotateLeft(word * 0xCC9E2D51, 15) * 0x1B873593;
      hash = Integer.rotateLeft(hash, 13) * 5 + 0xE6546B64;
    }
    if (at < end) {
      int word = 0;
      for (int i = end - 1; i >= at; i--) {
        word = word << 8 | bytes[i] & 0xFF;
      }
      hash ^= Integer.rotateLeft(word * 0xCC9E2D51, 15) * 0x1B873593;
    }
    hash ^= end - from;
    hash = (hash ^ hash >>> 16) * 0x85EBCA6B;
    hash = (hash ^ hash >>> 13) * 0xC2B2AE35;
    return hash ^ hash >>> 16;
  }

  // ---- murmur3Long
  /** {@link #murmur3} of the eight bytes of a number. */
  private static int murmur3Long(long number) {
    int high = Integer.reverseBytes((int) (number >> 32));
    int hash = ~(Integer.rotateLeft(high * 0xCC9E2D51, 15) * 0x1B873593);
    hash = Integer.rotateLeft(hash, 13) * 5 + 0xE6546B64;
    hash ^= Integer.rotateLeft(Integer.reverseBytes((int) number) * 0xCC9E2D51, 15) * 0x1B873593;
    hash = (Integer.rotateLeft(hash, 13) * 5 + 0xE6546B64) ^ 8;
    hash = (hash ^ hash >>> 16) * 0x85EBCA6B;
    hash = (hash ^ hash >>> 13) * 0xC2B2AE35;
    return hash ^ hash >>> 16;
  }

  // ---- bucket
  /** A hash modulo a number of buckets, never negative. */
  private static long bucket(int hash, long buckets) {
    return Math.floorMod((long) hash, buckets);
  }

  // ---- javaHash
  /** {@code String.hashCode} of the text from a place on. */
  private static int javaHash(KeyWriter out, int from) {
    return textFrom(out, from).hashCode();
  }

  // ---- crc32
  /** CRC-32 of the bytes from a place on. */
  private static long crc32(KeyWriter out, int from) {
    CRC32 hash = new CRC32();
    hash.update(out.bytes, from, out.length - from);
    return hash.getValue();
  }

  // ---- javaBytesHash
  /** {@code Arrays.hashCode} of the bytes from a place on. */
  private static int javaBytesHash(KeyWriter out, int from) {
    int hash = 1;
    for (int i = from; i < out.length; i++) {
      hash = 31 * hash + out.bytes[i];
    }
    return hash;
  }

  // ---- javaBucket
  /** The size of Java's remainder, as Phoenix and OpenTSDB salt. */
  private static long javaBucket(int hash, long buckets) {
    return Math.abs((long) hash) % buckets;
  }

  // ---- openTsdbBucket
  /** OpenTSDB's salt: a metric, which ends at a place, of zero bytes only has bucket 0. */
  private static long openTsdbBucket(KeyWriter out, int from, int metricEnd, long buckets) {
    for (int i = from; i < metricEnd; i++) {
      if (out.bytes[i] != 0) {
        return javaBucket(javaBytesHash(out, from), buckets);
      }
    }
    return 0;
  }

  // ---- digest
  /** The digest of the bytes from a place on. */
  private static byte[] digest(String algorithm, KeyWriter out, int from) {
    try {
      MessageDigest digest = MessageDigest.getInstance(algorithm);
      digest.update(out.bytes, from, out.length - from);
      return digest.digest();
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("every Java platform has " + algorithm, missing);
    }
  }

  // ---- putHex
  /** Adds bytes as digits in lower case. */
  private static void putHex(KeyWriter out, byte[] bytes) {
    for (byte value : bytes) {
      out.put8(Character.forDigit(value >> 4 & 15, 16));
      out.put8(Character.forDigit(value & 15, 16));
    }
  }

  // ---- putStart
  /** Adds the first bytes. */
  private static void putStart(KeyWriter out, byte[] bytes, int count) {
    int at = out.room(count);
    System.arraycopy(bytes, 0, out.bytes, at, count);
  }

  // ---- xxh3
  /** XXH3 (64 bits) with seed 0 of the bytes from a place on. */
  private static long xxh3(KeyWriter out, int from) {
    return new Xxh3(out.bytes, from, out.length - from).hash();
  }

  // ---- Xxh3
  /** XXH3 (64 bits) with seed 0. */
  private static final class Xxh3 {
    private static final long PRIME32_1 = 0x9E3779B1L;
    private static final long PRIME32_2 = 0x85EBCA77L;
    private static final long PRIME32_3 = 0xC2B2AE3DL;
    private static final long PRIME64_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME64_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME64_3 = 0x165667B19E3779F9L;
    private static final long PRIME64_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME64_5 = 0x27D4EB2F165667C5L;
    private static final byte[] SECRET =
        new BigInteger(
                "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
                    + "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
                    + "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8"
                    + "fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364ea"
                    + "c5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b"
                    + "16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e",
                16)
            .toByteArray();

    private final byte[] bytes;
    private final int from;
    private final int length;

    Xxh3(byte[] bytes, int from, int length) {
      this.bytes = bytes;
      this.from = from;
      this.length = length;
    }

    long hash() {
      if (length > 240) {
        return longHash();
      }
      if (length > 128) {
        return middle();
      }
      if (length > 16) {
        long sum = length * PRIME64_1;
        for (int i = (length - 1) / 32; i >= 0; i--) {
          sum += mix(16 * i, 32 * i) + mix(length - 16 * (i + 1), 32 * i + 16);
        }
        return avalanche(sum);
      }
      if (length > 8) {
        long low = word(0) ^ secret(24) ^ secret(32);
        long high = word(length - 8) ^ secret(40) ^ secret(48);
        return avalanche(length + Long.reverseBytes(low) + high + fold(low, high));
      }
      if (length >= 4) {
        long mixed = (half(length - 4) + (half(0) << 32)) ^ secret(8) ^ secret(16);
        mixed ^= Long.rotateLeft(mixed, 49) ^ Long.rotateLeft(mixed, 24);
        mixed *= 0x9FB21C651E98DF25L;
        mixed ^= (mixed >>> 35) + length;
        mixed *= 0x9FB21C651E98DF25L;
        return mixed ^ mixed >>> 28;
      }
      if (length > 0) {
        long combined =
            part(0) << 16 | part(length >> 1) << 24 | part(length - 1) | (long) length << 8;
        return xxh64(combined ^ secretHalf(0) ^ secretHalf(4));
      }
      return xxh64(secret(56) ^ secret(64));
    }

    private long middle() {
      long sum = length * PRIME64_1;
      int rounds = length / 16;
      for (int i = 0; i < 8; i++) {
        sum += mix(16 * i, 16 * i);
      }
      sum = avalanche(sum);
      for (int i = 8; i < rounds; i++) {
        sum += mix(16 * i, 16 * (i - 8) + 3);
      }
      return avalanche(sum + mix(length - 16, 136 - 17));
    }

    private long longHash() {
      long[] lanes = {
        PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1
      };
      int stripes = (length - 1) / 64;
      for (int stripe = 0; stripe < stripes; stripe++) {
        accumulate(lanes, 64 * stripe, stripe % 16 * 8);
        if (stripe % 16 == 15) {
          for (int lane = 0; lane < 8; lane++) {
            lanes[lane] ^= lanes[lane] >>> 47 ^ secret(128 + 8 * lane);
            lanes[lane] *= PRIME32_1;
          }
        }
      }
      accumulate(lanes, length - 64, 192 - 64 - 7);
      long sum = length * PRIME64_1;
      for (int i = 0; i < 4; i++) {
        long low = lanes[2 * i] ^ secret(11 + 16 * i);
        sum += fold(low, lanes[2 * i + 1] ^ secret(11 + 16 * i + 8));
      }
      return avalanche(sum);
    }

    private void accumulate(long[] lanes, int at, int secretAt) {
      for (int lane = 0; lane < 8; lane++) {
        long value = word(at + 8 * lane);
        long key = value ^ secret(secretAt + 8 * lane);
        lanes[lane ^ 1] += value;
        lanes[lane] += (key & 0xFFFFFFFFL) * (key >>> 32);
      }
    }

    private long mix(int at, int secretAt) {
      return fold(word(at) ^ secret(secretAt), word(at + 8) ^ secret(secretAt + 8));
    }

    /** The two halves of the 128 bits of a product, one over the other. */
    private static long fold(long a, long b) {
      long aLow = a & 0xFFFFFFFFL;
      long aHigh = a >>> 32;
      long bLow = b & 0xFFFFFFFFL;
      long bHigh = b >>> 32;
      long cross = (aLow * bLow >>> 32) + (aHigh * bLow & 0xFFFFFFFFL) + aLow * bHigh;
      return a * b ^ (aHigh * bHigh + (aHigh * bLow >>> 32) + (cross >>> 32));
    }

    private static long avalanche(long hash) {
      long mixed = (hash ^ hash >>> 37) * 0x165667919E3779F9L;
      return mixed ^ mixed >>> 32;
    }

    private static long xxh64(long hash) {
      long mixed = (hash ^ hash >>> 33) * PRIME64_2;
      mixed = (mixed ^ mixed >>> 29) * PRIME64_3;
      return mixed ^ mixed >>> 32;
    }

    private long part(int at) {
      return bytes[from + at] & 0xFF;
    }

    private long half(int at) {
      return little(bytes, from + at, 4);
    }

    private long word(int at) {
      return little(bytes, from + at, 8);
    }

    // The first byte is a zero, which the sign of the number needs.
    private static long secret(int at) {
      return little(SECRET, at + 1, 8);
    }

    private static long secretHalf(int at) {
      return little(SECRET, at + 1, 4);
    }

    private static long little(byte[] bytes, int at, int count) {
      long word = 0;
      for (int i = count - 1; i >= 0; i--) {
        word = word << 8 | bytes[at + i] & 0xFF;
      }
      return word;
    }
  }

