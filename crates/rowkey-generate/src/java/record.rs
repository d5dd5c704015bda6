//! Records, their columns and their index entries in Java.

use rowkey_core::types::OctetsType;

use super::lines::{Lines, comment, string};
use super::names::{Holds, JavaField, Names};
use crate::{ColumnDesign, ColumnForm, Design};

/// The class of records.
pub(super) fn record_class(design: &Design, names: &Names) -> Lines {
    let mut lines = Lines::at(2);
    lines.doc(&format!("A record of the table {{@code {}}}.", comment(&design.table)));
    lines.open("public static final class Record {");
    for field in names.fields() {
        lines.doc(&format!("Field {{@code {}}}: {}.", comment(&field.name), field.words()));
        lines.line(format!("public {} {};", field.java_type(), field.java));
        lines.blank();
    }
    lines.line("@Override");
    lines.open("public boolean equals(Object other) {");
    lines.open("if (!(other instanceof Record)) {");
    lines.line("return false;");
    lines.close("}");
    lines.line("Record that = (Record) other;");
    let equal: Vec<String> = names.fields().iter().map(equal).collect();
    lines.operands("return ", &equal, "&&", ";");
    lines.close("}");
    lines.blank();
    lines.line("@Override");
    lines.open("public int hashCode() {");
    let hashed = names.fields().iter().map(|field| match field.java_type() {
        "byte[]" => format!("Arrays.hashCode({})", field.java),
        _ => field.java.clone(),
    });
    lines.line(format!("return Objects.hash({});", hashed.collect::<Vec<_>>().join(", ")));
    lines.close("}");
    lines.blank();
    lines.line("@Override");
    lines.open("public String toString() {");
    let mut shown = Vec::new();
    for (index, field) in names.fields().iter().enumerate() {
        shown.push(if index == 0 {
            format!("\"Record[{}=\"", field.java)
        } else {
            format!("\", {}=\"", field.java)
        });
        shown.push(match field.java_type() {
            "byte[]" => format!("Arrays.toString({})", field.java),
            "long" if field.holds == Holds::Unsigned => format!("Long.toUnsignedString({})", field.java),
            _ => field.java.clone(),
        });
    }
    shown.push("\"]\"".to_owned());
    lines.operands("return ", &shown, "+", ";");
    lines.close("}");
    lines.close("}");
    lines
}

/// Whether a field of two records is the same.
fn equal(field: &JavaField) -> String {
    let java = &field.java;
    match field.java_type() {
        "long" | "boolean" => format!("{java} == that.{java}"),
        "double" => format!("Double.compare({java}, that.{java}) == 0"),
        "float" => format!("Float.compare({java}, that.{java}) == 0"),
        "byte[]" => format!("Arrays.equals({java}, that.{java})"),
        _ => format!("Objects.equals({java}, that.{java})"),
    }
}

/// The methods from a record to its cells and back.
pub(super) fn column_methods(design: &Design, names: &Names) -> Lines {
    let mut lines = Lines::at(2);
    lines.doc("Returns the cells of a record's row; a null has none.");
    lines.open("public static List<Cell> cells(Record record) {");
    lines.line("List<Cell> cells = new ArrayList<>();");
    for column in &design.columns {
        put_cell(column, names, &mut lines);
    }
    if let Some(family) = design.families.first() {
        lines.open("if (cells.isEmpty()) {");
        lines.line("// So that the row exists.");
        lines.line(format!("cells.add(new Cell({}, \"_\", new byte[0]));", string(family)));
        lines.close("}");
    }
    lines.line("return cells;");
    lines.close("}");
    lines.blank();
    lines.doc(
        "Gives a record, which was decoded from the key, the value of a cell of its row. Cells of other columns are \
         left alone.\n\n\
         @throws KeyException if the cell has no such value, or another than the key",
    );
    lines.open("public static void read(Record record, byte[] family, byte[] qualifier, byte[] value) {");
    lines.line("String column = nameOf(family) + ':' + nameOf(qualifier);");
    lines.open("switch (column) {");
    for column in &design.columns {
        let label = format!("{}:{}", column.family, column.qualifier);
        lines.open(format!("case {}:", string(&label)));
        read_cell(column, names, &mut lines);
        lines.line("break;");
        lines.outdent();
    }
    lines.open("default:");
    lines.line("break;");
    lines.outdent();
    lines.close("}");
    lines.close("}");
    if let Some(field) = design.cell_time.map(|id| names.field(id)) {
        lines.blank();
        lines.doc("Returns the timestamp of the cells of a record's row.");
        lines.open("public static long cellTime(Record record) {");
        if field.nullable {
            lines.line(format!("present(record.{}, {});", field.java, string(&field.name)));
        }
        lines.line(format!("return record.{};", field.java));
        lines.close("}");
    }
    lines
}

/// The statements that add a column's cell.
fn put_cell(column: &ColumnDesign, names: &Names, lines: &mut Lines) {
    let field = names.field(column.field);
    let java = format!("record.{}", field.java);
    let place = string(&field.name);
    let may_be_null = field.nullable;
    if may_be_null {
        lines.open(format!("if ({java} != null) {{"));
    } else if field.is_reference() {
        lines.line(format!("present({java}, {place});"));
    }
    let (width, put) = match column.form {
        ColumnForm::Integer { bytes, is_unsigned } => {
            let bits = 8 * bytes;
            let code = match (field.holds, bytes, is_unsigned) {
                (Holds::BigInteger, ..) => {
                    format!("bigRange({java}, \"{}\", \"{}\", {place}).longValue()", i64::MIN, i64::MAX)
                }
                (_, 8, _) => java.clone(),
                (_, _, true) => format!("range({java}, 0, {}L, {place})", u64::MAX >> (64 - bits)),
                (_, _, false) => {
                    let most = i64::MAX >> (64 - bits);
                    format!("range({java}, {}L, {most}L, {place})", -most - 1)
                }
            };
            (bytes, format!("out.put{bits}({code});"))
        }
        ColumnForm::Float(4) => (4, format!("out.put32(Float.floatToRawIntBits({java}));")),
        ColumnForm::Float(_) => (8, format!("out.put64(Double.doubleToRawLongBits({java}));")),
        ColumnForm::Bool => (1, format!("out.put8({java} ? 0xFF : 0);")),
        ColumnForm::Octets(OctetsType::Uuid) => (
            16,
            format!(
                "out.put64({java}.getMostSignificantBits()); out.put64({java}.getLeastSignificantBits());"
            ),
        ),
        ColumnForm::Octets(own) => {
            (own.width(), format!("out.put(octets({java}, {}, {place}));", own.width()))
        }
        ColumnForm::Text => (16, format!("putText(out, {java}, {place});")),
        ColumnForm::Bytes => (16, format!("out.put({java});")),
        ColumnForm::Numeric => {
            (16, format!("putText(out, numeric({java}, {place}).toPlainString(), {place});"))
        }
    };
    // Each cell has its own bytes; a block of its own keeps the variable short.
    if !may_be_null {
        lines.open("{");
    }
    lines.line(format!("KeyWriter out = new KeyWriter({width});"));
    for statement in put.split_inclusive("; ") {
        lines.line(statement.trim());
    }
    lines.line(format!(
        "cells.add(new Cell({}, {}, out.toBytes()));",
        string(&column.family),
        string(&column.qualifier)
    ));
    lines.close("}");
}

/// The statements that read a column's cell.
fn read_cell(column: &ColumnDesign, names: &Names, lines: &mut Lines) {
    let field = names.field(column.field);
    let place = string(&field.name);
    let code = match column.form {
        ColumnForm::Integer { bytes, is_unsigned } => {
            let reader = match (bytes, is_unsigned) {
                (8, _) => "big".to_owned(),
                (_, true) => format!("big & 0x{:X}L", u64::MAX >> (64 - 8 * bytes)),
                (_, false) => "big".to_owned(),
            };
            let read = format!("signed(octets(value, {bytes}, {place}))");
            let read = reader.replace("big", &read);
            if field.holds == Holds::BigInteger { format!("BigInteger.valueOf({read})") } else { read }
        }
        ColumnForm::Float(4) => format!("Float.intBitsToFloat((int) signed(octets(value, 4, {place})))"),
        ColumnForm::Float(_) => format!("Double.longBitsToDouble(signed(octets(value, 8, {place})))"),
        ColumnForm::Bool => format!("octets(value, 1, {place})[0] != 0"),
        ColumnForm::Octets(OctetsType::Uuid) => format!("uuid(octets(value, 16, {place}))"),
        ColumnForm::Octets(own) => format!("octets(value, {}, {place})", own.width()),
        ColumnForm::Text => format!("utf8(value, 0, value.length, {place})"),
        ColumnForm::Bytes => "value".to_owned(),
        ColumnForm::Numeric => format!("parseNumeric(utf8(value, 0, value.length, {place}), {place})"),
    };
    let java = format!("record.{}", field.java);
    if !column.is_copy {
        return lines.line(format!("{java} = {code};"));
    }
    let boxed = match field.java_type() {
        "long" | "Long" => format!("Long.valueOf({code})"),
        "byte[]" => {
            lines.open(format!("if (!Arrays.equals({java}, {code})) {{"));
            lines.line(format!("throw twoValues({place});"));
            return lines.close("}");
        }
        _ => code,
    };
    lines.open(format!("if (!Objects.equals({java}, {boxed})) {{"));
    lines.line(format!("throw twoValues({place});"));
    lines.close("}");
}

/// The method that gives the index entries of a record.
pub(super) fn entries_method(design: &Design, names: &Names) -> Lines {
    let mut lines = Lines::at(2);
    if design.indexes.is_empty() {
        return lines;
    }
    lines.doc(
        "Returns the entries that a record has in the index tables.\n\n\
         <p>To write a record, put its entries first, then its row, and then delete the entries that the row had \
         before and has no \
         more. An entry says that its row decides (rowkey's mark {@code P}), so readers look the row up, and \
         whatever is left by a \
         program that is killed between these steps is harmless; {@code rowkey index repair} removes it.\n\n\
         @param time the time of the write in milliseconds, which is the timestamp of all cells of an entry\n\
         @param nonce a number that no other write has\n\
         @throws KeyException if the record has no such key",
    );
    lines.open("public static List<Entry> entries(Record record, long time, long nonce) {");
    lines.line("List<Entry> entries = new ArrayList<>();");
    for class in &names.indexes {
        lines.line(format!("entries.add({class}.entry(record, time, nonce));"));
    }
    lines.line("return entries;");
    lines.close("}");
    lines
}

/// The method of an index table's class that gives the entry of a record.
pub(super) fn entry_method(design: &Design, index: &crate::IndexDesign, names: &Names) -> Lines {
    let mut lines = Lines::at(4);
    lines.doc("Returns the entry of a record: see {@link #entries}.");
    lines.open("public static Entry entry(Record record, long time, long nonce) {");
    lines.line(format!("KeyWriter mark = new KeyWriter({});", 25 + index.columns.len()));
    lines.line("mark.put8('P');");
    lines.line("mark.put64(time);");
    let cell_time = if design.cell_time.is_some() { "cellTime(record)" } else { "time" };
    lines.line(format!("mark.put64({cell_time});"));
    lines.line("mark.put64(nonce);");
    for column in &index.columns {
        let field = names.field(column.field);
        if field.nullable {
            lines.line(format!("mark.put8(record.{} != null ? 1 : 0);", field.java));
        } else {
            lines.line("mark.put8(1);");
        }
    }
    lines.line("List<Cell> cells = new ArrayList<>();");
    let family = design.families.first().map_or("", String::as_str);
    lines.line(format!("cells.add(new Cell({}, \"_\", mark.toBytes()));", string(family)));
    for column in &index.columns {
        put_cell(column, names, &mut lines);
    }
    lines.line("return new Entry(TABLE, encode(record), cells);");
    lines.close("}");
    lines
}
