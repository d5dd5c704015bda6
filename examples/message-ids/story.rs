//! What does an MD5 in front of a message's key give, and what does it take?

use crate::{Stage, Told};

/// The keys of the message-id article.
const KEYS: [(&str, &str, &str); 5] = [
    ("063031", "1231231", "8D4646EB2D7067126EB08ADB0672F7BB:230611:063031:1231231"),
    ("063032", "1231232", "715782C59C0561E9B6CE0F3D522C32F1:230611:063032:1231232"),
    ("063032", "1231233", "57F962C03EF3526EC6E95CEB50785C4C:230611:063032:1231233"),
    ("063033", "1231234", "8B353D5CC07E13577608711F4602FCB7:230611:063033:1231234"),
    ("063033", "1231235", "430EDB0C535BF08174E122EFECFA711D:230611:063033:1231235"),
];

/// A message every two seconds from 06:30:31 on, as in the article; the first hundred on the eleventh, the others on the twelfth.
fn messages(count: u64) -> impl Iterator<Item = String> {
    (0..count).map(|number| {
        let second = 6 * 3600 + 30 * 60 + 31 + (number / 2) % 36_000;
        let (hours, minutes, seconds) = (second / 3600, second / 60 % 60, second % 60);
        let day = if number < 100 { 11 } else { 12 };
        format!("2306{day},{hours:02}{minutes:02}{seconds:02},{},message {number}", 1_231_231 + number)
    })
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    let count = stage.scaled(2000, 200_000);
    stage.write_csv("messages.csv", "date,time,message_id,words", messages(count))?;
    the_articles_keys(stage)?;
    let (file, by_id) = stage.table_file("by-id.toml", include_str!("by-id.toml"))?;
    stage.create_and_load(&file, &by_id, "messages.csv")?;
    let spread = stage.writes_by_region(&by_id, count)?;
    stage.claim("writes by region, number first", &spread, spread.largest() == 1.0);

    let (file, digests) = stage.table_file("table.toml", include_str!("table.toml"))?;
    let rules = stage.rules(&[&file])?;
    stage.claim("check, of the MD5 first", rules.join(", "), rules.iter().any(|rule| rule == "dead-part"));
    stage.create_and_load(&file, &digests, "messages.csv")?;
    let spread = stage.writes_by_region(&digests, count)?;
    stage.claim("writes by region, MD5 first", &spread, spread.largest() < 0.32);
    let day = "date = '230611'";
    stage.fails(&["query", &digests, day])?;
    let reads = stage.reads(&[&digests, day, "--full-scan"])?;
    // HBase's servers read all rows too, but a filter keeps them from being sent.
    let all = reads.read == count || stage.on_hbase();
    stage.claim("a day of messages, MD5 first", reads, reads.returned == 100 && all);
    let reads = stage.reads(&[&digests, "message_id = '1231233'"])?;
    stage.claim("one message, MD5 first", reads, reads.returned == 1 && reads.ranges == 1);
    salted(stage, count, day)
}

fn the_articles_keys(stage: &mut Stage) -> Told {
    let records = KEYS.map(|(time, message_id, _)| format!("230611,{time},{message_id}"));
    stage.write_csv("article.csv", "date,time,message_id", records)?;
    let key = "md5(message_id).upper():date:time:message_id";
    let answer = stage.show(&["encode", key, "--from", "article.csv"])?;
    let same = answer.out.lines().eq(KEYS.iter().map(|(_, _, key)| *key));
    stage.claim("the article's five keys", "byte for byte", same);
    stage.claim_is("bytes of such a key", answer.out.lines().next().map_or(0, str::len), 54);
    let other = stage.show(&[
        "encode",
        "[salt(4, message_id)][date: fixed(6)][time: fixed(6)][message_id]",
        "--from",
        "article.csv",
        "--hex",
    ])?;
    stage.claim_is(
        "bytes with one byte of salt",
        other.out.lines().next().map_or(0, |key| key.len() / 2),
        20,
    );
    Ok(())
}

/// The same spread for one byte, and the day is a range again.
fn salted(stage: &mut Stage, count: u64, day: &str) -> Told {
    let (file, salted) = stage.table_file("salted.toml", include_str!("salted.toml"))?;
    stage.create_and_load(&file, &salted, "messages.csv")?;
    let spread = stage.writes_by_region(&salted, count)?;
    stage.claim("writes by region, salted", &spread, spread.largest() < 0.32);
    let reads = stage.reads(&[&salted, day])?;
    stage.claim(
        "a day of messages, salted",
        reads,
        (reads.returned, reads.read, reads.ranges) == (100, 100, 4),
    );
    Ok(())
}
