//! Are sizes those of HBase's own code?

use rowkey_lab::size::index::BlockIndex;
use rowkey_lab::size::{FlushPolicy, Lengths, RowSize, cell, flush};
use rowkey_testing::java;

/// Cells of one length, and blocks: row, family, qualifier, value, how many, block size.
const CELLS: [[usize; 6]; 3] =
    [[17, 1, 1, 8, 50_000, 65_536], [40, 11, 24, 3, 20_000, 16_384], [8, 1, 1, 500, 10_000, 262_144]];

#[test]
fn cells_files_and_indexes_are_as_large_as_hbases() {
    for given in CELLS {
        let args = given.map(|number| number.to_string());
        let out =
            java::run(java::CELL_SIZES, &args.each_ref().map(String::as_str)).expect("HBase's code runs");
        let numbers: Vec<f64> = out.lines().map(|line| line.parse().expect("a number")).collect();
        let [length, in_memory, file, blocks, index] = numbers.try_into().expect("five numbers");
        let [row, family, qualifier, value, count, block] = given;

        let own = cell::key_value(row, family, qualifier, value);
        assert_eq!(own as f64, length, "{given:?}");
        // A memstore has some hundred bytes of its own.
        let expected = (cell::in_memory(own) * count) as f64;
        assert!((0.0..1000.0).contains(&(in_memory - expected)), "{given:?}: {in_memory}, not {expected}");

        let cells = (own * count) as f64;
        let found = BlockIndex::of(cells, block as u64, row as f64);
        // A block ends with the cell that fills it, so there are a few less than by division.
        assert!(
            blocks <= found.entries && blocks >= found.entries * 0.97,
            "{given:?}: {blocks}, not {}",
            found.entries
        );
        assert!(index <= found.bytes, "{given:?}: an index of {index} bytes, above {}", found.bytes);
        let stored = cells + found.headers + found.bytes;
        // The trailer, the meta blocks and the levels of the index are a few kilobytes.
        assert!(
            (file - stored).abs() <= 0.01 * stored + 8_192.0,
            "{given:?}: a file of {file} bytes, not {stored}"
        );
    }
}

const TABLE: &str = "[table]\nname = \"t\"\nkey = \"[salt(16, id)][id]\"\n[fields]\nid = \"u64\"\nnote = \"text?\"\nat = \"timestamp\"\n\
                     [families.data]\ncolumns = { n = \"note\" }\n[families.t]\ncolumns = { at = \"at\" }\n";

#[test]
fn a_letter_costs_a_byte_in_every_cell() {
    let table = rowkey_core::Table::parse("t.toml", TABLE).expect("a table");
    let short =
        rowkey_core::Table::parse("t.toml", &TABLE.replace("families.data", "families.d")).expect("a table");
    let mut lengths = Lengths::typical(&table);
    lengths.columns[0].present = 0.5;
    let row = RowSize::of(&table, &lengths, 2.0);
    // Each has 20 bytes, the key of 9, its names and its value; two versions, half of the notes.
    assert_eq!(row.bytes(), 2.0 * (0.5 * (20.0 + 9.0 + 5.0 + 10.0) + (20.0 + 9.0 + 3.0 + 8.0)));
    assert_eq!(row.bytes() - RowSize::of(&short, &lengths, 2.0).bytes(), 3.0 * row.family_letter("data"));
    assert_eq!((row.family_letter("data"), row.family_letter("t"), row.cell_count()), (1.0, 2.0, 3.0));
}

#[test]
fn a_table_without_columns_has_one_empty_cell_a_row() {
    let table = "[table]\nname = \"t\"\nkey = \"[id]\"\n[fields]\nid = \"u64\"\n[families.d]\n";
    let table = rowkey_core::Table::parse("t.toml", table).expect("a table");
    let row = RowSize::of(&table, &Lengths::typical(&table), 1.0);
    assert_eq!((row.bytes(), row.cell_count()), (20.0 + 8.0 + 2.0, 1.0));
}

#[test]
fn a_second_family_makes_small_files_under_the_old_policy_only() {
    let table = rowkey_core::Table::parse("t.toml", TABLE).expect("a table");
    let mut lengths = Lengths::typical(&table);
    lengths.columns[0].value = 4000.0;
    let row = RowSize::of(&table, &lengths, 1.0);
    let memstore = 128.0 * 1024.0 * 1024.0;
    let small = |policy| {
        flush::flushes(&row.in_memory_by_family(), memstore, policy).remove(1).bytes / 1024.0 / 1024.0
    };
    assert!((2.0..5.0).contains(&small(FlushPolicy::AllStores)), "{}", small(FlushPolicy::AllStores));
    assert!(small(FlushPolicy::AllLargeStores) > 50.0, "{}", small(FlushPolicy::AllLargeStores));
}
