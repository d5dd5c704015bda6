//! Upper and lower case of Unicode, as the core has them: tables for languages whose own are of another version.
//!
//! Rust's `char` and `str` are asked for every character, so the tables are always those that keys are made with. A run is
//! `first, last, step, delta`: every `step`th character from the first to the last is mapped to itself plus `delta`. What becomes
//! several characters stands apart.
//!
//! **Law** (test below): mapping by the tables is mapping by the standard library.

use std::sync::OnceLock;

/// Characters that are mapped alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The first character.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// From one to the next.
    pub step: u32,
    /// What is added.
    pub delta: i32,
}

/// A mapping of each character by itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CaseTable {
    /// Characters that become one character, in order.
    pub runs: Vec<Run>,
    /// Characters that become several, in order.
    pub several: Vec<(char, String)>,
}

/// Characters from a first to a last one, both included.
pub type Ranges = Vec<(u32, u32)>;

/// Upper case of each character.
pub fn upper() -> &'static CaseTable {
    static TABLE: OnceLock<CaseTable> = OnceLock::new();
    TABLE.get_or_init(|| CaseTable::new(|character| character.to_uppercase().collect()))
}

/// Lower case of each character.
pub fn lower() -> &'static CaseTable {
    static TABLE: OnceLock<CaseTable> = OnceLock::new();
    TABLE.get_or_init(|| CaseTable::new(|character| character.to_lowercase().collect()))
}

/// Characters that are skipped when it is asked whether a sigma ends a word.
pub fn ignored() -> &'static Ranges {
    &word_ends().1
}

/// Letters that a sigma at the end of a word stands behind, but for those of [`ignored`].
pub fn cased() -> &'static Ranges {
    &word_ends().0
}

/// The standard library does not say which these are, but does as they are.
fn word_ends() -> &'static (Ranges, Ranges) {
    static SETS: OnceLock<(Ranges, Ranges)> = OnceLock::new();
    SETS.get_or_init(|| {
        // Behind a blank no sigma ends a word, unless this character is a letter; behind a letter one does, unless this is something else.
        let ends =
            |before: &str, character: char| format!("{before}{character}Σ").to_lowercase().ends_with('ς');
        let cased = ranges(|character| ends(" ", character));
        let ignored = ranges(|character| ends("a", character) && !ends(" ", character));
        (cased, ignored)
    })
}

fn characters() -> impl Iterator<Item = char> {
    (0x80..=0x10_FFFF).filter_map(char::from_u32)
}

fn ranges(is_in: impl Fn(char) -> bool) -> Ranges {
    let mut ranges = Ranges::new();
    for point in ('\0'..='\x7f').chain(characters()).filter(|character| is_in(*character)).map(u32::from) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == point => *last = point,
            _ => ranges.push((point, point)),
        }
    }
    ranges
}

impl CaseTable {
    fn new(mapped: impl Fn(char) -> String) -> Self {
        let mut table = Self::default();
        for character in ('\0'..='\x7f').chain(characters()) {
            let text = mapped(character);
            let mut all = text.chars();
            match (all.next(), all.next()) {
                (Some(one), None) if one == character => {}
                (Some(one), None) => {
                    table.push(character.into(), u32::from(one).wrapping_sub(character.into()).cast_signed())
                }
                _ => table.several.push((character, text)),
            }
        }
        table
    }

    fn push(&mut self, point: u32, delta: i32) {
        match self.runs.last_mut() {
            Some(run) if run.delta == delta && run.first == run.last && point - run.last <= 2 => {
                (run.step, run.last) = (point - run.last, point);
            }
            Some(run) if run.delta == delta && run.first != run.last && point - run.last == run.step => {
                run.last = point
            }
            _ => self.runs.push(Run { first: point, last: point, step: 1, delta }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(table: &CaseTable, character: char) -> String {
        if let Ok(at) = table.several.binary_search_by_key(&character, |(from, _)| *from) {
            return table.several[at].1.clone();
        }
        let point = u32::from(character);
        let run = table.runs.iter().rev().find(|run| run.first <= point);
        let run = run.filter(|run| point <= run.last && (point - run.first) % run.step == 0);
        let mapped = run.map_or(point, |run| point.wrapping_add_signed(run.delta));
        char::from_u32(mapped).unwrap().to_string()
    }

    #[test]
    fn the_tables_map_as_the_standard_library_does() {
        for character in ('\0'..='\x7f').chain(characters()) {
            assert_eq!(map(upper(), character), character.to_uppercase().to_string());
            assert_eq!(map(lower(), character), character.to_lowercase().to_string());
        }
        assert!(
            upper().runs.len() < 200 && lower().runs.len() < 200,
            "{} {}",
            upper().runs.len(),
            lower().runs.len()
        );
        assert!(cased().len() < 400 && ignored().len() < 800, "{} {}", cased().len(), ignored().len());
    }

    #[test]
    fn a_sigma_ends_a_word_as_in_the_standard_library() {
        let is_in = |ranges: &Ranges, c: char| ranges.iter().any(|(a, b)| (*a..=*b).contains(&u32::from(c)));
        let (first, last): (Vec<char>, Vec<char>) =
            (vec!['a', '.', '\u{300}', ' ', 'ʰ', '1'], vec!['b', '\'', '\u{300}', ' ', 'ʰ']);
        for a in &first {
            for b in &first {
                for c in &last {
                    for d in &last {
                        let text = format!("{a}{b}Σ{c}{d}");
                        let before = [*b, *a].into_iter().find(|c| !is_in(ignored(), *c));
                        let after = [*c, *d].into_iter().find(|c| !is_in(ignored(), *c));
                        let ends = before.is_some_and(|c| is_in(cased(), c))
                            && !after.is_some_and(|c| is_in(cased(), c));
                        assert_eq!(text.to_lowercase().contains('ς'), ends, "{text}");
                    }
                }
            }
        }
    }
}
