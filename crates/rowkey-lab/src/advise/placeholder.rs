//! For which field does a `?` of a query stand, and on which side of it?
//!
//! ```text
//! user_id = ?  ? <= ts  ts between ? and ?  city in (?, ?)  name like ?  limit ?
//! ```

use rowkey::key::{FieldId, Fields};

/// What a `?` stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A value that the field has.
    Value(FieldId),
    /// The lower end of a range.
    Lower(FieldId),
    /// The upper end of a range.
    Upper(FieldId),
    /// A pattern that begins as a value does.
    Pattern(FieldId),
    /// The number of rows.
    Limit,
}

/// The roles of all `?`, from left to right; `Err` is the number, from 1, of one that stands beside no field.
pub(super) fn roles(query: &str, fields: &Fields) -> Result<Vec<Role>, usize> {
    let tokens = tokens(query);
    let field = |at: Option<usize>| {
        let word = at.and_then(|at| tokens.get(at))?;
        fields.id(word.trim_matches('"'))
    };
    let word = |at: Option<usize>, expected: &str| {
        at.and_then(|at| tokens.get(at)).is_some_and(|token| token.eq_ignore_ascii_case(expected))
    };
    // The field before `[not] WORD`.
    let before = |at: usize| {
        let at = at.checked_sub(1)?;
        field(if word(Some(at), "not") { at.checked_sub(1) } else { Some(at) })
    };
    let mut roles = Vec::new();
    for (at, _) in tokens.iter().enumerate().filter(|(_, token)| **token == "?") {
        let previous = at.checked_sub(1);
        let role = if word(previous, "limit") {
            Some(Role::Limit)
        } else if word(previous, "like") {
            before(at - 1).map(Role::Pattern)
        } else if word(previous, "between") {
            before(at - 1).map(Role::Lower)
        } else if word(previous, "and") && word(at.checked_sub(3), "between") {
            before(at - 3).map(Role::Upper)
        } else if let Some(sign) = previous.and_then(|at| sign(tokens.get(at)?)) {
            field(at.checked_sub(2)).map(|field| sign.role(field))
        } else if let Some(sign) = tokens.get(at + 1).and_then(|token| sign(token)) {
            field(Some(at + 2)).map(|field| sign.mirrored().role(field))
        } else {
            list(&tokens, at).and_then(before).map(Role::Value)
        };
        roles.push(role.ok_or(roles.len() + 1)?);
    }
    Ok(roles)
}

/// The place of the `in` before a list that `at` is in.
fn list(tokens: &[&str], at: usize) -> Option<usize> {
    let inside = tokens.get(..at)?.iter().rev().take_while(|token| **token != "(").count();
    let before = at.checked_sub(inside + 2)?;
    tokens.get(before).filter(|token| token.eq_ignore_ascii_case("in")).map(|_| before)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Equal,
    Above,
    Below,
}

impl Sign {
    fn role(self, field: FieldId) -> Role {
        match self {
            Self::Equal => Role::Value(field),
            Self::Above => Role::Lower(field),
            Self::Below => Role::Upper(field),
        }
    }

    fn mirrored(self) -> Self {
        match self {
            Self::Equal => Self::Equal,
            Self::Above => Self::Below,
            Self::Below => Self::Above,
        }
    }
}

fn sign(token: &str) -> Option<Sign> {
    match token {
        "=" | "<>" | "!=" => Some(Sign::Equal),
        ">" | ">=" => Some(Sign::Above),
        "<" | "<=" => Some(Sign::Below),
        _ => None,
    }
}

/// Words, signs, quoted texts and `?`.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let length = match first {
            '\'' | '"' => {
                let inner = rest.get(1..).unwrap_or_default();
                inner.find(first).map_or(rest.len(), |end| end + 2)
            }
            '<' | '>' | '=' | '!' => rest.find(|c| !matches!(c, '<' | '>' | '=' | '!')).unwrap_or(rest.len()),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        tokens.push(token);
        rest = behind.trim_start();
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use rowkey::Type;
    use rowkey::key::Field;

    #[test]
    fn every_question_mark_finds_its_field() {
        let field = |name: &str| Field { name: name.to_owned(), ty: Type::Text, nullable: false };
        let fields = Fields::new(vec![field("user"), field("ts"), field("log-event")]);
        let (user, ts, event) = (FieldId(0), FieldId(1), FieldId(2));
        for (query, expected) in [
            ("user = ?", Ok(vec![Role::Value(user)])),
            ("? = user and ? <= ts", Ok(vec![Role::Value(user), Role::Lower(ts)])),
            ("user=? and ts>=? and ts<?", Ok(vec![Role::Value(user), Role::Lower(ts), Role::Upper(ts)])),
            (
                "ts not between ? and ? and user = ?",
                Ok(vec![Role::Lower(ts), Role::Upper(ts), Role::Value(user)]),
            ),
            ("user in (?, 'a, b (', ?) limit ?", Ok(vec![Role::Value(user), Role::Value(user), Role::Limit])),
            ("\"log-event\" like ? or user not like ?", Ok(vec![Role::Pattern(event), Role::Pattern(user)])),
            ("user = '?'", Ok(vec![])),
            ("user = ? and nobody = ?", Err(2)),
            ("?", Err(1)),
        ] {
            assert_eq!(roles(query, &fields), expected, "{query}");
        }
    }
}
