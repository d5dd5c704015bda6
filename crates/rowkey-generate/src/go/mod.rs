//! Go 1.21 without dependencies: one package a table.
//!
//! | file | what |
//! | --- | --- |
//! | `key.go` | `Record`, its keys, columns, index entries and queries, and as much of `runtime/` as they need |
//! | `hbase.go` | the same for gohbase; it is compiled with the build tag `gohbase` |
//! | `key_test.go` | vectors of the core |
//! | `conform.go` | answers of the conformance kit |
//!
//! [`encode`] and [`decode`] print the functions of a key, [`columns`] those of cells and entries; [`library`]
//! finds what they need.

mod code;
mod columns;
mod conform;
mod decode;
mod encode;
mod fields;
mod hbase;
mod library;
mod naming;
mod queries;
mod vectors;

use self::code::{Code, quote};
use self::encode::Key;
use self::fields::GoField;
use crate::{Bucket, Design, File, Language, QueryDesign, case_tables};

/// Go.
pub(crate) struct Go;

impl Language for Go {
    fn name(&self) -> &'static str {
        "go"
    }

    fn files(&self, design: &Design) -> Result<Vec<File>, String> {
        let package = Package::of(design);
        Ok(vec![package.key_file(), package.hbase_file(), package.test_file()])
    }

    fn query_refusal(&self, design: &Design, query: &QueryDesign) -> Option<String> {
        Package::of(design).query_refusal(query)
    }

    fn conform(&self, designs: &[&Design]) -> Result<Vec<File>, String> {
        let packages: Vec<Package<'_>> = designs.iter().map(|design| Package::of(design)).collect();
        Ok(conform::files(&packages))
    }
}

/// A table's package.
struct Package<'d> {
    design: &'d Design,
    name: String,
    fields: Vec<GoField>,
    /// The names of the index tables in those of functions.
    indexes: Vec<String>,
}

impl<'d> Package<'d> {
    fn of(design: &'d Design) -> Self {
        let own = |name: &str| name == "Key" || name == "Columns" || name == "AppendKey";
        let names = design
            .indexes
            .iter()
            .map(|index| naming::exported(crate::names::without_namespace(&index.table)));
        let indexes = crate::names::unique(names, own);
        let mut taken: Vec<String> = ["Columns", "SetColumn", "IndexEntries"].map(str::to_owned).to_vec();
        for name in indexes.iter().map(String::as_str).chain([""]) {
            taken.extend([format!("{name}Key"), format!("Append{name}Key"), format!("Decode{name}Key")]);
        }
        Self { design, name: naming::package(&design.table), fields: fields::fields(design, &taken), indexes }
    }

    fn key(&self) -> Key<'_> {
        Key { codec: &self.design.codec, fields: &self.fields, name: String::new() }
    }

    /// The line that says where a file comes from, what is said of the file, and its package.
    fn head(&self, what: &str) -> String {
        format!("// {}\n\n{what}package {}\n\n", self.design.origin.line(), self.name)
    }

    fn key_file(&self) -> File {
        let mut what = Code::default();
        what.comment(&format!(
            "Package {} has the records of the table {}, and their row keys:\n\n\t{}\n\nThe bytes are those of \
             rowkey, which checks \
             tables, plans queries and reads and writes them by the same file.",
            self.name, self.design.table, self.design.codec.notation
        ));
        let mut parts = vec![
            self.constants(),
            self.record(),
            self.key().encode(&self.also(&self.key())),
            self.key().decode(),
        ];
        for (index, name) in self.design.indexes.iter().zip(&self.indexes) {
            let key = Key { codec: &index.codec, fields: &self.fields, name: name.clone() };
            parts.extend([key.encode(&self.also(&key)), key.decode()]);
        }
        parts.push(columns::columns(self.design, &self.fields));
        if !self.design.indexes.is_empty() {
            parts.push(columns::entries(self.design, &self.fields, &self.indexes));
            parts.push(columns::index_tables(&self.design.indexes));
        }
        if !self.design.queries.is_empty() {
            parts.push(self.queries());
        }
        let own = parts.iter().map(|part| part.trim_end()).collect::<Vec<_>>().join("\n\n");
        // What a program and `hbase.go` use, and the code above does not.
        let called =
            if self.has_merge() { "Range; CheckFingerprint(Merge(" } else { "Range; CheckFingerprint(" };
        let needed = library::needed_by(&format!("{own}\n{called}"), &[case_text()]);
        let body = format!("{own}\n\n{needed}\n");
        let text = format!("{}{}{body}", self.head(&what.text()), library::imports(&body));
        File { name: format!("{}/key.go", self.name), text }
    }

    /// The steps that need a method though they are no more than a field: what decoding computes again, and queries.
    fn also(&self, key: &Key<'_>) -> Vec<usize> {
        let index = self.indexes.iter().position(|name| *name == key.name);
        let mut also = key.codec.checked.clone();
        also.extend(crate::queries::steps(self.design, index));
        also
    }

    fn has_merge(&self) -> bool {
        self.design.bucket.is_some() || self.design.indexes.iter().any(|index| index.bucket.is_some())
    }

    fn constants(&self) -> String {
        let mut code = Code::default();
        code.line("// TableName is the name of the table.");
        code.line(format!("const TableName = {}", quote(&self.design.table)));
        code.line("");
        code.comment(
            "Fingerprint names the order of the table's keys. A table that rowkey made has it in its attribute \
             ROWKEY_FINGERPRINT; see \
             CheckFingerprint.",
        );
        code.line(format!("const Fingerprint = {}", quote(&self.design.codec.fingerprint)));
        let buckets = [("", &self.design.bucket)]
            .into_iter()
            .map(|(name, bucket)| (name.to_owned(), bucket))
            .chain(self.indexes.iter().cloned().zip(self.design.indexes.iter().map(|index| &index.bucket)));
        for (name, bucket) in buckets {
            let Some(bucket) = bucket else { continue };
            let end = bucket.before.len() + bucket.buckets.first().map_or(0, Vec::len);
            code.line("");
            code.comment(&format!(
                "{name}BucketEnd is where the bucket ends that keys{} begin with: what is behind it sorts in \
                 all {} buckets alike.",
                if name.is_empty() { String::new() } else { format!(" of {name}") },
                bucket.buckets.len()
            ));
            code.line(format!("const {name}BucketEnd = {end}"));
            code.line("");
            code.comment(&format!("{name}Buckets is the first bytes of the keys of every bucket."));
            code.open(format!("func {name}Buckets() [][]byte {{"));
            buckets_of(bucket, &mut code);
            code.close("}");
            code.line("");
            code.comment(&format!(
                "{name}FanOut is a range in every bucket: from the first bytes behind the bucket up to but not including others. Without a \
                 stop it is all that follows in each. Their scans, merged (see Merge), are one ordered read."
            ));
            code.open(format!("func {name}FanOut(start, stop []byte) []Range {{"));
            code.line(format!("return fanOut({name}Buckets(), start, stop)"));
            code.close("}");
        }
        code.line("");
        code.line("// SplitPoints is the keys at which a new table is cut into regions.");
        code.open("func SplitPoints() [][]byte {");
        if self.design.splits.is_empty() {
            code.line("return nil");
        } else {
            code.open("return [][]byte{");
            for split in &self.design.splits {
                code.line(format!("{},", columns::bytes(split)));
            }
            code.close("}");
        }
        code.close("}");
        code.text()
    }

    fn record(&self) -> String {
        let mut code = Code::default();
        code.line(format!("// Record is a record of the table {}.", self.design.table));
        code.open("type Record struct {");
        for (place, field) in self.fields.iter().enumerate() {
            if place > 0 {
                code.line("");
            }
            code.comment(&field.comment());
            code.line(format!("{} {}", field.name, field.type_name()));
        }
        code.close("}");
        code.text()
    }
}

/// What gives the buckets. Most are numbers that count up.
fn buckets_of(bucket: &Bucket, code: &mut Code) {
    let whole = |own: &Vec<u8>| [bucket.before.as_slice(), own].concat();
    match bucket.counted_width() {
        Some(width) if bucket.buckets.len() > 4 => {
            let before = bucket.before.iter().map(|byte| format!("0x{byte:02x}"));
            let number = (0..width).rev().map(|place| match place {
                0 => "byte(i)".to_owned(),
                _ => format!("byte(i >> {})", 8 * place),
            });
            let all: Vec<String> = before.chain(number).collect();
            code.line(format!("buckets := make([][]byte, {})", bucket.buckets.len()));
            code.open("for i := range buckets {");
            code.line(format!("buckets[i] = []byte{{{}}}", all.join(", ")));
            code.close("}");
            code.line("return buckets");
        }
        _ => {
            code.open("return [][]byte{");
            for own in &bucket.buckets {
                code.line(format!("{},", columns::bytes(&whole(own))));
            }
            code.close("}");
        }
    }
}

/// The tables of upper and lower case, as the core has them.
fn case_text() -> String {
    let mut code = Code::default();
    code.line("package runtime");
    let tables = [("upper", case_tables::upper()), ("lower", case_tables::lower())];
    for (name, table) in tables {
        code.line("");
        code.line(format!("// {name}Ranges is the characters that become one character in {name} case."));
        code.open(format!("var {name}Ranges = []caseRange{{"));
        for runs in table.runs.chunks(6) {
            let runs: Vec<String> = runs
                .iter()
                .map(|run| format!("{{{}, {}, {}, {}}}", run.first, run.last, run.step, run.delta))
                .collect();
            code.line(format!("{},", runs.join(", ")));
        }
        code.close("}");
        code.line("");
        code.line(format!("// {name}Special is the characters that become several."));
        code.open(format!("var {name}Special = map[rune]string{{"));
        for (from, to) in &table.several {
            // Of one width, so that gofmt has nothing to align.
            let escaped: String =
                to.chars().map(|character| format!("\\u{:04x}", u32::from(character))).collect();
            code.line(format!("0x{:04x}: \"{escaped}\",", u32::from(*from)));
        }
        code.close("}");
    }
    let sets = [
        ("cased", "letters that have a case", case_tables::cased()),
        (
            "caseIgnorable",
            "characters that are skipped when it is asked whether a sigma ends a word",
            case_tables::ignored(),
        ),
    ];
    for (name, what, ranges) in sets {
        code.line("");
        code.line(format!("// {name} is the {what}, from first to last ones."));
        code.open(format!("var {name} = [][2]rune{{"));
        for ranges in ranges.chunks(8) {
            let ranges: Vec<String> =
                ranges.iter().map(|(first, last)| format!("{{{first}, {last}}}")).collect();
            code.line(format!("{},", ranges.join(", ")));
        }
        code.close("}");
    }
    code.text()
}
