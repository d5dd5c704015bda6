//! What do letters in front do on regions that begin with letters?

use crate::{Spread, Stage, Told};

fn loaded(stage: &mut Stage, file_name: &str, text: &str, rows: u64) -> Told<Spread> {
    let (file, table) = stage.table_file(file_name, text)?;
    stage.show(&["create", &file])?;
    stage.show(&["load", &table, "abc.csv", "--seed", "1"])?;
    stage.writes_by_region(&table, rows)
}

fn near(spread: &Spread, shares: [f64; 4]) -> bool {
    shares.into_iter().enumerate().all(|(region, share)| (spread.share(region) - share).abs() < 0.05)
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    let count = stage.scaled(900, 90_000);
    let width = if count < 1000 { 3 } else { 5 };
    stage.write_csv(
        "abc.csv",
        "id,words",
        (1..=count).map(|number| format!("abc{number:0width$},row {number}")),
    )?;

    let spread = loaded(stage, "plain.toml", include_str!("plain.toml"), count)?;
    stage.claim("writes to ..a, a..b, b..c, c.. without a salt", &spread, spread.share(1) == 1.0);
    let spread = loaded(stage, "table.toml", include_str!("table.toml"), count)?;
    let thirds = spread.share(0) == 0.0 && near(&spread, [0.0, 0.33, 0.33, 0.33]);
    stage.claim("with a letter of a, b, c in front", &spread, thirds);

    let key = "[md5(id).subStr(0,4)]-[id]";
    for (id, expected) in [("abc001", "9bf0-abc001"), ("abc002", "7006-abc002"), ("abc003", "95e6-abc003")] {
        let encoded = stage.json(&["encode", key, &format!("id={id}")])?;
        let text = encoded.first().and_then(|answer| answer["key"]["text"].as_str()).unwrap_or("none");
        stage.claim_is(&format!("the list's own key of {id}"), text, expected);
    }
    let spread = loaded(stage, "md5.toml", include_str!("md5.toml"), count)?;
    // Ten of sixteen digits sort before `a`, and c, d, e, f share the last region.
    let lumpy = near(&spread, [10.0 / 16.0, 1.0 / 16.0, 1.0 / 16.0, 4.0 / 16.0]);
    stage.claim("MD5 in front, on the same regions", &spread, lumpy);
    let spread = loaded(stage, "md5-hex.toml", include_str!("md5-hex.toml"), count)?;
    stage.claim("MD5 in front, on regions cut for hex digits", &spread, near(&spread, [0.25; 4]));
    Ok(())
}
