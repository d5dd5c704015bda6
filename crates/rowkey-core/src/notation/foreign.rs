//! The notation's form for what articles about row keys write in Java, Scala or words.

/// What a function of another language is called here, with its reason.
const FUNCTIONS: [(&[&str], &str); 11] = [
    (
        &["long", "int", "short", "integer"],
        "a type stands behind a colon: [x: long] is Java's `Bytes.toBytes(long)`",
    ),
    (
        &["tobytes", "getbytes"],
        "a field has the bytes of its type: [x: long] is Java's `Bytes.toBytes(long)`, [x] is text",
    ),
    (
        &["nextint", "nextlong", "rand"],
        "write [random(4)] for 0 to 3, a part of its own; [salt(4, x)] spreads as well and a Get can compute it again",
    ),
    (&["mod"], "write x % 5"),
    (
        &["hashcode"],
        "write java_hash(x) % 1000, which is never negative; java_hash(x).rem(1000) is what Java's `hashCode() % 1000` gives",
    ),
    (&["hash"], "say which: md5, sha1, sha256, murmur3, crc32, xxh3 or java_hash; salt(16, x) for a bucket"),
    (&["valueof", "tostring"], "write str(x) for the digits of a number; text is text already"),
    (
        &["substring", "substr", "left"],
        "write x.subStr(0,4): the characters from the first up to but not including the second number",
    ),
    (&["format", "leftpad"], "write lpad(x, '0', 10) for a text, [x: decimal(10)] for a number"),
    (&["concat"], "parts stand beside one another: [a][b]"),
    (
        &["gettime", "currenttimemillis", "now"],
        "a key is computed from the fields of a record: name the field of its time, as [ts], or [ts desc] for the newest first",
    ),
];

const NAMES: &str = "a name for an expression stands behind the key, as in [bucket][ts] where bucket = ts % 16; a time that falls along the \
                     keys is written [ts desc], or [Long.MAX_VALUE - ts]";

/// What to write instead of a function that is not there.
pub(crate) fn function(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    FUNCTIONS.iter().find(|(names, _)| names.contains(&lower.as_str())).map(|(_, form)| *form)
}

/// What to write instead of something that the notation does not go on with.
pub(super) fn word(found: &str) -> Option<&'static str> {
    match found {
        "mod" | "MOD" => Some("write % for the remainder, as in [id % 5: u8]"),
        "asc" | "ASC" => Some("ascending is what a part is anyway; leave it out"),
        "DESC" | "Desc" => Some("write desc in lower case"),
        "=" => Some(NAMES),
        literal if literal.contains(" = ") => Some(NAMES),
        _ => None,
    }
}
