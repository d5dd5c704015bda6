//! What a heat map shows.

use rowkey_core::batch::{Column, ColumnBuffer};
use rowkey_lab::heat::{HeatMap, RowsBy, png, svg};
use rowkey_lab::simulate::{Cut, Data, Design, Options, Outcome, in_memory};
use rowkey_lab::traffic::{Article, Traffic};

fn simulated(key: &str, regions: usize) -> (Design, Outcome) {
    let traffic = Traffic::of_article(Article::Salt1000, 30_000, 1);
    let buffers = traffic.all();
    let columns: Vec<Column<'_>> = buffers.iter().map(ColumnBuffer::column).collect();
    let data = Data { fields: &traffic.fields, columns: &columns, rows: 30_000 };
    let design = Design::of_key(key, &traffic.fields, Cut::Regions(regions)).unwrap();
    let options = Options {
        time: Some("ts".to_owned()),
        ranges: 64,
        folded: true,
        step: Some(3_600_000),
        ..Options::default()
    };
    let outcome = in_memory(std::slice::from_ref(&design), &data, None, &options).unwrap().remove(0);
    (design, outcome)
}

/// The row in which each column is brightest.
fn brightest(map: &HeatMap) -> Vec<usize> {
    let row = |column: usize| (0..map.rows.len()).max_by_key(|row| map.rows[*row].counts[column]).unwrap();
    (0..map.columns.len()).map(row).collect()
}

#[test]
fn a_rising_key_has_a_moving_edge_and_a_salted_one_has_none() {
    let (design, outcome) = simulated("[id]", 12);
    let map = HeatMap::of(&outcome, &design.table.key, RowsBy::Region, 100);
    let edge = brightest(&map);
    assert!(edge.is_sorted(), "{edge:?}");
    assert_eq!((edge.first(), edge.last(), map.rows.len()), (Some(&0), Some(&11), 12));
    for (column, row) in edge.iter().enumerate() {
        let all: u64 = map.rows.iter().map(|row| row.counts[column]).sum();
        assert!(map.rows[*row].counts[column] * 2 >= all, "column {column} is spread");
    }

    let (design, salted) = simulated("[salt(12, id)][id]", 12);
    let map = HeatMap::of(&salted, &design.table.key, RowsBy::Region, 100);
    for row in &map.rows {
        let (least, most) = (row.counts.iter().min().unwrap(), row.counts.iter().max().unwrap());
        assert!(*most < least * 2, "{row:?}");
    }
    // Without its salt it rises again.
    let folded = HeatMap::of(&salted, &design.table.key, RowsBy::Folded, 1000);
    let edge = brightest(&folded);
    assert!(edge.is_sorted() && edge.last() > Some(&40), "{edge:?}");
    assert_eq!(folded.row_is, "range without the salt");
}

#[test]
fn no_row_gets_lost_and_labels_are_fields() {
    let (design, outcome) = simulated("[salt(12, id)][id]", 12);
    for (by, most) in [(RowsBy::Region, 5), (RowsBy::Range, 500), (RowsBy::Range, 20), (RowsBy::Folded, 30)] {
        let map = HeatMap::of(&outcome, &design.table.key, by, most);
        assert!(map.rows.len() <= most);
        assert_eq!(map.rows.iter().flat_map(|row| &row.counts).sum::<u64>(), 30_000, "{by:?}");
        assert_eq!(map.columns.len(), map.rows[0].counts.len());
    }
    let map = HeatMap::of(&outcome, &design.table.key, RowsBy::Region, 100);
    assert_eq!((map.rows[0].label.as_str(), map.rows[3].label.as_str()), ("(first)", "salt(12, id)=3"));
    assert_eq!(map.columns.len(), 24);
    let most = map.rows.iter().flat_map(|row| &row.counts).max().unwrap();
    assert_eq!(map.hottest, *most);
    let expected = format!("brightest: {} rows in one region in 1 h; the hottest has {most}", map.max);
    assert_eq!(map.legend(), expected);
    assert!(map.max > 2 * most && map.max <= 5 * most);
}

#[test]
fn drawings_are_what_they_say() {
    let (design, outcome) = simulated("[id]", 12);
    let map = HeatMap::of(&outcome, &design.table.key, RowsBy::Region, 8);
    let drawn = svg(&map);
    assert_eq!(
        drawn.matches("<title>").count(),
        8 * map.columns.len() + map.rows.iter().filter(|row| row.merged > 1).count()
    );
    assert!(drawn.starts_with("<svg") && drawn.trim_end().ends_with("</svg>") && drawn.contains("brightest"));
    let picture = png(&map).unwrap();
    assert_eq!(picture.get(..8), Some(&b"\x89PNG\r\n\x1a\n"[..]));
    if let Some(folder) = std::env::var_os("ROWKEY_HEAT_FOLDER") {
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, map: &HeatMap| {
            std::fs::write(std::path::Path::new(&folder).join(name), png(map).unwrap()).unwrap();
        };
        write("rising.png", &HeatMap::of(&outcome, &design.table.key, RowsBy::Region, 100));
        write("rising-ranges.png", &HeatMap::of(&outcome, &design.table.key, RowsBy::Range, 100));
        write("merged.png", &map);
        let (design, salted) = simulated("[salt(12, id)][id]", 12);
        write("salted.png", &HeatMap::of(&salted, &design.table.key, RowsBy::Region, 100));
        write("salted-ranges.png", &HeatMap::of(&salted, &design.table.key, RowsBy::Range, 100));
        write("folded.png", &HeatMap::of(&salted, &design.table.key, RowsBy::Folded, 100));
    }
}
