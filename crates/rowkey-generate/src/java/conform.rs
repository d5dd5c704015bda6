//! The program that answers the conformance kit for a key.

use rowkey_core::lowered::Codec;
use rowkey_core::query::Parameter;

use super::codec::CodecPrinter;
use super::lines::{Lines, string};
use super::names::{Holds, JavaField, Names};
use super::{origin, queries, runtime};
use crate::{Design, File};

/// What reads and writes JSON, and the loop.
const FIXED: &str = include_str!("conform.java");

/// The program and a class for each table.
pub(super) fn files(designs: &[&Design]) -> Vec<File> {
    let mut files: Vec<File> = designs.iter().map(|design| table_file(design)).collect();
    let mut body = Lines::at(2);
    body.doc("Answers a request, which is a line of JSON.");
    body.open("public static String answer(String line) {");
    body.line("Map<?, ?> request = (Map<?, ?>) new Json(line).value();");
    body.line("String id = \"{\\\"id\\\":\" + request.get(\"id\");");
    body.line("Object table = request.get(\"table\");");
    for design in designs {
        let names = Names::of(design);
        let tables = std::iter::once(&design.table).chain(design.indexes.iter().map(|index| &index.table));
        let mut tests: Vec<String> = tables.map(|table| format!("{}.equals(table)", string(table))).collect();
        if designs.len() == 1 {
            tests.insert(0, "table == null".to_owned());
        }
        body.open(format!("if ({}) {{", tests.join(" || ")));
        body.line(format!("return {}Conform.answer((String) table, id, request);", names.stem));
        body.close("}");
    }
    body.line("return id + \",\\\"error\\\":\\\"unknown_table\\\"}\";");
    body.close("}");
    body.blank();
    let text = format!("{}{FIXED}", body.into_text());
    let top = designs.first().map(|design| origin(design)).unwrap_or_default();
    let imports = runtime::imports(&text, &IO);
    let text = format!(
        "{top}{imports}\n/** Answers the conformance kit of rowkey. */\npublic final class Conform {{\n  private \
         Conform() \
         {{}}\n\n{text}}}\n"
    );
    files.push(File { name: "Conform.java".to_owned(), text });
    files
}

/// Classes of the program that keys do not need.
const IO: [(&str, &str); 5] = [
    ("BufferedReader", "java.io"),
    ("IOException", "java.io"),
    ("InputStreamReader", "java.io"),
    ("PrintStream", "java.io"),
    ("LinkedHashMap", "java.util"),
];

/// The class that answers for a table.
fn table_file(design: &Design) -> File {
    let names = &Names::of(design);
    let key = &names.class;
    let mut body = Lines::at(2);
    body.line(format!("private {}Conform() {{}}", names.stem));
    body.blank();
    body.open("static String answer(String table, String id, Map<?, ?> request) {");
    body.open("try {");
    body.open(format!("if (table == null || table.equals({key}.TABLE)) {{"));
    operations(&design.codec, key, names, &mut body);
    ranges(design, names, &mut body);
    body.close("}");
    for (index, class) in design.indexes.iter().zip(&names.indexes) {
        body.open(format!("if ({key}.{class}.TABLE.equals(table)) {{"));
        operations(&index.codec, &format!("{key}.{class}"), names, &mut body);
        body.close("}");
    }
    body.line("return id + \",\\\"error\\\":\\\"unknown_operation\\\"}\";");
    body.between(format!("}} catch ({key}.KeyException refused) {{"));
    body.line("String where = \"\\\"at\\\":\" + Conform.quoted(refused.where());");
    body.line("return id + \",\\\"error\\\":\" + Conform.quoted(refused.kind()) + \",\" + where + \"}\";");
    body.between("} catch (Conform.Refused refused) {");
    body.line("return id + \",\\\"error\\\":\" + Conform.quoted(refused.getMessage()) + \"}\";");
    body.between("} catch (RuntimeException mistake) {");
    body.line("return id + \",\\\"error\\\":\" + Conform.quoted(mistake.toString()) + \"}\";");
    body.close("}");
    body.close("}");
    body.blank();
    read_record(design, names, &mut body);
    let text = body.into_text();
    let (top, imports) = (origin(design), runtime::imports(&text, &[]));
    let stem = &names.stem;
    File {
        name: format!("{stem}Conform.java"),
        text: format!(
            "{top}{imports}\n/** Answers the conformance kit for {{@link {key}}}. */\nfinal class {stem}Conform \
             {{\n{text}}}\n"
        ),
    }
}

fn operations(codec: &Codec, class: &str, names: &Names, lines: &mut Lines) {
    let is_random = CodecPrinter::new(names, codec, 2).is_random();
    lines.open("if (request.get(\"op\").equals(\"encode\")) {");
    let draws = if is_random { ", Conform.draws((List<?>) request.get(\"draws\"))" } else { "" };
    let record = "record((Map<?, ?>) request.get(\"record\"))";
    lines.line(format!("byte[] key = {class}.encode({record}{draws});"));
    lines.line("return id + \",\\\"key\\\":\" + Conform.quoted(Conform.hex(key)) + \"}\";");
    lines.close("}");
    lines.open("if (request.get(\"op\").equals(\"decode\")) {");
    lines.line("StringBuilder fields = new StringBuilder();");
    lines.line(format!(
        "{}.Record record = {class}.decode(Conform.bytes((String) request.get(\"key\")));",
        names.class
    ));
    for (field, java) in codec.fields.iter().zip(names.fields()) {
        if field.comes_back {
            let shown = shown(java);
            let shown = if java.nullable || java.is_reference() {
                format!("record.{} == null ? null : {shown}", java.java)
            } else {
                shown
            };
            lines.line(format!("Conform.field(fields, {}, {shown});", string(&field.name)));
        }
    }
    lines.line("return id + \",\\\"record\\\":{\" + fields + \"}}\";");
    lines.close("}");
}

/// A value as the kit writes it.
fn shown(field: &JavaField) -> String {
    let java = format!("record.{}", field.java);
    match field.holds {
        Holds::Long => format!("Long.toString({java})"),
        Holds::Unsigned => format!("Long.toUnsignedString({java})"),
        Holds::Float | Holds::Double => format!("Conform.number(String.valueOf({java}))"),
        Holds::Boolean => format!("String.valueOf({java})"),
        Holds::BigInteger => format!("{java}.toString()"),
        Holds::BigDecimal => format!("{java}.toPlainString()"),
        Holds::Text => java,
        Holds::Bytes | Holds::Octets(_) => format!("Conform.hex({java})"),
        Holds::Uuid => format!("{java}.toString().replace(\"-\", \"\")"),
    }
}

/// The value that a text of the kit stands for.
fn read(field: &JavaField, text: &str) -> String {
    match field.holds {
        Holds::Long => format!("Long.parseLong({text})"),
        Holds::Unsigned => format!("Long.parseUnsignedLong({text})"),
        Holds::BigInteger => format!("new BigInteger({text})"),
        Holds::BigDecimal => format!("new BigDecimal({text})"),
        Holds::Float => format!("Float.parseFloat(Conform.javaNumber({text}))"),
        Holds::Double => format!("Double.parseDouble(Conform.javaNumber({text}))"),
        Holds::Boolean => format!("Boolean.parseBoolean({text})"),
        Holds::Text => text.to_owned(),
        Holds::Bytes | Holds::Octets(_) => format!("Conform.bytes({text})"),
        Holds::Uuid => format!("Conform.uuid({text})"),
    }
}

/// What answers a request for the ranges of a query.
fn ranges(design: &Design, names: &Names, lines: &mut Lines) {
    let key = &names.class;
    let methods = queries::methods(design);
    let can = |query: &crate::QueryDesign| {
        query.template.as_ref().is_ok_and(|template| queries::refusal(template, names).is_none())
    };
    let all: Vec<_> = design.queries.iter().zip(methods).filter(|(query, _)| can(query)).collect();
    if all.is_empty() {
        return;
    }
    lines.open("if (request.get(\"op\").equals(\"ranges\")) {");
    lines.line("List<?> given = (List<?>) request.get(\"parameters\");");
    lines.line(format!("{key}.Ranges ranges = null;"));
    for (query, method) in all {
        let Ok(template) = &query.template else { continue };
        let arguments = template.parameters.iter().enumerate().map(|(place, parameter)| {
            let text = format!("(String) given.get({place})");
            match (parameter.role, parameter.field()) {
                (Parameter::Pattern(_), _) => text,
                (_, Some(field)) => read(names.field(field), &text),
                (_, None) => format!("Integer.parseInt({text})"),
            }
        });
        let arguments: Vec<String> = arguments.collect();
        lines.open(format!("if (request.get(\"query\").equals({})) {{", string(&query.name)));
        lines.line(format!("ranges = {key}.{method}({});", arguments.join(", ")));
        lines.close("}");
    }
    lines.line("StringBuilder all = new StringBuilder();");
    lines.open(format!("for ({key}.Group group : ranges.groups()) {{"));
    lines.open(format!("for ({key}.Range range : group.ranges()) {{"));
    lines.line("String start = Conform.quoted(Conform.hex(range.start()));");
    lines.line("String stop = Conform.quoted(Conform.hex(range.stop()));");
    lines.line("all.append(all.length() > 0 ? \",[\" : \"[\").append(start);");
    lines.line("all.append(',').append(stop).append(']');");
    lines.close("}");
    lines.close("}");
    lines
        .line("return id + \",\\\"ranges\\\":[\" + all + \"],\\\"reverse\\\":\" + ranges.reverse() + \"}\";");
    lines.close("}");
}

/// The method that makes a record of a JSON object.
fn read_record(design: &Design, names: &Names, lines: &mut Lines) {
    let key = &names.class;
    lines.open(format!("private static {key}.Record record(Map<?, ?> values) {{"));
    lines.line(format!("{key}.Record record = new {key}.Record();"));
    for field in names.fields() {
        let name = string(&field.name);
        let text = format!("Conform.text(values, {name})");
        let read = read(field, &text);
        lines.open(format!("if (values.get({name}) != null) {{"));
        if matches!(field.holds, Holds::Long | Holds::Unsigned) {
            lines.open("try {");
            lines.line(format!("record.{} = {read};", field.java));
            lines.between("} catch (NumberFormatException tooLarge) {");
            lines.line("throw new Conform.Refused(\"out_of_range\");");
            lines.close("}");
        } else {
            lines.line(format!("record.{} = {read};", field.java));
        }
        let named = design.codec.fields.iter().any(|known| known.name == field.name && known.in_key);
        if named && !field.nullable && !field.is_reference() {
            lines.between("} else {");
            lines.line("throw new Conform.Refused(\"null\");");
        }
        lines.close("}");
    }
    lines.line("return record;");
    lines.close("}");
}
