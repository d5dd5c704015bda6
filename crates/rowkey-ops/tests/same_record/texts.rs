//! Random texts for a field, most of them values of its type, many at its borders.

use rowkey_core::key::{Draw, Draws};
use rowkey_core::types::{Kind, Octets, OctetsType, Type};

/// A text for a field of a type.
pub(crate) fn text(draws: &mut Draws, ty: Type) -> String {
    if draws.draw(12) == 0 {
        return pick(draws, &STRANGE).to_owned();
    }
    match ty.kind() {
        Kind::Integer => integer(draws, ty),
        Kind::Float => float(draws),
        Kind::Numeric => decimal(draws),
        Kind::Time => time(draws, ty),
        Kind::Bool => pick(draws, &["true", "false", "1", "0", "TRUE", "yes", "2", "01"]).to_owned(),
        Kind::Octets(OctetsType::Uuid) => uuid(draws),
        Kind::Octets(ty) => octets(draws, ty),
        Kind::Text => string(draws, ty.width()),
        Kind::Bytes => (0..draws.draw(6))
            .map(|_| pick(draws, &["a", r"\x00", r"\xFF", "é", r"\x5C", r"\x", r"\\"]))
            .collect(),
    }
}

/// What is a value of few types, or of none.
const STRANGE: [&str; 24] = [
    "",
    " ",
    "-",
    "+5",
    "1.0",
    "1e3",
    "007",
    "-0",
    "nan",
    "NaN",
    "inf",
    "-Infinity",
    "0x10",
    "null",
    "true",
    "1,5",
    "--1",
    "1e",
    ".5",
    "5.",
    "1_000",
    "٣",
    "x",
    "9999-12-31",
];

fn pick<'t>(draws: &mut Draws, of: &[&'t str]) -> &'t str {
    of[draws.draw(of.len() as u32) as usize]
}

fn wide(draws: &mut Draws) -> u64 {
    u64::from(draws.draw(u32::MAX)) << 32 | u64::from(draws.draw(u32::MAX))
}

fn integer(draws: &mut Draws, ty: Type) -> String {
    let (min, max) = ty.integer_range().unwrap();
    let near = i128::from(draws.draw(5)) - 2;
    let number = match draws.draw(5) {
        0 => min.saturating_add(near),
        1 => max.saturating_add(near),
        2 => near,
        3 => min + i128::from(wide(draws)).rem_euclid((max - min).max(1)),
        _ => (1_i128 << draws.draw(66)) + near,
    };
    number.to_string()
}

/// So many digits, and up to so many more.
fn digits(draws: &mut Draws, least: u32, more: u32) -> String {
    (0..least + draws.draw(more + 1)).map(|_| char::from(b'0' + draws.draw(10) as u8)).collect()
}

fn float(draws: &mut Draws) -> String {
    let double = f64::from_bits(wide(draws));
    let double = if double.is_nan() { 0.1 } else { double };
    let single = f32::from_bits(draws.draw(u32::MAX));
    let single = if single.is_nan() { 0.1 } else { single };
    match draws.draw(14) {
        0 => format!("{double:?}"),
        1 => format!("{double:e}"),
        2 => format!("{single:?}"),
        3 => format!("{single}"),
        // The middle between two numbers of 32 bits, in its shortest text and in all digits.
        4 => format!("{:?}", middle(single)),
        5 => format!("{:.60}", middle(single)),
        6 => (i128::from(1_u32 << 24) * (1 << draws.draw(4)) + i128::from(draws.draw(9)) - 4).to_string(),
        7 => ((1_i128 << 53) * (1 << draws.draw(4)) + i128::from(draws.draw(9)) - 4).to_string(),
        8 => pick(
            draws,
            &["1e39", "-1e39", "1e-46", "1e309", "-1e-400", "3.4028236e38", "0e999", "-0.0", "1E+5"],
        )
        .to_owned(),
        9 => format!("{}.{}", draws.draw(1000), digits(draws, 9, 0)),
        10 => format!("-{}.{}e-{}", draws.draw(10), digits(draws, 16, 0), draws.draw(40)),
        11 => digits(draws, 1, 24),
        12 => draws.draw(100_000).to_string(),
        _ => format!("{}.0", wide(draws)),
    }
}

/// Half-way to the next number of 32 bits.
fn middle(single: f32) -> f64 {
    let next = f32::from_bits(single.to_bits().wrapping_add(1));
    let middle = (f64::from(single) + f64::from(next)) / 2.0;
    if middle.is_finite() { middle } else { 1.0 + f64::from(f32::EPSILON) / 2.0 }
}

fn decimal(draws: &mut Draws) -> String {
    let sign = pick(draws, &["", "-"]);
    match draws.draw(6) {
        0 => format!("{sign}{}", draws.draw(1000)),
        1 => format!("{sign}{}.{}", draws.draw(1_000_000), digits(draws, 1, 8)),
        2 => format!("{sign}1{}", digits(draws, 0, 32)),
        3 => format!("{sign}0.{}", digits(draws, 1, 32)),
        4 => format!("{sign}{}.{}e{}", draws.draw(10), digits(draws, 17, 0), i64::from(draws.draw(40)) - 20),
        _ => pick(
            draws,
            &["1234567890123.456789", "1e6143", "1e6144", "1e-6144", "1e-6145", "0.0", "-0", "100"],
        )
        .to_owned(),
    }
}

fn time(draws: &mut Draws, ty: Type) -> String {
    let day = format!("{:04}-{:02}-{:02}", 1 + draws.draw(9999), 1 + draws.draw(12), 1 + draws.draw(30));
    let clock = format!("{:02}:{:02}:{:02}", draws.draw(24), draws.draw(60), draws.draw(60));
    let millis = if ty.step() > 1 { String::new() } else { format!(".{}", digits(draws, 1, 3)) };
    match draws.draw(11) {
        0 => day,
        1 => format!("{day} {clock}"),
        2 => format!("{day}T{clock}Z"),
        3 => format!("{day}T{clock}{millis}Z"),
        4 => format!("{day} {clock}{millis}"),
        5 => format!("{day}T{clock}+{:02}:30", draws.draw(14)),
        6 => format!("9999-12-3{}T{clock}Z", draws.draw(3)),
        7 => format!("9999-12-31T{clock}-{:02}:00", draws.draw(3)),
        8 => format!("{}000", draws.draw(u32::MAX)),
        9 => (i128::from(wide(draws)) - (1 << 63)).to_string(),
        _ => pick(
            draws,
            &[
                "0001-01-01",
                "0000-01-01",
                "9999-12-31",
                "9999-12-31 23:59:59.999",
                "10000-01-01",
                "2024-02-29",
                "2023-02-29",
                "0",
            ],
        )
        .to_owned(),
    }
}

fn uuid(draws: &mut Draws) -> String {
    let hex: String =
        (0..32).map(|_| char::from(b"0123456789abcdefABCDEF"[draws.draw(22) as usize])).collect();
    match draws.draw(4) {
        0 => hex,
        1 => hex[1..].to_owned(),
        _ => format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]),
    }
}

/// A value, one with a letter or digit too many or too few, or one in capitals.
fn octets(draws: &mut Draws, ty: OctetsType) -> String {
    let number = match draws.draw(3) {
        0 => u128::from(draws.draw(1 << 16)),
        1 => !u128::from(draws.draw(1 << 16)),
        _ => u128::from(wide(draws)) << 64 | u128::from(wide(draws)),
    };
    let text = Octets::of_number(ty, number).to_string();
    match draws.draw(6) {
        0 => text[1..].to_owned(),
        1 => format!("0{text}"),
        2 => format!("{text}:"),
        3 => text.to_uppercase(),
        _ => text,
    }
}

fn string(draws: &mut Draws, width: Option<usize>) -> String {
    let letters = [
        "a", "b", "é", "字", "\"", "'", "''", ",", "\n", "\r\n", "\\", "\\n", "\u{1}", "\t", " ", "\u{feff}",
        "\0", "%", "?",
    ];
    match width {
        // Mostly of the width that is needed.
        Some(width) if draws.draw(4) > 0 => {
            (0..width).map(|_| pick(draws, &["a", ",", "'", "\\", "\""])).collect()
        }
        _ => (0..draws.draw(9)).map(|_| pick(draws, &letters)).collect(),
    }
}

/// A value in a query.
#[derive(Debug, Clone)]
pub(crate) enum Literal {
    Sql(String),
    Parameter(String),
}

/// The ways to write a text in a query: in quotes, for a `?`, and as a number if it is one.
pub(crate) fn literals(text: &str, ty: Type) -> Vec<Literal> {
    let mut ways =
        vec![Literal::Sql(format!("'{}'", text.replace('\'', "''"))), Literal::Parameter(text.to_owned())];
    if is_json_number(text) && ty.kind().takes_numbers() {
        ways.push(Literal::Sql(text.to_owned()));
    }
    ways
}

/// Whether JSON has the text as a number.
pub(crate) fn is_json_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, power) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = whole == "0" || !whole.starts_with('0');
    plain && digits(whole) && digits(fraction) && digits(power.strip_prefix(['-', '+']).unwrap_or(power))
}
