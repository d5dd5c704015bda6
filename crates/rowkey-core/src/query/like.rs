//! Patterns of `like`: what they match, and the prefix or suffix that every match has.
//!
//! A pattern of `like`: `%` stands for any number of characters, `_` for one, and the character named by `escape` takes
//! the meaning from the next. Characters are code points, as `reverse` and `subStr` count them.

use std::fmt;

/// A pattern of `like`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LikePattern {
    pieces: Vec<PatternPiece>,
}

/// A stretch of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PatternPiece {
    /// These characters.
    Text(String),
    /// Any one character.
    One,
    /// Any number of characters.
    Any,
}

/// A pattern whose escape character stands before nothing that needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadEscape;

impl LikePattern {
    /// Reads a pattern; `escape` takes the meaning from `%`, `_` and itself.
    pub fn parse(text: &str, escape: Option<char>) -> Result<Self, BadEscape> {
        let mut pieces: Vec<PatternPiece> = Vec::new();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            let escaped = Some(character) == escape;
            let character = if escaped {
                let next = characters.next().ok_or(BadEscape)?;
                if !matches!(next, '%' | '_') && Some(next) != escape {
                    return Err(BadEscape);
                }
                next
            } else {
                character
            };
            match (character, pieces.last_mut()) {
                ('%', Some(PatternPiece::Any)) if !escaped => {}
                ('%', _) if !escaped => pieces.push(PatternPiece::Any),
                ('_', _) if !escaped => pieces.push(PatternPiece::One),
                (character, Some(PatternPiece::Text(text))) => text.push(character),
                (character, _) => pieces.push(PatternPiece::Text(character.into())),
            }
        }
        Ok(Self { pieces })
    }

    /// Whether a text has this form.
    pub fn matches(&self, text: &str) -> bool {
        matches(&self.pieces, text)
    }

    /// The text with which every match begins, and whether every text that begins so is a match.
    pub fn prefix(&self) -> (&str, bool) {
        match self.pieces.as_slice() {
            [PatternPiece::Text(prefix), rest @ ..] => (prefix, rest == [PatternPiece::Any]),
            rest => ("", rest == [PatternPiece::Any]),
        }
    }

    /// The text with which every match ends, and whether every text that ends so is a match.
    pub fn suffix(&self) -> (&str, bool) {
        match self.pieces.as_slice() {
            [rest @ .., PatternPiece::Text(suffix)] => (suffix, rest == [PatternPiece::Any]),
            rest => ("", rest == [PatternPiece::Any]),
        }
    }

    /// The only text that matches, if the pattern stands for nothing else.
    pub fn exact(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [PatternPiece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The longest run of ASCII characters, zeros left out, that every match contains somewhere.
    pub fn contained(&self) -> Option<&str> {
        let texts = self.pieces.iter().filter_map(|piece| match piece {
            PatternPiece::Text(text) => {
                Some(text.split(|character: char| !character.is_ascii() || character == '\0'))
            }
            PatternPiece::One | PatternPiece::Any => None,
        });
        // The first of several that are equally long.
        texts.flatten().filter(|run| !run.is_empty()).min_by_key(|run| std::cmp::Reverse(run.len()))
    }
}

fn matches(pieces: &[PatternPiece], text: &str) -> bool {
    match pieces {
        [] => text.is_empty(),
        [PatternPiece::Text(start), rest @ ..] => {
            text.strip_prefix(start.as_str()).is_some_and(|left| matches(rest, left))
        }
        [PatternPiece::One, rest @ ..] => {
            let mut characters = text.chars();
            characters.next().is_some() && matches(rest, characters.as_str())
        }
        [PatternPiece::Any] => true,
        [PatternPiece::Any, rest @ ..] => {
            // Only the nearest place matters up to the next `%`: what stands between two of them may come as early as
            // it can, so no place is tried twice.
            let next = rest.iter().position(|piece| *piece == PatternPiece::Any);
            let (run, behind) = rest.split_at(next.unwrap_or(rest.len()));
            if behind.is_empty() {
                return starts(text).any(|left| matches(run, left));
            }
            starts(text).find_map(|left| skip(run, left)).is_some_and(|left| matches(behind, left))
        }
    }
}

/// The text from each of its characters on, and its end.
fn starts(text: &str) -> impl Iterator<Item = &str> {
    let places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    places.filter_map(|at| text.get(at..))
}

/// What is left behind a run without `%` at the start of a text.
fn skip<'t>(run: &[PatternPiece], text: &'t str) -> Option<&'t str> {
    run.iter().try_fold(text, |left, piece| match piece {
        PatternPiece::Text(start) => left.strip_prefix(start.as_str()),
        PatternPiece::One | PatternPiece::Any => {
            let mut characters = left.chars();
            characters.next().map(|_| characters.as_str())
        }
    })
}

impl fmt::Display for LikePattern {
    /// In quotes, with `escape` where a character needs it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        let mut escaped = false;
        for piece in &self.pieces {
            match piece {
                PatternPiece::Any => text.push('%'),
                PatternPiece::One => text.push('_'),
                PatternPiece::Text(literal) => {
                    for character in literal.chars() {
                        if matches!(character, '%' | '_' | '!') {
                            escaped |= character != '!';
                            text.push('!');
                        }
                        text.push(character);
                    }
                }
            }
        }
        // Without `escape` an exclamation mark stands for itself.
        let text = if escaped { text } else { text.replace("!!", "!") };
        write!(f, "'{}'", text.replace('\'', "''"))?;
        if escaped { f.write_str(" escape '!'") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pattern(text: &str) -> LikePattern {
        LikePattern::parse(text, Some('!')).unwrap()
    }

    #[test]
    fn patterns_match_what_sql_says() {
        for (like, matching, others) in [
            ("abc", &["abc"][..], &["abcd", "ab", ""][..]),
            ("%ing", &["ing", "string", "inging"], &["in", "ings"]),
            ("a%", &["a", "ab", "a%"], &["", "ba"]),
            ("%b%", &["b", "abc", "bb"], &["", "ac"]),
            ("_é_", &["aéb"], &["éb", "aébc"]),
            ("a%b_c%d", &["abxcd", "abbxcyyd", "abbbcd"], &["abcd", "abxc"]),
            ("100!%", &["100%"], &["100", "1000"]),
            ("", &[""], &["a"]),
            ("%", &["", "x"], &[]),
        ] {
            for text in matching {
                assert!(pattern(like).matches(text), "{like} {text}");
            }
            for text in others {
                assert!(!pattern(like).matches(text), "{like} {text}");
            }
        }
        assert_eq!(LikePattern::parse("a!b", Some('!')), Err(BadEscape));
        assert_eq!(LikePattern::parse("a!", Some('!')), Err(BadEscape));
    }

    #[test]
    fn the_fixed_ends_of_a_pattern_are_known() {
        assert_eq!(pattern("abc%").prefix(), ("abc", true));
        assert_eq!(pattern("abc%d").prefix(), ("abc", false));
        assert_eq!(pattern("%ing").suffix(), ("ing", true));
        assert_eq!(pattern("a%ing").suffix(), ("ing", false));
        assert_eq!(pattern("_ing").suffix(), ("ing", false));
        assert_eq!((pattern("abc").exact(), pattern("a_").exact()), (Some("abc"), None));
        assert_eq!((pattern("%x%").contained(), pattern("%x").contained()), (Some("x"), Some("x")));
        assert_eq!((pattern("_").contained(), pattern("%é\0%").contained()), (None, None));
        assert_eq!(pattern("aé%bcé_def%").contained(), Some("def"));
    }

    /// The definition, slowly.
    fn slowly(pattern: &[char], text: &[char]) -> bool {
        match (pattern, text) {
            ([], _) => text.is_empty(),
            (['%', rest @ ..], _) => (0..=text.len()).any(|at| slowly(rest, &text[at..])),
            (['_', rest @ ..], [_, left @ ..]) => slowly(rest, left),
            ([one, rest @ ..], [first, left @ ..]) => one == first && slowly(rest, left),
            (_, []) => false,
        }
    }

    proptest! {
        #[test]
        fn matching_is_what_the_definition_says(like in "[ab%_é]{0,7}", text in "[abé]{0,8}") {
            let (chars, letters): (Vec<char>, Vec<char>) = (like.chars().collect(), text.chars().collect());
            prop_assert_eq!(LikePattern::parse(&like, None).unwrap().matches(&text), slowly(&chars, &letters));
        }
    }
}
