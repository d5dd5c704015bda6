//! Rules on whether buckets and salts spread rows as intended.

use super::lead::PLAIN;
use crate::check::expr::{call, find, make_modulo, map, modulo, name, names, remainder, with_type};
use crate::check::range::{common_divisor, may_be_negative, range};
use crate::check::rule::{Example, Rule};
use crate::check::salting::{salt_of_hash, salting};
use crate::check::subject::{Subject, ValuePart};
use crate::check::{Issue, Severity};
use crate::hashes::HashFunction;
use crate::notation::{Expr, ExprKind, Operator};

pub(crate) const NEGATIVE_REMAINDER: Rule = Rule {
    id: "negative-remainder",
    summary: "Java's remainder of a number that may be negative: half of the buckets do not exist.",
    story: "\
In Java, `hashCode() % 1000` has the sign of the hash, and half of all hashes are negative. `\"20150524002300_1232\"` gives
-203; padded to three digits that becomes `00-203`. All such rows pile up before the first split point, and a reader that
goes through 000 to 999 never finds them. `%` of this notation is never negative.",
    example: Example::Key("[java_hash(id).rem(1000): decimal(3)][id]"),
    check: negative_remainder,
};

fn negative_remainder(subject: &Subject<'_>) -> Vec<Issue> {
    let fields = subject.key.fields();
    let found = subject.parts.iter().filter_map(|part| {
        let rem =
            find(&part.expr, |expr| remainder(expr).is_some_and(|(left, _)| may_be_negative(left, fields)))?;
        Some((part, remainder(rem)?))
    });
    found
        .map(|(part, (left, count))| {
            let is_hash = matches!(&left.kind, ExprKind::Call(call) if HashFunction::from_name(&call.function).is_some());
            let share = if is_hash { "half of all records" } else { "every negative number" };
            let refuses = part.step.ty().integer_range().is_some_and(|(min, _)| min >= 0)
                && range(&part.expr, fields).is_some_and(|(min, _)| min < 0);
            let (severity, then) = if refuses {
                (Severity::Error, format!("which {} cannot hold: those records have no key", part.step.ty()))
            } else {
                (Severity::Warning, format!("outside the buckets 0 to {} that readers look in", count - 1))
            };
            let message = format!("`{left}.rem({count})` is negative for {share}, {then}");
            let expr = map(&part.expr, &|inner| remainder(inner).map(|(left, count)| make_modulo(left.clone(), count)));
            let rewritten = subject.rewrite().replace(part, expr, part.suffix).finish();
            let draft = subject.at(part, &NEGATIVE_REMAINDER, severity).because(message);
            draft.cure(format!("`% {count}` is never negative"), rewritten)
        })
        .collect()
}

pub(crate) const ADDED_SALT: Rule = Rule {
    id: "added-salt",
    summary: "A bucket that is added to the number instead of standing before it.",
    story: "\
`(ID mod 5) + id` is meant to put a digit in front. Where the id is a number, `+` adds: 7 becomes 9, the rows stay in the
order of the ids, nothing is spread, and the id does not come back. A bucket is a part of its own.",
    example: Example::Key("[id % 5 + id: long]"),
    check: added_salt,
};

fn added_salt(subject: &Subject<'_>) -> Vec<Issue> {
    subject.parts.iter().filter_map(|part| added(subject, part)).collect()
}

fn added(subject: &Subject<'_>, part: &ValuePart<'_>) -> Option<Issue> {
    let ExprKind::Binary(Operator::Add, left, right) = &part.expr.kind else { return None };
    let bucket =
        |expr: &Expr| modulo(expr).or_else(|| remainder(expr)).map(|(of, count)| (of.clone(), count));
    let ((of, count), number) =
        bucket(left).map(|b| (b, right)).or_else(|| bucket(right).map(|b| (b, left)))?;
    if names(number).is_empty() {
        return None;
    }
    let (sevens, sum) = (7 % count, 7 % count + 7);
    let message = format!(
        "`{}` adds two numbers (7 gives {sum}, not {sevens} before 7): rows stay in the order of `{number}`, nothing is spread",
        part.text()
    );
    let own = name(number).and_then(|name| subject.field(name)).map(|(_, field)| field.ty);
    let suffix = with_type(part.full_suffix(), own.unwrap_or(part.step.ty()));
    let new = [(make_modulo(of, count), PLAIN), ((**number).clone(), suffix)];
    let rewritten = subject.rewrite().replace_all(part, new).finish();
    let draft = subject.at(part, &ADDED_SALT, Severity::Warning).because(message);
    Some(draft.cure("make the bucket a part of its own", rewritten))
}

pub(crate) const BUCKET_STEP: Rule = Rule {
    id: "bucket-step",
    summary: "`time % n`, where times come in steps that share a divisor with n.",
    story: "\
`timestamp % 16` spreads rows only if the last digits of the time are random. They rarely are: times in whole seconds are
multiples of 1,000, which fall into 2 of 16 buckets; times in whole minutes fall into one. A salt hashes what tells rows apart, so
that every step reaches all buckets. Of `ts / 3600000 % 24` the rows of a whole hour share a bucket, which is hot for that hour.",
    example: Example::Key("[ts % 16][ts: timestamp][host]"),
    check: bucket_step,
};

fn bucket_step(subject: &Subject<'_>) -> Vec<Issue> {
    subject.parts.iter().filter_map(|part| stepped(subject, part)).collect()
}

fn stepped(subject: &Subject<'_>, part: &ValuePart<'_>) -> Option<Issue> {
    let (of, count) = modulo(&part.expr).or_else(|| remainder(&part.expr))?;
    let (time, unit) = match &of.kind {
        ExprKind::Binary(Operator::Divide, time, by) => (&**time, crate::check::expr::constant(by)?),
        _ => (of, 1),
    };
    let field = name(time)?;
    let guess = subject.time(field)?;
    let time_by = if guess.0 { " (a time by its name)" } else { "" };
    let what = if unit >= MINUTE {
        format!("all rows of {} fall into one bucket, and then all into the next", duration(unit))
    } else {
        let used = |step: i128| count / common_divisor(count, (step / unit).max(1));
        let (seconds, minutes) = (used(1000), used(MINUTE));
        if seconds == count && minutes == count {
            return None;
        }
        let always = subject.field(field).is_some_and(|(_, field)| field.ty.step() > 1);
        let which =
            if always { "all its values, which are whole seconds," } else { "times in whole seconds" };
        format!("{which} fall into {seconds} of {count} buckets, times in whole minutes into {minutes}")
    };
    let message = format!("of `{}`{time_by}, {what}", part.text());
    let draft = subject.at(part, &BUCKET_STEP, Severity::Warning).guess(guess).because(message);
    Some(match salting(subject, count, &[]) {
        Ok(made) => draft.cure(
            "a salt hashes what tells rows apart, and spreads every step over all buckets",
            subject.rewrite().replace(part, made.expr, part.suffix).finish(),
        ),
        Err(why) => draft.cure(why.text(), None),
    })
}

/// In milliseconds.
const MINUTE: i128 = 60_000;

fn duration(millis: i128) -> String {
    let units = [(86_400_000, "days"), (3_600_000, "hours"), (MINUTE, "minutes")];
    let (unit, name) = units.into_iter().find(|(unit, _)| millis % unit == 0).unwrap_or((1, "milliseconds"));
    match millis / unit {
        1 => format!("a whole {}", name.trim_end_matches('s')),
        count => format!("{count} {name}"),
    }
}

pub(crate) const HASH_RESONANCE: Rule = Rule {
    id: "hash-resonance",
    summary: "A salt of Java's `hashCode` with a number of buckets that resonates with its factor 31.",
    story: "\
`hashCode` is 31 times what came before plus the next character. Modulo a multiple of 31 nearly everything but the last
character falls away; modulo a power of two, 31 is nearly -1, so that a text of digits is reduced to the difference
of its digit sums. The numbers below are counted on 10,000 texts. `salt` uses murmur3, which has no such factor.",
    example: Example::Key("[java_hash(id) % 62][id]"),
    check: hash_resonance,
};

/// How many texts are hashed to see how they spread.
const SAMPLE: u32 = 10_000;
/// A bucket with this many times its fair share is no accident of the sample.
const UNFAIR: f64 = 1.1;

fn hash_resonance(subject: &Subject<'_>) -> Vec<Issue> {
    subject.parts.iter().filter_map(|part| resonant(subject, part)).collect()
}

fn resonant(subject: &Subject<'_>, part: &ValuePart<'_>) -> Option<Issue> {
    let (of, count) = modulo(&part.expr).or_else(|| remainder(&part.expr))?;
    let hashed = call(of, "java_hash")?;
    let padded = hashed.iter().find_map(|text| call(text, "lpad").or_else(|| call(text, "date")));
    let width = padded.and_then(|arguments| arguments.last()).and_then(crate::check::expr::constant);
    let width = usize::try_from(width.unwrap_or(6)).unwrap_or(6).clamp(4, 64);
    let is_power = padded.is_some() && count.count_ones() == 1;
    if count < 2 || !(count % 31 == 0 || is_power) {
        return None;
    }
    let (fullest, empty) = spread(count, width)?;
    let fair = 100.0 / f64::from(u32::try_from(count).ok()?);
    if fullest < UNFAIR * fair {
        return None;
    }
    let message = format!(
        "java_hash multiplies by 31, and {count} is {}: of {SAMPLE} texts of {width} digits, the fullest of {count} buckets \
         gets {fullest:.1}% where {fair:.1}% is fair, and {empty} stay empty",
        if is_power { "a power of two" } else { "a multiple of 31" },
    );
    let draft = subject.at(part, &HASH_RESONANCE, Severity::Warning).because(message);
    Some(match salt_of_hash(subject, part, count, hashed) {
        Ok(salt) => draft.cure(
            "salt, which uses murmur3, spreads evenly over any number of buckets",
            subject.rewrite().replace(part, salt, part.suffix).finish(),
        ),
        Err(why) => draft.cure(why.text(), None),
    })
}

/// The share of the fullest bucket in percent, and how many stay empty.
fn spread(count: i128, width: usize) -> Option<(f64, usize)> {
    let mut buckets = vec![0u32; usize::try_from(count).ok().filter(|count| *count <= 1 << 16)?];
    for number in 0..SAMPLE {
        let mut hasher = HashFunction::JavaHash.hasher();
        hasher.update(format!("{number:0width$}").as_bytes());
        let bucket = hasher.finish().number()?.rem_euclid(count);
        *buckets.get_mut(usize::try_from(bucket).ok()?)? += 1;
    }
    let fullest = buckets.iter().max().copied().unwrap_or(0);
    let empty = buckets.iter().filter(|rows| **rows == 0).count();
    Some((100.0 * f64::from(fullest) / f64::from(SAMPLE), empty))
}
