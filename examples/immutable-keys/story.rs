//! Can the key of a row be changed, and to whom does a key belong: the table or a family?

use crate::{Stage, Told};

pub(crate) fn story(stage: &mut Stage) -> Told {
    renamed(stage)?;
    in_two_families(stage)
}

/// A new address for some users: the row is written again, and the old one deleted.
fn renamed(stage: &mut Stage) -> Told {
    let count = stage.scaled(1000, 100_000);
    let moved = count / 10;
    let line = |number: u64, host: &str| format!("u{number:06}@{host},user {number},{}", number % 7);
    let header = "mail,name,visits";
    stage.write_csv("users.csv", header, (0..count).map(|number| line(number, "old.org")))?;
    stage.write_csv("moved.csv", header, (0..moved).map(|number| line(number, "new.org")))?;
    let (file, table) = stage.table_file("table.toml", include_str!("table.toml"))?;
    stage.create_and_load(&file, &table, "users.csv")?;
    let keys =
        |mail: &str| -> Vec<String> { (0..moved).map(|number| format!("u{number:06}@{mail}")).collect() };

    stage.show(&["load", &table, "moved.csv"])?;
    let rows = stage.count(&table, "")?;
    stage.claim_is("rows after the new addresses were written", rows, count + moved);
    let both = stage.records(&["get", &table, "mail=u000001@old.org", "--columns", "mail,name"])?;
    stage.claim("the row of an old address", "still there", both.len() == 1);

    let old = keys("old.org");
    let mut delete = vec!["delete", table.as_str(), "--yes"];
    delete.extend(old.iter().take(3).flat_map(|key| ["--key", key.as_str()]));
    stage.show(&delete)?;
    let last = old.last().cloned().unwrap_or_default();
    stage.show(&[
        "delete",
        &table,
        &format!("mail >= 'u000003' and mail <= '{last}' and mail like '%@old.org'"),
        "--yes",
    ])?;
    let rows = stage.count(&table, "")?;
    stage.claim_is("rows after the old ones were deleted", rows, count);
    let found = stage.records(&["get", &table, "mail=u000001@new.org", "--columns", "name,visits"])?;
    let same = found.first().is_some_and(|record| record["name"] == "user 1" && record["visits"] == 1);
    stage.claim("a user under the new address", "with all its values", same);
    Ok(())
}

/// One key in two families.
fn in_two_families(stage: &mut Stage) -> Told {
    let table = stage.table("people");
    stage.shell(&format!("create '{table}', 'a', 'b'"))?;
    let put = |column: &str, value: &str| format!("put '{table}', 'r1', '{column}', '{value}', 1000");
    stage.shell(&[put("a:q", "of a"), put("b:q", "of b")].join("; "))?;
    let row = stage.shell(&format!("get '{table}', 'r1'"))?;
    stage.claim(
        "one key and one qualifier in two families",
        "two cells, one row",
        row.contains("value=of a") && row.contains("value=of b") && row.contains("1 row(s)"),
    );

    stage.shell(&format!("delete '{table}', 'r1', 'a:q'"))?;
    let left = stage.shell(&format!("scan '{table}'"))?;
    stage.claim(
        "after a delete in one",
        "the other is left",
        left.contains("value=of b") && !left.contains("value=of a"),
    );
    let of_one = stage.shell(&format!("scan '{table}', {{COLUMNS => ['a']}}"))?;
    stage.claim("rows of the family without it", 0, of_one.contains("0 row(s)"));

    let again = stage.shell(&format!(
        "put '{table}', 'r1', 'a:q', 'again', 4000000000000; deleteall '{table}', 'r1', 'b:q'; scan '{table}'"
    ))?;
    stage.claim(
        "a delete in the other",
        "leaves the first",
        again.contains("value=again") && !again.contains("value=of b"),
    );
    let whole = stage.shell(&format!("put '{table}', 'r2', 'a:q', '1', 1000; put '{table}', 'r2', 'b:q', '2', 1000; deleteall '{table}', 'r2'; get '{table}', 'r2'"))?;
    stage.claim("a delete of the row", "both families", whole.contains("0 row(s)"));
    Ok(())
}
