//! The test beside a key: records, keys and refusals that the core made.

use rowkey_core::Value;
use rowkey_core::lowered::Codec;

use super::codec::CodecPrinter;
use super::lines::{Lines, long, string};
use super::names::{Holds, JavaField, Names};
use super::{origin, runtime};
use crate::Design;

/// How many checks stand in one method, which Java keeps below 64 KiB.
const CHECKS: usize = 20;

/// The class with the test.
pub(super) fn test_class(design: &Design, names: &Names) -> String {
    let printer = CodecPrinter::new(names, &design.codec, 2);
    let is_random = printer.is_random();
    let key = &names.class;
    let mut checks = Vec::new();
    for vector in &design.vectors.records {
        let record = arguments(&design.codec, names, &vector.record);
        let draws: Vec<String> = vector.draws.iter().map(u32::to_string).collect();
        let draws = if is_random { format!("draws({}), ", draws.join(", ")) } else { String::new() };
        match &vector.outcome {
            Ok((bytes, decoded)) => {
                let back = arguments(&design.codec, names, decoded);
                checks.push(format!("agrees({draws}record({record}), \"{}\", record({back}));", hex(bytes)));
            }
            Err(refusal) => {
                checks.push(format!("refuses({draws}record({record}), {});", string(refusal.word)));
            }
        }
    }
    for (bytes, refusal) in &design.vectors.bad_keys {
        checks.push(format!("refusesKey(\"{}\", {});", hex(bytes), string(refusal.word)));
    }
    let mut body = Lines::at(2);
    body.line("private static int failures;");
    body.blank();
    body.line(format!("private {key}Test() {{}}"));
    body.blank();
    body.doc("Exits with 1 if a check fails.");
    body.open("public static void main(String[] args) {");
    let groups: Vec<&[String]> = checks.chunks(CHECKS).collect();
    for number in 1..=groups.len() {
        body.line(format!("checks{number}();"));
    }
    body.line(format!("System.out.println(\"{} checks, \" + failures + \" failed\");", checks.len()));
    body.open("if (failures > 0) {");
    body.line("System.exit(1);");
    body.close("}");
    body.close("}");
    for (number, group) in groups.iter().enumerate() {
        body.blank();
        body.open(format!("private static void checks{}() {{", number + 1));
        for check in *group {
            body.line(check);
        }
        body.close("}");
    }
    body.blank();
    record_method(&printer, names, &mut body);
    let draws = if is_random { "IntUnaryOperator draws, " } else { "" };
    let drawn = if is_random { ", draws" } else { "" };
    if is_random {
        body.blank();
        body.open("private static IntUnaryOperator draws(int... drawn) {");
        body.line("int[] next = {0};");
        body.line("return count -> drawn[next[0]++];");
        body.close("}");
    }
    body.blank();
    body.open(format!(
        "private static void agrees({draws}{key}.Record record, String key, {key}.Record back) {{"
    ));
    body.open("try {");
    body.line(format!("check(key, hex({key}.encode(record{drawn})), record);"));
    body.line(format!("check(back, {key}.decode(bytes(key)), key);"));
    body.between(format!("}} catch ({key}.KeyException refused) {{"));
    body.line("check(key, refused, record);");
    body.close("}");
    body.close("}");
    body.blank();
    body.open(format!("private static void refuses({draws}{key}.Record record, String kind) {{"));
    body.open("try {");
    body.line(format!("check(kind, hex({key}.encode(record{drawn})), record);"));
    body.between(format!("}} catch ({key}.KeyException refused) {{"));
    body.line("check(kind, refused.kind(), record);");
    body.close("}");
    body.close("}");
    body.blank();
    body.open("private static void refusesKey(String key, String kind) {");
    body.open("try {");
    body.line(format!("check(kind, {key}.decode(bytes(key)), key);"));
    body.between(format!("}} catch ({key}.KeyException refused) {{"));
    body.line("check(kind, refused.kind(), key);");
    body.close("}");
    body.close("}");
    body.blank();
    body.open("private static void check(Object expected, Object found, Object of) {");
    body.open("if (!expected.equals(found)) {");
    body.line("failures++;");
    body.line("System.out.println(of + \": expected \" + expected + \", found \" + found);");
    body.close("}");
    body.close("}");
    body.blank();
    body.open("private static String hex(byte[] bytes) {");
    body.line("StringBuilder hex = new StringBuilder();");
    body.open("for (byte one : bytes) {");
    body.line("hex.append(String.format(\"%02x\", one));");
    body.close("}");
    body.line("return hex.toString();");
    body.close("}");
    body.blank();
    body.open("private static byte[] bytes(String hex) {");
    body.line("byte[] bytes = new byte[hex.length() / 2];");
    body.open("for (int i = 0; i < bytes.length; i++) {");
    body.line("bytes[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);");
    body.close("}");
    body.line("return bytes;");
    body.close("}");
    let body = body.into_text();
    let imports = runtime::imports(&body, &[]);
    let blank = if imports.is_empty() { "" } else { "\n" };
    format!(
        "{}{imports}{blank}/** Holds {{@link {key}}} to what rowkey itself makes of some records and keys. */\n\
         public final class {key}Test {{\n{body}}}\n",
        origin(design)
    )
}

/// The method that makes a record of the fields of the key.
fn record_method(printer: &CodecPrinter<'_>, names: &Names, lines: &mut Lines) {
    let fields: Vec<&JavaField> = printer.named().into_iter().map(|id| names.field(id)).collect();
    let parameters: Vec<String> =
        fields.iter().map(|field| format!("{} {}", field.java_type(), field.java)).collect();
    lines.open(format!("private static {}.Record record({}) {{", names.class, parameters.join(", ")));
    lines.line(format!("{0}.Record record = new {0}.Record();", names.class));
    for field in fields {
        lines.line(format!("record.{0} = {0};", field.java));
    }
    lines.line("return record;");
    lines.close("}");
}

/// The values of a record, as arguments.
fn arguments(codec: &Codec, names: &Names, record: &[Value<'static>]) -> String {
    let values = codec.fields.iter().zip(names.fields()).zip(record).filter(|((field, _), _)| field.in_key);
    values.map(|((_, field), value)| literal(field, value)).collect::<Vec<_>>().join(", ")
}

/// A value in Java.
pub(super) fn literal(field: &JavaField, value: &Value<'_>) -> String {
    match value {
        Value::Null => match field.java_type() {
            "long" => "0L".to_owned(),
            "float" => "0f".to_owned(),
            "double" => "0.0".to_owned(),
            "boolean" => "false".to_owned(),
            _ => "null".to_owned(),
        },
        Value::Int(number) => match field.holds {
            Holds::BigInteger => format!("new BigInteger(\"{number}\")"),
            _ => long(i128::from(*number as i64)),
        },
        Value::Time(millis) => long((*millis).into()),
        Value::Float(number) => double(*number, "Double", ""),
        Value::Float32(number) if field.holds == Holds::Double => double((*number).into(), "Double", ""),
        Value::Float32(number) => {
            if number.is_finite() {
                format!("{number:?}f")
            } else {
                double((*number).into(), "Float", "f")
            }
        }
        Value::Numeric(number) => {
            format!("new BigDecimal(\"{}e{}\")", number.coefficient(), number.exponent())
        }
        Value::Text(text) => string(text),
        Value::Bytes(bytes) => format!("bytes(\"{}\")", hex(bytes)),
        Value::Octets(octets) => match field.holds {
            Holds::Uuid => format!("UUID.fromString(\"{octets}\")"),
            _ => format!("bytes(\"{}\")", hex(octets.as_bytes())),
        },
        Value::Bool(value) => value.to_string(),
    }
}

fn double(number: f64, class: &str, suffix: &str) -> String {
    if number.is_nan() {
        format!("{class}.NaN")
    } else if number.is_infinite() {
        let sign = if number > 0.0 { "POSITIVE" } else { "NEGATIVE" };
        format!("{class}.{sign}_INFINITY")
    } else {
        format!("{number:?}{suffix}")
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
