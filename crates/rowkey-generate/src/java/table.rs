//! The class that puts and reads rows by `hbase-client` 2.

use super::codec::CodecPrinter;
use super::lines::Lines;
use super::names::Names;
use super::{origin, runtime};
use crate::Design;

/// What is the same for every table, with `Orders` for the name of the table.
const FIXED: &str = include_str!("table.java");

/// The class for a table.
pub(super) fn table_class(design: &Design, names: &Names) -> String {
    let (key, stem) = (&names.class, &names.stem);
    let is_random = CodecPrinter::new(names, &design.codec, 2).is_random();
    let (parameter, argument) = if is_random { (", IntUnaryOperator draws", ", draws") } else { ("", "") };
    let mut body = Lines::at(2);
    body.doc("The name of the table.");
    body.line(format!("public static final TableName NAME = TableName.valueOf({key}.TABLE);"));
    body.blank();
    body.line(format!("private {stem}Table() {{}}"));
    body.blank();
    body.doc(
        "Returns the put of a record's row. Nulls have no cell: what an older row has in their columns stays there.\n\n\
         @throws OrdersKey.KeyException if the record has no key"
            .replace("OrdersKey", key)
            .as_str(),
    );
    body.open(format!("public static Put put({key}.Record record{parameter}) {{"));
    let time = if design.cell_time.is_some() {
        format!("{key}.cellTime(record)")
    } else {
        "HConstants.LATEST_TIMESTAMP".to_owned()
    };
    body.line(format!("return put({key}.encode(record{argument}), {key}.cells(record), {time});"));
    body.close("}");
    body.blank();
    if !design.indexes.is_empty() {
        body.doc(&format!(
            "Puts a record that has no row yet: its entries in the index tables, then its row.\n\n\
             <p>A row that is there already needs more: see {{@link {key}#entries}}.\n\n\
             @param time the time of the write in milliseconds\n@param nonce a number that no other write has"
        ));
        body.open(format!(
            "public static void insert(Connection connection, {key}.Record record, long time, long nonce)"
        ));
        body.line("  throws IOException {");
        body.open(format!("for ({key}.Entry entry : {key}.entries(record, time, nonce)) {{"));
        body.open("try (Table index = connection.getTable(TableName.valueOf(entry.table()))) {");
        body.line("index.put(put(entry.key(), entry.cells(), time));");
        body.close("}");
        body.close("}");
        let cell_time =
            if design.cell_time.is_some() { format!("{key}.cellTime(record)") } else { "time".to_owned() };
        body.open("try (Table table = connection.getTable(NAME)) {");
        body.line(format!("table.put(put({key}.encode(record), {key}.cells(record), {cell_time}));"));
        body.close("}");
        body.close("}");
        body.blank();
    }
    let skip = if design.bucket.is_some() { format!("{key}.BUCKET_WIDTH") } else { "0".to_owned() };
    let fixed = FIXED.replace("Orders", stem).replace("SKIP", &skip);
    let text = format!("{}{fixed}", body.into_text());
    let client = "org.apache.hadoop.hbase.client";
    let more = [
        ("Cell", "org.apache.hadoop.hbase"),
        ("CellUtil", "org.apache.hadoop.hbase"),
        ("HConstants", "org.apache.hadoop.hbase"),
        ("TableName", "org.apache.hadoop.hbase"),
        ("Connection", client),
        ("Put", client),
        ("Result", client),
        ("ResultScanner", client),
        ("Scan", client),
        ("Table", client),
        ("ScanMetrics", "org.apache.hadoop.hbase.client.metrics"),
        ("IOException", "java.io"),
        ("UncheckedIOException", "java.io"),
    ];
    format!(
        "{}{}\n/** Rows of the table of {{@link {key}}} by {{@code hbase-client}} 2. */\npublic final class \
         {stem}Table {{\n{text}}}\n",
        origin(design),
        runtime::imports(&text, &more),
    )
}
