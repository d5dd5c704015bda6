//! Checks that the parts of a key, their fields, types and functions go together.
//!
//! In this order: the names after `where` are replaced by what they stand for ([`super::names`]); fields that are not
//! declared get their types from how the key uses them ([`super::infer`]); each part becomes a step ([`super::resolve`]);
//! then text learns where it ends.

use std::num::NonZeroU16;

use super::infer;
use super::names;
use super::node::{BucketFunction, Input, Node};
use super::program::Program;
use super::resolve::{Company, Resolver};
use super::schema::{Boundary, Fields, KeySchema, Step, ValueStep};
use crate::finding::{Finding, Problem};
use crate::notation::{self, Notation, PartKind};
use crate::types::Type;

/// Compiles a key. A part that cannot be read does not keep the others from being looked at.
pub(super) fn compile_source(source: &str, declared: Option<&Fields>) -> Result<KeySchema, Vec<Finding>> {
    let (notation, mut findings) = notation::parse_what_can_be(source);
    let compiled = compile(source, &notation, declared);
    if findings.is_empty() {
        return compiled;
    }
    if let Err(more) = compiled {
        // A name may be used in the part that could not be read.
        findings.extend(
            more.into_iter().filter(|finding| !matches!(finding.problem, Problem::NameUnused { .. })),
        );
    }
    findings.sort_by_key(|finding| finding.span.start);
    Err(findings)
}

fn compile(source: &str, notation: &Notation, declared: Option<&Fields>) -> Result<KeySchema, Vec<Finding>> {
    let mut findings = Vec::new();
    let parts = names::expand(notation, declared, &mut findings);
    let fields = match declared {
        Some(fields) => fields.clone(),
        None => infer::fields(&parts, &mut findings),
    };
    let mut resolver = Resolver::new(&fields, declared.is_some());
    let mut steps: Vec<Step> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let step = match &part.kind {
            PartKind::Literal(bytes) => Some(Step::Literal(bytes.clone())),
            PartKind::Expr(expr, suffix) => {
                let next = parts.get(index + 1).map(|next| &next.kind);
                let before_ff =
                    matches!(next, Some(PartKind::Literal(bytes)) if bytes.first() == Some(&0xFF));
                let company = Company { is_first: index == 0, before_ff };
                resolver.part(expr, *suffix, part.span, company).map(Step::Value)
            }
        };
        match (step, steps.last_mut()) {
            (Some(Step::Literal(more)), Some(Step::Literal(bytes))) => bytes.extend(more),
            (Some(step), _) => steps.push(step),
            (None, _) => {}
        }
    }
    findings.extend(resolver.into_findings());
    let row_salt = row_salt(&steps, &mut findings);
    if !findings.is_empty() {
        findings.sort_by_key(|finding: &Finding| finding.span.start);
        return Err(findings);
    }
    set_boundaries(&mut steps);
    let mut key = KeySchema {
        source: source.to_owned(),
        fields,
        steps,
        computed_again: Vec::new(),
        row_salt,
        program: Program::default(),
    };
    fill_whole_salts(&mut key);
    key.computed_again = computed_again(&key);
    key.program = Program::new(&key.steps, &key.fields, &key.computed_again);
    Ok(key)
}

/// The buckets of a salt that is computed from the stored bytes behind it, which must be there and be the same again.
fn row_salt(steps: &[Step], findings: &mut Vec<Finding>) -> Option<NonZeroU16> {
    let (Step::Value(first), behind) = steps.split_first()? else { return None };
    let Node::Bucket(BucketFunction::PhoenixRow, buckets, _) = first.node else { return None };
    let values =
        || behind.iter().filter_map(|step| if let Step::Value(value) = step { Some(value) } else { None });
    if values().next().is_none() || values().any(ValueStep::is_random) {
        findings.push(Finding::new(first.span, Problem::RowSaltPlace));
    }
    u16::try_from(buckets).ok().and_then(NonZeroU16::new)
}

/// A part that is a field under its declared type needs no second look: the codec accepts only what it would write.
/// A field under another type is computed again, which finds values that the field cannot have; so is a field in two
/// parts, which may differ.
fn computed_again(key: &KeySchema) -> Vec<usize> {
    let back = key.recoverable();
    let clear = |step: &Step| !matches!(step, Step::Value(value) if value.boundary == Boundary::Unclear);
    let steps = key.steps.iter().take_while(|step| clear(step)).enumerate();
    let needed = steps.filter(|(_, step)| match step {
        Step::Literal(_) => false,
        Step::Value(value) => {
            let once = |id| key.value_steps().filter(|other| other.recovers() == Some(id)).count() < 2;
            let plain =
                matches!(value.node, Node::Field(id) if key.fields.get(id).ty == value.ty && once(id));
            // What a row salt is computed from stands in the key, whatever comes back of it.
            let known = || value.fields().iter().all(|field| back.contains(field));
            value.node.is_row_salt() || (!plain && !value.is_random() && known())
        }
    });
    needed.map(|(index, _)| index).collect()
}

/// `salt(n)` hashes each field of the key once, in order of appearance; a row salt depends on all of them.
fn fill_whole_salts(key: &mut KeySchema) {
    let all: Vec<Input> = key
        .named_fields()
        .into_iter()
        .map(|id| Input { node: Node::Field(id), ty: key.fields.get(id).ty })
        .collect();
    for step in &mut key.steps {
        if let Step::Value(value) = step {
            value.node.fill_whole_salts(&all);
        }
    }
}

/// Plain text and bytes have no end of their own: what follows decides.
fn set_boundaries(steps: &mut [Step]) {
    let following: Vec<Boundary> = steps
        .iter()
        .skip(1)
        .map(|next| match next {
            Step::Literal(bytes) => Boundary::Literal(bytes.clone()),
            Step::Value(_) => Boundary::Unclear,
        })
        .chain([Boundary::KeyEnd])
        .collect();
    for (step, after) in steps.iter_mut().zip(following) {
        if let Step::Value(value) = step
            && matches!(value.ty, Type::Text | Type::Bytes)
            && value.width.is_none()
        {
            value.boundary = after;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Field;

    #[test]
    fn a_salt_of_the_whole_key_hashes_it_also_inside_another_function() {
        let bytes = |key: &str, user: u8| {
            let mut out = Vec::new();
            let key = KeySchema::parse(key).expect(key);
            key.encode(&[crate::Value::Int(user.into())], &mut out).expect("a number");
            out
        };
        for user in 0..20 {
            let named = bytes("[str(salt(16, user))]_[user: u64]", user);
            assert_eq!(bytes("[str(salt(16))]_[user: u64]", user), named, "{user}");
        }
    }

    /// What the first version wrote for `[lower(a): escaped][a]`.
    const OLD_LOWER: &str = "08c1ab1596b15049";

    #[test]
    fn a_table_keeps_the_meaning_of_lower_that_it_was_made_with() {
        let bytes = |key: &KeySchema, text: &str| {
            let mut out = Vec::new();
            key.encode(&[crate::Value::Text(text.into())], &mut out).expect(text);
            String::from_utf8(out).expect("text")
        };
        let key = || KeySchema::parse("[lower(a): escaped][a]").expect("a key");
        for (text, lower) in
            [("ΟΔΟΣ", "οδος"), ("ΟΔΟΣ ΑΣ", "οδος ας"), ("ΣΑΣ.", "σας."), ("Σ", "σ"), ("Aİẞ", "ai\u{307}ß")]
        {
            assert!(bytes(&key(), text).starts_with(lower), "{text}");
            let mut decoded = Vec::new();
            key().decode_values(bytes(&key(), text).as_bytes(), &mut decoded).expect(text);
        }
        let older = key().of_order(OLD_LOWER);
        assert_eq!(older.fingerprint(), OLD_LOWER);
        assert!(bytes(&older, "ΟΔΟΣ").starts_with("οδοσ\0\u{1}"));
        assert_eq!(key().of_order("another"), key());
        let upper = KeySchema::parse("[upper(a): escaped][a]").expect("a key");
        assert!(bytes(&upper, "straße οδος").starts_with("STRASSE ΟΔΟΣ"));
    }

    fn first_problem(source: &str) -> String {
        KeySchema::parse(source).expect_err(source).findings[0].problem.to_string()
    }

    fn typed_fields(source: &str) -> Vec<String> {
        let key = KeySchema::parse(source).unwrap_or_else(|findings| panic!("{source}: {findings}"));
        let nullable = |field: &Field| if field.nullable { "?" } else { "" };
        key.fields().iter().map(|(_, f)| format!("{}:{}{}", f.name, f.ty, nullable(f))).collect()
    }

    #[test]
    fn fields_of_a_bare_key_take_their_types_from_its_use() {
        assert_eq!(
            typed_fields("[salt(16, user)][user: u64][host]_[at: timestamp desc]"),
            ["user:u64", "host:text", "at:timestamp"]
        );
        assert_eq!(
            typed_fields("[a % 16][str(b)]_[date(c)][d: i64?]"),
            ["a:long", "b:long", "c:timestamp", "d:i64?"]
        );
        assert_eq!(typed_fields("[reverse(n: decimal(6))][x]"), ["n:decimal(6)", "x:text"]);
        assert_eq!(typed_fields("[bucket][ts][host] where bucket = ts % 16"), ["ts:long", "host:text"]);
    }

    #[test]
    fn text_ends_where_the_next_part_lets_it() {
        let boundaries = |source: &str| -> Vec<Boundary> {
            let key = KeySchema::parse(source).expect(source);
            key.value_steps().map(|step| step.boundary.clone()).collect()
        };
        assert_eq!(boundaries("[a][_]-[b]"), [Boundary::Literal(b"_-".to_vec()), Boundary::KeyEnd]);
        assert_eq!(boundaries("[a][b: u8]"), [Boundary::Unclear, Boundary::Own]);
        assert_eq!(boundaries("[a: escaped]"), [Boundary::Own]);
        assert_eq!(boundaries("[md5(a).subStr(0,4)][a]"), [Boundary::Own, Boundary::KeyEnd]);
        assert_eq!(boundaries("[reverse(a)][b]"), [Boundary::Unclear, Boundary::KeyEnd]);
        assert_eq!(boundaries("[rpad(a,'x',9)][a: ordered(text)]"), [Boundary::Own, Boundary::Own]);
    }

    #[test]
    fn what_cannot_work_is_refused() {
        for (key, words) in [
            ("[slat(16, a)]", "no function `slat`"),
            ("[a][phoenix_row_salt(4)][b]", "it is the first part of a key"),
            ("[str(phoenix_row_salt(4))]_[a]", "it is the first part of a key"),
            ("[phoenix_row_salt(4): u16][a]", "without a type or direction"),
            ("[phoenix_row_salt(4) desc][a]", "without a type or direction"),
            ("[phoenix_row_salt(4)]_", "before a field"),
            ("[phoenix_row_salt(4)][random(4)][a]", "no random part follows"),
            ("[phoenix_row_salt(257)][a]", "2 to 256 buckets, not 257"),
            ("[phoenix_row_salt(a, 4)][a]", "write phoenix_row_salt(16)"),
            ("[a desc][0x00]", "plain text cannot sort descending"),
            ("[salt(1, a)][a]", "2 to 4294967295 buckets, not 1"),
            ("[salt(a)][a]", "write salt(16, user_id)"),
            ("[a desc]", "plain text cannot sort descending"),
            ("[a: u8][a: u16]", "u8 in an earlier part and u16 here"),
            ("[a * 2]", "has no type of its own"),
            ("[murmur3(a)]", "has no type of its own"),
            ("[a % b]", "a positive constant"),
            ("[a / 0: long]", "a positive constant"),
            ("[md5(a) + 1: long]", "is text, where a whole number is needed"),
            ("[md5(a * 2)]", "has no type of its own"),
            ("[java_hash(a) % 7][a: u8]", "takes text"),
            ("[lpad(a, 'xx', 3)]", "one ASCII character"),
            ("[md5(a).bytes(17)]", "1 to 16"),
            ("[md5(a).subStr(3,3)]", "write x.subStr(0,4)"),
            ("[md5(a).subStr(0,33)]", "has only 32 characters"),
            ("[date(a, 'yyyyQ')]", "yyyy MM dd HH mm ss SSS"),
            ("[code(a)]", "write code(site, 'Taobao'='tb')"),
            ("[code(a, 'x'='y', 'x'='z')]", "`x` is given twice"),
            ("[a: ordered(i8)?]", "is null by itself"),
            ("[random(4) + 1: u8]", "stand alone"),
            ("[a: timestamp][a % 7: text]", "does not fit text"),
            ("[b][a] where b = c, c = a % 3", "after the name that uses it"),
            ("[a] where b = a % 3", "is never used"),
            ("[b][b] where b = a % 3, b = a % 4", "is given twice"),
            ("['x'.upper()]", "expected one text in quotes"),
            ("[7 + 1: u8]", "names no field"),
        ] {
            let found = first_problem(key);
            assert!(found.contains(words), "{key}: {found}");
        }
    }

    #[test]
    fn all_findings_come_at_once() {
        let findings =
            KeySchema::parse("[rverse(a)][Long.MAX_VALUE-ts][b: u46][c * 2]").expect_err("four mistakes");
        assert_eq!(findings.findings.len(), 4, "{findings}");
    }

    #[test]
    fn declared_fields_are_checked() {
        let field = |name: &str, ty| Field {
            name: name.to_owned(),
            ty: Type::from_name(ty).expect("a type"),
            nullable: false,
        };
        let fields = Fields::new(vec![field("user_id", "u64"), field("b", "text")]);
        let findings = KeySchema::with_fields("[user_di][user_id: text]", &fields).expect_err("two mistakes");
        assert_eq!(findings.len(), 2);
        assert_eq!(findings[0].problem.help().as_deref(), Some("did you mean `user_id`?"));
        assert!(matches!(findings[1].problem, Problem::TypeDoesNotFit { .. }));
        let findings =
            KeySchema::with_fields("[b] where b = user_id % 3", &fields).expect_err("a name that is a field");
        assert!(matches!(&findings[0].problem, Problem::NameIsField { .. }), "{findings:?}");
    }

    /// Forms from articles about row keys: each error names the form of the notation, and that form compiles.
    #[test]
    fn forms_of_the_articles_are_led_to_ours() {
        for (source, problem, help) in [
            ("[id mod 5][id]", "`mod` is not how", "write % for the remainder, as in [id % 5: u8]"),
            ("[(ID mod 5) + id]", "`mod` is not how", "[id % 5: u8]"),
            ("[Long(date)]", "no function `Long`", "[x: long]"),
            ("[random.nextInt(4)][ts]", "no function `nextInt`", "write [random(4)]"),
            ("[b][timestamp] where b = timestamp % numBuckets", "not `numBuckets`", "as in ts % 16"),
            ("[timestamp % numBuckets][timestamp]", "not `numBuckets`", "the number itself for `numBuckets`"),
            (
                "[host][timestamp] where timestamp = Long.MAX_VALUE - timestamp",
                "the name `timestamp` stands for itself",
                "write [Long.MAX_VALUE - timestamp] for the part [timestamp], or [timestamp desc]",
            ),
            ("timestamp = Long.MAX_VALUE - timestamp; [host][timestamp]", "is not how", "[ts desc]"),
            ("[timestamp = Long.MAX_VALUE - timestamp]", "`=` is not how", "[ts desc]"),
            ("[key.hashCode() % 1000][key]", "no function `hashCode`", "java_hash(x).rem(1000)"),
            ("[id.substring(0,4)]", "no function `substring`", "x.subStr(0,4)"),
            ("[ts: timestamp DESC]", "`DESC` is not how", "lower case"),
            ("[String.valueOf(id)]", "no function `valueOf`", "str(x)"),
        ] {
            let findings = KeySchema::parse(source).expect_err(source).findings;
            let (said, helped) =
                (findings[0].problem.to_string(), findings[0].problem.help().unwrap_or_default());
            assert!(said.contains(problem) && helped.contains(help), "{source}: {said}; {helped}");
        }
        for form in [
            "[id % 5: u8][id]",
            "[x: long]",
            "[random(4)][ts]",
            "[Long.MAX_VALUE - ts]",
            "[ts: timestamp desc]",
        ] {
            assert!(KeySchema::parse(form).is_ok(), "{form}");
        }
        let ts = Field { name: "ts".to_owned(), ty: Type::Timestamp, nullable: false };
        let declared = KeySchema::with_fields("[ts] where ts = Long.MAX_VALUE - ts", &Fields::new(vec![ts]));
        let findings = declared.expect_err("it stands for itself");
        assert!(
            matches!(&findings[..], [Finding { problem: Problem::NameOfItself { .. }, .. }]),
            "{findings:?}"
        );
    }

    #[test]
    fn the_fingerprint_names_the_order_and_not_the_spelling() {
        let fingerprint = |source: &str| KeySchema::parse(source).expect(source).fingerprint();
        assert_eq!(fingerprint("[a][_][b: u8]"), fingerprint("[ a ]_[b:u8]"));
        assert_eq!(fingerprint("[x][t: u64] where x = t % 16"), fingerprint("[t % 16: u8][t: u64]"));
        let keys = [
            "[a]_[b: u8]",
            "[a]-[b: u8]",
            "[a]_[b: u16]",
            "[a]_[b: u8 desc]",
            "[a]_[b: u8?]",
            "[salt(2, a)][a]_[b: u8]",
            "[salt(2, b)][a]_[b: u8]",
            "[md5(a).subStr(0,2)][a]_[b: u8]",
            "[md5(a).subStr(0,3)][a]_[b: u8]",
            "[sha1(a).subStr(0,2)][a]_[b: u8]",
        ];
        let mut all: Vec<String> = keys.iter().map(|key| fingerprint(key)).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), keys.len());
        // Stored in tables: these figures may never change.
        let phoenix = "[phoenix_salt(host, n, 16)][host][0x00][n: i64 desc]";
        assert_eq!(fingerprint(phoenix), "2f5ac70f9b86ca50");
        assert_ne!(fingerprint("[phoenix_row_salt(16)][host][0x00][n: i64 desc]"), fingerprint(phoenix));
        assert_eq!(fingerprint("[salt(16, a)][a: u64][b: timestamp desc][c]"), "d3d7c546cbca050e");
        // `lower` got a new word with its new rule for the last sigma; the old rule keeps the old one.
        assert_eq!(fingerprint("[lower_each(a): escaped][a]"), OLD_LOWER);
        assert_ne!(fingerprint("[lower(a): escaped][a]"), OLD_LOWER);
        assert_eq!(fingerprint("[md5(a).lower()][a]"), fingerprint("[md5(a).lower_each()][a]"));
    }
}
