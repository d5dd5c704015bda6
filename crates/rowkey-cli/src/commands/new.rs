//! `rowkey new TEMPLATE [FILE]` and `rowkey new --from DATA`

mod of_data;

use serde_json::json;

use crate::Answer;
use crate::args::{New, Template};
use crate::output::Output;
use crate::table_argument::write_file;

pub(crate) fn run(arguments: &New, output: &mut Output) -> anyhow::Result<Answer> {
    let Some(template) = arguments.template else { return of_data::run(arguments, output) };
    let text = text(template);
    let Some(path) = &arguments.file else {
        output.line(text.trim_end(), || json!({ "template": template.name(), "file": text }))?;
        return Ok(Answer::Yes);
    };
    write_file(path, arguments.force, &[], |out| out.write_all(text.as_bytes()))?;
    let next = format!("wrote {}; next: rowkey create {}", path.display(), path.display());
    output.line(&next, || json!({ "template": template.name(), "written": path }))?;
    Ok(Answer::Yes)
}

fn text(template: Template) -> &'static str {
    match template {
        Template::Orders => include_str!("../../templates/orders.toml"),
        Template::Users => include_str!("../../templates/users.toml"),
        Template::Phone => include_str!("../../templates/phone.toml"),
        Template::Messages => include_str!("../../templates/messages.toml"),
        Template::Logs => include_str!("../../templates/logs.toml"),
        Template::TimeSeries => include_str!("../../templates/time-series.toml"),
        Template::Feed => include_str!("../../templates/feed.toml"),
        Template::Opentsdb => include_str!("../../templates/opentsdb.toml"),
        Template::Phoenix => include_str!("../../templates/phoenix.toml"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;
    use rowkey_core::escape::{from_hex, to_hex};
    use rowkey_core::query::Query;
    use rowkey_core::{Table, Value};
    use serde_json::Value as Json;

    #[test]
    fn every_template_is_a_valid_table_file_with_queries_that_parse() {
        for template in Template::value_variants() {
            let name = template.name();
            let table = Table::parse(&name, text(*template)).unwrap_or_else(|findings| panic!("{findings}"));
            for query in &table.queries {
                // A `?` stands for a value of its field; a number written as a text fits all of these.
                let filled = query.condition.replace('?', "'0'");
                Query::parse(&filled, table.key.fields())
                    .unwrap_or_else(|findings| panic!("{name}: {findings}"));
            }
        }
    }

    /// The row keys that Phoenix 5.2.1 gives to the table of the template's first lines.
    #[test]
    fn the_phoenix_template_gives_phoenixs_bytes() {
        let table =
            Table::parse("phoenix", text(Template::Phoenix)).unwrap_or_else(|findings| panic!("{findings}"));
        for (tenant, at, host, id, hex) in [
            (
                "acme",
                1_735_776_000_123,
                "web1",
                7,
                "0861636d65007ffffe6bdbb02784ffffffff77656231202020208000000000000007",
            ),
            (
                "用户",
                0,
                "web12345",
                -9,
                "04e794a8e688b7007fffffffffffffffffffffff77656231323334357ffffffffffffff7",
            ),
        ] {
            let record =
                [Value::Text(tenant.into()), Value::Time(at), Value::Text(host.into()), Value::Int(id)];
            let mut key = Vec::new();
            table.key.encode(&record, &mut key).unwrap_or_else(|error| panic!("{tenant}: {error}"));
            assert_eq!(to_hex(&key), hex);
            assert_eq!(table.key.decode(&key).expect("our own key").values, record);
        }
    }

    /// The bytes that the OpenTSDB 2.4.1 jar gives, salt on and off (`testing/java/OpenTsdbVectors.java`).
    #[test]
    fn the_opentsdb_template_gives_opentsdbs_bytes() {
        let template = text(Template::Opentsdb);
        let vectors = include_str!("../../../../testdata/vectors/opentsdb.jsonl");
        let mut salted = 0;
        for line in vectors.lines() {
            let vector: Json = serde_json::from_str(line).expect("JSON");
            let number = |name: &str| vector[name].as_u64().expect("a number");
            let bytes = |name: &str| from_hex(vector[name].as_str().expect("a text")).expect("hex");
            let (width, buckets) = (number("salt_width"), number("buckets"));
            let salt = "[opentsdb_salt(20, metric, tags): u8]";
            let ty = match width {
                0 => "",
                1 => "u8",
                2 => "u16",
                4 => "u32",
                _ => continue, // widths that no number of the notation has
            };
            let unsalted = |instead: &str| template.replace(salt, instead).replace("splits = \"salt\"", "");
            let source = match (width, buckets) {
                (0, _) => unsalted(""),
                // One bucket is no salt to the notation; the byte is always 0.
                (1, 1) => unsalted("[0x00]"),
                (2, 1) => unsalted("[0x0000]"),
                _ => template.replace(salt, &format!("[opentsdb_salt({buckets}, metric, tags): {ty}]")),
            };
            let table = Table::parse("opentsdb", &source).unwrap_or_else(|findings| panic!("{findings}"));
            let base_time = i64::try_from(number("base_time")).expect("a time") * 1000;
            let record = [
                Value::Bytes(bytes("metric").into()),
                Value::Time(base_time),
                Value::Bytes(bytes("tags").into()),
            ];
            let mut key = Vec::new();
            table.key.encode(&record, &mut key).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(to_hex(&key), vector["hex"].as_str().expect("hex"), "{line}");
            assert_eq!(table.key.decode(&key).expect("our own key").values, record, "{line}");
            salted += u32::from(width > 0 && buckets > 1);
        }
        assert!(salted >= 40, "{salted} vectors with a salt");
    }
}
