//! Columns and index entries, in Go.

use super::code::{Code, quote};
use super::fields::{GoField, GoType};
use crate::{ColumnDesign, ColumnForm, Design, IndexDesign};

/// The functions of columns.
pub(super) fn columns(design: &Design, fields: &[GoField]) -> String {
    let mut code = Code::default();
    code.comment(
        "Columns is the cells of the record, in the layout of HBase's Bytes. A null has none. A record without \
         any has an empty cell \
         named _, so that its row exists.",
    );
    code.open("func (r *Record) Columns() ([]Column, error) {");
    code.line(format!("columns := make([]Column, 0, {})", design.columns.len().max(1)));
    for column in &design.columns {
        put(&mut code, fields, column);
    }
    if let Some(family) = design.families.first() {
        code.open("if len(columns) == 0 {");
        code.line(format!(
            "columns = append(columns, Column{{{}, {}, nil}})",
            quote(family),
            quote(ColumnDesign::EMPTY_ROW)
        ));
        code.close("}");
    }
    code.line("return columns, nil");
    code.close("}");
    code.line("");
    code.comment(
        "SetColumn sets the field that a cell keeps; cells of other columns are left out. A field that the key \
         has as well must have \
         the same value there.",
    );
    code.open("func (r *Record) SetColumn(family, qualifier string, value []byte) error {");
    if !design.columns.is_empty() {
        code.open("switch family + \":\" + qualifier {");
        for column in &design.columns {
            code.other_case(&format!("case {}:", quote(&format!("{}:{}", column.family, column.qualifier))));
            set(&mut code, fields, column);
        }
        code.close("}");
    }
    code.line("return nil");
    code.close("}");
    code.text()
}

/// Appends the cell of a column.
fn put(code: &mut Code, fields: &[GoField], column: &ColumnDesign) {
    let Some(field) = fields.get(column.field.0) else { return };
    let own = format!("r.{}", field.name);
    let pointed = if field.is_pointer() { format!("*{own}") } else { own.clone() };
    let name = quote(&field.source);
    if field.may_be_nil() {
        code.open(format!("if {own} != nil {{"));
    }
    let refuse_if = |code: &mut Code, condition: &str, problem: &str| {
        code.open(format!("if {condition} {{"));
        code.line(format!("return nil, {problem}.ofField({name})"));
        code.close("}");
    };
    let refuse_by = |code: &mut Code, call: &str| {
        refuse_if(code, &format!("problem := {call}; problem != nil"), "problem");
    };
    let value = match column.form {
        ColumnForm::Integer { bytes, .. } => {
            let number = if field.ty == GoType::Big {
                refuse_if(
                    code,
                    &format!("!{own}.IsInt64()"),
                    &format!(
                        "outOfRange({own}, \"a number of 8 bytes\", \"-9223372036854775808\", \"9223372036854775807\")"
                    ),
                );
                format!("{own}.Int64()")
            } else {
                pointed
            };
            match bytes {
                1 => format!("[]byte{{byte({number})}}"),
                bytes => format!("binary.BigEndian.AppendUint{0}(nil, uint{0}({number}))", bytes * 8),
            }
        }
        ColumnForm::Float(4) => {
            refuse_by(code, &format!("checkFloat(float64({pointed}))"));
            format!("binary.BigEndian.AppendUint32(nil, math.Float32bits({pointed}))")
        }
        ColumnForm::Float(_) => format!("binary.BigEndian.AppendUint64(nil, math.Float64bits({pointed}))"),
        ColumnForm::Bool => format!("[]byte{{-boolByte({pointed})}}"),
        ColumnForm::Octets(_) => format!("append([]byte{{}}, {own}[:]...)"),
        ColumnForm::Text => {
            refuse_if(code, &format!("!utf8.ValidString({pointed})"), &format!("notUTF8({pointed})"));
            format!("[]byte({pointed})")
        }
        ColumnForm::Bytes => format!("append([]byte{{}}, {pointed}...)"),
        ColumnForm::Numeric => {
            code.line(format!("number{0}, problem{0} := parseDecimal(string({pointed}))", field.name));
            refuse_if(code, &format!("problem{} != nil", field.name), &format!("problem{}", field.name));
            format!("[]byte(number{}.String())", field.name)
        }
    };
    code.line(format!(
        "columns = append(columns, Column{{{}, {}, {value}}})",
        quote(&column.family),
        quote(&column.qualifier)
    ));
    if field.may_be_nil() {
        code.close("}");
    }
}

/// Sets the field of a column.
fn set(code: &mut Code, fields: &[GoField], column: &ColumnDesign) {
    let Some(field) = fields.get(column.field.0) else { return };
    let name = quote(&field.source);
    let width = match column.form {
        ColumnForm::Integer { bytes, .. } | ColumnForm::Float(bytes) => Some(bytes),
        ColumnForm::Bool => Some(1),
        ColumnForm::Octets(own) => Some(own.width()),
        ColumnForm::Text | ColumnForm::Bytes | ColumnForm::Numeric => None,
    };
    if let Some(width) = width {
        code.open(format!("if len(value) != {width} {{"));
        code.line(format!("return wrongCell(value, {width}, {name})"));
        code.close("}");
    }
    let read = match (column.form, field.ty) {
        (ColumnForm::Integer { .. }, GoType::Big) => {
            "big.NewInt(int64(binary.BigEndian.Uint64(value)))".to_owned()
        }
        (ColumnForm::Integer { bytes: 1, .. }, ty) => format!("{}(value[0])", ty.name()),
        (ColumnForm::Integer { bytes, .. }, ty) => {
            let word = format!("binary.BigEndian.Uint{}(value)", bytes * 8);
            if ty.name() == format!("uint{}", bytes * 8) { word } else { format!("{}({word})", ty.name()) }
        }
        (ColumnForm::Float(4), _) => "math.Float32frombits(binary.BigEndian.Uint32(value))".to_owned(),
        (ColumnForm::Float(_), _) => "math.Float64frombits(binary.BigEndian.Uint64(value))".to_owned(),
        (ColumnForm::Bool, _) => "value[0] != 0".to_owned(),
        (ColumnForm::Octets(_), ty) => format!("{}(value)", ty.name()),
        (ColumnForm::Text, _) => {
            code.open("if !utf8.Valid(value) {");
            code.line(format!("return notUTF8(string(value)).ofField({name})"));
            code.close("}");
            "string(value)".to_owned()
        }
        (ColumnForm::Bytes, _) => "append([]byte{}, value...)".to_owned(),
        (ColumnForm::Numeric, _) => {
            code.line("number, problem := parseDecimal(string(value))");
            code.open("if problem != nil {");
            code.line(format!("return problem.ofField({name})"));
            code.close("}");
            "Decimal(number.String())".to_owned()
        }
    };
    let own = format!("r.{}", field.name);
    if column.is_copy {
        code.line(format!("cell := {read}"));
        let differs = match field.ty {
            GoType::Bytes => format!("!bytes.Equal({own}, cell)"),
            GoType::Big => format!("({own} == nil || {own}.Cmp(cell) != 0)"),
            _ if field.is_pointer() => format!("({own} == nil || *{own} != cell)"),
            _ => format!("{own} != cell"),
        };
        code.open(format!("if {} {{", differs.trim_start_matches('(').trim_end_matches(')')));
        code.line(format!("return differentCopy({name})"));
        code.close("}");
    } else if field.is_pointer() {
        code.line(format!("cell := {read}"));
        code.line(format!("{own} = &cell"));
    } else {
        code.line(format!("{own} = {read}"));
    }
}

/// The functions of index entries.
pub(super) fn entries(design: &Design, fields: &[GoField], names: &[String]) -> String {
    let mut code = Code::default();
    code.comment(
        "IndexEntries is the rows that the index tables have of the record: an index key, a mark, and copies of \
         columns.\n\n\
         A program writes in this order: the entries, then the row, then it deletes the entries that the row \
         had before and has not any \
         more. A reader looks up the row of each entry, and leaves out an entry whose row is another, so that a \
         program that dies \
         between the steps leaves nothing wrong; `rowkey index verify` counts such entries, and `rowkey index \
         repair` removes them.\n\n\
         now is the time of the write, in milliseconds since 1970, and the timestamp of all cells of an entry; \
         nonce is eight random \
         bytes.",
    );
    code.open("func (r *Record) IndexEntries(now int64, nonce [8]byte) ([]Entry, error) {");
    code.line("columns, err := r.Columns()");
    code.open("if err != nil {");
    code.line("return nil, err");
    code.close("}");
    let cell_time = design.cell_time.and_then(|field| fields.get(field.0));
    code.line("time := now");
    match cell_time {
        Some(field) if field.may_be_nil() => {
            code.open(format!("if r.{} != nil {{", field.name));
            code.line(format!("time = *r.{}", field.name));
            code.close("}");
        }
        Some(field) => code.line(format!("time = r.{}", field.name)),
        None => {}
    }
    code.line(format!("entries := make([]Entry, 0, {})", design.indexes.len()));
    for (place, (index, name)) in design.indexes.iter().zip(names).enumerate() {
        let key = format!("key{}", place + 1);
        code.line(format!("{key}, err := r.{name}Key()"));
        code.open("if err != nil {");
        code.line("return nil, err");
        code.close("}");
        let family = design.families.first().map_or("", String::as_str);
        let copies: Vec<String> = index
            .columns
            .iter()
            .map(|column| quote(&format!("{}:{}", column.family, column.qualifier)))
            .collect();
        let copies = copies.iter().map(|copy| format!(", {copy}")).collect::<String>();
        code.line(format!(
            "cells{} := entryCells({}, columns, now, time, nonce{copies})",
            place + 1,
            quote(family)
        ));
        code.line(format!(
            "entries = append(entries, Entry{{{}, {key}, cells{}}})",
            quote(&index.table),
            place + 1
        ));
    }
    code.line("return entries, nil");
    code.close("}");
    code.text()
}

/// What is said of the index tables.
pub(super) fn index_tables(indexes: &[IndexDesign]) -> String {
    let mut code = Code::default();
    code.comment("IndexTables is the index tables, each with the keys at which a new one is cut.");
    code.open("func IndexTables() []IndexTable {");
    code.open("return []IndexTable{");
    for index in indexes {
        if index.splits.is_empty() {
            code.line(format!("{{{}, nil}},", quote(&index.table)));
            continue;
        }
        code.open(format!("{{{}, [][]byte{{", quote(&index.table)));
        for split in &index.splits {
            code.line(format!("{},", bytes(split)));
        }
        code.close("}},");
    }
    code.close("}");
    code.close("}");
    code.text()
}

/// Bytes in a list of `[]byte`.
pub(super) fn bytes(bytes: &[u8]) -> String {
    format!("{{{}}}", bytes.iter().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join(", "))
}
