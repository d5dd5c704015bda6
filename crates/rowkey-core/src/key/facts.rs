//! What is true of every key that a schema gives.
//!
//! Facts are read off the compiled key, never guessed from names: which fields come back, how rows sort by each part,
//! how many values a part can have, how long keys are, whether the key rises with time. Checks, plans, splits and
//! advice all start from them.
//!
//! **Law** (`tests/generated.rs`): the facts agree with what encoding does.

use super::node::{Case, DatePiece, Node};
use super::schema::{Boundary, FieldId, Fields, KeySchema, Step, ValueStep};
use crate::notation::Operator;
use crate::types::{Kind, Nulls, Order, Type};

/// How rows sort by one part of the key, among rows that are equal in all parts before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sorting {
    /// By the value of a field, in this direction; equal bytes are equal values.
    Ordered(FieldId, Order),
    /// By the value of a field, but in steps: different values may have equal bytes, as in `date(ts)`.
    Coarse(FieldId, Order),
    /// Rows with equal values of a field lie together, in an order that is not that of the values.
    Grouped(FieldId),
    /// By nothing that a query could use: a hash, a salt, a remainder.
    Lost,
}

/// Whether the key of later records is larger, for records that are written as time goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    /// The key begins with a time: every new row goes to the last region.
    Rising,
    /// The key begins with a reversed time: every new row goes to the first region.
    Falling,
    /// Neither, as far as types tell.
    Neither,
}

/// The lengths of a schema's keys, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyLength {
    /// The length of the shortest key.
    pub min: usize,
    /// The longest, if there is one below HBase's limit.
    pub max: Option<usize>,
    /// An estimate that takes ten bytes for each text of open length.
    pub typical: usize,
}

/// How long a text is supposed to be where nothing is known about it.
const TYPICAL_TEXT: usize = 10;

impl KeySchema {
    /// The fields that decoding brings back.
    pub fn recoverable(&self) -> Vec<FieldId> {
        let mut back = Vec::new();
        for step in self.value_steps() {
            if step.boundary == Boundary::Unclear {
                break;
            }
            if let Some(field) = step.node.source_field()
                && !back.contains(&field)
            {
                back.push(field);
            }
        }
        back
    }

    /// Whether decoding brings back the very value of a field, whatever it is: no type of the part rounds, pads or folds it. `false` where that
    /// is not plain to see.
    pub fn brings_back_exactly(&self, field: FieldId) -> bool {
        let declared = self.fields().get(field).ty;
        let is_plain = |step: &ValueStep| {
            matches!(step.node, Node::Field(id) if id == field)
                && match (declared, step.ty) {
                    (Type::Text, Type::Text | Type::Escaped) => true,
                    (Type::Int(_) | Type::Timestamp | Type::Octets(_) | Type::Bool, ty) => ty == declared,
                    _ => false,
                }
        };
        self.value_steps().take_while(|step| step.boundary != Boundary::Unclear).any(is_plain)
    }

    /// The fields that the key names and decoding does not bring back, such as one that is only hashed.
    pub fn not_recoverable(&self) -> Vec<FieldId> {
        let back = self.recoverable();
        self.named_fields().into_iter().filter(|field| !back.contains(field)).collect()
    }

    /// The first part whose end a reader cannot find, if there is one: two records may then share a key.
    pub fn unclear_boundary(&self) -> Option<&ValueStep> {
        self.value_steps().find(|step| step.boundary == Boundary::Unclear)
    }

    /// Whether two records that differ in one of these fields never share a key. Random parts do not count: they keep
    /// records apart only by luck.
    pub fn is_unique_by(&self, identity: &[FieldId]) -> bool {
        let back = self.recoverable();
        identity.iter().all(|field| back.contains(field))
    }

    /// How rows sort by each step that depends on the record, from left to right.
    pub fn sorting(&self) -> Vec<Sorting> {
        self.value_steps().map(ValueStep::sorting).collect()
    }

    /// Whether the key rises or falls with time, by the type of its first part that is not fixed.
    pub fn lead(&self) -> Lead {
        let Some(first) = self.value_steps().next() else { return Lead::Neither };
        let (field, order) = match (first.sorting(), monotone(&first.node)) {
            (Sorting::Ordered(field, order) | Sorting::Coarse(field, order), _) => (field, order),
            // Negative times are out of order in a two's complement, but new rows have none.
            (Sorting::Grouped(_), Some(Monotone { field, order, .. }))
                if matches!(first.ty, Type::Int(_)) =>
            {
                (field, if first.order == Order::Descending { order.reversed() } else { order })
            }
            (Sorting::Grouped(_) | Sorting::Lost, _) => return Lead::Neither,
        };
        let is_time = self.fields.get(field).ty.kind() == Kind::Time;
        match (is_time, order) {
            (true, Order::Ascending) => Lead::Rising,
            (true, Order::Descending) => Lead::Falling,
            (false, _) => Lead::Neither,
        }
    }

    /// The lengths of its keys.
    pub fn length(&self) -> KeyLength {
        let mut length = KeyLength { min: 0, max: Some(0), typical: 0 };
        for step in &self.steps {
            let part = match step {
                Step::Literal(bytes) => {
                    KeyLength { min: bytes.len(), max: Some(bytes.len()), typical: bytes.len() }
                }
                Step::Value(value) => value.length(),
            };
            length.min += part.min;
            length.max = length.max.zip(part.max).map(|(a, b)| a + b);
            length.typical += part.typical;
        }
        length.min = length.min.max(1);
        length
    }
}

impl ValueStep {
    /// How rows sort by it, among rows that are equal before it.
    pub fn sorting(&self) -> Sorting {
        let turned = |order: Order| if self.order == Order::Descending { order.reversed() } else { order };
        if self.bytes_sort_as_values() {
            match monotone(&self.node) {
                Some(Monotone { field, order, strict: true }) => {
                    return Sorting::Ordered(field, turned(order));
                }
                Some(Monotone { field, order, strict: false }) => {
                    return Sorting::Coarse(field, turned(order));
                }
                None => {}
            }
        }
        match self.recovers() {
            Some(field) => Sorting::Grouped(field),
            None => Sorting::Lost,
        }
    }

    /// Whether its bytes sort as the values of its expression do.
    pub(super) fn bytes_sort_as_values(&self) -> bool {
        match self.ty {
            Type::Text | Type::Bytes => {
                // No text holds its delimiter, and nothing sorts before the zero byte, or behind its complement.
                let extreme = if self.order == Order::Ascending { 0x00 } else { 0xFF };
                let ended = matches!(&self.boundary, Boundary::Literal(bytes) if *bytes == [extreme]);
                self.width.is_some() || self.boundary == Boundary::KeyEnd || ended
            }
            ty => ty.is_ordered() || is_never_negative(&self.node),
        }
    }

    fn length(&self) -> KeyLength {
        let mark = usize::from(self.nulls != Nulls::Refused);
        let value = match (self.width, self.ty) {
            (Some(width), _) => KeyLength { min: width, max: Some(width), typical: width },
            (None, Type::Escaped) => KeyLength { min: 2, max: None, typical: TYPICAL_TEXT + 2 },
            (None, Type::Ordered(ty)) => match ty.fixed_len() {
                Some(len) => KeyLength { min: 1, max: Some(len), typical: len },
                None => KeyLength { min: 1, max: None, typical: TYPICAL_TEXT + 2 },
            },
            (None, _) => KeyLength { min: 0, max: None, typical: TYPICAL_TEXT },
        };
        let min = if mark == 1 { 1 } else { value.min };
        KeyLength { min, max: value.max.map(|max| max + mark), typical: value.typical + mark }
    }

    /// Whether values have different numbers of bytes.
    pub(crate) fn length_is_open(&self) -> bool {
        self.length().max.is_none()
    }

    /// How many bytes it usually has; texts have ten.
    pub fn typical_length(&self) -> usize {
        self.length().typical
    }

    /// Whether it is a digest or a stretch of one, in hex or as bytes.
    pub fn is_digest(&self) -> bool {
        matches!(self.node, Node::DigestBytes(..)) || self.hex_is_upper().is_some()
    }

    /// Of a part that is hex: whether its letters are upper case.
    pub fn hex_is_upper(&self) -> Option<bool> {
        self.node.hex_case().map(|case| case == Case::Upper)
    }

    /// Whether it maps letters beyond ASCII to lower case one by one.
    pub(crate) fn lowers_each(&self, fields: &Fields) -> bool {
        let mut found = false;
        self.node.visit(&mut |node| {
            if let Node::Case(Case::Lower, inner) = node {
                found |= !inner.shape(fields).ascii;
            }
        });
        found
    }

    /// How an expression of one field follows the field, if it does: the field, the direction, and whether different
    /// values always give different results.
    pub(crate) fn monotone(&self) -> Option<(FieldId, Order, bool)> {
        if !self.bytes_sort_as_values() {
            return None;
        }
        self.follows()
    }

    /// As [`ValueStep::monotone`], of the expression alone: its bytes may sort otherwise.
    pub(crate) fn follows(&self) -> Option<(FieldId, Order, bool)> {
        monotone(&self.node).map(|found| (found.field, found.order, found.strict))
    }
}

struct Monotone {
    field: FieldId,
    order: Order,
    strict: bool,
}

fn is_never_negative(node: &Node) -> bool {
    match node {
        Node::FromLongMax(_)
        | Node::Bucket(..)
        | Node::Random(_)
        | Node::Arithmetic(Operator::Modulo, ..) => true,
        Node::Number(number) => *number >= 0,
        _ => false,
    }
}

fn monotone(node: &Node) -> Option<Monotone> {
    let reversed = |found: Monotone| Monotone { order: found.order.reversed(), ..found };
    let coarse = |found: Monotone| Monotone { strict: false, ..found };
    match node {
        Node::Field(field) => Some(Monotone { field: *field, order: Order::Ascending, strict: true }),
        Node::Cast(node, _) => monotone(node),
        Node::FromLongMax(node) => monotone(node).map(reversed),
        Node::Arithmetic(operator, left, right) => match (&**left, operator, &**right) {
            (node, Operator::Add | Operator::Subtract, Node::Number(_))
            | (Node::Number(_), Operator::Add, node) => monotone(node),
            (Node::Number(_), Operator::Subtract, node) => monotone(node).map(reversed),
            (node, Operator::Multiply, Node::Number(by)) | (Node::Number(by), Operator::Multiply, node)
                if *by > 0 =>
            {
                monotone(node)
            }
            (node, Operator::Divide, Node::Number(_)) => monotone(node).map(coarse),
            _ => None,
        },
        Node::Date(node, pattern) => {
            let found = monotone(node)?;
            date_keeps_order(pattern).then(|| coarse(found))
        }
        Node::SubStr(node, 0, _) if matches!(**node, Node::Field(_)) => monotone(node).map(coarse),
        _ => None,
    }
}

/// Whether the letters go from large to small without a gap, from the year on.
fn date_keeps_order(pattern: &[DatePiece]) -> bool {
    const SIZES: [DatePiece; 7] = [
        DatePiece::Year,
        DatePiece::Month,
        DatePiece::Day,
        DatePiece::Hour,
        DatePiece::Minute,
        DatePiece::Second,
        DatePiece::Milli,
    ];
    let letters: Vec<&DatePiece> =
        pattern.iter().filter(|piece| !matches!(piece, DatePiece::Text(_))).collect();
    letters.len() <= SIZES.len() && letters.iter().zip(&SIZES).all(|(piece, size)| **piece == *size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorting(source: &str) -> Vec<String> {
        let key = KeySchema::parse(source).expect(source);
        let name = |field: FieldId| key.fields().get(field).name.clone();
        let arrow = |order| if order == Order::Descending { "desc" } else { "asc" };
        key.sorting()
            .into_iter()
            .map(|sorting| match sorting {
                Sorting::Ordered(field, order) => format!("{} {}", name(field), arrow(order)),
                Sorting::Coarse(field, order) => format!("{} {} in steps", name(field), arrow(order)),
                Sorting::Grouped(field) => format!("{} grouped", name(field)),
                Sorting::Lost => "lost".to_owned(),
            })
            .collect()
    }

    #[test]
    fn every_part_says_how_it_sorts() {
        for (key, expected) in [
            ("[salt(16, u)][u: u64][t: timestamp desc]", &["lost", "u asc", "t desc"][..]),
            ("[h][_][t: long]", &["h grouped", "t grouped"]),
            ("[h][0x00][t: u64]", &["h asc", "t asc"]),
            ("[h][0x0000][t: u64]", &["h grouped", "t asc"]),
            ("[h desc][0xff][t: u64]", &["h desc", "t asc"]),
            ("[h desc][0xff00][t: u64]", &["h grouped", "t asc"]),
            ("[Long.MAX_VALUE - t][u]", &["t desc", "u asc"]),
            ("[100 - a: i32 desc][a - 5: i64]", &["a asc", "a asc"]),
            (
                "[t / 3600000: u32][date(t, 'yyyy-MM-dd')][t]",
                &["t asc in steps", "t asc in steps", "t grouped"],
            ),
            ("[date(t, 'ddMMyyyy')]", &["lost"]),
            ("[reverse(u)]", &["u grouped"]),
            ("[reverse(u)][v]", &["lost", "v asc"]),
            ("[rpad(u,'~',9)][u.subStr(0,3)]", &["u grouped", "u asc in steps"]),
            ("[md5(u).subStr(0,4)][code(c, 'a'='1', 'b'='2')][random(4)]", &["lost", "c grouped", "lost"]),
            ("[a: ordered(i64) desc][b: ordered(bytes)]", &["a desc", "b grouped"]),
        ] {
            assert_eq!(sorting(key), expected, "{key}");
        }
    }

    #[test]
    fn time_leads_are_told_by_type() {
        for (key, lead) in [
            ("[t: timestamp][u]", Lead::Rising),
            ("-[t: timestamp desc][u]", Lead::Falling),
            ("[date(t)][u]", Lead::Rising),
            ("[u][t: timestamp]", Lead::Neither),
            ("[salt(4, u)][t: timestamp][u]", Lead::Neither),
        ] {
            assert_eq!(KeySchema::parse(key).expect(key).lead(), lead, "{key}");
        }
        let field = crate::key::Field { name: "t".to_owned(), ty: Type::Timestamp, nullable: false };
        let fields = Fields::new(vec![field]);
        for (key, lead) in [("[t: long]", Lead::Rising), ("[t: long desc]", Lead::Falling)] {
            assert_eq!(KeySchema::with_fields(key, &fields).expect(key).lead(), lead, "{key}");
        }
    }

    #[test]
    fn lengths_and_counts() {
        let length = |key: &str| {
            let length = KeySchema::parse(key).expect(key).length();
            (length.min, length.max, length.typical)
        };
        assert_eq!(length("[salt(16, u)][u: u64][t: timestamp]"), (17, Some(17), 17));
        assert_eq!(length("[md5(u).subStr(0,4)]-[u]"), (5, None, 15));
        assert_eq!(length("[n: i64?][s: escaped]"), (3, None, 21));
        assert_eq!(length("[s]"), (1, None, 10));
        let counts = |key: &str| -> Vec<Option<u128>> {
            KeySchema::parse(key).expect(key).value_steps().map(ValueStep::value_count).collect()
        };
        assert_eq!(
            counts("[salt(16, u)][random(100)][md5(u).subStr(0,4)][a % 300][salt('abcd', u)][u]"),
            [Some(16), Some(100), Some(65_536), Some(300), Some(4), None]
        );
    }

    #[test]
    fn the_largest_remainder_is_no_overflow() {
        let source = format!("[java_hash(s).rem({}): long][s]", i128::MAX);
        let key = KeySchema::parse(&source).expect("a key");
        assert_eq!(
            key.value_steps().next().and_then(ValueStep::value_count),
            Some(2 * i128::MAX.unsigned_abs() - 1)
        );
    }

    #[test]
    fn what_comes_back_and_what_does_not() {
        let names = |key: &KeySchema, ids: Vec<FieldId>| -> Vec<String> {
            ids.into_iter().map(|id| key.fields().get(id).name.clone()).collect()
        };
        let key = KeySchema::parse("[md5(a).bytes(4)][reverse(b)][c]").expect("a key");
        assert_eq!(names(&key, key.recoverable()), Vec::<String>::new());
        assert_eq!(names(&key, key.not_recoverable()), ["a", "b", "c"]);
        let key = KeySchema::parse("[md5(a).bytes(4)][lpad(b,'0',9)][Long.MAX_VALUE - c][d]").expect("a key");
        assert_eq!(names(&key, key.recoverable()), ["b", "c", "d"]);
        assert!(key.is_unique_by(&key.recoverable()) && !key.is_unique_by(&key.named_fields()));
    }
}
