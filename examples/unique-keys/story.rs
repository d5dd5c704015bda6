//! What becomes of two records with the same key?

use std::collections::HashSet;

use rowkey_testing::random::Random;

use crate::{Stage, Told};

/// The film starts here: 2025-01-01T20:00:00Z.
const START: u64 = 1_735_761_600_000;

struct Comment {
    film: u64,
    ts: u64,
}

/// Comments on three films within ten minutes, at whole seconds: some viewers write in the same second.
fn comments(count: u64) -> Vec<Comment> {
    let mut random = Random::new(1);
    (0..count).map(|_| Comment { film: 1 + random.below(3), ts: START + 1000 * random.below(600) }).collect()
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    same_key_twice(stage)?;
    records_lost(stage)
}

/// One row by hand, as the shell shows it.
fn same_key_twice(stage: &mut Stage) -> Told {
    let table = stage.table("titanic");
    stage.shell(&format!("create '{table}', {{NAME => 'd', VERSIONS => 1}}"))?;
    let put = |column: &str, value: &str, time: u32| {
        format!("put '{table}', 'film1', 'd:{column}', '{value}', {time}")
    };
    stage.shell(&[put("words", "older", 1000), put("stars", "5", 1000)].join("; "))?;
    stage.shell(&put("words", "newer", 2000))?;
    let seen = stage.shell(&format!("scan '{table}', {{VERSIONS => 10}}"))?;
    let row = seen.contains("1 row(s)") && seen.contains("value=newer") && !seen.contains("value=older");
    stage.claim("two records with one key", "one row, with the newer words", row);
    stage.claim("a column that only the older one had", "still there", seen.contains("column=d:stars"));

    let raw = format!("scan '{table}', {{RAW => true, VERSIONS => 10}}");
    let before = stage.shell(&raw)?;
    stage.claim("the older words before a compaction", "hidden, but there", before.contains("value=older"));
    let after = stage.shell(&format!("flush '{table}'; major_compact '{table}'; {raw}"))?;
    stage.claim(
        "the older words after it",
        "gone",
        !after.contains("value=older") && after.contains("value=newer"),
    );
    Ok(())
}

/// Many records, of which some share a key.
fn records_lost(stage: &mut Stage) -> Told {
    let records = stage.scaled(1000, 100_000);
    let comments = comments(records);
    let line = |(number, comment): (usize, &Comment)| {
        format!("{},{},{number},comment {number}", comment.film, comment.ts)
    };
    stage.write_csv("comments.csv", "film,ts,comment_id,words", comments.iter().enumerate().map(line))?;
    let keys = comments.iter().map(|comment| (comment.film, comment.ts)).collect::<HashSet<_>>().len() as u64;

    let (file, table) = stage.table_file("table.toml", include_str!("table.toml"))?;
    let rules = stage.rules(&[&file, "--data", "comments.csv"])?;
    stage.claim(
        "check says so before a row is written",
        rules.join(", "),
        rules.contains(&"duplicate-keys".to_owned()),
    );
    stage.show(&["create", &file])?;
    stage.show(&["load", &table, "comments.csv"])?;
    let rows = stage.count(&table, "")?;
    stage.claim_is("rows, with film and second as the key", rows, keys);
    stage.claim("comments lost without an error", records - rows, rows < records);

    let (file, table) = stage.table_file("unique.toml", include_str!("unique.toml"))?;
    stage.show(&["create", &file])?;
    stage.show(&["load", &table, "comments.csv"])?;
    let rows = stage.count(&table, "")?;
    stage.claim_is("rows, with the comment's number at the end of the key", rows, records);
    Ok(())
}
