//! The rules find what they are for, say nothing about keys that are fine, and their cures cure.

use std::fmt::Write;

use rowkey_core::check::{
    Context, DataFacts, Example, Issue, Place, RULES, Severity, check_key, check_table, check_table_over,
    markdown, rule,
};
use rowkey_core::notation::{self, Call, Expr, ExprKind, PartKind};
use rowkey_core::{KeySchema, Table};

fn key(source: &str) -> KeySchema {
    KeySchema::parse(source).unwrap_or_else(|findings| panic!("{source}: {findings}"))
}

fn check(source: &str) -> Vec<Issue> {
    check_key(&key(source), &Context::default())
}

fn table(key: &str, fields: &str, rest: &str) -> Table {
    let file = format!("[table]\nname = \"t\"\nkey = \"{key}\"\n{rest}\n[fields]\n{fields}\n[families.d]\n");
    Table::parse("t.toml", &file).unwrap_or_else(|findings| panic!("{findings}\n{file}"))
}

fn shown(issues: &[Issue]) -> String {
    issues.iter().fold(String::new(), |mut all, issue| {
        let guess = if issue.guess { " (guess)" } else { "" };
        let _ = writeln!(
            all,
            "  {} {}{guess} at {}: {}\n    cure: {} {:?}",
            issue.severity.name(),
            issue.rule.id,
            issue.place.label(),
            issue.message,
            issue.cure.text,
            issue.cure.rewritten
        );
        all
    })
}

#[track_caller]
fn assert_found(issues: &[Issue], id: &str, severity: Severity, words: &str) {
    let found = issues
        .iter()
        .any(|issue| issue.rule.id == id && issue.severity == severity && issue.message.contains(words));
    assert!(found, "no {} {id} with `{words}` in:\n{}", severity.name(), shown(issues));
}

/// Keys that make at least one mistake of every rule that a key alone can show, in several forms.
const MISTAKEN: &[(&str, &str)] = &[
    ("unique", "[md5(user).subStr(0,4)]"),
    ("unique", "[salt(16, a)][b: u64]"),
    ("unique", "[user: u64][date(ts)]"),
    ("unique", "[Long.MAX_VALUE - t]"),
    ("unique", "[salt(4, t)][t: timestamp]"),
    ("unique", "[name: fixed(4)][upper(code)]"),
    ("lower-each", "[lower_each(name): escaped][id: u64]"),
    ("lower-each", "[md5(lower_each(name)).subStr(0,4)][name: escaped][id: u64]"),
    ("rising-lead", "[t: timestamp][u: u64]"),
    ("rising-lead", "[t: timestamp desc][u: u64]"),
    ("rising-lead", "[Long.MAX_VALUE - t][u: u64]"),
    ("rising-lead", "[date(t)][u: u64][t: timestamp]"),
    ("rising-lead", "[date(t)][salt(16, u)][u: u64][t: timestamp]"),
    ("rising-lead", "['k'][t / 3600000: u32][t: timestamp][u: u64]"),
    ("bucket-step", "[hour][u: u64][t: timestamp] where hour = t / 3600000 % 24"),
    ("length", "[a: fixed(120)]"),
    ("length", "[a: fixed(17)]"),
    ("length", "[id: decimal(19)][k: u8]"),
    ("boundary", "[host][event][t: timestamp]"),
    ("boundary", "[reverse(a)][b]"),
    ("boundary", "[a: bytes][b: u8]"),
    ("delimiter-in-text", "[a]_[b]"),
    ("delimiter-in-text", "a:b:c"),
    ("delimiter-reorders", "[column1][_][column2]"),
    ("delimiter-reorders", "a:b"),
    ("pad-in-text", "[rpad(column1,'x',20)][column2]"),
    ("pad-in-text", "[lpad(phone,'0',20)][t: u64]"),
    ("pad-in-text", "[lpad(str(n),'0',10)]"),
    ("negative", "[n: long][m: int desc][k: short]"),
    ("negative", "[n % 16][n][host]"),
    ("negative", "[a * 2: long][a: i32]"),
    ("negative-remainder", "[java_hash(id).rem(1000): decimal(3)][id]"),
    ("negative-remainder", "[murmur3(id).rem(16): short][id]"),
    ("negative-remainder", "[lpad(str(java_hash(id).rem(1000)),'~',5)][id]"),
    ("random-unreadable", "[random(4)][t: u64]"),
    ("random-unreadable", "[random('abcd')]-[id]"),
    ("suffix-no-spread", "[user: u64][order: u64][random(100)]"),
    ("suffix-no-spread", "[user: u64][order: u64][salt(4, order)]"),
    ("suffix-no-spread", "user:order:random(100)"),
    ("added-salt", "[id % 5 + id: long]"),
    ("reverse-loses-range", "[reverse(user)][order]"),
    ("reverse-loses-range", "[reverse(phone: decimal(11))]"),
    ("hash-loses-range", "[md5(user).subStr(0,4)][user: u64]"),
    ("hash-loses-range", "[crc32(user): u32][user: u64]"),
    ("hash-loses-range", "[sha1(user).bytes(8)][t: timestamp]"),
    ("dead-part", "md5(m).upper():d:t:m"),
    ("dead-part", "[sha256(m).bytes(16)][t: timestamp][m]"),
    ("reverse-time-unit", "[h: u8][Long.MAX_VALUE - t][t: u32]"),
    ("reverse-time-unit", "[h: u8][Long.MAX_VALUE - t / 1000][t: timestamp]"),
    ("reverse-time-unit", "[h: u8][Long.MAX_VALUE - (t - 1500000000000) desc][t: timestamp]"),
    ("bucket-step", "[t % 16][t: timestamp][h]"),
    ("bucket-step", "[b][t: timestamp_s][h] where b = t % 10"),
    ("bucket-step", "[t / 1000 % 12][t: timestamp][h]"),
    ("hash-resonance", "[java_hash(id) % 31][id]"),
    ("hash-resonance", "[java_hash(lpad(id,'0',8)) % 16][id]"),
    ("phoenix-salt", "[phoenix_salt(user, 8)][user: u64][ts: timestamp]"),
    ("phoenix-salt", "[phoenix_salt(user, ts, 8)][user: u64][ts: timestamp desc]"),
    ("phoenix-salt", "[phoenix_salt(ts, user, 8)][user: u64][ts: timestamp]"),
    ("phoenix-salt", "[phoenix_salt(host, n, 8)][host][0x00][n: u64]"),
    ("phoenix-salt", "[phoenix_salt(host, n, 8)][host: escaped][n: u64]"),
    ("phoenix-salt", "[phoenix_salt(n, 8)][n: u64?]"),
    ("phoenix-salt", "[phoenix_salt(n, m, 8)][n: u64] where m = n % 7"),
    ("text-number", "[str(n)]"),
    ("text-number", "[lpad(str(n),'~',19)][k: u8]"),
    ("text-number", "[n: decimal(13)]"),
    ("ordered-bytes", "[k: u8][b: ordered(bytes)]"),
    ("ordered-bytes", "[b: ordered(bytes)][k: u8]"),
];

/// Keys that are fine: hints about a price may come, warnings may not.
const FINE: &[&str] = &[
    "[salt(16, user_id)][user_id: u64][ts: timestamp desc][order_id]",
    "[seller_id: escaped][ts: timestamp desc][order_id]",
    "[reverse(phone: decimal(11))]",
    "[user_id: u64]",
    "[id: uuid]",
    "[md5(user_id).bytes(2)][user_id: u64][ts: timestamp]",
    "[md5(user_id).subStr(0,4)][user_id: u64][order_id: u64]",
    "[opentsdb_salt(20, metric, tags)][metric: fixed(3)][t: u32][tags: bytes]",
    "[host: escaped][event: escaped][ts: timestamp]",
    "[host: fixed(8)][Long.MAX_VALUE - ts]",
    "[salt('abcd', id)]-[id]",
    "[md5(id).subStr(0,4)]-[id]",
    "[id % 16][id: u64]",
    "[java_hash(id) % 1000: decimal(3)][id]",
    "[user: u64][salt(4, item)][item: u64]",
    "[code(site, 'Taobao'='tb', 'Tmall'='tm')][user: u64][ts: timestamp desc]",
    "[rpad(name, '~', 20)][user: u64]",
    "[phoenix_salt(user, ts, 8)][user: u64][ts: timestamp]",
    "[phoenix_salt(user: u64, rpad(name, ' ', 5), 8)][user: u64][rpad(name, ' ', 5)]",
    "[phoenix_row_salt(8)][user: u64][ts: timestamp desc]",
    "[phoenix_row_salt(8)][host desc][0xff][ts: timestamp desc][0xffffffff]",
    "[user: u64][phoenix_salt(item, 4)][item: u64]",
    "[salt(8)][ts: timestamp][device: u32]",
    "[film: u64][ts: timestamp desc][user: u64]",
    "[n: i64][m: i32 desc]",
    "[host][0x00][ts: timestamp]",
    "[ts % 17][ts: timestamp][host]",
];

#[test]
fn an_index_key_holds_the_whole_key_of_its_table() {
    let file = |index: &str| {
        let file = format!(
            "[table]\nname = \"orders\"\nkey = \"[user_id][ts desc][order_id]\"\n[fields]\nuser_id = \"u64\"\nts = \"timestamp\"\n\
             order_id = \"text\"\nseller = \"text\"\n[families.d]\ncolumns = {{ s = \"seller\" }}\n[[index]]\nname = \"by_seller\"\nkey = \"{index}\"\n"
        );
        Table::parse("t.toml", &file).unwrap_or_else(|findings| panic!("{findings}"))
    };
    let table = file("[seller: escaped][ts desc][order_id]");
    let issues = check_table(&table);
    let unique = issues.iter().find(|issue| issue.rule.id == "unique").expect("the user is missing");
    assert_eq!(unique.severity, Severity::Error);
    assert!(unique.message.starts_with("index table `by_seller`: "), "{}", unique.message);
    assert!(unique.message.contains("`user_id`"), "{}", unique.message);
    let place = unique.place.in_file(&table).expect("a place in the file");
    assert_eq!(&table.source[place.start..place.end], "[seller: escaped][ts desc][order_id]");
    let cured = unique.cure.rewritten.clone().expect("a whole key");
    let left: Vec<&str> = check_table(&file(&cured)).iter().map(|issue| issue.rule.id).collect();
    assert!(!left.contains(&"unique"), "{cured}: {left:?}");

    // An index that begins with a time is as hot as a table that does.
    let rising = check_table(&file("[ts desc][seller: escaped][user_id][order_id]"));
    assert!(
        rising
            .iter()
            .any(|issue| issue.rule.id == "rising-lead" && matches!(issue.place, Place::Index(0, _)))
    );
}

#[test]
fn every_rule_finds_its_mistake() {
    for (id, source) in MISTAKEN {
        let issues = check(source);
        assert!(
            issues.iter().any(|issue| issue.rule.id == *id),
            "{id} is silent on {source}:\n{}",
            shown(&issues)
        );
    }
}

#[test]
fn keys_that_are_fine_raise_no_warning() {
    for source in FINE {
        let issues = check(source);
        assert!(issues.iter().all(|issue| issue.severity == Severity::Hint), "{source}:\n{}", shown(&issues));
    }
    let orders = include_str!("../../../examples/orders/orders.toml");
    let issues = check_table(&Table::parse("orders.toml", orders).expect("the example is a table"));
    let ids: Vec<&str> = issues.iter().map(|issue| issue.rule.id).collect();
    assert_eq!(ids, ["length"], "{}", shown(&issues));
    assert_eq!(issues[0].severity, Severity::Hint);
}

/// Applies cures of one rule until it has none to offer; it must fall silent where it offered one.
#[track_caller]
fn assert_cured(id: &str, source: &str) -> usize {
    let mut source = source.to_owned();
    let mut applied = 0;
    loop {
        let issues: Vec<Issue> = check(&source).into_iter().filter(|issue| issue.rule.id == id).collect();
        let Some(rewritten) = issues.iter().find_map(|issue| issue.cure.rewritten.clone()) else {
            return applied;
        };
        let after = check(&rewritten).iter().filter(|issue| issue.rule.id == id).count();
        assert!(after < issues.len(), "the cure of {id} for {source} is {rewritten}, which has it still");
        notation::parse(&rewritten).expect("a rewritten key parses");
        (source, applied) = (rewritten, applied + 1);
    }
}

#[test]
fn every_cure_cures() {
    let mut without: Vec<&str> = Vec::new();
    for source in MISTAKEN.iter().map(|(_, source)| *source).chain(FINE.iter().copied()) {
        for issue in check(source) {
            let applied = assert_cured(issue.rule.id, source);
            let expected = usize::from(issue.cure.rewritten.is_some());
            assert!(applied >= expected, "{source}");
        }
    }
    for (id, source) in MISTAKEN {
        if assert_cured(id, source) == 0 {
            without.push(source);
        }
    }
    // Only the author of the table knows what to write here.
    let expected = [
        "[Long.MAX_VALUE - t]",
        "[salt(4, t)][t: timestamp]",
        "[a: fixed(120)]",
        "[a: fixed(17)]",
        "[a: bytes][b: u8]",
        "[sha1(user).bytes(8)][t: timestamp]",
    ];
    assert_eq!(without, expected);
}

/// The key with its fields called f1, f2 and so on.
fn renamed(source: &str) -> String {
    let mut notation = notation::parse(source).expect("a key");
    let names: Vec<String> = notation.names.iter().map(|definition| definition.name.clone()).collect();
    let fields: Vec<String> = key(source).fields().names().map(str::to_owned).collect();
    let new = |old: &str| match fields.iter().position(|field| field == old) {
        Some(at) if !names.iter().any(|name| name == old) => format!("f{}", at + 1),
        _ => old.to_owned(),
    };
    fn rename(expr: &mut Expr, new: &impl Fn(&str) -> String) {
        match &mut expr.kind {
            ExprKind::Name(name) => *name = new(name),
            ExprKind::Call(Call { arguments, .. }) => arguments.iter_mut().for_each(|a| rename(a, new)),
            ExprKind::Binary(_, left, right) => {
                rename(left, new);
                rename(right, new);
            }
            ExprKind::Typed(inner, _) => rename(inner, new),
            _ => {}
        }
    }
    for part in &mut notation.parts {
        if let PartKind::Expr(expr, _) = &mut part.kind {
            rename(expr, &new);
        }
    }
    notation.names.iter_mut().for_each(|definition| rename(&mut definition.expr, &new));
    notation.to_string()
}

#[test]
fn names_only_add_guesses() {
    let facts = |source: &str| -> Vec<(&str, Severity)> {
        let issues = check(source);
        issues.iter().filter(|issue| !issue.guess).map(|issue| (issue.rule.id, issue.severity)).collect()
    };
    for source in MISTAKEN.iter().map(|(_, source)| *source).chain(FINE.iter().copied()).chain(SEED_KEYS) {
        let plain = renamed(source);
        assert_eq!(facts(source), facts(&plain), "{source} and {plain}");
        assert!(check(&plain).iter().all(|issue| !issue.guess), "{plain}:\n{}", shown(&check(&plain)));
    }
    for issue in SEED_KEYS.iter().flat_map(|source| check(source)) {
        assert_eq!(issue.guess, issue.message.contains("by its name"), "{}", issue.message);
    }
}

/// The keys of the five articles in `docs/sources.md`, as written there.
const SEED_KEYS: [&str; 14] = [
    "[bucket][timestamp][hostname][log_event] where bucket = timestamp % 16",
    "[user_id][order_id][random(100)]",
    "[rpad(column1,'x',20)][column2]",
    "[column1][_][column2]",
    "[hostname][log_event][Long.MAX_VALUE - timestamp]",
    "[seller_id][timestamp][order_number]",
    "[order_number]",
    "[metric_type][event_timestamp]",
    "md5(message_id).upper():date:time:message_id",
    "date:time:message_id",
    "message_id:date:time",
    "[reverse(userId)][Long.Max_Value - timestamp]",
    "[random(4)][timestamp: decimal(13)]",
    "[id % 5: decimal(1)][id]",
];

#[test]
fn a_salt_behind_a_rising_lead_is_moved_not_doubled() {
    let issues = check("[date(t)][salt(16, u)][u: u64][t: timestamp]");
    let rising = issues.iter().find(|issue| issue.rule.id == "rising-lead").unwrap();
    assert_eq!(rising.cure.text, "put `salt(16, u)` first");
    let moved = rising.cure.rewritten.as_deref();
    assert_eq!(moved, Some("[salt(16, u)][date(t)][u: u64][t: timestamp]"));
}

#[test]
fn the_mistakes_of_the_five_texts_are_found() {
    use Severity::{Error, Hint, Warning};
    // 000
    assert_found(&check("[Long.MAX_VALUE - time]"), "rising-lead", Warning, "it falls, and the first region");
    assert_found(&check("[Long.MAX_VALUE - time]"), "unique", Warning, "in the same millisecond one is lost");
    assert_found(&check("[a: fixed(500)]"), "length", Warning, "10 million cells are 5000 MB");
    // 001
    let java = check("[java_hash(key).rem(1000): decimal(3)][key]");
    assert_found(&java, "negative-remainder", Error, "negative for half of all records");
    assert_found(
        &check("[random(4)][timestamp: decimal(13)]"),
        "unique",
        Warning,
        "unless `random(4)` happens",
    );
    assert_found(&check("[random(4)][timestamp: decimal(13)]"), "random-unreadable", Warning, "3 of 4 cases");
    let modulo = table("[id % 5: decimal(1)][id]", "id = \"u64\"", "splits = [\"1\", \"2\", \"3\"]");
    assert_found(&check_table(&modulo), "salt-splits", Warning, "they get 20 / 20 / 20 / 40% of the rows");
    assert_found(&check("[id % 5 + id: long]"), "added-salt", Warning, "7 gives 9, not 2 before 7");
    assert_found(&check("[a: fixed(32767)][b: u8]"), "length", Error, "over 32767");
    // 002
    let bucket = check("[b][t: timestamp][h] where b = t % 16");
    assert_found(&bucket, "bucket-step", Warning, "fall into 2 of 16 buckets, times in whole minutes into 1");
    assert_found(&check(SEED_KEYS[0]), "bucket-step", Warning, "a time by its name");
    assert_found(&check(SEED_KEYS[1]), "suffix-no-spread", Warning, "moves no row to another region");
    assert_found(&check(SEED_KEYS[2]), "pad-in-text", Warning, "`abx` and `ab` would be the same bytes");
    assert_found(&check(SEED_KEYS[3]), "delimiter-reorders", Hint, "`host12_` sorts before `host1_`");
    assert_found(&check("[a]-[b]"), "delimiter-reorders", Hint, "`host1!-` sorts before `host1-`");
    assert_found(&check(SEED_KEYS[5]), "boundary", Warning, "nothing ends `seller_id`");
    assert_found(&check(SEED_KEYS[6]), "rising-lead", Warning, "counted up, by its name");
    // 003
    let splits = r#"splits = ["0000000000000000", '6\xF6', '=\xBD', 'D\x84', 'KK', 'R\x12', 'X\xD8', '_\x9F', "ffffffffffffffff"]"#;
    let hex = table("[md5(id)][id]", "id = \"u64\"", splits);
    assert_found(
        &check_table(&hex),
        "salt-splits",
        Warning,
        "0 / 43.75 / 18.75 / 0 / 0 / 0 / 0 / 0 / 37.5 / 0%",
    );
    let families = "[table]\nname = \"t\"\nkey = \"[id]\"\n[fields]\nid = \"uuid\"\n[families.a]\nversions = 300\n\
                    [families.b]\nmin_versions = 1\n[families.c]\n[families.information]\n";
    let families = check_table(&Table::parse("t.toml", families).expect("a table"));
    assert_found(&families, "family-count", Warning, "4 column families");
    assert_found(&families, "versions", Warning, "300 versions");
    assert_found(&families, "versions", Warning, "does nothing without a ttl");
    assert_found(&families, "long-name", Hint, "11 bytes in every cell, 110 MB");
    assert_found(
        &check("[random('abc')]-[id]"),
        "random-unreadable",
        Warning,
        "becomes two rows in 2 of 3 cases",
    );
    // 004
    let whole = check(SEED_KEYS[8]);
    assert_found(&whole, "dead-part", Warning, "`date` stands behind");
    assert_found(&whole, "dead-part", Warning, "`time` stands behind");
    assert_found(&whole, "length", Hint, "bytes");
    assert_found(&check(SEED_KEYS[9]), "rising-lead", Warning, "`date`, which is a time, by its name");
    assert_found(&check(SEED_KEYS[10]), "rising-lead", Warning, "`message_id`");
}

#[test]
fn tables_are_checked_with_what_they_declare() {
    let fields = "user = \"u64\"\nts = \"timestamp\"\nid = \"text\"";
    let orders = |key: &str, rest: &str| check_table(&table(key, fields, rest));
    let unsure = orders("[user][ts desc][id]", "identity = [\"id\"]");
    assert!(unsure.iter().all(|issue| issue.severity == Severity::Hint), "{}", shown(&unsure));
    // The identity is in the key only as a short hash.
    let file = "[table]\nname = \"t\"\nkey = \"[user][md5(id).bytes(2)]\"\nidentity = [\"id\"]\n[fields]\nuser = \"u64\"\n\
                id = \"text\"\n[families.d]\ncolumns = { i = \"id\" }\n";
    let issues = check_table(&Table::parse("t.toml", file).expect("a table"));
    assert_found(&issues, "unique", Severity::Error, "`md5(id).bytes(2)` has only 65536 values");
    let cure = issues
        .iter()
        .find(|issue| issue.rule.id == "unique")
        .and_then(|issue| issue.cure.rewritten.as_deref());
    assert_eq!(cure, Some("[user][md5(id).bytes(2)][id]"));
    // A declared type is used, not the name.
    let typed = check_table(&table("[ts][user]", "ts = \"uuid\"\nuser = \"u64\"", ""));
    assert!(typed.iter().all(|issue| issue.rule.id != "rising-lead"), "{}", shown(&typed));
    let rising = orders("[ts: long][user][id]", "splits = [\"a\", \"b\", \"c\"]");
    assert_found(&rising, "rising-lead", Severity::Warning, "the last of 4 regions");
}

#[test]
fn queries_that_the_key_cannot_answer_are_named() {
    let with = |condition: &str| {
        let file = format!(
            "[table]\nname = \"t\"\nkey = \"[salt(4, user)][user][ts desc][id]\"\n[fields]\nuser = \"u64\"\nts = \"timestamp\"\n\
             id = \"text\"\nprice = \"i64\"\n[families.d]\ncolumns = {{ p = \"price\" }}\n[[query]]\nname = \"q\"\nwhere = \"{condition}\"\n"
        );
        let issues = check_table(&Table::parse("t.toml", &file).expect("a table"));
        issues.into_iter().find(|issue| issue.rule.id == "order").map(|issue| (issue.severity, issue.message))
    };
    for fine in [
        "user = ? and ts >= ? and ts < ? order by ts desc limit ?",
        "user = ? and ts = ? and id = ?",
        "user between ? and ? order by user",
        "user = ? and id like ?",
    ] {
        assert_eq!(with(fine), None, "{fine}");
    }
    for (bad, severity, words) in [
        ("user = ? order by id", Severity::Warning, "rows do not come ordered by id: the key gives ts desc"),
        (
            "ts >= ?",
            Severity::Warning,
            "reads the whole table: it would have to skip over every value of [user]",
        ),
        ("user = ? and price > ?", Severity::Hint, "the range of `price` narrows no scan"),
        ("usr = ?", Severity::Error, "there is no field `usr`"),
    ] {
        let (found, message) = with(bad).unwrap_or_else(|| panic!("{bad} is fine"));
        assert!(found == severity && message.contains(words), "{bad}: {} {message}", found.name());
    }
}

#[test]
fn rules_over_data_judge_by_their_thresholds() {
    let said = |source: &str, facts: DataFacts| {
        let context = Context { data: Some(&facts), ..Context::default() };
        let issues = check_key(&key(source), &context);
        issues.iter().map(|issue| issue.rule.id).collect::<Vec<_>>()
    };
    let salted = "[salt(4, u)][u: u64][t: timestamp]";
    let buckets =
        |buckets: [u64; 4]| DataFacts { records: 1000, buckets: buckets.into(), ..DataFacts::default() };
    for (facts, rule, is_said) in [
        (buckets([200, 100, 50, 50]), "skew", false),
        (buckets([201, 99, 50, 50]), "skew", true),
        (buckets([40, 20, 10, 9]), "skew", false),
        (buckets([0, 200, 100, 100]), "stepped-buckets", true),
        (buckets([0, 40, 20, 19]), "stepped-buckets", false),
        (buckets([0, 400, 0, 0]), "skew", false),
        (DataFacts { last: vec![79, 21, 0, 0], ..DataFacts::default() }, "rising-writes", false),
        (DataFacts { last: vec![80, 20, 0, 0], ..DataFacts::default() }, "rising-writes", true),
        (DataFacts { last: vec![100, 0, 0], ..DataFacts::default() }, "rising-writes", false),
        (DataFacts { records: 10, key_bytes: 640, ..DataFacts::default() }, "long-keys", false),
        (DataFacts { records: 10, key_bytes: 650, ..DataFacts::default() }, "long-keys", true),
        (DataFacts { records: 10, longest_key: 1025, ..DataFacts::default() }, "long-keys", true),
        (DataFacts { refused: 1, ..DataFacts::default() }, "values-misfit", true),
        (DataFacts::default(), "values-misfit", false),
    ] {
        assert_eq!(said(salted, facts.clone()).contains(&rule), is_said, "{rule}: {facts:?}");
    }
    let regions = |own_regions| DataFacts { regions: vec![900, 50, 50], own_regions, ..DataFacts::default() };
    assert!(said("[u: u64]", regions(true)).contains(&"skew"), "the table's own regions");
    assert!(!said("[u: u64]", regions(false)).contains(&"skew"), "regions without given splits");
    let families = |d: u64, p: u64| {
        let columns = "[families.p]\ncolumns = { p = \"p\" }\n";
        let file = format!(
            "[table]\nname = \"t\"\nkey = \"[u]\"\n[fields]\nu = \"u64\"\nd = \"text?\"\np = \"text?\"\n[families.d]\ncolumns = {{ d = \"d\" }}\n{columns}"
        );
        let table = Table::parse("t.toml", &file).unwrap_or_else(|findings| panic!("{findings}\n{file}"));
        let facts = DataFacts { records: 1000, families: vec![d, p], ..DataFacts::default() };
        check_table_over(&table, Some(&facts)).iter().any(|issue| issue.rule.id == "family-cardinality")
    };
    assert!(families(1000, 100) && families(0, 10) && !families(1000, 101) && !families(0, 0));
}

#[test]
fn lengths_are_those_of_the_data() {
    let said = |source: &str, key_bytes: u64| {
        let facts = DataFacts { records: 10, key_bytes, ..DataFacts::default() };
        let issues = check_key(&key(source), &Context { data: Some(&facts), ..Context::default() });
        issues
            .into_iter()
            .find(|issue| issue.rule.id == "length")
            .map(|issue| (issue.severity, format!("{}; {}", issue.message, issue.cure.text)))
    };
    // By its types it is short: a number and a text of ten bytes.
    assert_eq!(said("[n: u32][name]", 160), None);
    let (severity, text) = said("[n: u32][name]", 205).expect("21 bytes");
    assert_eq!(severity, Severity::Hint);
    assert!(text.starts_with("a key has 21 bytes on average in the data, over 16"), "{text}");
    assert!(text.ends_with("shorten the longest part, `name` with 17 bytes"), "{text}");
    assert_eq!(said("[n: u32][name]", 2000).map(|(severity, _)| severity), Some(Severity::Warning));
    // And a key that types say is long may be short.
    assert_eq!(said("[a: escaped][b]", 120), None);
    let two = said("[a: escaped][b]", 300).expect("30 bytes").1;
    assert!(two.ends_with("shorten the longest part, likely `a`"), "{two}");
}

#[test]
fn families_that_every_query_reads_together_are_named() {
    let said = |queries: &[(&str, Option<&str>)]| {
        let mut file = "[table]\nname = \"t\"\nkey = \"[u]\"\n[fields]\nu = \"u64\"\na = \"text\"\nb = \"text\"\nc = \"text\"\n\
                        [families.x]\ncolumns = { a = \"a\", c = \"c\" }\n[families.y]\ncolumns = { b = \"b\" }\n[families.z]\n"
            .to_owned();
        for (condition, columns) in queries {
            let columns = columns.map_or(String::new(), |columns| format!("columns = [{columns}]\n"));
            file.push_str(&format!("[[query]]\nname = \"q\"\nwhere = \"{condition}\"\n{columns}"));
        }
        let issues =
            check_table(&Table::parse("t.toml", &file).unwrap_or_else(|findings| panic!("{findings}")));
        issues.into_iter().find(|issue| issue.rule.id == "families-together").map(|issue| issue.message)
    };
    let both = "the families `x` and `y`: each read asks both stores of a region";
    assert_eq!(said(&[("u = ?", None)]), Some(format!("the query \"q\" reads {both}")));
    assert_eq!(
        said(&[("u = ?", None), ("u = ? and b = 'x'", Some("\"c\""))]),
        Some(format!("all 2 queries read {both}"))
    );
    assert_eq!(said(&[]), None, "no query says what is read");
    assert_eq!(said(&[("u = ?", None), ("u = ?", Some("\"a\", \"c\""))]), None, "one query reads `x` alone");
    assert_eq!(said(&[("u = ? and a = 'b'", Some("\"u\""))]), None, "`b` is no field there");
}

#[test]
fn every_rule_has_a_story_and_an_example_that_shows_it() {
    for rule in &RULES {
        let issue = rule.shown().unwrap_or_else(|| panic!("the example of {} shows nothing", rule.id));
        assert!(!issue.message.is_empty() && !issue.cure.text.is_empty(), "{}", rule.id);
        assert!(rule.story.len() > 100 && rule.summary.ends_with('.'), "{}", rule.id);
        if let Example::Key(source) = rule.example {
            assert_cured(rule.id, source);
        }
        assert!(rule.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'));
    }
    assert_eq!(rule("rising-lead").map(|rule| rule.id), Ok("rising-lead"));
    assert_eq!(rule("rising-leed"), Err(Some("rising-lead")));
    assert_eq!(rule("zzz"), Err(None));
}

/// `ROWKEY_BLESS=1 cargo test -p rowkey-core --test it check::` writes the page anew.
#[test]
fn the_guide_is_made_from_the_rules() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules.md");
    if std::env::var_os("ROWKEY_BLESS").is_some() {
        std::fs::write(path, markdown()).expect("the page can be written");
    }
    let page = std::fs::read_to_string(path).expect("docs/rules.md is there");
    assert!(
        page == markdown(),
        "docs/rules.md differs from the rules: run with ROWKEY_BLESS=1 and read the change"
    );
}

/// The same laws over keys put together at random.
mod laws {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use rowkey_core::Value;
    use rowkey_core::types::Kind;

    use super::{Issue, KeySchema, check, key};

    /// Parts over a few fields: `n` and `m` are numbers, `s` and `r` texts, `t` is a time. Types that would clash in one key are
    /// left to chance: such a key does not compile and is skipped.
    const PARTS: [&str; 63] = [
        "[n: long]",
        "[n: u64]",
        "[n]",
        "[n: decimal(13)]",
        "[n: i32 desc]",
        "[n: ordered(i64)]",
        "[m: u32]",
        "[m: int]",
        "[s]",
        "[s: escaped]",
        "[s: escaped desc]",
        "[s: fixed(3)]",
        "[s: ordered(text)]",
        "[r]",
        "[r: escaped?]",
        "[r: bytes]",
        "[r: ordered(bytes)]",
        "[t: timestamp]",
        "[t: timestamp desc]",
        "[t: long]",
        "[t: timestamp_s]",
        "[Long.MAX_VALUE - t]",
        "[Long.MAX_VALUE - n]",
        "[Long.MAX_VALUE - t / 1000]",
        "[t % 16]",
        "[t / 3600000 % 24]",
        "[n % 5: decimal(1)]",
        "[n % 5 + n: long]",
        "[n.rem(7): short]",
        "[salt(16, s)]",
        "[salt(4)]",
        "[salt('ab', n)]",
        "[random(4)]",
        "[random('abcd')]",
        "[phoenix_salt(s, 8)]",
        "[phoenix_row_salt(8)]",
        "[md5(s)]",
        "[md5(s).upper()]",
        "[md5(n).subStr(0,4)]",
        "[md5(s, r).bytes(12)]",
        "[sha1(n).bytes(2)]",
        "[murmur3(s): int]",
        "[crc32(n): u32]",
        "[xxh3(s): u64]",
        "[java_hash(s) % 31]",
        "[java_hash(s).rem(1000): decimal(3)]",
        "[java_hash(lpad(s,'0',8)) % 32]",
        "[java_hash(s).rem(99999999999999999999): long]",
        "[str(n)]",
        "[lpad(str(n),'0',19)]",
        "[reverse(s)]",
        "[reverse(m: decimal(11))]",
        "[rpad(s,'x',9)]",
        "[lpad(s,'~',9)]",
        "[upper(s)]",
        "[s.subStr(0,2)]",
        "[code(r, 'a'='1', 'b'='22')]",
        "[date(t)]",
        "[date(t, 'ddMMyyyy')]",
        "[n * 2: long]",
        "[100 - m: i64]",
        "_",
        "[0x00]",
    ];

    fn any_key() -> impl Strategy<Value = String> {
        let part = prop::sample::select(PARTS.to_vec());
        let keys = prop::collection::vec(part, 1..6).prop_map(|parts| parts.concat());
        keys.prop_filter("does not compile", |source| KeySchema::parse(source).is_ok())
    }

    fn value(kind: Kind) -> BoxedStrategy<Value<'static>> {
        match kind {
            Kind::Integer | Kind::Numeric => (0i128..4).prop_map(Value::Int).boxed(),
            Kind::Time => (0i64..3).prop_map(|second| Value::Time(second * 1000)).boxed(),
            Kind::Text => {
                let letters = prop::sample::select(vec!['\0', 'a', 'b', '_', 'x']);
                prop::collection::vec(letters, 0..4)
                    .prop_map(|letters| Value::Text(letters.into_iter().collect::<String>().into()))
                    .boxed()
            }
            _ => prop::collection::vec(prop::sample::select(vec![0u8, 1, b'_', 255]), 0..4)
                .prop_map(|bytes| Value::Bytes(bytes.into()))
                .boxed(),
        }
    }

    fn record(key: &KeySchema) -> impl Strategy<Value = Vec<Value<'static>>> + use<> {
        key.fields().iter().map(|(_, field)| value(field.ty.kind())).collect::<Vec<_>>()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever the key, a rewritten one compiles and has fewer issues of that rule.
        #[test]
        fn every_cure_cures_whatever_the_key(source in any_key()) {
            let found = check(&source);
            for issue in &found {
                let Some(rewritten) = &issue.cure.rewritten else { continue };
                let cured = KeySchema::parse(rewritten);
                prop_assert!(cured.is_ok(), "{} of {source}: {rewritten}: {cured:?}", issue.rule.id);
                let count = |issues: &[Issue]| issues.iter().filter(|other| other.rule == issue.rule).count();
                let left = count(&check(rewritten));
                prop_assert!(left < count(&found), "{} of {source} is still in {rewritten}", issue.rule.id);
            }
        }

        /// Where neither `unique` nor `boundary` has anything to say, two records never share a key.
        #[test]
        fn silence_about_uniqueness_can_be_trusted(
            (source, records) in any_key().prop_flat_map(|source| {
                let records = prop::collection::vec(record(&key(&source)), 40);
                (Just(source), records)
            })
        ) {
            let quiet = check(&source).iter().all(|issue| !matches!(issue.rule.id, "unique" | "boundary"));
            let mut rows: BTreeMap<Vec<u8>, Vec<Value<'static>>> = BTreeMap::new();
            for record in records {
                let mut bytes = Vec::new();
                if quiet && key(&source).encode(&record, &mut bytes).is_ok() {
                    let first = rows.entry(bytes).or_insert_with(|| record.clone());
                    prop_assert!(*first == record, "{source}: {first:?} and {record:?}");
                }
            }
        }
    }
}
