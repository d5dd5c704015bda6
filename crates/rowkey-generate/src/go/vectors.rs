//! The test of a package: records, keys and refusals of the core.

use rowkey_core::Value;

use super::code::{Code, quote};
use super::fields::{GoField, GoType};
use super::{Package, library};
use crate::File;
use crate::names::words;

impl Package<'_> {
    /// `key_test.go`
    pub(super) fn test_file(&self) -> File {
        let is_random = self.key().is_random();
        let vectors = &self.design.vectors;
        let mut code = Code::default();
        code.line("// Records with their keys, and what comes back from these.");
        code.open("func TestKeys(t *testing.T) {");
        let draws = |drawn: &[u32]| {
            if !is_random {
                return String::new();
            }
            let drawn: Vec<String> = drawn.iter().map(u32::to_string).collect();
            format!(", draws({})", drawn.join(", "))
        };
        for vector in &vectors.records {
            if let Ok((key, back)) = &vector.outcome {
                code.line(format!(
                    "checkKey(t, {}{}, \"{}\", {})",
                    self.record_literal(&vector.record),
                    draws(&vector.draws),
                    hex(key),
                    self.record_literal(back)
                ));
            }
        }
        code.close("}");
        code.line("");
        code.line("// Records without a key, and bytes that are none.");
        code.open("func TestRefusals(t *testing.T) {");
        for vector in &vectors.records {
            if let Err(refusal) = &vector.outcome {
                code.line(format!(
                    "refuseRecord(t, {}{}, {})",
                    self.record_literal(&vector.record),
                    draws(&vector.draws),
                    kind(refusal.word)
                ));
            }
        }
        for (key, refusal) in &vectors.bad_keys {
            code.line(format!("refuseKey(t, \"{}\", {})", hex(key), kind(refusal.word)));
        }
        code.close("}");
        code.line("");
        let (parameter, argument) = if is_random { (", draw func(int) int", "draw") } else { ("", "") };
        let helpers = include_str!("runtime/key_test.go.txt")
            .replace("/*DRAW*/", parameter)
            .replace("/*WITH*/", argument);
        let own = code.text();
        let needed =
            library::needed_from(&format!("{own}\ncheckKey(refuseRecord(refuseKey("), &[helpers.as_str()]);
        let body = format!("{own}{needed}\n");
        let imports = library::imports(&body);
        let text = format!("{}{imports}{body}", self.head(""));
        File { name: format!("{}/key_test.go", self.name), text }
    }

    /// A record in Go.
    fn record_literal(&self, record: &[Value<'_>]) -> String {
        let given = self.fields.iter().zip(record).filter(|(_, value)| !value.is_null());
        let given: Vec<String> =
            given.map(|(field, value)| format!("{}: {}", field.name, literal(field, value))).collect();
        format!("Record{{{}}}", given.join(", "))
    }
}

/// A value in Go.
pub(super) fn literal(field: &GoField, value: &Value<'_>) -> String {
    let plain = match (value, field.ty) {
        (Value::Int(number), GoType::Big) => return format!("wide(\"{number}\")"),
        (Value::Int(number), _) => number.to_string(),
        (Value::Time(millis), _) => millis.to_string(),
        (Value::Float(number), _) => float(*number, number.to_string()),
        (Value::Float32(number), _) => match float((*number).into(), number.to_string()) {
            odd if odd.starts_with("math.") => format!("float32({odd})"),
            plain => plain,
        },
        (Value::Numeric(number), _) => quote(&number.to_string()),
        (Value::Text(text), _) => quote(text),
        (Value::Bytes(bytes), _) => {
            let bytes: Vec<String> = bytes.iter().map(|byte| format!("0x{byte:02x}")).collect();
            return format!("[]byte{{{}}}", bytes.join(", "));
        }
        (Value::Octets(octets), ty) => {
            let bytes: Vec<String> = octets.as_bytes().iter().map(|byte| format!("0x{byte:02x}")).collect();
            format!("{}{{{}}}", ty.name(), bytes.join(", "))
        }
        (Value::Bool(bool), _) => bool.to_string(),
        (Value::Null, _) => "nil".to_owned(),
    };
    if field.is_pointer() { format!("pointer[{}]({plain})", field.ty.name()) } else { plain }
}

fn float(number: f64, text: String) -> String {
    if number.is_nan() {
        "math.NaN()".to_owned()
    } else if number.is_infinite() {
        format!("math.Inf({})", if number > 0.0 { 1 } else { -1 })
    } else if number == 0.0 && number.is_sign_negative() {
        "math.Copysign(0, -1)".to_owned()
    } else {
        text
    }
}

/// The constant of a refusal's word.
fn kind(word: &str) -> String {
    let capital = |word: &String| match word.as_str() {
        "utf8" => "UTF8".to_owned(),
        word => {
            word.chars().take(1).map(|first| first.to_ascii_uppercase()).chain(word.chars().skip(1)).collect()
        }
    };
    format!("Kind{}", words(word).iter().map(capital).collect::<String>())
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
