//! Java, for source level 8: so that Scala, Kotlin and old programs can use it too.
//!
//! A table gives `OrdersKey.java`, which needs nothing but Java, `OrdersTable.java` for `hbase-client` 2, and
//! `OrdersKeyTest.java`. The runtime is a set of members of the first ([`runtime`]); each key takes what it needs.

mod codec;
mod conform;
mod decode;
mod encode;
mod lines;
mod names;
mod number;
mod queries;
mod record;
mod runtime;
mod table;
mod test;

use rowkey_core::lowered::Codec;

use self::codec::CodecPrinter;
use self::lines::{Lines, comment, string};
use self::names::Names;
use crate::{Bucket, Design, File, Language, QueryDesign, case_tables};

/// Java.
pub(crate) struct Java;

impl Language for Java {
    fn name(&self) -> &'static str {
        "java"
    }

    fn files(&self, design: &Design) -> Result<Vec<File>, String> {
        let names = Names::of(design);
        let file = |class: &str, text| File { name: format!("{class}.java"), text };
        Ok(vec![
            file(&names.class, key_class(design, &names)),
            file(&format!("{}Table", names.stem), table::table_class(design, &names)),
            file(&format!("{}Test", names.class), test::test_class(design, &names)),
        ])
    }

    fn query_refusal(&self, design: &Design, query: &QueryDesign) -> Option<String> {
        match &query.template {
            Ok(template) => queries::refusal(template, &Names::of(design)),
            Err(why) => Some(why.clone()),
        }
    }

    fn conform(&self, designs: &[&Design]) -> Result<Vec<File>, String> {
        Ok(conform::files(designs))
    }
}

/// The line at the top of every file.
fn origin(design: &Design) -> String {
    // Java reads \u even in comments.
    format!("// {}\n\n", design.origin.line().replace('\\', "/"))
}

fn key_class(design: &Design, names: &Names) -> String {
    let mut body = Lines::at(2);
    body.doc("The longest row key that HBase takes.");
    body.line("public static final int MAX_KEY_LENGTH = 32767;");
    body.blank();
    constants(&design.table, &design.codec, design.bucket.as_ref(), &mut body);
    let mut printer = CodecPrinter::new(names, &design.codec, 2);
    printer.also.extend(crate::queries::steps(design, None));
    let methods = printer.methods(2);
    let constants = printer.constants;
    let mut rest = Lines::at(2);
    rest.lines(&methods);
    rest.blank();
    rest.lines(&record::column_methods(design, names));
    rest.blank();
    keys("splitPoints", "Returns the keys at which a new table is cut.", &design.splits, &mut rest);
    if let Some(bucket) = &design.bucket {
        rest.blank();
        buckets(bucket, &mut rest);
    }
    if !design.queries.is_empty() {
        rest.blank();
        rest.lines(&queries::query_methods(design, names));
    }
    rest.blank();
    fingerprint_method(&mut rest);
    let entries = record::entries_method(design, names);
    if !entries.is_empty() {
        rest.blank();
        rest.lines(&entries);
    }
    rest.blank();
    rest.lines(&record::record_class(design, names));
    for (place, (index, class)) in design.indexes.iter().zip(&names.indexes).enumerate() {
        rest.blank();
        let also = crate::queries::steps(design, Some(place));
        rest.lines(&index_class(design, (index, class), names, also));
    }
    let mut code = body.into_text();
    if !constants.is_empty() {
        code.push_str(&constants.into_text());
        code.push('\n');
    }
    code.push_str(&format!("  private {}() {{}}\n\n", names.class));
    code.push_str(&rest.into_text());
    let wanted = format!("{code} Merge Cell Range");
    let members = runtime::members(&wanted, &case_members(&wanted));
    let text = format!("{code}\n{members}\n");
    let mut out = origin(design);
    out.push_str(&runtime::imports(&text, &[]));
    out.push('\n');
    out.push_str(&class_doc(design));
    out.push_str(&format!("public final class {} {{\n", names.class));
    out.push_str(&text);
    out.push_str("}\n");
    out
}

fn class_doc(design: &Design) -> String {
    let mut lines = Lines::at(0);
    lines.doc(&format!(
        "Row keys of the table {{@code {}}}: from records to keys and back, as rowkey writes and reads \
         them.\n\n<p>All methods are \
         without state and safe for any number of threads. A value that the key cannot hold, and a key that is not \
         of this schema, is \
         refused with a {{@link KeyException}}.",
        comment(&design.table)
    ));
    lines.into_text()
}

/// What a key is called.
fn constants(table: &str, codec: &Codec, bucket: Option<&Bucket>, lines: &mut Lines) {
    lines.doc("The name of the table.");
    lines.line(format!("public static final String TABLE = {};", string(table)));
    lines.blank();
    lines.doc("The key in rowkey's notation.");
    lines.line(format!("public static final String NOTATION = {};", string(&codec.notation)));
    lines.blank();
    lines.doc("The name of the order of the keys, which rowkey keeps with a table.");
    lines.line(format!("public static final String FINGERPRINT = {};", string(&codec.fingerprint)));
    lines.blank();
    if let Some(bucket) = bucket {
        let width = bucket.before.len() + bucket.buckets.first().map_or(0, Vec::len);
        lines.doc("The bytes of a key that are its bucket, and those before it: what {@link Merge} skips.");
        lines.line(format!("public static final int BUCKET_WIDTH = {width};"));
        lines.blank();
    }
}

fn keys(name: &str, doc: &str, keys: &[Vec<u8>], lines: &mut Lines) {
    lines.doc(doc);
    lines.open(format!("public static List<byte[]> {name}() {{"));
    let hex = keys.iter().map(|key| key.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let mut rows = vec![String::new()];
    for key in hex {
        let row = rows.last_mut().expect("there is a row");
        let blank = if row.is_empty() { "" } else { " " };
        if row.len() + key.len() > 76 && !row.is_empty() {
            row.push(' ');
            rows.push(key);
        } else {
            row.push_str(blank);
            row.push_str(&key);
        }
    }
    match rows.as_slice() {
        [one] => lines.line(format!("return keysOfHex(\"{one}\");")),
        [first, middle @ .., last] => {
            lines.line("return keysOfHex(");
            lines.line(format!("    \"{first}\""));
            for row in middle {
                lines.line(format!("        + \"{row}\""));
            }
            lines.line(format!("        + \"{last}\");"));
        }
        [] => {}
    }
    lines.close("}");
}

fn buckets(bucket: &Bucket, lines: &mut Lines) {
    let prefixes: Vec<Vec<u8>> =
        bucket.buckets.iter().map(|own| [bucket.before.as_slice(), own].concat()).collect();
    let doc = "Returns the first bytes of the keys of every bucket: an ordered read asks each of them.";
    keys("buckets", doc, &prefixes, lines);
    lines.blank();
    lines.doc(
        "Returns a range in every bucket.\n\n\
         @param start the first bytes behind the bucket\n\
         @param stop those that are the first not to be read; empty for all keys of the bucket",
    );
    lines.open("public static List<Range> fanOut(byte[] start, byte[] stop) {");
    lines.line("List<Range> ranges = new ArrayList<>();");
    lines.open("for (byte[] bucket : buckets()) {");
    lines.line("byte[] end = stop.length == 0 ? prefixEnd(bucket) : joined(bucket, stop);");
    lines.line("ranges.add(new Range(joined(bucket, start), end));");
    lines.close("}");
    lines.line("return ranges;");
    lines.close("}");
}

fn fingerprint_method(lines: &mut Lines) {
    lines.doc(
        "Refuses a live table whose keys are of another order.\n\n@param live the attribute {@code \
         ROWKEY_FINGERPRINT} of the table; \
         null if it has none, because another program made it",
    );
    lines.open("public static void checkFingerprint(String live) {");
    lines.open("if (live != null && !live.equals(FINGERPRINT)) {");
    lines.line("String problem = \"the table's keys are of the order \" + live + \", not \" + FINGERPRINT;");
    lines.line("throw refuse(\"other_fingerprint\", TABLE, problem + \": generate this code again\");");
    lines.close("}");
    lines.close("}");
}

fn index_class(
    design: &Design,
    (index, class): (&crate::IndexDesign, &str),
    names: &Names,
    also: Vec<usize>,
) -> Lines {
    let mut lines = Lines::at(2);
    lines.doc(&format!("The index table {{@code {}}}.", comment(&index.table)));
    lines.open(format!("public static final class {class} {{"));
    let mut body = Lines::at(4);
    constants(&index.table, &index.codec, index.bucket.as_ref(), &mut body);
    let mut printer = CodecPrinter::new(names, &index.codec, 4);
    printer.also.extend(also);
    let methods = printer.methods(4);
    lines.lines(&body);
    lines.lines(&printer.constants);
    if !printer.constants.is_empty() {
        lines.blank();
    }
    lines.line(format!("private {class}() {{}}"));
    lines.blank();
    lines.lines(&methods);
    lines.blank();
    lines.lines(&record::entry_method(design, index, names));
    lines.blank();
    let mut more = Lines::at(4);
    keys("splitPoints", "Returns the keys at which a new index table is cut.", &index.splits, &mut more);
    if let Some(bucket) = &index.bucket {
        more.blank();
        buckets(bucket, &mut more);
    }
    lines.lines(&more);
    lines.close("}");
    lines
}

/// Members with Unicode's tables, for keys that change the case of text that may be more than ASCII.
fn case_members(code: &str) -> Vec<(&'static str, String)> {
    if !["upper(", "lower(", "lowerEach("].iter().any(|call| code.contains(call)) {
        return Vec::new();
    }
    let table = |name: &str, table: &case_tables::CaseTable| {
        let runs = table.runs.iter().map(|run| {
            let delta = if run.delta < 0 { format!("-{:x}", -run.delta) } else { format!("{:x}", run.delta) };
            format!("{:x} {:x} {:x} {delta}", run.first, run.last, run.step)
        });
        let several = table.several.iter().map(|(from, to)| {
            let to: Vec<String> = to.chars().map(|to| format!("{:x}", u32::from(to))).collect();
            format!("{:x}={}", u32::from(*from), to.join("+"))
        });
        let mut lines = Lines::at(2);
        lines.doc(&format!("{name} case of Unicode, as rowkey has it."));
        let runs = words(&runs.collect::<Vec<_>>().join(" "));
        let several = words(&several.collect::<Vec<_>>().join(" "));
        let constant = name.to_uppercase();
        format!(
            "{}  private static final CaseTable {constant} =\n      new CaseTable({runs}, {several});\n",
            lines.into_text()
        )
    };
    let set = |name: &str, doc: &str, ranges: &case_tables::Ranges| {
        let all: Vec<String> = ranges.iter().map(|(first, last)| format!("{first:x} {last:x}")).collect();
        format!(
            "  /** {doc} */\n  private static final int[] {name} =\n      points({});\n",
            words(&all.join(" "))
        )
    };
    vec![
        ("UPPER", table("Upper", case_tables::upper())),
        ("LOWER", table("Lower", case_tables::lower())),
        (
            "CASED",
            set("CASED", "Letters that a sigma at the end of a word stands behind.", case_tables::cased()),
        ),
        (
            "IGNORED",
            set("IGNORED", "What is skipped when it is asked whether a word ends.", case_tables::ignored()),
        ),
    ]
}

/// A long text of words as one expression.
fn words(text: &str) -> String {
    let mut rows = vec![String::new()];
    for word in text.split(' ') {
        let row = rows.last_mut().expect("there is a row");
        if row.len() + word.len() > 74 {
            row.push(' ');
            rows.push(word.to_owned());
        } else {
            let blank = if row.is_empty() { "" } else { " " };
            row.push_str(blank);
            row.push_str(word);
        }
    }
    let rows: Vec<String> = rows.iter().map(|row| string(row)).collect();
    format!("\n          {}", rows.join("\n              + "))
}
