//! Text from data, files and servers, made safe for a terminal.
//!
//! A terminal obeys control characters: they move the cursor, change colours, set the window's title, and some make it
//! answer as if keys were pressed. Bidirectional marks show text in another order than it has, and invisible characters make
//! two different values look alike. All of them are shown here as HBase shows such bytes in a key, `\x1B`, so that what is on
//! the screen is what is in the data, and nothing else happens.
//!
//! **Laws** (below): the result has no hidden character; text without one comes back as it is.
//!
//! ```
//! use rowkey_core::visible::visible;
//! assert_eq!(visible("a\u{1b}[31mb\n"), r"a\x1B[31mb\x0A");
//! assert_eq!(visible("gpj.\u{202e}exe"), r"gpj.\xE2\x80\xAEexe");
//! assert_eq!(visible("Łódź"), "Łódź");
//! ```

use std::borrow::Cow;
use std::fmt::Write;

use crate::escape::escape;

/// Characters that have no shape of their own, beside the control characters: format characters (`Cf`), line and paragraph
/// separators, and the others that Unicode lets a font leave out (`Default_Ignorable_Code_Point`). First and last of each run.
const INVISIBLE: [(char, char); 25] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Whether a character acts on a terminal, or leaves no mark there.
pub fn is_hidden(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    character.is_control() || INVISIBLE.iter().any(|(first, last)| (*first..=*last).contains(&character))
}

/// Text for one line or one cell of a table: line ends are hidden characters, too.
pub fn visible(text: &str) -> Cow<'_, str> {
    replaced(text, is_hidden, as_hbase)
}

/// Text of several lines: line ends and tabs stay as they are.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    replaced(text, is_hidden_in_lines, as_hbase)
}

/// JSON that means the same: hidden characters as `\u` escapes. They can only stand inside of strings.
pub fn visible_json(text: &str) -> Cow<'_, str> {
    replaced(text, is_hidden_in_lines, |character, out| {
        for unit in character.encode_utf16(&mut [0; 2]) {
            // Writing to a string does not fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

fn is_hidden_in_lines(character: char) -> bool {
    is_hidden(character) && !matches!(character, '\n' | '\t')
}

fn as_hbase(character: char, out: &mut String) {
    let _ = write!(out, "{}", escape(character.encode_utf8(&mut [0; 4]).as_bytes()));
}

fn replaced(text: &str, hides: fn(char) -> bool, write: fn(char, &mut String)) -> Cow<'_, str> {
    let Some(first) = text.find(hides) else { return Cow::Borrowed(text) };
    let (clean, rest) = text.split_at(first);
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(clean);
    for character in rest.chars() {
        if hides(character) {
            write(character, &mut out);
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn whatever_moves_a_cursor_or_leaves_no_mark_is_hidden() {
        let controls = (0..0x20).chain(0x7f..0xa0).filter_map(char::from_u32);
        let marks = ['\u{200b}', '\u{200f}', '\u{2028}', '\u{2029}', '\u{202a}', '\u{202e}', '\u{2066}'];
        let others = ['\u{2069}', '\u{feff}', '\u{61c}', '\u{ad}', '\u{e0001}', '\u{e0100}', '\u{3164}'];
        for character in controls.chain(marks).chain(others) {
            assert!(is_hidden(character), "{character:?}");
        }
        for character in ['a', ' ', '~', 'é', 'Ł', '–', '‹', '漢', '😀', '\u{a0}', '\u{fffd}', 'ـ']
        {
            assert!(!is_hidden(character), "{character:?}");
        }
    }

    #[test]
    fn lines_keep_their_ends_and_cells_do_not() {
        assert_eq!(visible("a\tb\n"), r"a\x09b\x0A");
        assert_eq!(visible_lines("a\tb\n\r\u{9b}"), "a\tb\n\\x0D\\xC2\\x9B");
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left(text: String) {
            prop_assert!(!visible(&text).contains(is_hidden));
            prop_assert!(!visible_lines(&text).contains(|c| is_hidden(c) && c != '\n' && c != '\t'));
            if !text.contains(is_hidden) {
                prop_assert_eq!(visible(&text), text.as_str());
            }
        }

        #[test]
        fn json_means_what_it_meant(text: String) {
            let json = serde_json::to_string(&text).unwrap();
            let shown = visible_json(&json);
            prop_assert!(!shown.contains(is_hidden));
            prop_assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
        }
    }
}
