//! With `--redact`, does nothing of the data reach the screen, and does its shape?

mod program;

use program::{Workplace, assert_error};
use rowkey_testing::orders;

const ROWS: u64 = 300;

fn place() -> Workplace {
    let place = Workplace::new("orders");
    place.write_orders(ROWS);
    place.ok(&["create", "orders.toml"]);
    place.ok(&["load", "orders.toml", "orders.csv"]);
    place
}

/// Everything by which a record could be known: its texts, its time, its number in hex, its amount.
fn secrets() -> Vec<String> {
    let mut secrets = vec!["2025-".to_owned(), "O000000".to_owned(), "4f303030".to_owned()];
    for order in orders::orders(ROWS, 1) {
        secrets.push(order.seller);
        // Short numbers come as lengths and counts, too.
        secrets.extend(Some(order.amount.to_string()).filter(|amount| amount.len() > 4));
    }
    secrets
}

/// The answer without the hashes that regions are named by, in which any number may occur.
fn without_hashes(answer: &str) -> String {
    let is_hash = |word: &&str| word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let words = answer.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric());
    words
        .filter(|word| !is_hash(&word.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric())))
        .collect()
}

#[test]
fn no_value_is_shown_and_every_name_is() {
    let place = place();
    let secrets = secrets();
    let commands: [(&[&str], &[&str]); 9] = [
        (&["query", "orders", "user_id = 7 order by ts desc limit 20"], &["user_id", "seller", "‹number›"]),
        (&["query", "orders", "user_id = 7 limit 3", "--csv"], &["order_id", "‹11 characters›"]),
        (&["scan", "orders", "--limit", "5"], &["key", "‹28 bytes›", "‹time›"]),
        (&["scan", "orders", "--raw-cells", "--limit", "5"], &["d:s", "‹28 bytes›"]),
        (
            &["count", "orders", "", "--group-by", "user_id", "--max", "amount", "--full-scan"],
            &["max(amount)", "‹number›"],
        ),
        (&["regions", "orders"], &["salt(16, user_id)=‹1 character›", "‹1 byte›"]),
        (
            &["explain", "orders", "user_id = 7 and seller = 'Oslo Toys' and order_id like 'O000000%'"],
            &["user_id = ‹number›", "seller = ‹9 characters›", "like ‹pattern›", "‹9 bytes› to ‹9 bytes›"],
        ),
        (
            &["explain", "orders", "user_id = 7 and ts = '2025-01-01' and order_id = 'O0000000001'"],
            &["get ‹28 bytes›"],
        ),
        (&["profile", "orders.csv"], &["seller", "‹number›"]),
    ];
    for (command, shown) in commands {
        for form in [&["--redact"][..], &["--redact", "--json"]] {
            if form.len() == 2 && command.contains(&"--csv") {
                continue;
            }
            let run = place.run(&[command, form].concat());
            assert_eq!(run.code, 0, "{command:?}: {run:?}");
            let (out, err) = (without_hashes(&run.out), without_hashes(&run.err));
            for secret in &secrets {
                assert!(
                    !out.contains(secret) && !err.contains(secret),
                    "{command:?} {form:?} shows {secret}:\n{out}{err}"
                );
            }
            for name in shown.iter().filter(|_| form.len() == 1) {
                assert!(run.out.contains(name), "{command:?} does not show {name}:\n{}", run.out);
            }
        }
    }
    let names = place.ok(&["--redact", "--json", "regions", "orders"]);
    assert!(!names.contains("orders,"), "a whole name has the start key: {names}");
    let without = place.ok(&["query", "orders", "user_id = 7 order by ts desc limit 20"]);
    assert!(secrets.iter().any(|secret| without.contains(secret)), "the secrets are in the answers");
}

#[test]
fn what_cannot_keep_the_promise_is_refused() {
    let place = place();
    for command in [
        &["decode", "orders", "abc"][..],
        &["shell", "-e", "list"],
        &["simulate", "orders.toml", "--data", "orders.csv"],
        &["check", "orders.toml", "--data", "orders.csv"],
        &["index", "verify", "orders"],
    ] {
        assert_error(&place.run(&[command, &["--redact"]].concat()), &["--redact is known to get, scan"]);
    }
    let paged = place.run(&["query", "orders", "user_id = 7 limit 3", "--page", "", "--redact"]);
    assert_error(&paged, &["a page token holds the key of a row"]);
}
