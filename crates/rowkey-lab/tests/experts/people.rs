//! Sets of what people do: chats, calls, clicks, check-ins, audit events, documents of tenants.

use std::collections::{BTreeMap, HashSet};

use rowkey_core::Value;
use rowkey_core::key::{Draw, Draws};

use super::set::Parameter::{Of, Past};
use super::set::{REGIONS, Record, SIZES, Set, Sizes, asked, copying, keeps, loses, refuses, thin};
use crate::drawn::{START, int, text, zipf};

pub(crate) const SETS: [Set; 6] = [CHAT, CALLS, CLICKS, CHECK_INS, AUDIT_LOG, TENANTS];

const MINUTE: i64 = 60_000;

/// One room has two of five messages; later messages share a millisecond.
const CHAT: Set = Set {
    name: "chat",
    fields: &[("room", "u64"), ("ts", "timestamp"), ("msg_id", "u64"), ("sender", "u32"), ("body", "text")],
    identity: &["msg_id"],
    is_declared: true,
    queries: &[
        asked(90, "room = ? order by ts desc limit 20", &[Of("room")]),
        asked(10, "room = ? and ts >= ? and ts < ?", &[Of("room"), Of("ts"), Past("ts", 5 * MINUTE)]),
    ],
    writes: 0.5,
    regions: REGIONS,
    sizes: SIZES,
    generate: chat,
    experts: &[
        keeps("[room][ts desc][msg_id]"),
        keeps("[room: u32][ts desc][msg_id]"),
        keeps("[room][ts][msg_id]"),
        keeps("[salt(16, room)][room][ts desc][msg_id]"),
        keeps("[salt(4, room)][room][ts desc][msg_id]"),
        keeps("[md5(room).bytes(2)][room][ts desc][msg_id]"),
        keeps("[room][salt(2, msg_id)][ts desc][msg_id]"),
        keeps("[room][salt(4, msg_id)][ts desc][msg_id]"),
        keeps("[salt(4, msg_id)][room][ts desc][msg_id]"),
        keeps("[salt(16, msg_id)][room][ts desc][msg_id]"),
        keeps("[salt(2, msg_id)][room][ts desc][msg_id]"),
        keeps("[ts desc][room][msg_id]"),
        keeps("[room][msg_id desc]"),
        loses("[room][ts desc]"),
    ],
};

fn chat(draws: &mut Draws, sizes: Sizes) -> Vec<Record> {
    let record = |row: usize| {
        let is_later = row >= sizes.sample;
        let room = match draws.draw(5) {
            0 | 1 => 7,
            2 if is_later => 900 + draws.draw(200),
            _ => 100 + zipf(draws, 800),
        };
        let at = if is_later { START + (row / 20 * 20) as i64 * 1_700 } else { START + row as i64 * 1_700 };
        let sender = draws.draw(5_000);
        let body = format!("hello {}", draws.draw(100_000));
        vec![int(room), Value::Time(at), int(5_000_000_000 + row as i128), int(sender), text(body)]
    };
    (0..sizes.all()).map(record).collect()
}

/// No two of the sampled calls are between the same two parties; of the later ones a third repeat an earlier pair.
const CALLS: Set = Set {
    name: "calls",
    fields: &[("caller", "u64"), ("callee", "u64"), ("ts", "timestamp"), ("seconds", "u32")],
    identity: &["caller", "callee", "ts"],
    is_declared: false,
    queries: &[
        asked(60, "caller = ? order by ts desc limit 20", &[Of("caller")]),
        asked(30, "callee = ? order by ts desc limit 20", &[Of("callee")]),
        asked(10, "caller = ? and ts >= ? and ts < ?", &[Of("caller"), Of("ts"), Past("ts", 60 * MINUTE)]),
    ],
    writes: 0.5,
    regions: REGIONS,
    sizes: SIZES,
    generate: calls,
    experts: &[
        keeps("[caller][ts desc][callee]"),
        keeps("[caller][ts desc][callee]").with(&[copying("[callee][ts desc][caller]")]),
        keeps("[caller][ts desc][callee]").with(&[thin("[callee][ts desc][caller]")]),
        keeps("[callee][ts desc][caller]").with(&[copying("[caller][ts desc][callee]")]),
        keeps("[salt(16, caller)][caller][ts desc][callee]")
            .with(&[copying("[salt(16, callee)][callee][ts desc][caller]")]),
        keeps("[salt(4, caller)][caller][ts desc][callee]")
            .with(&[copying("[salt(4, callee)][callee][ts desc][caller]")]),
        keeps("[reverse(caller: decimal(12))][ts desc][callee]")
            .with(&[copying("[reverse(callee: decimal(12))][ts desc][caller]")]),
        keeps("[md5(caller).bytes(2)][caller][ts desc][callee]")
            .with(&[copying("[md5(callee).bytes(2)][callee][ts desc][caller]")]),
        keeps("[salt(4, caller)][ts][caller][callee]").with(&[copying("[callee][ts desc][caller]")]),
        keeps("[caller][callee][ts desc]").with(&[copying("[callee][ts desc][caller]")]),
        keeps("[ts][caller][callee]"),
        loses("[caller][callee]").with(&[copying("[callee][caller]")]),
    ],
};

fn calls(draws: &mut Draws, sizes: Sizes) -> Vec<Record> {
    let phone = |person: u32| 13_000_000_000 + u64::from(person) * 2_654_435_761 % 1_000_000_000;
    let (mut pairs, mut seen, mut known) = (HashSet::new(), HashSet::new(), Vec::new());
    let record = |row: usize| {
        let is_later = row >= sizes.sample;
        let (caller, callee) = if is_later && draws.draw(3) == 0 {
            known[draws.draw(known.len() as u32) as usize]
        } else {
            loop {
                let pair = (phone(zipf(draws, 1_500)), phone(10_000 + zipf(draws, 2_500)));
                if pairs.insert(pair) {
                    break pair;
                }
            }
        };
        known.push((caller, callee));
        let mut at = if is_later {
            START + (row / 2 * 2) as i64 * 2_000
        } else {
            START + row as i64 * 2_000 + i64::from(draws.draw(1_900))
        };
        while !seen.insert((caller, callee, at)) {
            at += 1;
        }
        vec![int(caller), int(callee), Value::Time(at), int(draws.draw(3_600))]
    };
    (0..sizes.all()).map(record).collect()
}

/// Sessions of about ten clicks with random names; later some come from a new client with longer names.
const CLICKS: Set = Set {
    name: "clicks",
    fields: &[("session", "text"), ("seq", "u16"), ("ts", "timestamp"), ("user_id", "u32"), ("url", "text")],
    identity: &["session", "seq"],
    is_declared: true,
    queries: &[
        asked(80, "session = ?", &[Of("session")]),
        asked(20, "ts >= ? and ts < ?", &[Of("ts"), Past("ts", MINUTE)]),
    ],
    writes: 0.5,
    regions: REGIONS,
    sizes: SIZES,
    generate: clicks,
    experts: &[
        keeps("[session: escaped][seq]"),
        keeps("[session: escaped][seq]").with(&[copying("[salt(4, session)][ts][session: escaped][seq]")]),
        keeps("[session: escaped][seq]").with(&[copying("[salt(2, session)][ts][session: escaped][seq]")]),
        keeps("[session: escaped][seq]").with(&[thin("[salt(4, session)][ts][session: escaped][seq]")]),
        keeps("[session: escaped][seq]").with(&[copying("[ts][session: escaped][seq]")]),
        keeps("[salt(4, session)][ts][session: escaped][seq]")
            .with(&[copying("[session: escaped][seq][ts]")]),
        keeps("[salt(4, session)][ts][session: escaped][seq]").with(&[thin("[session: escaped][seq][ts]")]),
        keeps("[salt(4, session)][ts][session: escaped][seq]"),
        keeps("[salt(16, session)][session: escaped][seq]"),
        keeps("[md5(session).bytes(2)][session: escaped][seq]"),
        keeps("[salt(4, session)][ts / 3600000: u32][session: escaped][seq]"),
        keeps("[ts][session: escaped][seq]"),
        refuses("[session: fixed(16)][seq]"),
        refuses("[session][_][seq]"),
        loses("[session]"),
    ],
};

fn clicks(draws: &mut Draws, sizes: Sizes) -> Vec<Record> {
    const OPEN: u32 = 40;
    let hex = |draws: &mut Draws| -> String {
        (0..16).map(|_| char::from_digit(draws.draw(16), 16).expect("a digit")).collect()
    };
    let open = |draws: &mut Draws, is_later: bool| {
        let prefix = if is_later && draws.draw(3) == 0 { "m_" } else { "" };
        (format!("{prefix}{}", hex(draws)), 0u16, draws.draw(3_000))
    };
    let mut sessions: Vec<(String, u16, u32)> = (0..OPEN).map(|_| open(draws, false)).collect();
    let record = |row: usize| {
        let chosen = &mut sessions[draws.draw(OPEN) as usize];
        if draws.draw(10) == 0 {
            *chosen = open(draws, row >= sizes.sample);
        }
        chosen.1 += 1;
        let at = START + row as i64 * 800 + i64::from(draws.draw(700));
        let url = format!("/page/{}", zipf(draws, 300));
        vec![text(chosen.0.clone()), int(chosen.1), Value::Time(at), int(chosen.2), text(url)]
    };
    (0..sizes.all()).map(record).collect()
}

/// By user and by place; later friends check in together, at the same time.
const CHECK_INS: Set = Set {
    name: "check-ins",
    fields: &[("user", "u32"), ("place", "u32"), ("ts", "timestamp"), ("note", "text")],
    identity: &["user", "ts"],
    is_declared: false,
    queries: &[
        asked(50, "user = ? order by ts desc limit 20", &[Of("user")]),
        asked(40, "place = ? order by ts desc limit 20", &[Of("place")]),
        asked(10, "user = ? and place = ?", &[Of("user"), Of("place")]),
    ],
    writes: 0.5,
    regions: REGIONS,
    sizes: SIZES,
    generate: check_ins,
    experts: &[
        keeps("[user][ts desc]"),
        keeps("[user][ts desc]").with(&[copying("[place][ts desc][user]")]),
        keeps("[user][ts desc]").with(&[thin("[place][ts desc][user]")]),
        keeps("[place][ts desc][user]").with(&[copying("[user][ts desc][place]")]),
        keeps("[place][ts desc][user]").with(&[thin("[user][ts desc][place]")]),
        keeps("[place][ts desc][user]"),
        keeps("[salt(16, user)][user][ts desc]").with(&[copying("[salt(16, place)][place][ts desc][user]")]),
        keeps("[salt(4, user)][user][ts desc]").with(&[copying("[salt(4, place)][place][ts desc][user]")]),
        keeps("[user][place][ts desc]").with(&[copying("[place][ts desc][user]")]),
        keeps("[salt(4, user)][ts][user]").with(&[copying("[place][ts desc][user]")]),
        keeps("[ts][user]"),
        loses("[user][place]").with(&[copying("[place][user]")]),
        loses("[salt(16, ts)][ts desc]"),
    ],
};

fn check_ins(draws: &mut Draws, sizes: Sizes) -> Vec<Record> {
    let (mut friend, mut met) = (0, 0);
    let record = |row: usize| {
        let is_later = row >= sizes.sample;
        let at = if is_later {
            if row.is_multiple_of(4) || row == sizes.sample {
                (friend, met) = (zipf(draws, 600), zipf(draws, 300));
            }
            START + (row / 4 * 4) as i64 * 20_000
        } else {
            (friend, met) = (zipf(draws, 600), zipf(draws, 300));
            START + row as i64 * 20_000 + i64::from(draws.draw(19_000))
        };
        let user = friend + if is_later { (row % 4) as u32 * 150 } else { 0 };
        let note = format!("with {}", draws.draw(1_000));
        vec![int(10_000 + user), int(500 + met), Value::Time(at), text(note)]
    };
    (0..sizes.all()).map(record).collect()
}

/// Who did it, to what, and when: three ways to ask.
const AUDIT_LOG: Set = Set {
    name: "audit log",
    fields: &[
        ("actor", "text"),
        ("object", "text"),
        ("ts", "timestamp"),
        ("event_id", "u64"),
        ("action", "text"),
    ],
    identity: &["event_id"],
    is_declared: true,
    queries: &[
        asked(40, "actor = ? order by ts desc limit 20", &[Of("actor")]),
        asked(40, "object = ? order by ts desc limit 20", &[Of("object")]),
        asked(20, "ts >= ? and ts < ?", &[Of("ts"), Past("ts", 3 * MINUTE)]),
    ],
    writes: 0.3,
    regions: REGIONS,
    sizes: SIZES,
    generate: audit_log,
    experts: &[
        keeps("[actor: escaped][ts desc][event_id]").with(&[
            copying("[object: escaped][ts desc][event_id][actor]"),
            copying("[salt(4, event_id)][ts][event_id][actor]"),
        ]),
        keeps("[object: escaped][ts desc][event_id]").with(&[
            copying("[actor: escaped][ts desc][event_id][object]"),
            copying("[salt(4, event_id)][ts][event_id][object]"),
        ]),
        keeps("[salt(4, event_id)][ts][event_id]").with(&[
            copying("[object: escaped][ts desc][event_id]"),
            copying("[actor: escaped][ts desc][event_id]"),
        ]),
        keeps("[salt(4, event_id)][ts][event_id]").with(&[
            thin("[object: escaped][ts desc][event_id]"),
            thin("[actor: escaped][ts desc][event_id]"),
        ]),
        keeps("[salt(2, event_id)][ts][event_id]").with(&[
            copying("[object: escaped][ts desc][event_id]"),
            copying("[actor: escaped][ts desc][event_id]"),
        ]),
        keeps("[actor: escaped][ts desc][event_id]")
            .with(&[copying("[object: escaped][ts desc][event_id][actor]")]),
        keeps("[salt(4, event_id)][ts][event_id]"),
        keeps("[actor: escaped][ts desc][event_id]"),
        keeps("[ts][event_id]").with(&[
            copying("[object: escaped][ts desc][event_id]"),
            copying("[actor: escaped][ts desc][event_id]"),
        ]),
        keeps("[salt(16, event_id)][event_id]").with(&[
            copying("[actor: escaped][ts desc][event_id]"),
            copying("[object: escaped][ts desc][event_id]"),
        ]),
        refuses("[actor][_][ts desc][event_id]"),
    ],
};

fn audit_log(draws: &mut Draws, sizes: Sizes) -> Vec<Record> {
    let record = |row: usize| {
        let actor = if row >= sizes.sample && draws.draw(10) == 0 {
            "svc_backup".to_owned()
        } else {
            format!("user{}", zipf(draws, 200))
        };
        let object = format!("doc/{}", zipf(draws, 1_500));
        let at = START + row as i64 * 3_000 + i64::from(draws.draw(2_500));
        let action = ["read", "write", "share", "delete"][zipf(draws, 4) as usize];
        vec![text(actor), text(object), Value::Time(at), int(40_000_000 + row as i128), text(action)]
    };
    (0..sizes.all()).map(record).collect()
}

/// Documents numbered within each tenant; one tenant has two of five. Later tenants have names like `big_corp`.
const TENANTS: Set = Set {
    name: "tenants",
    fields: &[("tenant", "text"), ("doc_id", "u64"), ("ts", "timestamp"), ("kind", "text"), ("size", "u32")],
    identity: &["tenant", "doc_id"],
    is_declared: true,
    queries: &[
        asked(60, "tenant = ? and doc_id = ?", &[Of("tenant"), Of("doc_id")]),
        asked(40, "tenant = ? order by ts desc limit 20", &[Of("tenant")]),
    ],
    writes: 0.4,
    regions: REGIONS,
    sizes: SIZES,
    generate: tenants,
    experts: &[
        keeps("[tenant: escaped][doc_id]"),
        keeps("[tenant: escaped][doc_id]").with(&[copying("[tenant: escaped][ts desc][doc_id]")]),
        keeps("[tenant: escaped][doc_id]").with(&[thin("[tenant: escaped][ts desc][doc_id]")]),
        keeps("[tenant: escaped][ts desc][doc_id]"),
        keeps("[tenant: escaped][ts desc][doc_id]").with(&[copying("[tenant: escaped][doc_id][ts]")]),
        keeps("[salt(16, tenant, doc_id)][tenant: escaped][doc_id]")
            .with(&[copying("[tenant: escaped][ts desc][doc_id]")]),
        keeps("[salt(16, tenant, doc_id)][tenant: escaped][doc_id]")
            .with(&[copying("[tenant: escaped][salt(4, doc_id)][ts desc][doc_id]")]),
        keeps("[salt(16, tenant, doc_id)][tenant: escaped][doc_id]")
            .with(&[copying("[salt(2, doc_id)][tenant: escaped][ts desc][doc_id]")]),
        keeps("[salt(4, tenant, doc_id)][tenant: escaped][doc_id]")
            .with(&[copying("[salt(4, doc_id)][tenant: escaped][ts desc][doc_id]")]),
        keeps("[md5(tenant, doc_id).bytes(2)][tenant: escaped][doc_id]")
            .with(&[thin("[tenant: escaped][ts desc][doc_id]")]),
        keeps("[salt(2, doc_id)][tenant: escaped][ts desc][doc_id]")
            .with(&[copying("[salt(4, tenant, doc_id)][tenant: escaped][doc_id][ts]")]),
        keeps("[tenant: escaped][ts desc][doc_id]")
            .with(&[copying("[salt(4, tenant, doc_id)][tenant: escaped][doc_id][ts]")]),
        keeps("[salt(16, tenant)][tenant: escaped][doc_id]"),
        keeps("[salt(4, doc_id)][tenant: escaped][ts desc][doc_id]"),
        refuses("[tenant][_][doc_id]"),
        refuses("[tenant: fixed(6)][doc_id]"),
        loses("[tenant: escaped][ts / 3600000: u32]"),
    ],
};

fn tenants(draws: &mut Draws, sizes: Sizes) -> Vec<Record> {
    let mut documents = BTreeMap::new();
    let record = |row: usize| {
        let tenant = match draws.draw(10) {
            0 | 1 if row >= sizes.sample => "big_corp".to_owned(),
            2 if row >= sizes.sample => format!("a_{}", draws.draw(20)),
            0..4 => "acme00".to_owned(),
            _ => format!("corp{:02}", zipf(draws, 60)),
        };
        let number = documents.entry(tenant.clone()).or_insert(0u32);
        *number += 1;
        let at = START + row as i64 * 30_000 + i64::from(draws.draw(20_000));
        let kind = ["invoice", "letter", "note", "plan"][zipf(draws, 4) as usize];
        vec![text(tenant), int(*number), Value::Time(at), text(kind), int(draws.draw(100_000))]
    };
    (0..sizes.all()).map(record).collect()
}
