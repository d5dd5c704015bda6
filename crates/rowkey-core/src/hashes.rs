//! The hash functions of the notation, each with its number or digest.
//!
//! | function | gives | over |
//! | --- | --- | --- |
//! | `murmur3` | `i32` | bytes; seed -1, as HBase's `MurmurHash3` called with it |
//! | `java_hash` | `i32` | text, as `String.hashCode`: its UTF-16 units |
//! | `crc32` | `u32` | bytes; the polynomial of IEEE 802.3 |
//! | `xxh3` | `u64` | bytes; seed 0 |
//! | `md5 sha1 sha256` | a [`Digest`] of 16, 20, 32 bytes | bytes |
//! | [`phoenix_salt`], [`OpenTsdbSalt`] | a bucket | bytes, as `Arrays.hashCode` |
//!
//! A hash takes its input piece by piece ([`Hasher::update`]), because it hashes the plain bytes of several fields one
//! after another and must not allocate to join them.
//!
//! **Laws** (tests below): pieces hash like the whole; the figures are those of Java, HBase 2.6.4 and Phoenix 5.1.3
//! (`testdata/vectors/hashes.jsonl`) and of OpenTSDB 2.4.1 (`testdata/vectors/opentsdb.jsonl`).
//!
//! Not here: many MD5s at once, which is [`crate::md5_lanes`].
//!
//! Quirk: a [`Hasher`] is as large as its largest state (xxh3's, over 500 bytes), which costs the small ones more than
//! their hash. Where the function is known, [`Murmur3`], [`JavaHash`] and [`JavaBytesHash`] are three times as fast.

use std::fmt;
use std::num::{NonZeroU16, NonZeroU32};

use md5::Digest as _;

use crate::hash::Murmur3;

/// A hash function of the notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HashFunction {
    /// MurmurHash3 x86_32 with seed -1.
    Murmur3,
    /// `String.hashCode` of Java.
    JavaHash,
    /// CRC-32 of IEEE 802.3.
    Crc32,
    /// XXH3 of 64 bits, seed 0.
    Xxh3,
    /// MD5.
    Md5,
    /// SHA-1.
    Sha1,
    /// SHA-256.
    Sha256,
}

impl HashFunction {
    /// All functions.
    pub const ALL: [Self; 7] =
        [Self::Murmur3, Self::JavaHash, Self::Crc32, Self::Xxh3, Self::Md5, Self::Sha1, Self::Sha256];

    /// Its name in the notation.
    pub fn name(self) -> &'static str {
        match self {
            Self::Murmur3 => "murmur3",
            Self::JavaHash => "java_hash",
            Self::Crc32 => "crc32",
            Self::Xxh3 => "xxh3",
            Self::Md5 => "md5",
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
        }
    }

    /// The function of a name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.name() == name)
    }

    /// How many bytes the digest has; `None` if the function gives a number.
    pub fn digest_len(self) -> Option<usize> {
        match self {
            Self::Md5 => Some(16),
            Self::Sha1 => Some(20),
            Self::Sha256 => Some(32),
            Self::Murmur3 | Self::JavaHash | Self::Crc32 | Self::Xxh3 => None,
        }
    }

    /// The smallest and largest number it can give; `None` if it gives a digest.
    pub fn number_range(self) -> Option<(i128, i128)> {
        match self {
            Self::Murmur3 | Self::JavaHash => Some((i32::MIN.into(), i32::MAX.into())),
            Self::Crc32 => Some((0, u32::MAX.into())),
            Self::Xxh3 => Some((0, u64::MAX.into())),
            Self::Md5 | Self::Sha1 | Self::Sha256 => None,
        }
    }

    /// A hash of nothing yet.
    pub(crate) fn hasher(self) -> Hasher {
        match self {
            Self::Murmur3 => Hasher::Murmur3(Murmur3::new(Murmur3::SEED)),
            Self::JavaHash => Hasher::JavaHash(JavaHash::default()),
            Self::Crc32 => Hasher::Crc32(crc32fast::Hasher::new()),
            Self::Xxh3 => Hasher::Xxh3(xxhash_rust::xxh3::Xxh3::new()),
            Self::Md5 => Hasher::Md5(md5::Md5::new()),
            Self::Sha1 => Hasher::Sha1(sha1::Sha1::new()),
            Self::Sha256 => Hasher::Sha256(sha2::Sha256::new()),
        }
    }
}

impl fmt::Display for HashFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A running hash.
#[derive(Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "it lives on the stack for one key; a box would allocate per key"
)]
pub(crate) enum Hasher {
    /// [`HashFunction::Murmur3`].
    Murmur3(Murmur3),
    /// [`HashFunction::JavaHash`].
    JavaHash(JavaHash),
    /// [`HashFunction::Crc32`].
    Crc32(crc32fast::Hasher),
    /// [`HashFunction::Xxh3`].
    Xxh3(xxhash_rust::xxh3::Xxh3),
    /// [`HashFunction::Md5`].
    Md5(md5::Md5),
    /// [`HashFunction::Sha1`].
    Sha1(sha1::Sha1),
    /// [`HashFunction::Sha256`].
    Sha256(sha2::Sha256),
}

impl Hasher {
    /// Adds bytes. For [`HashFunction::JavaHash`] they are text in UTF-8, and a piece does not end inside a character.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Murmur3(hash) => hash.update(bytes),
            Self::JavaHash(hash) => hash.update(bytes),
            Self::Crc32(hash) => hash.update(bytes),
            Self::Xxh3(hash) => hash.update(bytes),
            Self::Md5(hash) => hash.update(bytes),
            Self::Sha1(hash) => hash.update(bytes),
            Self::Sha256(hash) => hash.update(bytes),
        }
    }

    /// The hash of all bytes added.
    pub(crate) fn finish(self) -> HashValue {
        match self {
            Self::Murmur3(hash) => HashValue::I32(hash.finish()),
            Self::JavaHash(hash) => HashValue::I32(hash.finish()),
            Self::Crc32(hash) => HashValue::U32(hash.finalize()),
            Self::Xxh3(hash) => HashValue::U64(hash.digest()),
            Self::Md5(hash) => HashValue::Digest(Digest::new(&hash.finalize())),
            Self::Sha1(hash) => HashValue::Digest(Digest::new(&hash.finalize())),
            Self::Sha256(hash) => HashValue::Digest(Digest::new(&hash.finalize())),
        }
    }
}

/// The digest of bytes; no bytes and the number where the function gives one.
#[doc(hidden)]
pub fn hash(function: HashFunction, bytes: &[u8]) -> (Vec<u8>, i128) {
    let mut hasher = function.hasher();
    hasher.update(bytes);
    let value = hasher.finish();
    let digest = value.digest().map_or_else(Vec::new, |digest| digest.as_bytes().to_vec());
    (digest, value.number().unwrap_or_default())
}

/// What a hash function gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HashValue {
    /// Of `murmur3` and `java_hash`.
    I32(i32),
    /// Of `crc32`.
    U32(u32),
    /// Of `xxh3`.
    U64(u64),
    /// Of `md5`, `sha1` and `sha256`.
    Digest(Digest),
}

impl HashValue {
    /// The number, if it is one.
    pub(crate) fn number(&self) -> Option<i128> {
        match self {
            Self::I32(number) => Some((*number).into()),
            Self::U32(number) => Some((*number).into()),
            Self::U64(number) => Some((*number).into()),
            Self::Digest(_) => None,
        }
    }

    /// The digest, if it is one.
    pub(crate) fn digest(&self) -> Option<&Digest> {
        match self {
            Self::Digest(digest) => Some(digest),
            _ => None,
        }
    }
}

/// The digest of `md5`, `sha1` or `sha256`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digest {
    /// Zeros after `len`.
    bytes: [u8; Self::MAX_LEN],
    len: usize,
}

impl Digest {
    /// How many bytes the longest digest has.
    pub(crate) const MAX_LEN: usize = 32;

    /// Holds digest bytes, of which none has more than [`Self::MAX_LEN`].
    fn new(digest: &[u8]) -> Self {
        let mut bytes = [0; Self::MAX_LEN];
        bytes.iter_mut().zip(digest).for_each(|(slot, byte)| *slot = *byte);
        Self { bytes, len: digest.len().min(Self::MAX_LEN) }
    }

    /// Its bytes.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// Appends its lower-case hex form, two characters a byte.
    pub(crate) fn append_hex(&self, out: &mut Vec<u8>) {
        append_hex(self.as_bytes(), out);
    }
}

/// Appends the lower-case hex form of bytes.
pub(crate) fn append_hex(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(2 * bytes.len());
    out.extend(bytes.iter().flat_map(|byte| [hex_digit(byte >> 4), hex_digit(byte & 0x0F)]));
}

fn hex_digit(nibble: u8) -> u8 {
    // Without a branch: a to f lie 39 further on than the characters after 9.
    nibble + b'0' + 39 * u8::from(nibble > 9)
}

/// A running `String.hashCode` of Java: the polynomial in 31 over the text's UTF-16 units.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct JavaHash(i32);

impl JavaHash {
    /// Adds text in UTF-8. What is not UTF-8 counts as U+FFFD, as a Java program would have read it.
    pub(crate) fn update(&mut self, text: &[u8]) {
        if text.is_ascii() {
            text.iter().for_each(|&byte| self.unit(byte.into()));
            return;
        }
        let mut units = [0; 2];
        for chunk in text.utf8_chunks() {
            for character in chunk.valid().chars() {
                character.encode_utf16(&mut units).iter().for_each(|&unit| self.unit(unit));
            }
            if !chunk.invalid().is_empty() {
                self.unit(0xFFFD);
            }
        }
    }

    /// The hash of all text added.
    pub(crate) fn finish(self) -> i32 {
        self.0
    }

    fn unit(&mut self, unit: u16) {
        self.0 = self.0.wrapping_mul(31).wrapping_add(unit.into());
    }
}

/// A running `Arrays.hashCode(byte[])` of Java, from which Phoenix and OpenTSDB draw their salts: the polynomial in 31
/// over signed bytes, starting at 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JavaBytesHash(i32);

impl Default for JavaBytesHash {
    fn default() -> Self {
        Self(1)
    }
}

impl JavaBytesHash {
    /// Adds bytes.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.wrapping_mul(31).wrapping_add(byte.cast_signed().into());
        }
    }

    /// The salt: Java's remainder without its sign. It lies below `buckets`.
    pub(crate) fn bucket(self, buckets: NonZeroU32) -> u32 {
        // Java's remainder keeps the sign of the hash, so its size is the remainder of the sizes.
        self.0.unsigned_abs() % buckets
    }
}

/// Phoenix's salt byte for a row key without it: `SaltingUtil.getSaltingByte`. Phoenix allows 1 to 256 buckets; of
/// more, the byte would keep the lowest eight bits.
pub(crate) fn phoenix_salt(key: &[u8], buckets: NonZeroU16) -> u8 {
    let mut hash = JavaBytesHash::default();
    hash.update(key);
    // Java casts to byte as well.
    hash.bucket(buckets.into()) as u8
}

/// OpenTSDB's salt of a row key: `RowKey.prefixKeyWithSalt`. It is drawn from the metric's id and the ids of the tags as
/// they follow each other in the key, without the base time between them.
///
/// A metric of zero bytes only is not salted (bucket 0): OpenTSDB keeps its global annotations there.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenTsdbSalt {
    hash: JavaBytesHash,
    /// Whether the metric has a byte that is not zero.
    salted: bool,
}

impl OpenTsdbSalt {
    /// Adds the metric's id; it comes first.
    pub(crate) fn metric(&mut self, id: &[u8]) {
        self.salted |= id.iter().any(|&byte| byte != 0);
        self.hash.update(id);
    }

    /// Adds ids of tags.
    pub(crate) fn tags(&mut self, ids: &[u8]) {
        self.hash.update(ids);
    }

    /// The bucket, below `buckets`.
    pub(crate) fn bucket(self, buckets: NonZeroU32) -> u32 {
        if self.salted { self.hash.bucket(buckets) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::escape::{from_hex, to_hex};
    use proptest::prelude::*;
    use serde_json::Value as Json;

    fn vectors(text: &str) -> Vec<Json> {
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn hash(function: HashFunction, pieces: &[&[u8]]) -> HashValue {
        let mut hasher = function.hasher();
        pieces.iter().for_each(|piece| hasher.update(piece));
        hasher.finish()
    }

    fn hex(value: &HashValue) -> String {
        let digest = value.digest().unwrap();
        let mut out = Vec::new();
        digest.append_hex(&mut out);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, to_hex(digest.as_bytes()));
        text
    }

    #[test]
    fn figures_are_those_of_java_hbase_and_phoenix() {
        let vectors = vectors(include_str!("../../../testdata/vectors/hashes.jsonl"));
        assert_eq!(vectors.len(), 70);
        for vector in vectors {
            let text = vector["text"].as_str().unwrap().as_bytes();
            let expected = |key: &str| i128::from(vector[key].as_i64().unwrap());
            let number = |function| hash(function, &[text]).number().unwrap();
            let java_hash = number(HashFunction::JavaHash);
            assert_eq!(java_hash, expected("java_hash_code"), "{vector}");
            assert_eq!(java_hash % 1000, expected("java_hash_mod_1000"), "{vector}");
            let padded = format!("{:03}", java_hash.rem_euclid(1000));
            assert_eq!(padded, vector["java_hash_floormod_1000_padded"].as_str().unwrap());
            assert_eq!(number(HashFunction::Murmur3), expected("hbase_murmur3"), "{vector}");
            assert_eq!(hex(&hash(HashFunction::Md5, &[text])), vector["md5"].as_str().unwrap());
            let mut bytes_hash = JavaBytesHash::default();
            bytes_hash.update(text);
            // HBase's Bytes.hashCode is Arrays.hashCode under another name.
            assert_eq!(i128::from(bytes_hash.0), expected("bytes_hash_code"), "{vector}");
            for buckets in [4, 20, 256] {
                let salt = phoenix_salt(text, NonZeroU16::new(buckets).unwrap());
                assert_eq!(i128::from(salt), expected(&format!("phoenix_salt_{buckets}")), "{vector}");
            }
        }
    }

    #[test]
    fn figures_are_the_published_ones() {
        use HashFunction::{Crc32, JavaHash, Sha1, Sha256, Xxh3};
        assert_eq!(hash(Crc32, &[b"123456789"]), HashValue::U32(0xCBF4_3926));
        assert_eq!(hash(Crc32, &[]), HashValue::U32(0));
        assert_eq!(hash(Xxh3, &[]), HashValue::U64(0x2D06_8005_38D3_94C2));
        assert_eq!(hex(&hash(Sha1, &[b"abc"])), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(
            hex(&hash(Sha256, &[b"abc"])),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(hash(JavaHash, &["é😀".as_bytes()]).number(), Some(1_996_812));
        assert_eq!(hash(JavaHash, &[b"\xFF"]), hash(JavaHash, &["\u{FFFD}".as_bytes()]));
    }

    /// Appends OpenTSDB's salt bytes for a bucket, `width` of them (OpenTSDB allows up to 8): big-endian, cut to the lowest
    /// bytes. Past four bytes OpenTSDB repeats the number, because Java shifts an `int` modulo 32.
    fn append_opentsdb_salt(bucket: u32, width: usize, out: &mut Vec<u8>) {
        let [a, b, c, d] = bucket.to_be_bytes();
        let twice = [a, b, c, d, a, b, c, d];
        out.extend(twice.iter().skip(twice.len().saturating_sub(width)));
    }

    #[test]
    fn salts_are_opentsdbs() {
        let vectors = vectors(include_str!("../../../testdata/vectors/opentsdb.jsonl"));
        assert!(vectors.len() >= 40);
        for vector in vectors {
            let bytes = |key: &str| from_hex(vector[key].as_str().unwrap()).unwrap();
            let number = |key: &str| u32::try_from(vector[key].as_u64().unwrap()).unwrap();
            let (metric, tags) = (bytes("metric"), bytes("tags"));
            let mut salt = OpenTsdbSalt::default();
            salt.metric(&metric);
            salt.tags(&tags);
            let bucket = salt.bucket(NonZeroU32::new(number("buckets")).unwrap());
            let mut key = Vec::new();
            append_opentsdb_salt(bucket, number("salt_width") as usize, &mut key);
            key.extend(metric);
            key.extend(number("base_time").to_be_bytes());
            key.extend(tags);
            assert_eq!(to_hex(&key), vector["hex"].as_str().unwrap(), "{vector}");
        }
    }

    #[test]
    fn names_and_ranges_are_the_notations() {
        for function in HashFunction::ALL {
            assert_eq!(HashFunction::from_name(function.name()), Some(function));
            let value = hash(function, &[b"x"]);
            assert_eq!(value.digest().map(|digest| digest.as_bytes().len()), function.digest_len());
            if let (Some(number), Some((min, max))) = (value.number(), function.number_range()) {
                assert!((min..=max).contains(&number));
            }
            assert_eq!(value.number().is_some(), function.number_range().is_some());
        }
    }

    proptest! {
        #[test]
        fn pieces_hash_like_the_whole(a: String, b: String, c: Vec<u8>, long in 0..600_usize) {
            let filler = "ß".repeat(long);
            let text = [&a, &b, &filler].map(|piece| piece.as_bytes());
            for function in HashFunction::ALL {
                prop_assert_eq!(hash(function, &text), hash(function, &[&text.concat()]));
                if function != HashFunction::JavaHash {
                    let pieces = [a.as_bytes(), &c, filler.as_bytes()];
                    prop_assert_eq!(hash(function, &pieces), hash(function, &[&pieces.concat()]));
                }
            }
        }

        #[test]
        fn java_hash_goes_by_utf16_units(text: String) {
            let expected = text.encode_utf16().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()));
            prop_assert_eq!(hash(HashFunction::JavaHash, &[text.as_bytes()]), HashValue::I32(expected));
        }

        #[test]
        fn a_bucket_is_javas_remainder_without_its_sign(hash: i32, buckets in 1..=i32::MAX) {
            let bucket = JavaBytesHash(hash).bucket(NonZeroU32::new(buckets.unsigned_abs()).unwrap());
            prop_assert_eq!(bucket, (hash % buckets).unsigned_abs());
        }
    }
}
