//! What do long keys and long names cost on disk?

use std::ops::RangeInclusive;

use rowkey_testing::random::Random;

use crate::{Stage, StoryError, Told};

/// The number whose bytes the reference-guide notes count.
const NUMBER: &str = "id=1234567890";

pub(crate) fn story(stage: &mut Stage) -> Told {
    the_notes_number(stage)?;
    let rows = stage.scaled(40_000, 500_000);
    let mut random = Random::new(15);
    let ids = (0..rows).map(|id| format!("{},{}", 1_000_000_000 + 4096 * id + random.below(4096), id % 100));
    stage.write_csv("ids.csv", "id,size", ids)?;
    let short = Table::filled(stage, "table.toml", include_str!("table.toml"), rows)?;
    let names = Table::filled(stage, "names.toml", include_str!("names.toml"), rows)?;
    let digest = Table::filled(stage, "digest.toml", include_str!("digest.toml"), rows)?;
    stage.claim_is("bytes of a row with a key of 8 bytes", short.row, 31);
    stage.claim_is("bytes of it with a family and a qualifier of 36 bytes", names.row, 65);
    // The number itself cannot be read from a digest, so it is a second cell.
    stage.claim_is("bytes of it by an MD5 in hex, which needs the number as a cell too", digest.row, 117);
    on_disk(stage, &[short, names, digest])
}

/// Four ways to write it, each shown as hex: two digits a byte.
fn the_notes_number(stage: &mut Stage) -> Told {
    for (key, what, bytes) in [
        ("[id: long]", "as a long", 8),
        ("[id: decimal(10)]", "as digits", 10),
        ("[md5(id).bytes(16)]", "its MD5", 16),
        ("[md5(id)]", "its MD5 in hex", 32),
    ] {
        let answer = stage.show(&["encode", key, NUMBER, "--hex"])?;
        stage.claim_is(&format!("bytes of 1234567890 {what}"), answer.out.trim().len() / 2, bytes);
    }
    Ok(())
}

/// A table with its rows, and what `rowkey size` says about it.
struct Table {
    what: &'static str,
    name: String,
    row: u64,
    all: u64,
}

impl Table {
    /// The sizes that HBase may tell: in whole megabytes, and with the sequence numbers of fresh cells.
    fn near(&self) -> RangeInclusive<u64> {
        const MEGABYTE: u64 = 1 << 20;
        self.all.saturating_sub(MEGABYTE)..=self.all + self.all / 10 + MEGABYTE
    }

    fn filled(stage: &mut Stage, file: &'static str, text: &str, rows: u64) -> Told<Self> {
        let what = file;
        let (file, name) = stage.table_file(file, text)?;
        let sized = stage.json(&["size", &file, "--rows", &rows.to_string()])?;
        let figure = |what: &str| {
            let number = sized.first().and_then(|sized| sized[what].as_f64());
            number.map(|number| number as u64).ok_or_else(|| StoryError::Answer {
                command: "size".to_owned(),
                line: format!("{sized:?}"),
                needed: what.to_owned(),
            })
        };
        let (row, all) = (figure("row_bytes")?, figure("stored_bytes")?);
        stage.create_and_load(&file, &name, "ids.csv")?;
        Ok(Self { what, name, row, all })
    }
}

/// What the store itself says when everything is in its files.
fn on_disk(stage: &mut Stage, tables: &[Table]) -> Told {
    let statements: Vec<String> = tables
        .iter()
        .flat_map(|table| [format!("flush '{}'", table.name), format!("major_compact '{}'", table.name)])
        .collect();
    stage.shell(&statements.join("; "))?;
    let mut measured = Vec::new();
    for table in tables {
        let size = stage.region_bytes(&table.name, table.near())?;
        stage.rate(
            &format!("bytes on disk, {}", table.what),
            format!("{size}, by `rowkey size` {}", table.all),
        );
        measured.push(size);
    }
    if stage.on_hbase() {
        let near = measured.iter().zip(tables).all(|(size, table)| table.near().contains(size));
        stage.claim("HBase's own sizes", "those of `rowkey size`, within a megabyte and a tenth", near);
    } else {
        // The embedded store packs blocks, as HBase does only if told to.
        let packed = measured.iter().zip(tables).all(|(size, table)| *size < table.all);
        stage.claim("the embedded store's own sizes", "smaller, since its blocks are compressed", packed);
    }
    stage.claim("and in order", "short, long names, digest", measured.is_sorted());
    Ok(())
}
