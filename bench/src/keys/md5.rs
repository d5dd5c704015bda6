//! Hashed prefixes: `md5(id).subStr(0,4)` of ids of twelve bytes.

use std::cell::RefCell;

use md5::{Digest, Md5};
use rowkey_core::batch::ColumnBuffer;
use rowkey_core::internal::md5_many;
use rowkey_core::{Type, Value};

use super::encode::parse;
use super::{Arena, Contest};
use crate::elsewhere::Elsewhere;
use crate::records::Records;

pub fn table<'a>(records: &'a Records, jvm: Option<&'a RefCell<Elsewhere>>) -> Contest<'a> {
    let ids: Vec<String> = records.user_ids.iter().map(|user_id| format!("{user_id:012}")).collect();
    // Once in the life of this program: several candidates read them.
    let ids: &'static [String] = ids.leak();
    let mut contest = Contest::new(
        "[md5(id).subStr(0,4)] of twelve bytes",
        "RustCrypto md-5, one at a time",
        move |arena| {
            for id in ids {
                put_prefix(Md5::digest(id.as_bytes()).into(), arena);
            }
        },
    );
    contest.same("rowkey_core::md5_lanes, many at a time", move |arena| {
        md5_many(ids.iter().map(String::as_bytes), |digest| put_prefix(digest, arena));
    });
    let key = parse("[md5(id).subStr(0,4)]");
    contest.same("rowkey, one row", move |arena| {
        for id in ids {
            key.encode(&[Value::Text(id.into())], &mut arena.bytes).expect("every id has a key");
            arena.end_key();
        }
    });
    let mut column = ColumnBuffer::new(Type::Text);
    ids.iter().for_each(|id| column.push(&Value::Text(id.into())).expect("a text"));
    // Once in the life of this program, as the ids.
    let column: &'static ColumnBuffer = Box::leak(Box::new(column));
    contest.batch(key, vec![column.column()]);

    contest.in_java(jvm, &["MessageDigest, reused"]);
    contest
}

/// The first four hex digits.
#[inline]
fn put_prefix(digest: [u8; 16], arena: &mut Arena) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let hex = |half: u8| HEX[usize::from(half & 15)];
    let [one, two, ..] = digest;
    arena.bytes.extend_from_slice(&[hex(one >> 4), hex(one), hex(two >> 4), hex(two)]);
    arena.end_key();
}
