def _murmur3(data: bytes) -> int:
    """MurmurHash3 of 32 bits with seed -1, as a signed number."""
    length = len(data)
    hash_ = 0xFFFF_FFFF
    for block in struct.unpack_from(f"<{length >> 2}I", data):
        block = block * 0xCC9E2D51 & 0xFFFF_FFFF
        hash_ ^= (block << 15 | block >> 17) * 0x1B873593 & 0xFFFF_FFFF
        hash_ = ((hash_ << 13 | hash_ >> 19) * 5 + 0xE6546B64) & 0xFFFF_FFFF
    if length & 3:
        block = int.from_bytes(data[length & ~3 :], "little")
        block = block * 0xCC9E2D51 & 0xFFFF_FFFF
        hash_ ^= (block << 15 | block >> 17) * 0x1B873593 & 0xFFFF_FFFF
    hash_ ^= length
    hash_ = (hash_ ^ hash_ >> 16) * 0x85EBCA6B & 0xFFFF_FFFF
    hash_ = (hash_ ^ hash_ >> 13) * 0xC2B2AE35 & 0xFFFF_FFFF
    hash_ ^= hash_ >> 16
    return hash_ - ((hash_ & 0x8000_0000) << 1)


def _java_hash(*texts: bytes) -> int:
    """`String.hashCode` of Java: a polynomial in 31 over UTF-16 units."""
    hash_ = 0
    for text in texts:
        units = text.decode("utf-8", "replace").encode("utf-16-be")
        for unit in struct.unpack(f">{len(units) >> 1}H", units):
            hash_ = (hash_ * 31 + unit) & 0xFFFF_FFFF
    return hash_ - ((hash_ & 0x8000_0000) << 1)


def _java_bytes_hash(data: bytes) -> int:
    """`Arrays.hashCode(byte[])` of Java, without its sign."""
    hash_ = 1
    for byte in struct.unpack(f"{len(data)}b", data):
        hash_ = (hash_ * 31 + byte) & 0xFFFF_FFFF
    return abs(hash_ - ((hash_ & 0x8000_0000) << 1))


def _salt(buckets: int, data: bytes) -> int:
    """The bucket that data falls into."""
    return _murmur3(data) % buckets


def _phoenix_salt(buckets: int, data: bytes) -> int:
    """The bucket that Phoenix puts data into."""
    return _java_bytes_hash(data) % buckets


def _opentsdb_salt(buckets: int, metric: bytes, *tags: bytes) -> int:
    """The bucket that OpenTSDB puts a row into; a metric of zeros has none."""
    if not any(metric):
        return 0
    return _java_bytes_hash(metric + b"".join(tags)) % buckets


def _crc32(data: bytes) -> int:
    return zlib.crc32(data)


def _md5(data: bytes, length: int = 16) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()[:length]


def _sha1(data: bytes, length: int = 20) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()[:length]


def _sha256(data: bytes, length: int = 32) -> bytes:
    return hashlib.sha256(data).digest()[:length]


def _hex(digest: bytes) -> bytes:
    return digest.hex().encode()


_XXH3_SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
_XXH3_64 = 0xFFFF_FFFF_FFFF_FFFF
_XXH3_PRIMES = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)


def _xxh3_word(data: bytes, at: int, width: int = 8) -> int:
    return int.from_bytes(data[at : at + width], "little")


def _xxh3_fold(left: int, right: int) -> int:
    product = left * right
    return (product ^ product >> 64) & _XXH3_64


def _xxh3_avalanche(hash_: int) -> int:
    hash_ ^= hash_ >> 37
    hash_ = hash_ * 0x165667919E3779F9 & _XXH3_64
    return hash_ ^ hash_ >> 32


def _xxh64_avalanche(hash_: int) -> int:
    hash_ ^= hash_ >> 33
    hash_ = hash_ * _XXH3_PRIMES[1] & _XXH3_64
    hash_ ^= hash_ >> 29
    hash_ = hash_ * _XXH3_PRIMES[2] & _XXH3_64
    return hash_ ^ hash_ >> 32


def _xxh3_mix(data: bytes, at: int, secret_at: int) -> int:
    low = _xxh3_word(data, at) ^ _xxh3_word(_XXH3_SECRET, secret_at)
    high = _xxh3_word(data, at + 8) ^ _xxh3_word(_XXH3_SECRET, secret_at + 8)
    return _xxh3_fold(low, high)


def _xxh3_short(data: bytes) -> int:
    """Up to 16 bytes."""
    length, secret = len(data), _XXH3_SECRET
    if length > 8:
        low = _xxh3_word(secret, 24) ^ _xxh3_word(secret, 32) ^ _xxh3_word(data, 0)
        high = _xxh3_word(secret, 40) ^ _xxh3_word(secret, 48)
        high ^= _xxh3_word(data, length - 8)
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        hash_ = length + swapped + high + _xxh3_fold(low, high)
        return _xxh3_avalanche(hash_ & _XXH3_64)
    if length > 3:
        mixed = _xxh3_word(data, length - 4, 4) + (_xxh3_word(data, 0, 4) << 32)
        mixed ^= _xxh3_word(secret, 8) ^ _xxh3_word(secret, 16)
        mixed ^= (mixed << 49 | mixed >> 15) ^ (mixed << 24 | mixed >> 40)
        mixed = (mixed & _XXH3_64) * 0x9FB21C651E98DF25 & _XXH3_64
        mixed ^= (mixed >> 35) + length
        mixed = mixed * 0x9FB21C651E98DF25 & _XXH3_64
        return mixed ^ mixed >> 28
    if length > 0:
        first, middle, last = data[0], data[length >> 1], data[-1]
        combined = first << 16 | middle << 24 | last | length << 8
        flip = _xxh3_word(secret, 0, 4) ^ _xxh3_word(secret, 4, 4)
        return _xxh64_avalanche(combined ^ flip)
    return _xxh64_avalanche(_xxh3_word(secret, 56) ^ _xxh3_word(secret, 64))


def _xxh3_middle(data: bytes) -> int:
    """17 to 240 bytes."""
    length = len(data)
    hash_ = length * _XXH3_PRIMES[0]
    if length <= 128:
        for nth in range((length - 1) >> 5, -1, -1):
            hash_ += _xxh3_mix(data, 16 * nth, 32 * nth)
            hash_ += _xxh3_mix(data, length - 16 * nth - 16, 32 * nth + 16)
        return _xxh3_avalanche(hash_ & _XXH3_64)
    for nth in range(8):
        hash_ += _xxh3_mix(data, 16 * nth, 16 * nth)
    hash_ = _xxh3_avalanche(hash_ & _XXH3_64)
    for nth in range(8, length >> 4):
        hash_ += _xxh3_mix(data, 16 * nth, 16 * nth - 125)
    hash_ += _xxh3_mix(data, length - 16, 119)
    return _xxh3_avalanche(hash_ & _XXH3_64)


def _xxh3_stripe(lanes: List[int], data: bytes, at: int, secret_at: int) -> None:
    words = struct.unpack_from("<8Q", data, at)
    keys = struct.unpack_from("<8Q", _XXH3_SECRET, secret_at)
    for lane, (word, key) in enumerate(zip(words, keys)):
        mixed = word ^ key
        lanes[lane ^ 1] = (lanes[lane ^ 1] + word) & _XXH3_64
        product = (mixed & 0xFFFF_FFFF) * (mixed >> 32)
        lanes[lane] = (lanes[lane] + product) & _XXH3_64


def _xxh3(data: bytes) -> int:
    """XXH3 of 64 bits with seed 0."""
    length = len(data)
    if length <= 16:
        return _xxh3_short(data)
    if length <= 240:
        return _xxh3_middle(data)
    prime32 = (0xC2B2AE3D, 0x9E3779B1, 0x85EBCA77)
    prime64 = _XXH3_PRIMES
    lanes = [prime32[0], *prime64[:4], prime32[2], prime64[4], prime32[1]]
    scramble = struct.unpack_from("<8Q", _XXH3_SECRET, 128)
    for stripe in range((length - 1) // 64):
        _xxh3_stripe(lanes, data, 64 * stripe, 8 * (stripe % 16))
        if stripe % 16 == 15:
            for lane, key in enumerate(scramble):
                mixed = lanes[lane] ^ lanes[lane] >> 47 ^ key
                lanes[lane] = mixed * prime32[1] & _XXH3_64
    _xxh3_stripe(lanes, data, length - 64, 121)
    hash_ = length * prime64[0]
    keys = struct.unpack_from("<8Q", _XXH3_SECRET, 11)
    for lane in range(0, 8, 2):
        hash_ += _xxh3_fold(lanes[lane] ^ keys[lane], lanes[lane + 1] ^ keys[lane + 1])
    return _xxh3_avalanche(hash_ & _XXH3_64)
