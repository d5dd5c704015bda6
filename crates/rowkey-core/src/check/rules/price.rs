//! Rules on what a key costs: bytes, lost orders, parts that help no query.

use crate::check::expr::{call, digest, find, names, with_type};
use crate::check::range::unsigned_for_digits;
use crate::check::rule::{Example, Rule};
use crate::check::salting::{BUCKETS, salt_of_hash, salting};
use crate::check::subject::{Subject, ValuePart};
use crate::check::{Issue, Severity};
use crate::hashes::HashFunction;
use crate::key::{Boundary, FieldId, MAX_KEY_LENGTH};
use crate::notation::{Expr, ExprKind, Suffix};
use crate::query::MAX_FAN_OUT;
use crate::types::{Kind, Type};

/// Keys up to this length are short.
const SHORT: usize = 16;
/// Keys above this length are too long for most tables.
const LONG: usize = 100;
/// So many bytes of a digest are as good as unique.
const NEAR_UNIQUE: usize = 8;

pub(crate) const LENGTH: Rule = Rule {
    id: "length",
    summary: "Long keys: every cell repeats the whole key.",
    story: "\
HBase stores the row key with every cell, in the memory store, in the files and in their index. 100 bytes over
10 million cells are 1 GB (500 bytes are 5 GB, not 1) before compression and block encoding. Up to 16 bytes is short; over
100 is rarely needed. A row key has at most 32,767 bytes, not the 64 KB that is often written. Nor need its length be a multiple of 8: a
key lies between other bytes of a cell, and nothing is aligned there.",
    example: Example::Key("md5(message_id).upper():date:time:message_id"),
    check: length,
};

fn length(subject: &Subject<'_>) -> Vec<Issue> {
    let length = subject.key.length();
    // What records have, if there are some, instead of what types let expect.
    let measured = subject
        .context
        .data
        .filter(|data| data.records > 0)
        .map(|data| usize::try_from(data.key_bytes.div_ceil(data.records)).unwrap_or(usize::MAX));
    let typical = measured.unwrap_or(length.typical);
    let (severity, limit) = match typical {
        _ if length.min > MAX_KEY_LENGTH => (Severity::Error, MAX_KEY_LENGTH),
        typical if typical > LONG => (Severity::Warning, LONG),
        typical if typical > SHORT => (Severity::Hint, SHORT),
        _ => return Vec::new(),
    };
    // The data has no lengths of single parts; of one text among fixed parts it has what they leave.
    let is_open = |part: &&ValuePart<'_>| part.step.length_is_open();
    let one_open = subject.parts.iter().filter(is_open).count() == 1;
    let size = |part: &&ValuePart<'_>| match part.step.typical_length() {
        usual if measured.is_some() && is_open(part) && one_open => {
            (usual + typical).saturating_sub(length.typical)
        }
        usual => usual,
    };
    let Some(longest) = subject.parts.iter().max_by_key(size) else { return Vec::new() };
    let assumed = match measured {
        Some(_) => " on average in the data",
        None if length.max.is_none() => ", with texts of 10 bytes",
        None => "",
    };
    let message = format!(
        "a key has {typical} bytes{assumed}, over {limit}; every cell repeats it: 10 million cells are {} MB of keys",
        typical * 10
    );
    let cure = match measured.is_some() && is_open(&longest) && !one_open {
        true => format!("shorten the longest part, likely `{}`", longest.text()),
        false => format!("shorten the longest part, `{}` with {} bytes", longest.text(), size(&longest)),
    };
    let rewritten = shortened(subject)
        .filter(|source| subject.compile(source).is_some_and(|key| key.length().typical <= limit));
    vec![subject.at(longest, &LENGTH, severity).because(message).cure(cure, rewritten)]
}

/// The key with whole digests made salts and digits made numbers.
fn shortened(subject: &Subject<'_>) -> Option<String> {
    let mut rewrite = subject.rewrite();
    for part in &subject.parts {
        if let Type::Decimal(digits) = part.step.ty()
            && let Some(ty) = unsigned_for_digits(digits)
        {
            rewrite = rewrite.retype(part, ty);
        } else if let Some(hashed) = digest(&part.expr).filter(|_| comes_back_elsewhere(subject, part)) {
            let salt = salt_of_hash(subject, part, BUCKETS, hashed).ok()?;
            rewrite = rewrite.replace(part, salt, Suffix::default());
        }
    }
    rewrite.finish()
}

/// The key with a hash made a salt, if the hash is not what tells rows apart.
fn as_salt(subject: &Subject<'_>, part: &ValuePart<'_>, hashed: &[Expr]) -> Option<String> {
    let salt = salt_of_hash(subject, part, BUCKETS, hashed).ok()?;
    let rewrite = subject.rewrite().replace(part, salt, Suffix::default());
    comes_back_elsewhere(subject, part).then(|| rewrite.finish()).flatten()
}

/// Whether every field of a part comes back from another part.
fn comes_back_elsewhere(subject: &Subject<'_>, part: &ValuePart<'_>) -> bool {
    let back: Vec<FieldId> = subject
        .parts
        .iter()
        .filter(|other| other.index != part.index)
        .filter_map(|other| other.step.node.source_field())
        .collect();
    part.step.fields().iter().all(|id| back.contains(id))
}

pub(crate) const REVERSE_LOSES_RANGE: Rule = Rule {
    id: "reverse-loses-range",
    summary: "A reversed field: single values are found, ranges of it are not.",
    story: "\
Reversing puts the digits that change most in front, which spreads phone numbers and rising ids well. Numbers next to each
other then lie far apart, so `between`, `like '138%'` and order by that field read the whole table. A salt before
the plain field keeps ranges, at the price of one scan for each bucket.",
    example: Example::Key("[reverse(phone: decimal(11))]"),
    check: reverse_loses_range,
};

fn reverse_loses_range(subject: &Subject<'_>) -> Vec<Issue> {
    let reversed = subject.parts.iter().filter_map(|part| {
        let found = find(&part.expr, |expr| call(expr, "reverse").is_some())?;
        Some((part, call(found, "reverse")?.first()?))
    });
    reversed
        .map(|(part, inner)| {
            let shown = names(inner).join(", ");
            let message = format!("ranges and order of `{shown}` are lost: neighbours lie far apart");
            let rewritten = salted(subject, part, inner);
            let cure = format!("where ranges of `{shown}` matter, put a salt before the plain field: {BUCKETS} scans for a range");
            subject.at(part, &REVERSE_LOSES_RANGE, Severity::Hint).because(message).cure(cure, rewritten)
        })
        .collect()
}

fn salted(subject: &Subject<'_>, part: &ValuePart<'_>, inner: &Expr) -> Option<String> {
    call(&part.expr, "reverse")?;
    let (plain, ty) = match &inner.kind {
        ExprKind::Typed(plain, ty) => ((**plain).clone(), Some(*ty)),
        _ => (inner.clone(), None),
    };
    let unclear = *part.step.boundary() != Boundary::KeyEnd && part.step.ty().kind() == Kind::Text;
    let natural =
        crate::check::expr::name(&plain).and_then(|name| subject.field(name)).map(|(_, field)| field.ty);
    let own = ty.or(natural);
    let suffix = Suffix { ty: None, ..part.full_suffix() };
    let suffix = match own {
        Some(Type::Text) | None if unclear => with_type(suffix, Type::Escaped),
        Some(ty) if ty != Type::Text => with_type(suffix, ty),
        _ => suffix,
    };
    let lead = salting(subject, BUCKETS, &[]).ok()?.expr;
    subject.rewrite().replace_all(part, [(lead, Suffix::default()), (plain, suffix)]).finish()
}

pub(crate) const HASH_LOSES_RANGE: Rule = Rule {
    id: "hash-loses-range",
    summary: "A hash with so many values that no scan can go through them.",
    story: "\
A hash prefix spreads rows and a Get can compute it. Rows with the same hashed field stay together; what is lost are
scans across fields: a range of users would need one scan for each value of the hash, 65,536 for four hex
digits. Up to 1,024 values rowkey opens that many ranges and merges them, so a salt with few buckets keeps such queries.",
    example: Example::Key("[md5(user).subStr(0,4)][user: u64]"),
    check: hash_loses_range,
};

fn hash_loses_range(subject: &Subject<'_>) -> Vec<Issue> {
    let hashes = subject.parts.iter().filter_map(|part| Some((part, hashed(&part.expr)?)));
    hashes
        .filter(|(part, _)| part.step.value_count().is_none_or(|count| count > MAX_FAN_OUT as u128))
        .map(|(part, hashed)| {
            let count = part.step.value_count().filter(|count| *count < 1 << 40);
            let values =
                count.map_or_else(|| "too many values to list".to_owned(), |count| format!("{count} values"));
            let over = part.step.fields().iter().map(|id| subject.name(*id)).collect::<Vec<_>>().join(", ");
            let message = format!(
                "`{}` has {values}, so a query that does not fix `{over}` reads the whole table",
                part.text()
            );
            let rewritten = as_salt(subject, part, hashed);
            let cure = format!("a salt spreads too, and a scan across `{over}` reads {BUCKETS} ranges");
            subject.at(part, &HASH_LOSES_RANGE, Severity::Hint).because(message).cure(cure, rewritten)
        })
        .collect()
}

/// What a hash is computed from, if the expression is one.
fn hashed(expr: &Expr) -> Option<&[Expr]> {
    use crate::check::expr::{modulo, remainder};
    if let Some(arguments) = digest(expr) {
        return Some(arguments);
    }
    match &expr.kind {
        ExprKind::Call(call) if call.function == "salt" => call.arguments.get(1..),
        ExprKind::Call(call) if HashFunction::from_name(&call.function).is_some() => Some(&call.arguments),
        _ => modulo(expr).or_else(|| remainder(expr)).and_then(|(of, _)| hashed(of)),
    }
}

pub(crate) const DEAD_PART: Rule = Rule {
    id: "dead-part",
    summary: "A part behind a hash that is unique by itself: it can narrow no scan.",
    story: "\
Behind a whole digest of what makes the row unique there is only one row left, so the parts in between order
nothing and no scan can use them: with `md5(message_id):date:time:message_id` a query for a day reads the whole table. They
only make the key longer, 54 bytes in the article that proposes it. A salt of a few buckets leaves them useful.",
    example: Example::Key("md5(message_id).upper():date:time:message_id"),
    check: dead_part,
};

fn dead_part(subject: &Subject<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    for (at, hash) in subject.parts.iter().enumerate() {
        let Some(arguments) = digest(&hash.expr) else { continue };
        let bytes = hash.step.width.unwrap_or(0) / if hash.step.node.hex_case().is_some() { 2 } else { 1 };
        if bytes < NEAR_UNIQUE {
            continue;
        }
        let over = hash.step.fields();
        let after = subject.parts.get(at + 1..).unwrap_or_default();
        let whole_record = subject.context.identity.is_some_and(|ids| ids.iter().all(|id| over.contains(id)));
        // Where the hashed field itself stands last, it is what tells the rows apart.
        let returns =
            after.iter().rposition(|part| part.step.node.source_field().is_some_and(|id| over.contains(&id)));
        let until = if whole_record { after.len() } else { returns.unwrap_or(0) };
        let dead =
            after.iter().take(until).filter(|part| part.step.fields().iter().any(|id| !over.contains(id)));
        for part in dead {
            let message = format!(
                "`{}` stands behind `{}`, which is unique by itself: no scan can use it",
                part.text(),
                hash.text()
            );
            let rewritten = as_salt(subject, hash, arguments);
            let draft = subject.at(part, &DEAD_PART, Severity::Warning).because(message);
            issues.push(draft.cure(
                "a salt instead of the whole digest leaves what follows in order within each bucket",
                rewritten,
            ));
        }
    }
    issues
}
