//! Do keys of hex digits reach regions that are cut as if keys were numbers?

use crate::{Stage, Told};

const ALGORITHM: &str = "bytes 7 0000000000000000 ffffffffffffffff";

/// The shares that `rowkey split check` computes, in percent.
fn shares(stage: &mut Stage, arguments: &[&str]) -> Told<Vec<String>> {
    let arguments: Vec<&str> = ["split", "check"].into_iter().chain(arguments.iter().copied()).collect();
    let regions = stage.json(&arguments)?;
    let share =
        |share: f64| format!("{:.2}", 100.0 * share).trim_end_matches('0').trim_end_matches('.').to_owned();
    Ok(regions.iter().filter_map(|region| region["share"].as_f64()).map(share).collect())
}

pub(crate) fn story(stage: &mut Stage) -> Told {
    let lumpy = shares(stage, &["[md5(id)]", "--splits", ALGORITHM])?;
    let expected = ["0", "43.75", "18.75", "0", "0", "0", "0", "0", "37.5", "0"];
    stage.claim("shares of the ten regions, computed", format!("{} %", lumpy.join(" / ")), lumpy == expected);

    let count = stage.scaled(2000, 200_000);
    stage.write_csv("ids.csv", "id", (0..count).map(|id| format!("user{id}")))?;
    let (file, table) = stage.table_file("table.toml", include_str!("table.toml"))?;
    stage.create_and_load(&file, &table, "ids.csv")?;
    let spread = stage.writes_by_region(&table, count)?;
    let near = [(1, 0.4375), (2, 0.1875), (8, 0.375)]
        .iter()
        .all(|(region, share)| (spread.share(*region) - share).abs() < 0.04);
    stage.claim("shares of the ten regions, written", &spread, near && spread.idle() == 7);

    let all = ["--start", "0000000000000000", "--end", "ffffffffffffffff"];
    let points = stage.show(&["split", "book-hex", "--regions", "10", all[0], all[1], all[2], all[3]])?;
    stage.claim(
        "the notes' getHexSplits",
        "nine points of 16 digits",
        points.out.lines().all(|point| point.len() == 16),
    );
    let points = stage.show(&["split", "key", "--from", "[md5(id)]", "--regions", "10"])?;
    let (file, table) = stage.table_file("even.toml", include_str!("even.toml"))?;
    let same = points.out.lines().map(|point| format!("\"{point}\"")).collect::<Vec<_>>().join(", ");
    stage.claim("points by the key", "those of even.toml", include_str!("even.toml").contains(&same));
    let even = shares(stage, &[&file])?;
    stage.claim(
        "shares with them, computed",
        format!("{} %", even.join(" / ")),
        even.iter().all(|share| share.starts_with("10") || share.starts_with("9.")),
    );
    stage.create_and_load(&file, &table, "ids.csv")?;
    let spread = stage.writes_by_region(&table, count)?;
    stage.claim("shares with them, written", &spread, spread.largest() < 0.13 && spread.idle() == 0);
    Ok(())
}
