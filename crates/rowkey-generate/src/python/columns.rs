//! Rows: the cells of a record and back, and the entries of its index tables.

use rowkey_core::FieldId;

use super::encode::Encoder;
use super::layout::{Py, atom, bytes, call, number, statement, text};
use super::record::{Names, is_required, long_docstring, octets, one_line};
use crate::{ColumnDesign, ColumnForm, Design, names};

/// `encode_cells` and `decode_row`.
pub(super) fn print(out: &mut String, design: &Design, names: &Names) {
    out.push_str("\n\ndef encode_cells(record: Record) -> Dict[bytes, bytes]:\n");
    let first = "The cells of a record by family and qualifier, in the layout of HBase's `Bytes`.";
    let doc = long_docstring(first, &["None has no cell; delete it if the row may have one."]);
    out.push_str(&format!("    {doc}\n"));
    out.push_str("    cells: Dict[bytes, bytes] = {}\n");
    for column in &design.columns {
        let name = names.of_record(column.field);
        out.push_str(&format!("    if {name} is not None:\n"));
        let cell = format!("cells[{}] = ", column_name(column).flat());
        statement(out, 8, &cell, &column_bytes(design, names, column), "");
    }
    if let Some(family) = design.families.first() {
        let empty = bytes(format!("{family}:{}", ColumnDesign::EMPTY_ROW).as_bytes()).flat();
        out.push_str("    # A row without values has an empty cell, so that it is there.\n");
        out.push_str(&format!("    return cells or {{{empty}: b\"\"}}\n"));
    } else {
        out.push_str("    return cells\n");
    }
    out.push_str("\n\ndef decode_row(key: bytes, cells: Mapping[bytes, bytes]) -> Record:\n");
    let first = "The record of a row, whose cells are given by family and qualifier.";
    let doc =
        long_docstring(first, &["Raises RowKeyError if the key or a cell was not written by this code."]);
    out.push_str(&format!("    {doc}\n    record = decode(key)\n"));
    for column in &design.columns {
        let name = column_name(column).flat();
        out.push_str(&format!("    if {name} in cells:\n"));
        let value = column_value(design, column, &name);
        let attribute = names.of_record(column.field);
        if column.is_copy {
            let field = text(&field_name(design, column));
            let same = call("_same", [atom(attribute), value, atom("key"), field]);
            statement(out, 8, "", &same, "");
        } else {
            statement(out, 8, &format!("{attribute} = "), &value, "");
        }
    }
    out.push_str("    return record\n");
}

fn column_name(column: &ColumnDesign) -> Py {
    bytes(format!("{}:{}", column.family, column.qualifier).as_bytes())
}

fn field_name(design: &Design, column: &ColumnDesign) -> String {
    design.fields().get(column.field.0).map_or_else(String::new, |field| field.name.clone())
}

/// The bytes of a column whose field is there.
fn column_bytes(design: &Design, names: &Names, column: &ColumnDesign) -> Py {
    let name = text(&field_name(design, column));
    let value = atom(names.of_record(column.field));
    let field = design.fields().get(column.field.0);
    match column.form {
        ColumnForm::Integer { bytes, is_unsigned } => {
            let range = field
                .and_then(|field| field.range)
                .filter(|(_, high)| !is_unsigned && *high != highest(bytes));
            let value = match range {
                Some((low, high)) => call("_whole", [value, number(low), number(high), name.clone()]),
                None => value,
            };
            call(if is_unsigned { "_unsigned" } else { "_twos" }, [value, number(bytes), name])
        }
        ColumnForm::Float(8) if field.is_some_and(|field| field.ty.is_single()) => {
            call("_column_f64", [call("_single", [value, name.clone()]), name])
        }
        ColumnForm::Float(width) => {
            call(if width == 8 { "_column_f64" } else { "_column_f32" }, [value, name])
        }
        ColumnForm::Bool => call("_column_bool", [value, name]),
        ColumnForm::Octets(own) => call(&format!("_{}", octets(own).0), [value, name]),
        ColumnForm::Text => call("_text", [value, name]),
        ColumnForm::Bytes => call("_bytes", [value, name]),
        ColumnForm::Numeric => call("_numeric_text", [value, name]),
    }
}

fn highest(bytes: usize) -> i128 {
    (1 << (8 * bytes - 1)) - 1
}

/// The value of a column's cell.
fn column_value(design: &Design, column: &ColumnDesign, cell: &str) -> Py {
    let name = text(&field_name(design, column));
    let data = atom(format!("cells[{cell}]"));
    match column.form {
        ColumnForm::Integer { bytes, is_unsigned } => {
            call(if is_unsigned { "_from_unsigned" } else { "_from_twos" }, [data, number(bytes), name])
        }
        ColumnForm::Float(width) => call("_from_float", [data, number(width), name]),
        ColumnForm::Bool => call("_from_bool", [data, name]),
        ColumnForm::Octets(own) => call(&format!("_from_{}", octets(own).0), [data, name]),
        ColumnForm::Text => call("_from_utf8", [data, name]),
        ColumnForm::Bytes => data,
        ColumnForm::Numeric => call("_from_numeric", [data, name]),
    }
}

/// What stands behind the names of an index table's functions.
pub(super) fn suffixes(design: &Design) -> Vec<String> {
    let taken = |name: &str| ["row", "cells"].contains(&name);
    let all = design.indexes.iter().map(|index| names::snake(names::without_namespace(&index.table)));
    names::unique(all, taken).into_iter().map(|name| format!("_{name}")).collect()
}

/// The codecs of the index tables, and `index_entries`.
pub(super) fn print_indexes(out: &mut String, design: &Design, names: &Names) {
    if design.indexes.is_empty() {
        return;
    }
    let suffixes = suffixes(design);
    for (place, (index, suffix)) in design.indexes.iter().zip(&suffixes).enumerate() {
        let also = crate::queries::steps(design, Some(place));
        let encoder = Encoder { also, ..Encoder::new(&index.codec, names, suffix) };
        let table = one_line(&index.table);
        let key = one_line(&index.codec.notation);
        encoder
            .print(out, &format!("The key of a record's entry in the index table {table}.\n\n        {key}"));
        let about = format!("What the key of an entry of {table} says of its row.");
        encoder.print_decode(out, &format!("{about}\n\n    `encode` of it is the key of the row."));
    }
    out.push_str("\n\ndef index_entries(record: Record, time: int) -> List[IndexEntry]:\n");
    let doc = long_docstring(
        "The entries of a record in its index tables, written at a time in milliseconds.",
        &[
            "Put each with `time` as its timestamp, then the row, then delete the entries that",
            "the row had before under other keys: `index_entries` of the old record. In this",
            "order a reader never misses a row; an entry whose row has moved does not count.",
        ],
    );
    out.push_str(&format!("    {doc}\n    cells = encode_cells(record)\n    entries = []\n"));
    let written = match design.cell_time {
        Some(id) => {
            out.push_str(&format!("    cell_time = {}\n", cell_time(design, names, id, "time")));
            "cell_time"
        }
        None => "time",
    };
    let family = design.families.first().map_or("", String::as_str);
    let mark = bytes(format!("{family}:{}", ColumnDesign::EMPTY_ROW).as_bytes());
    for (index, suffix) in design.indexes.iter().zip(&suffixes) {
        let columns = tuple(index.columns.iter().map(column_name).collect());
        let arguments = [
            text(&index.table),
            call(&format!("encode{suffix}"), [atom("record")]),
            mark.clone(),
            atom("cells"),
            columns,
            atom("time"),
            atom(written),
        ];
        statement(out, 4, "entries.append", &call("", [call("_entry", arguments)]), "");
    }
    out.push_str("    return entries\n");
}

/// The time of a row's cells; `otherwise` that of a record without.
pub(super) fn cell_time(design: &Design, names: &Names, id: FieldId, otherwise: &str) -> String {
    let name = names.of_record(id);
    match design.fields().get(id.0).is_some_and(is_required) {
        true => name,
        false => format!("{otherwise} if {name} is None else {name}"),
    }
}

/// `(a,)` or `(a, b)`
pub(super) fn tuple(inner: Vec<Py>) -> Py {
    match inner.as_slice() {
        [] => atom("()"),
        [one] => atom(format!("({},)", one.flat())),
        _ => Py::Brackets { open: "(".to_owned(), inner, close: ')' },
    }
}
