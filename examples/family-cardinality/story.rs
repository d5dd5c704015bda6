//! What does a family of few rows cost beside one of many?

use crate::{Stage, Told};

/// One of so many users has a photo.
const EVERY: u64 = 100;

pub(crate) fn story(stage: &mut Stage) -> Told {
    let count = stage.scaled(3000, 300_000);
    let photo = |id: u64| format!("photo of {id}");
    let user = |id: u64| {
        format!("{id},user {id},{}", if id.is_multiple_of(EVERY) { photo(id) } else { String::new() })
    };
    stage.write_csv("users.csv", "id,name,photo", (0..count).map(user))?;
    let photos = count / EVERY;
    stage.write_csv(
        "photos.csv",
        "id,photo",
        (0..photos).map(|number| format!("{},{}", EVERY * number, photo(EVERY * number))),
    )?;

    let (file, users) = stage.table_file("table.toml", include_str!("table.toml"))?;
    let rules = stage.rules(&[&file, "--data", "users.csv"])?;
    stage.claim(
        "check, on the data",
        rules.join(", "),
        rules.iter().any(|rule| rule == "family-cardinality"),
    );
    stage.create_and_load(&file, &users, "users.csv")?;
    let all = "photo is not null";
    let reads = stage.reads(&[&users, all, "--full-scan"])?;
    stage.claim(
        "all photos, with the users' rows",
        reads,
        (reads.returned, reads.read, reads.ranges) == (photos, count, 10),
    );
    let mut salts = salts_of_photos(stage, &users)?;
    stage.claim_is("rows that have a cell in the photos' family", salts.len() as u64, photos);
    salts.sort_unstable();
    salts.dedup();
    stage.claim("regions among which they lie", format!("{} of 10", salts.len()), salts.len() >= 9);

    let (file, apart) = stage.table_file("photos.toml", include_str!("photos.toml"))?;
    stage.create_and_load(&file, &apart, "photos.csv")?;
    let reads = stage.reads(&[&apart, "", "--full-scan"])?;
    stage.claim(
        "all photos, in a table of their own",
        reads,
        (reads.returned, reads.read, reads.ranges) == (photos, photos, 1),
    );
    let one = stage.records(&["get", &apart, "id=700"])?;
    stage.claim(
        "one photo by the same id",
        "a Get",
        one.first().is_some_and(|record| record["photo"] == "photo of 700"),
    );
    Ok(())
}

/// The salt of each row that a scan of the photos' family alone gives, `\x03` for the fourth region.
fn salts_of_photos(stage: &mut Stage, table: &str) -> Told<Vec<String>> {
    let scan = stage.rowkey(&["shell", "-e", &format!("scan '{table}', {{COLUMNS => ['p']}}")])?;
    let rows = scan.out.lines().filter_map(|line| line.trim_start().split_once(" column=p:p"));
    Ok(rows.filter_map(|(key, _)| key.get(..4)).map(str::to_owned).collect())
}
