//! Random keys and records from a seed: every type and function, and values at the borders of their ranges.
//!
//! A case is made by a small generator of its own instead of a property-test library, because a key and its records
//! depend on each other, and because the coverage can then be counted and asserted. A failing case prints its seed.

use std::collections::BTreeSet;

use rowkey_core::key::{Draw, Draws, Field, Fields};
use rowkey_core::types::{Kind, Octets};
use rowkey_core::{KeySchema, Type, Value};

/// Every function and operator, with the type of its field and a part that uses it; `@` is the field.
pub(crate) const FUNCTIONS: [(&str, &str, &str); 32] = [
    ("md5", "text", "[md5(@).subStr(0,4)]"),
    ("sha1", "u64", "[sha1(@).bytes(3)]"),
    ("sha256", "bytes", "[sha256(@).subStr(60,64)]"),
    ("murmur3", "uuid", "[murmur3(@): i32]"),
    ("java_hash", "text", "[java_hash(@) % 1000: decimal(3)]"),
    ("crc32", "f64", "[crc32(@): u32]"),
    ("xxh3", "timestamp", "[xxh3(@): u64 desc]"),
    ("salt", "escaped", "[salt(16, @)]"),
    ("salt-letters", "bool", "[salt('abcd', @)]"),
    ("salt-all", "u8", "[salt(300)][@]"),
    ("phoenix_salt", "text", "[phoenix_salt(@, 20)]"),
    ("opentsdb_salt", "fixed(3)", "[opentsdb_salt(20, @)]"),
    ("random", "u8", "[random(100)][@]"),
    ("random-letters", "u8", "[random('xyz')][@]"),
    ("str", "i64", "[str(@): escaped]"),
    ("reverse", "text", "[reverse(@): escaped desc]"),
    ("reverse-decimal", "decimal(5)", "[reverse(@)]"),
    ("lpad", "text", "[lpad(@, '#', 24)]"),
    ("rpad", "text", "[rpad(@, '~', 24)]"),
    ("lower", "text", "[lower(@): ordered(text)]"),
    ("lower_each", "text", "[lower_each(@): escaped]"),
    ("upper", "text", "[md5(@).upper().subStr(1,5)]"),
    ("subStr", "fixed(3)", "[@.subStr(0,1): escaped]"),
    ("bytes", "i16", "[md5(@).bytes(2)]"),
    ("code", "text", "[code(@, ''='e', 'a'='1', 'b'='2')]"),
    ("date", "timestamp", "[date(@, 'yyyy-MM-dd HH:mm:ss.SSS')]"),
    ("rem", "i32", "[@.rem(7): i8]"),
    ("Long.MAX_VALUE", "timestamp", "[Long.MAX_VALUE - @]"),
    ("add", "u32", "[@ + 5: u64]"),
    ("subtract", "i32", "[100 - @: i64 desc]"),
    ("divide", "i64", "[@ / 60: i64]"),
    ("modulo", "long", "[@ * 3 % 16]"),
];

/// The salt over everything behind it.
pub(crate) const ROW_SALT: &str = "phoenix_row_salt()";

const LITERALS: [&str; 6] = ["[_]", "-", "['|']", "[0x00]", "[0xff]", "['a b']"];

/// A generator of numbers.
pub(crate) struct Random(Draws);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Draws::new(0x5EED, seed))
    }

    /// A number below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let count = u32::try_from(count).expect("a small count");
        usize::try_from(self.0.draw(count)).expect("a small number")
    }

    /// True once in `times` on average.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    fn number(&mut self) -> u64 {
        (0..4).fold(0, |number, _| number << 16 | u64::from(self.0.draw(1 << 16)))
    }
}

/// A key, its declared fields, and what was used to make it.
pub(crate) struct Case {
    pub(crate) key: KeySchema,
    pub(crate) used: BTreeSet<String>,
}

/// The key of a seed.
pub(crate) fn case(random: &mut Random) -> Case {
    let mut fields: Vec<Field> = Vec::new();
    let mut used = BTreeSet::new();
    let mut source = String::new();
    let parts = 1 + random.below(5);
    for index in 0..parts {
        let name = format!("f{index}");
        let last = index + 1 == parts;
        let (ty, part) = if random.once_in(2) {
            let (function, ty, part) = random.pick(&FUNCTIONS);
            used.insert(format!("{function}()"));
            (Type::from_name(ty).expect("a type"), part.replace('@', &name))
        } else {
            field_part(random, &name, last, &mut used)
        };
        let nullable = part.contains('?') || (matches!(ty, Type::Ordered(_)) && random.once_in(2));
        fields.push(Field { name, ty, nullable });
        source.push_str(&part);
        if !last && random.once_in(4) {
            source.push_str(random.pick(&LITERALS));
        }
    }
    // It stands for all that follows, so only a whole key can begin with it.
    if !source.contains("random") && random.once_in(8) {
        source.insert_str(0, "[phoenix_row_salt(20)]");
        used.insert(ROW_SALT.to_owned());
    }
    let fields = Fields::new(fields);
    let key =
        KeySchema::with_fields(&source, &fields).unwrap_or_else(|findings| panic!("{source}: {findings:?}"));
    Case { key, used }
}

fn field_part(random: &mut Random, name: &str, last: bool, used: &mut BTreeSet<String>) -> (Type, String) {
    let ty = random.pick(&Type::all().collect::<Vec<_>>());
    used.insert(ty.to_string());
    let open_end = !ty.ends_itself();
    let nullable = !matches!(ty, Type::Ordered(_)) && random.once_in(4);
    let mut suffix = String::new();
    if nullable {
        suffix.push('?');
        used.insert("?".to_owned());
    }
    // Open ends in the middle are the business of a case now and then; a delimiter is the usual company.
    let ended = open_end && !last && !random.once_in(5);
    let descending = (ended || !open_end) && random.once_in(3);
    if descending {
        suffix.push_str(" desc");
        used.insert("desc".to_owned());
    }
    if nullable && random.once_in(2) {
        suffix.push_str(" nulls last");
        used.insert("nulls last".to_owned());
    }
    let delimiter = match (ended, descending) {
        (false, _) => "",
        (true, false) => "[0x00]",
        (true, true) => "[0xff]",
    };
    (ty, format!("[{name}: {ty}{suffix}]{delimiter}"))
}

/// A record for a key; not every one encodes.
pub(crate) fn record(random: &mut Random, key: &KeySchema) -> Vec<Value<'static>> {
    key.fields()
        .iter()
        .map(
            |(_, field)| {
                if field.nullable && random.once_in(4) { Value::Null } else { value(random, field.ty) }
            },
        )
        .collect()
}

/// A value of a type, often at a border.
pub(crate) fn value(random: &mut Random, ty: Type) -> Value<'static> {
    match ty.kind() {
        Kind::Bool => Value::Bool(random.once_in(2)),
        Kind::Octets(ty) => {
            let bytes = std::array::from_fn(|_| random.pick(&[0, 1, 0x7F, 0x80, 0xFF]));
            Value::Octets(Octets::of_number(ty, u128::from_be_bytes(bytes)))
        }
        Kind::Time if ty.step() > 1 => {
            Value::Time(random.pick(&[0, 1000, 4_294_967_295_000, 1_432_425_600_000]))
        }
        Kind::Time => {
            Value::Time(random.pick(&[0, 1, 60_000, 1_432_425_600_123, 1_735_689_600_000, i64::MAX]))
        }
        Kind::Integer => {
            let (min, max) = ty.integer_range().expect("an integer type");
            let spread = i128::from(random.number()).rem_euclid(max - min) + min;
            let small = i128::try_from(random.below(5)).expect("small") - 2;
            Value::Int(random.pick(&[min, max, min + 1, max - 1, 0, small, spread]).clamp(min, max))
        }
        Kind::Float => {
            let wide = f64::from_bits(random.number());
            let wide = if wide.is_nan() { 0.5 } else { wide };
            #[expect(clippy::cast_possible_truncation, reason = "f32 fields hold what 32 bits hold")]
            let narrow =
                f64::from(random.pick(&[0.0, -1.5, 1e-40, f64::MAX, f64::NEG_INFINITY, wide]) as f32);
            let exact = matches!(ty.to_string().as_str(), "f64" | "ordered(f64)");
            let number = if exact { random.pick(&[0.0, -1.5, 1e300, wide]) } else { narrow };
            Value::Float(if number == 0.0 { 0.0 } else { number })
        }
        Kind::Numeric => {
            let text = random.pick(&["0", "-1", "12.5", "-0.001", "99999999999999999999", "1000000"]);
            Value::Numeric(text.parse().expect("a decimal"))
        }
        Kind::Bytes => {
            let bytes: Vec<u8> =
                (0..random.below(4)).map(|_| random.pick(&[0, 1, 0x61, 0xFE, 0xFF])).collect();
            Value::Bytes(bytes.into())
        }
        Kind::Text => {
            let letters = ['\0', '\u{1}', 'a', 'b', 'é', '字', '\u{7F}', '~', '#'];
            let fixed = ty.width();
            let usual = random.below(4);
            let text: String = match fixed {
                Some(width) => (0..width).map(|_| random.pick(&['\0', 'a', 'b', '\u{7F}'])).collect(),
                None => (0..usual).map(|_| random.pick(&letters)).collect(),
            };
            Value::Text(text.into())
        }
    }
}
