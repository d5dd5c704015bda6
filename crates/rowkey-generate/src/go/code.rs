//! Lines of Go, as gofmt leaves them.

/// A text of Go being written, line by line.
#[derive(Debug, Default)]
pub(super) struct Code {
    lines: Vec<String>,
    depth: usize,
}

impl Code {
    /// Adds a line at the depth of the block it stands in; nothing is an empty line.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        let tabs = if text.is_empty() { 0 } else { self.depth };
        self.lines.push("\t".repeat(tabs) + text);
    }

    /// Adds a comment, broken into lines.
    pub(super) fn comment(&mut self, text: &str) {
        for paragraph in text.split('\n') {
            // Indented text is printed as it is.
            if paragraph.starts_with('\t') {
                self.line(format!("//{paragraph}"));
                continue;
            }
            let mut line = String::from("//");
            for word in paragraph.split(' ') {
                if line.chars().count() + word.chars().count() > 110 {
                    self.line(std::mem::replace(&mut line, String::from("//")));
                }
                line.push(' ');
                line.push_str(word);
            }
            self.line(line.trim_end());
        }
    }

    /// Adds a line that opens a block.
    pub(super) fn open(&mut self, text: impl AsRef<str>) {
        self.line(text);
        self.depth += 1;
    }

    /// Closes a block.
    pub(super) fn close(&mut self, text: &str) {
        self.depth -= 1;
        self.line(text);
    }

    /// Closes a block and opens its other branch.
    pub(super) fn other(&mut self, text: &str) {
        self.depth -= 1;
        self.open(text);
    }

    /// Begins a case of a switch that is open, one step to the left.
    pub(super) fn other_case(&mut self, text: &str) {
        self.depth -= 1;
        self.line(text);
        self.depth += 1;
    }

    /// The place of the next line.
    pub(super) fn place(&self) -> usize {
        self.lines.len()
    }

    /// Takes back what was added from a place on, and the block that it opened.
    pub(super) fn drop_from(&mut self, place: usize) {
        self.lines.truncate(place);
        self.depth -= 1;
    }

    /// Adds a line at a place, if a line from there on has the name.
    pub(super) fn declare_if_used(&mut self, place: usize, name: &str, line: &str) -> bool {
        let is_used = self.lines.iter().skip(place).any(|line| has_name(line, name));
        if is_used {
            self.lines.insert(place, "\t".repeat(self.depth) + line);
        }
        is_used
    }

    /// The text, which ends in a line break.
    pub(super) fn text(self) -> String {
        self.lines.join("\n") + "\n"
    }
}

/// Whether a name stands in a line by itself, and not as a part of another.
fn has_name(line: &str, name: &str) -> bool {
    !line.trim_start().starts_with("//") && names_of(&without_strings(line)).any(|found| found == name)
}

/// The names and words in a text of Go, comments and strings included.
pub(super) fn names_of(text: &str) -> impl Iterator<Item = &str> {
    let is_end = |character: char| !(character.is_alphanumeric() || character == '_');
    text.split(is_end).filter(|name| !name.is_empty())
}

/// A line of code without what stands in its strings.
pub(super) fn without_strings(line: &str) -> String {
    let mut code = String::new();
    let mut in_string = false;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' if in_string => {
                characters.next();
            }
            '"' => {
                in_string = !in_string;
                code.push('"');
            }
            _ if in_string => {}
            other => code.push(other),
        }
    }
    code
}

/// A text as a string of Go.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            ' '..='~' => quoted.push(character),
            _ if character.is_alphanumeric() => quoted.push(character),
            _ if u32::from(character) <= 0xFFFF => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(character)))
            }
            _ => quoted.push_str(&format!("\\U{:08x}", u32::from(character))),
        }
    }
    quoted + "\""
}

/// Bytes as a string of Go.
pub(super) fn quote_bytes(bytes: &[u8]) -> String {
    let mut quoted = String::from("\"");
    for byte in bytes {
        match byte {
            b'"' => quoted.push_str("\\\""),
            b'\\' => quoted.push_str("\\\\"),
            b' '..=b'~' => quoted.push(char::from(*byte)),
            _ => quoted.push_str(&format!("\\x{byte:02x}")),
        }
    }
    quoted + "\""
}
