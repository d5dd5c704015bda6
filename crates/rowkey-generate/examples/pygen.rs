//! dev: pygen FOLDER FILE... | pygen FOLDER --random COUNT SEED
use rowkey_generate::{Design, language, values::Values, vectors::judge};
use rowkey_core::{Table, Value, lowered::Codec};
#[path = "../../rowkey-core/tests/generator/mod.rs"]
#[allow(dead_code)]
mod generator;
fn write(folder: &str, design: &Design) {
    let py = language("python").unwrap();
    for file in py.files(design).unwrap().into_iter().chain(py.conform(design).unwrap()) {
        let name = if file.name == "conform.py" { format!("{}.conform", design.table) } else { file.name }; std::fs::write(format!("{folder}/{name}"), file.text).unwrap();
    }
}
fn hex(b: &[u8]) -> String { b.iter().map(|b| format!("{b:02x}")).collect() }
fn text(v: &Value<'_>) -> String {
    let q = |s: &str| format!("\"{}\"", s.chars().map(|c| match c { '"' => "\\\"".to_owned(), '\\' => "\\\\".to_owned(), c if (c as u32) < 32 => format!("\\u{:04x}", c as u32), c => c.to_string() }).collect::<String>());
    match v {
        Value::Null => "null".into(),
        Value::Int(n) => q(&n.to_string()),
        Value::Time(n) => q(&n.to_string()),
        Value::Float(n) => q(&format!("{n:?}").replace("inf", "inf")),
        Value::Float32(n) => q(&format!("{:?}", f64::from(*n))),
        Value::Numeric(n) => q(&n.to_string()),
        Value::Text(t) => q(t),
        Value::Bytes(b) => q(&hex(b)),
        Value::Bool(b) => q(if *b { "true" } else { "false" }),
        Value::Octets(o) => q(&hex(o.as_bytes())),
        _ => unreachable!(),
    }
}
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let folder = &args[0];
    if args[1] == "--random" {
        let (count, seed): (u64, u64) = (args[2].parse().unwrap(), args[3].parse().unwrap());
        for n in 0..count {
            let mut random = generator::Random::new(seed * 100_000 + n);
            let case = generator::case(&mut random);
            let source = case.key.source().to_owned();
            let mut toml = format!("[table]\nname = \"t{n}\"\nkey = {source:?}\n[fields]\n");
            for (_, f) in case.key.fields().iter() {
                toml.push_str(&format!("{} = \"{}{}\"\n", f.name, f.ty, if f.nullable { "?" } else { "" }));
            }
            toml.push_str("[families.d]\n");
            let table = match Table::parse("t.toml", &toml) { Ok(t) => t, Err(e) => { eprintln!("{toml}{e}"); continue } };
            let design = Design::of(&table, "0", "t.toml");
            write(folder, &design);
            let codec = Codec::of(&table.key);
            let back = |vals: &[Value<'_>]| codec.fields.iter().zip(vals).filter(|(f, _)| f.comes_back).map(|(f, v)| format!("\"{}\":{}", f.name, text(v))).collect::<Vec<_>>().join(",");
            let mut values = Values::new(seed * 7919 + n);
            let mut out = String::new();
            let mut id = 0;
            let mut ask = |req: String, want: String| { id += 1; out.push_str(&format!("{{\"id\":{id},{req}}}\t{{\"id\":{id},{want}}}\n")); };
            for r in 0..40u64 {
                let record = values.record(&codec);
                let fields = codec.fields.iter().zip(&record).map(|(f, v)| format!("\"{}\":{}", f.name, text(v))).collect::<Vec<_>>().join(",");
                let vector = judge(&table.key, record, r);
                let draws = vector.draws.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
                let req = format!("\"op\":\"encode\",\"record\":{{{fields}}},\"draws\":[{draws}]");
                let bad = |r: &rowkey_generate::vectors::Refusal| format!("\"error\":\"{}\",\"at\":{}", r.word, r.place.as_ref().map_or("null".into(), |p| text(&Value::Text(p.as_str().into()))));
                match &vector.outcome {
                    Ok((key, dec)) => {
                        ask(req, format!("\"key\":\"{}\"", hex(key)));
                        ask(format!("\"op\":\"decode\",\"key\":\"{}\"", hex(key)), format!("\"record\":{{{}}}", back(dec)));
                        let damaged = values.damaged(key);
                        let want = match table.key.decode(&damaged) { Ok(d) => format!("\"record\":{{{}}}", back(&d.values)), Err(e) => bad(&e.into()) };
                        ask(format!("\"op\":\"decode\",\"key\":\"{}\"", hex(&damaged)), want);
                    }
                    Err(r) => ask(req, bad(r)),
                }
            }
            std::fs::write(format!("{folder}/t{n}.ask"), out).unwrap();
            std::fs::write(format!("{folder}/t{n}.toml"), toml).unwrap();
        }
        return;
    }
    for file in &args[1..] {
        let toml = std::fs::read_to_string(file).unwrap();
        let table = Table::parse("t.toml", &toml).unwrap();
        let name = std::path::Path::new(file).file_name().unwrap().to_str().unwrap().to_owned();
        write(folder, &Design::of(&table, "0.1.0", &name));
    }
}
