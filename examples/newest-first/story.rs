//! How do the newest records come first?

use rowkey_testing::random::Random;
use serde_json::Value;

use crate::{Stage, Told};

/// 2025-01-01T00:00:00Z.
const START: u64 = 1_735_689_600_000;
const DAY: u64 = 86_400_000;
const FILMS: u64 = 40;
const LATEST: &str = "film = 7 order by ts desc limit 20";

struct Comment {
    film: u64,
    ts: u64,
    id: u64,
}

/// A day's comments as they come: time rises, films are drawn.
fn comments(day: u64, count: u64) -> Vec<Comment> {
    let mut random = Random::new(day);
    let comment = |number: u64| Comment {
        film: 1 + random.below(FILMS),
        ts: START + day * DAY + number * DAY / count,
        id: day * count + number,
    };
    (0..count).map(comment).collect()
}

/// The numbers of the newest comments on film 7, the newest first.
fn expected(comments: &[Comment]) -> Vec<u64> {
    comments.iter().rev().filter(|comment| comment.film == 7).take(20).map(|comment| comment.id).collect()
}

fn ids(records: &[Value]) -> Vec<u64> {
    records.iter().filter_map(|record| record["comment_id"].as_u64()).collect()
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    let count = stage.scaled(2000, 200_000);
    let (yesterday, today) = (comments(0, count), comments(1, count));
    for (path, day) in [("yesterday.csv", &yesterday), ("today.csv", &today)] {
        let line =
            |comment: &Comment| format!("{},{},{id},comment {id}", comment.film, comment.ts, id = comment.id);
        stage.write_csv(path, "film,ts,comment_id,words", day.iter().map(line))?;
    }
    let expected = expected(&today);

    let (file, table) = stage.table_file("lead.toml", include_str!("lead.toml"))?;
    let rules = stage.rules(&[&file])?;
    stage.claim(
        "check, of time as the lead",
        rules.join(", "),
        rules.iter().any(|rule| rule == "rising-lead"),
    );
    stage.show(&["create", &file, "--data", "yesterday.csv"])?;
    stage.show(&["load", &table, "today.csv"])?;
    let spread = stage.writes_by_region(&table, count)?;
    stage.claim("today's writes by region, time first", &spread, spread.share(0) == 1.0);
    let reads = stage.reads(&[&table, "order by ts desc limit 20"])?;
    stage.claim(
        "the newest 20 of all films",
        reads,
        (reads.returned, reads.read, reads.ranges) == (20, 20, 1),
    );
    let refused = stage.fails(&["query", &table, LATEST])?;
    stage.claim(
        "the newest 20 of film 7, time first",
        "the whole table would be read",
        refused.err.contains("--full-scan"),
    );
    let found = stage.records(&["query", &table, LATEST, "--full-scan"])?;
    stage.claim("allowed to, it finds", ids(&found).len(), ids(&found) == expected);
    let by_time = stage.reads(&[&table, LATEST, "--full-scan"])?;
    // The servers of HBase filter themselves and send only what is left. How much is read ahead of the limit depends on threads.
    if !stage.on_hbase() {
        let reads_many = by_time.read > 10 * by_time.returned;
        stage.claim("what that reads, time first", "over ten rows for each that it returns", reads_many);
    }

    let (file, table) = stage.table_file("table.toml", include_str!("table.toml"))?;
    stage.show(&["create", &file, "--data", "yesterday.csv"])?;
    stage.show(&["load", &table, "today.csv"])?;
    let spread = stage.writes_by_region(&table, count)?;
    stage.claim("today's writes by region, film first", &spread, spread.largest() < 0.32);
    let found = stage.records(&["query", &table, LATEST])?;
    stage.claim("the newest 20 of film 7, film first", ids(&found).len(), ids(&found) == expected);
    let by_film = stage.reads(&[&table, LATEST])?;
    stage.claim(
        "what that reads, film first",
        by_film,
        (by_film.returned, by_film.read, by_film.ranges) == (20, 20, 1),
    );
    Ok(())
}
