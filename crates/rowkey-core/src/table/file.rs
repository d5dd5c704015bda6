//! From the text of a table file to a [`Table`].

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::section::{self, Section, Spanned};
use super::{Index, Splits, Table, columns, family, index, leading_bucket};
use crate::escape::unescape;
use crate::finding::{Finding, Findings, Problem};
use crate::key::{Field, FieldId, Fields, KeySchema};
use crate::span::{Span, nearest};
use crate::split::{ALGORITHMS, Algorithm, MAX_REGIONS};
use crate::types::{Kind, Type, TypeError};

impl Table {
    /// Reads a table file; `origin` is its name in messages.
    ///
    /// # Errors
    /// All findings about the file.
    pub fn parse(origin: &str, source: &str) -> Result<Self, Findings> {
        let findings: RefCell<Vec<Finding>> = RefCell::default();
        let root = section::parse(source, &findings);
        let table = if findings.borrow().is_empty() {
            let start_of_file = Span::new(0, source.find('\n').unwrap_or(source.len()));
            read(source, &Section::new(root.get_ref(), "the file", start_of_file, &findings))
        } else {
            None
        };
        let findings = findings.into_inner();
        match table {
            Some(table) if findings.is_empty() => Ok(table),
            _ => Err(Findings::new(origin, source, findings)),
        }
    }
}

/// `None` only after a finding.
fn read(source: &str, root: &Section<'_>) -> Option<Table> {
    let fields = read_fields(root);
    let table = root.section("table", "[table]");
    if table.is_none() {
        root.find(root.span, Problem::MissingKey { key: "[table]", section: root.name.clone() });
    }
    let name = table.as_ref().and_then(|table| table.required_string("name"));
    let key = table.as_ref().and_then(|table| read_key(source, table, &fields));
    let recoverable = key.as_ref().map(KeySchema::recoverable).unwrap_or_default();
    let (families, columns) = read_families(root, &fields, &recoverable);
    let queries = super::queries::read_all(root, Some(&fields));
    let indexes = read_indexes(source, root, (&fields, &columns), name.map(|name| name.value), key.as_ref());
    let header = table.map(|table| {
        let header = (read_splits(&table, key.as_ref()), read_cell_time(&table, &fields));
        let identity = read_identity(&table, &fields);
        table.finish();
        (header, identity)
    });
    root.finish();

    let ((splits, cell_time), identity) = header?;
    let (name, key) = (name?, key?);
    find_lost_fields(root, &key, &recoverable, &columns.columns);
    Some(Table {
        source: source.to_owned(),
        name: name.value.to_owned(),
        identity: identity.unwrap_or_else(|| key.named_fields()),
        key,
        splits,
        cell_time,
        families,
        columns: columns.columns,
        copies: columns.copies,
        indexes,
        queries,
    })
}

fn read_indexes(
    source: &str,
    root: &Section<'_>,
    (fields, kept): (&Fields, &columns::Columns),
    table: Option<&str>,
    primary: Option<&KeySchema>,
) -> Vec<Index> {
    let mut indexes = Vec::new();
    for section in root.sections("index") {
        if primary.is_some_and(|key| key.value_steps().any(|step| step.is_random())) {
            section.find(section.span, Problem::IndexOnRandom);
        }
        let read_key = |section: &Section<'_>| read_key(source, section, fields);
        indexes.extend(index::read(&section, (fields, kept), table, &indexes, read_key, read_splits));
    }
    indexes
}

pub(super) fn read_fields(root: &Section<'_>) -> Fields {
    let mut fields = Fields::default();
    let Some(section) = root.section("fields", "[fields]") else {
        root.find(root.span, Problem::MissingKey { key: "[fields]", section: root.name.clone() });
        return fields;
    };
    for (name, Spanned { value, span }) in section.string_entries() {
        let (text, nullable) = match value.trim().strip_suffix('?') {
            Some(text) => (text, true),
            None => (value, false),
        };
        let ty = Type::from_text(text).unwrap_or_else(|error| {
            section.find(span, type_problem(text, error));
            // The name is known all the same, so that its uses are not reported too.
            Type::Text
        });
        fields.push(Field { name: name.value.to_owned(), ty, nullable });
    }
    fields
}

fn type_problem(text: &str, error: TypeError) -> Problem {
    let name = text.split('(').next().unwrap_or_default().trim();
    match error {
        TypeError::Unknown => {
            Problem::UnknownType { name: text.to_owned(), nearest: nearest(name, Type::names()) }
        }
        TypeError::Argument(form) => Problem::TypeArgument { name: name.to_owned(), form },
    }
}

fn read_key(source: &str, table: &Section<'_>, fields: &Fields) -> Option<KeySchema> {
    let Spanned { value, span } = table.required_string("key")?;
    let quoted = source.get(span.start + 1..(span.end.max(1)) - 1);
    match KeySchema::with_fields(value, fields) {
        Ok(key) => Some(key),
        Err(findings) => {
            for Finding { span: place, problem } in findings {
                // Inside a plain string the key's bytes are the file's bytes; otherwise the string is the place.
                let place = if quoted == Some(value) { place.shifted(span.start + 1) } else { span };
                table.find(place, problem);
            }
            None
        }
    }
}

fn read_splits(table: &Section<'_>, key: Option<&KeySchema>) -> Splits {
    if table.is_string("splits") {
        let Some(Spanned { value, span }) = table.string("splits") else { return Splits::None };
        let words: Vec<&str> = value.split_whitespace().collect();
        match words.as_slice() {
            ["salt"] => {
                if key.is_some_and(|key| leading_bucket(key).is_none()) {
                    table.find(span, Problem::NoLeadingSalt);
                }
                return Splits::Salt;
            }
            [word, regions] if *word == "sample" || Algorithm::named(word).is_some() => {
                let regions = regions.parse().ok().filter(|regions| (2..=MAX_REGIONS).contains(regions));
                match (Algorithm::named(word), regions) {
                    (Some(algorithm), Some(regions)) => return Splits::By(algorithm, regions),
                    (None, Some(regions)) => return Splits::Sample(regions),
                    (_, None) => {
                        let cure = format!("a table is cut into 2 to {MAX_REGIONS} regions");
                        let (key, value) = ("splits".to_owned(), value.to_owned());
                        table.find(span, Problem::BadSetting { key, value, cure });
                    }
                }
            }
            _ => {
                let by = ALGORITHMS.iter().map(|by| format!("\"{} {}\", ", by.word, by.usual));
                let cure = format!(
                    "write \"salt\", {}\"sample 32\", or a list of keys such as [\"1\", \"2\", \"3\"]",
                    by.collect::<String>()
                );
                let problem = Problem::BadSetting { key: "splits".to_owned(), value: value.to_owned(), cure };
                table.find(span, problem);
            }
        }
        return Splits::None;
    }
    let Some(keys) = table.strings("splits") else { return Splits::None };
    let mut points: BTreeSet<Vec<u8>> = BTreeSet::new();
    for Spanned { value, span } in keys {
        let bad = |cure: String| {
            let problem = Problem::BadSetting { key: "splits".to_owned(), value: value.to_owned(), cure };
            table.find(span, problem);
        };
        match unescape(value) {
            Ok(bytes) if bytes.is_empty() => bad("a split point has at least one byte".to_owned()),
            Ok(bytes) if points.contains(&bytes) => bad("each split point stands once".to_owned()),
            Ok(bytes) => {
                points.insert(bytes);
            }
            Err(error) => bad(error.to_string()),
        }
    }
    Splits::Keys(points.into_iter().collect())
}

fn read_cell_time(table: &Section<'_>, fields: &Fields) -> Option<FieldId> {
    let Spanned { value, span } = table.string("cell_time")?;
    let id = known_field(table, fields, value, span)?;
    if fields.get(id).ty.kind() != Kind::Time {
        let cure = "it names a field of type timestamp".to_owned();
        let problem = Problem::BadSetting { key: "cell_time".to_owned(), value: value.to_owned(), cure };
        table.find(span, problem);
        return None;
    }
    Some(id)
}

fn read_identity(table: &Section<'_>, fields: &Fields) -> Option<Vec<FieldId>> {
    let names = table.strings("identity")?;
    Some(names.iter().filter_map(|name| known_field(table, fields, name.value, name.span)).collect())
}

fn known_field(section: &Section<'_>, fields: &Fields, name: &str, span: Span) -> Option<FieldId> {
    let id = fields.id(name);
    if id.is_none() {
        section.find_unknown_field(span, name, fields);
    }
    id
}

fn read_families(
    root: &Section<'_>,
    fields: &Fields,
    recoverable: &[FieldId],
) -> (Vec<family::FamilySpec>, columns::Columns) {
    let (mut families, mut all_columns) = (Vec::new(), columns::Columns::new(recoverable));
    let section = root.section("families", "[families]");
    let entries = section.iter().flat_map(Section::entries);
    for (name, Spanned { value, span }) in entries {
        let Some(table) = value.as_table() else {
            let (key, found) = (name.value.to_owned(), value.type_str());
            root.find(span, Problem::WrongToml { key, expected: "a table", found });
            continue;
        };
        let bad_name = name.value.is_empty()
            || name.value.starts_with('.')
            || name.value.contains([':', '/'])
            || !name.value.bytes().all(|byte| (b'!'..=b'~').contains(&byte));
        if bad_name {
            let cure =
                "a family's name is printable ASCII without `:` and `/`, best a single letter".to_owned();
            let problem =
                Problem::BadSetting { key: "families".to_owned(), value: name.value.to_owned(), cure };
            root.find(name.span, problem);
        }
        let section = root.nested(table, format!("[families.{}]", name.value), name.span);
        families.push(family::read(name.value, &section));
        all_columns.read(name.value, &section, fields);
        section.finish();
    }
    if families.is_empty() {
        root.find(root.span, Problem::MissingKey { key: "[families.d]", section: root.name.clone() });
    }
    (families, all_columns)
}

fn find_lost_fields(
    root: &Section<'_>,
    key: &KeySchema,
    recoverable: &[FieldId],
    columns: &[columns::Column],
) {
    let Some(section) = root.section("fields", "[fields]") else { return };
    let kept: BTreeSet<FieldId> =
        recoverable.iter().copied().chain(columns.iter().map(|column| column.field)).collect();
    for (name, _) in section.entries() {
        if !key.fields().id(name.value).is_some_and(|id| kept.contains(&id)) {
            section.find(name.span, Problem::LostField { field: name.value.to_owned() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERS: &str = r#"
[table]
name = "orders"
key = "[salt(16, user_id)][user_id][ts desc][order_id]"
identity = ["order_id"]
splits = "salt"
cell_time = "ts"

[fields]
user_id = "u64"
ts = "timestamp"
order_id = "text"
seller = "text"
amount = "i64"

[families.d]
versions = 1
ttl = "30d"
compression = "lz4"
columns = { s = "seller", a = "amount" }

[[query]]
name = "a user's latest orders"
where = "user_id = ? order by ts desc limit 20"
weight = 80
"#;

    fn problems(source: &str) -> Vec<String> {
        Table::parse("t.toml", source).unwrap_err().to_string().lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_orders_file_is_understood() {
        let table = Table::parse("t.toml", ORDERS).unwrap();
        assert_eq!(table.name, "orders");
        let names: Vec<&str> = table.key.fields().names().collect();
        assert_eq!(names, ["user_id", "ts", "order_id", "seller", "amount"]);
        assert_eq!(table.split_points().len(), 15);
        assert_eq!(table.split_points()[0], [1]);
        assert_eq!(table.families[0].ttl_seconds, Some(2_592_000));
        assert_eq!(table.families[0].attributes["COMPRESSION"], "LZ4");
        assert_eq!((table.cell_time, table.identity.as_slice()), (Some(FieldId(1)), &[FieldId(2)][..]));
        assert_eq!(table.columns.len(), 2);
        assert_eq!(table.queries[0].weight, 80);
    }

    #[test]
    fn all_findings_come_at_once_with_line_and_column() {
        let broken = ORDERS
            .replace("name = \"orders\"\n", "nam = \"orders\"\n")
            .replace("[ts desc]", "[tz desc]")
            .replace("versions = 1", "versions = 0")
            .replace("\"30d\"", "\"30 days\"")
            .replace("\"amount\" }", "\"amuont\" }")
            .replace("weight = 80", "weight = \"80\"");
        let found = problems(&broken);
        let expected = [
            "t.toml:2:1: [table] needs `name`",
            "t.toml:3:1: there is no setting `nam` in [table]; did you mean `name`?",
            "t.toml:4:37: there is no field `tz`; the fields are user_id, ts, order_id, seller, amount; did you mean `ts`?",
            "t.toml:17:12: `versions` cannot be `0`; it is a whole number from 1 to 4294967295",
            "t.toml:18:7: `ttl` cannot be `30 days`; write a number and a unit (s, m, h, d, w), such as \"30d\", up to 68 years; or \"forever\"",
            "t.toml:20:31: there is no field `amuont`; the fields are user_id, ts, order_id, seller, amount; did you mean `amount`?",
            "t.toml:25:10: `weight` must be a whole number, not string",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_field_is_kept_exactly_once() {
        let lost = ORDERS.replace(", a = \"amount\"", "");
        assert!(problems(&lost)[0].contains("field `amount` would be lost"), "{:?}", problems(&lost));
        let twice = ORDERS.replace("a = \"amount\"", "a = \"amount\", b = \"amount\"");
        assert!(problems(&twice)[0].contains("already in column `d:a`"));
        let twice = ORDERS.replace("a = \"amount\"", "a = \"amount\", u = \"user_id\", v = \"user_id\"");
        assert!(problems(&twice)[0].contains("already in column `d:u`"));
    }

    #[test]
    fn columns_are_a_list_or_a_map_in_families_and_indexes() {
        let index =
            "[[index]]\nname = \"by_seller\"\nkey = \"[seller: escaped][order_id][user_id][ts]\"\ncolumns = ";
        let with = |families: &str, copies: &str| {
            let families = ORDERS.replace("{ s = \"seller\", a = \"amount\" }", families);
            format!("{families}\n{index}{copies}\n")
        };
        let (map, list) = ("{ s = \"seller\", a = \"amount\" }", "[\"seller\", \"amount\"]");
        for (families, qualifiers) in [(map, ["s", "a"]), (list, ["seller", "amount"])] {
            let copies = ["[\"amount\"]".to_owned(), format!("{{ {} = \"amount\" }}", qualifiers[1])];
            let tables = copies.map(|copies| Table::parse("t.toml", &with(families, &copies)).unwrap());
            for table in &tables {
                let found: Vec<&str> = table.columns.iter().map(|column| column.qualifier.as_str()).collect();
                assert_eq!(found, qualifiers);
                assert_eq!(table.indexes, tables[0].indexes);
                assert_eq!(table.indexes[0].columns, [FieldId(4)]);
            }
        }
        let found = problems(&with(map, "{ x = \"amount\" }"));
        assert!(found[0].contains("`columns` cannot be `x`; `amount` is kept in column `d:a`"), "{found:?}");
        let found = problems(&with(map, "\"amount\""));
        assert!(found[0].contains("`columns` must be a list of fields, or { qualifier"), "{found:?}");
        let found = problems(&with("[\"seller\", \"amuont\"]", "[\"seller\"]"));
        assert!(found.iter().any(|line| line.contains("there is no field `amuont`")), "{found:?}");
    }

    #[test]
    fn splits_are_checked() {
        let with = |splits: &str| ORDERS.replace("splits = \"salt\"", splits);
        let table = Table::parse("t", &with(r#"splits = ["b", 'a\x00']"#)).unwrap();
        assert_eq!(table.split_points(), [b"a\0".to_vec(), b"b".to_vec()]);
        assert!(problems(&with(r#"splits = ["b", "b", ""]"#)).len() == 2);
        for (splits, regions, first) in
            [("hex 16", 16, "10000000"), ("decimal 10", 10, "10000000"), ("uniform 8", 8, " \0\0\0\0\0\0\0")]
        {
            let table = Table::parse("t", &with(&format!("splits = \"{splits}\""))).unwrap();
            assert_eq!((table.split_points().len() + 1, table.sampled_regions()), (regions, None));
            assert_eq!(table.split_points()[0], first.as_bytes());
        }
        let sampled = Table::parse("t", &with("splits = \"sample 32\"")).unwrap();
        assert_eq!((sampled.sampled_regions(), sampled.split_points().len()), (Some(32), 0));
        for bad in ["hex 1", "hex 0", "uniform x", "sample 100000"] {
            let found = problems(&with(&format!("splits = \"{bad}\"")));
            assert!(found[0].contains("2 to 65536 regions"), "{found:?}");
        }
        assert!(problems(&with("splits = \"slat\""))[0].contains("write \"salt\""));
        let unsalted = ORDERS.replace("[salt(16, user_id)]", "");
        assert!(problems(&unsalted)[0].contains("needs a key that begins with salt"));
    }

    #[test]
    fn index_tables_are_read_and_checked() {
        let with = |index: &str| format!("{ORDERS}\n[[index]]\n{index}");
        let index = "name = \"orders_by_seller\"\nkey = \"[seller: escaped][ts desc][user_id][order_id]\"\n";
        let table = Table::parse("t", &with(&format!("{index}columns = [\"amount\"]"))).unwrap();
        assert_eq!((table.indexes.len(), table.indexes[0].name.as_str()), (1, "orders_by_seller"));
        assert_eq!(table.indexes[0].columns, [FieldId(4)]);
        assert_eq!(table.indexes[0].split_points(), Vec::<Vec<u8>>::new());

        let cut = |splits: &str| with(&format!("{index}splits = {splits}"));
        let table = Table::parse("t", &cut(r#"["p", "h"]"#)).unwrap();
        assert_eq!(table.indexes[0].split_points(), [b"h", b"p"]);
        let salted = with(&index.replace("[seller", "[salt(4, seller)][seller"));
        assert_eq!(Table::parse("t", &salted).unwrap().indexes[0].split_points().len(), 3);
        assert!(problems(&cut("\"sample 8\""))[0].contains("for the table alone"));
        assert!(problems(&cut("\"salt\"")).len() == 1);

        let found = problems(&with(&format!("{index}columns = [\"amuont\", \"ts\"]\nnot = 1")));
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains("there is no field `amuont`"), "{found:?}");
        assert!(found[1].contains("comes back from the index key already"), "{found:?}");
        assert!(found[2].contains("there is no setting `not` in [[index]]"), "{found:?}");
        let found = problems(&with("name = \"orders\"\nkey = \"[selle: escaped]\""));
        assert!(found[0].contains("a name of its own"), "{found:?}");
        assert!(found[1].starts_with("t.toml:29:9: there is no field `selle`"), "{found:?}");
        let found = problems(&with(&index.replace("[order_id]", "[order_id: escaped][random(4)]")));
        assert!(found[0].contains("take random(…) out"), "{found:?}");
        let random =
            with(index).replace("[salt(16, user_id)]", "[random(16)]").replace("splits = \"salt\"", "");
        assert!(problems(&random)[0].contains("random part"), "{:?}", problems(&random));
    }

    /// With a lookup that walks through all fields, or a finding that copies all their names, this takes minutes.
    #[test]
    fn a_file_of_many_fields_and_many_mistakes_is_read_in_one_pass() {
        const FIELDS: usize = 50_000;
        let wide = |column: &dyn Fn(usize) -> String| {
            let fields: String = (0..FIELDS).map(|at| format!("f{at} = \"i64\"\n")).collect();
            let columns: String = (0..FIELDS).map(|at| format!("c{at} = \"{}\"\n", column(at))).collect();
            let splits: String = (0..FIELDS).map(|at| format!("\"{at}\", ")).collect();
            format!(
                "[table]\nname = \"wide\"\nkey = \"[id]\"\nsplits = [{splits}]\n[fields]\nid = \"text\"\n{fields}\
                 [families.d.columns]\n{columns}"
            )
        };
        let table = Table::parse("t.toml", &wide(&|at| format!("f{at}"))).unwrap();
        assert_eq!((table.columns.len(), table.split_points().len()), (FIELDS, FIELDS));
        assert_eq!(table.key.fields().id("f49999"), Some(FieldId(FIELDS)));
        let found = problems(&wide(&|at| format!("g{at}")));
        assert_eq!(found.len(), 100);
        assert!(
            found[0].contains("the fields are id, f0, f1") && found[0].contains("and 49951 more"),
            "{}",
            found[0]
        );
        let found = problems(&wide(&|_| "f0".to_owned()));
        assert!(found.len() == 100 && found[1].contains("already in column `d:c0`"), "{}", found[1]);
    }

    #[test]
    fn nesting_in_a_table_file_has_a_limit() {
        for deep in [
            format!("x = {}{}", "[".repeat(100_000), "]".repeat(100_000)),
            format!("x = {}1{}", "{a = ".repeat(100_000), "}".repeat(100_000)),
            format!("x = {}", "[".repeat(100_000)),
            format!("{}a = 1", "a.".repeat(100_000)),
            format!("[{}a]", "a.".repeat(100_000)),
            format!("[[{}a]]", "a.".repeat(100_000)),
        ] {
            let found = problems(&deep);
            assert!(!found.is_empty() && found[0].starts_with("t.toml:1:"), "{}", found[0]);
        }
    }

    #[test]
    fn text_that_is_not_toml_is_placed() {
        assert!(problems("[table\nname = 1")[0].starts_with("t.toml:1:"));
        let found = problems("");
        assert!(found.iter().any(|line| line.contains("needs `[table]`")), "{found:?}");
    }
}
