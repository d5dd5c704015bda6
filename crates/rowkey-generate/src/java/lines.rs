//! Java source text: indented lines no longer than a formatter leaves them, and literals.

/// The longest line that Java's common formatter writes.
const WIDTH: usize = 100;

/// Lines of source text.
#[derive(Debug, Clone, Default)]
pub(super) struct Lines {
    text: String,
    indent: usize,
}

impl Lines {
    /// No lines yet, to be indented so far.
    pub(super) fn at(indent: usize) -> Self {
        Self { text: String::new(), indent }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Adds a statement or declaration; one that is too long is broken at the arguments of its call.
    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if self.indent + line.chars().count() <= WIDTH {
            return self.raw(line);
        }
        // An assignment is broken behind its sign first, if the rest then fits.
        if let Some((left, right)) = line.split_once(" = ").filter(|(left, _)| !left.contains('('))
            && self.indent + 4 + right.chars().count() <= WIDTH
        {
            self.raw(&format!("{left} ="));
            return self.raw(&format!("    {right}"));
        }
        let Some((head, arguments, tail)) = call(line) else { return self.raw(line) };
        self.raw(head);
        let all = format!("{arguments}{tail}");
        if self.indent + 4 + all.chars().count() <= WIDTH {
            return self.raw(&format!("    {all}"));
        }
        let parts = top_level(arguments);
        for (index, part) in parts.iter().enumerate() {
            let end = if index + 1 == parts.len() { tail } else { "," };
            // A call in it is broken in its turn.
            self.indent += 4;
            self.line(format!("{}{end}", part.trim()));
            self.indent -= 4;
        }
    }

    /// Adds a statement of operands with an operator between them: in one line, or each in a line of its own.
    pub(super) fn operands(&mut self, start: &str, operands: &[String], operator: &str, end: &str) {
        let all = format!("{start}{}{end}", operands.join(&format!(" {operator} ")));
        if self.indent + all.chars().count() <= WIDTH {
            return self.raw(&all);
        }
        for (index, operand) in operands.iter().enumerate() {
            let before = if index == 0 { start.to_owned() } else { format!("    {operator} ") };
            let behind = if index + 1 == operands.len() { end } else { "" };
            self.raw(&format!("{before}{operand}{behind}"));
        }
    }

    /// Adds a line that opens a block.
    pub(super) fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.indent += 2;
    }

    /// As [`Lines::operands`], and opens a block.
    pub(super) fn open_operands(&mut self, start: &str, operands: &[String], operator: &str, end: &str) {
        self.operands(start, operands, operator, end);
        self.indent += 2;
    }

    /// Ends a block and adds the line that does.
    pub(super) fn close(&mut self, line: impl AsRef<str>) {
        self.indent -= 2;
        self.line(line);
    }

    /// Ends a block with a line that opens the next.
    pub(super) fn between(&mut self, line: impl AsRef<str>) {
        self.close(line);
        self.indent += 2;
    }

    /// Ends a block without a line.
    pub(super) fn outdent(&mut self) {
        self.indent -= 2;
    }

    /// Adds an empty line.
    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// Adds a documentation comment.
    pub(super) fn doc(&mut self, text: &str) {
        if !text.contains('\n') && self.indent + text.chars().count() + 7 <= WIDTH {
            return self.raw(&format!("/** {text} */"));
        }
        self.raw("/**");
        for paragraph in text.split('\n') {
            let mut line = String::from(" *");
            // A tag goes on further in.
            let more = if paragraph.starts_with('@') { " *    " } else { " *" };
            for word in paragraph.split(' ') {
                if self.indent + line.chars().count() + 1 + word.chars().count() > WIDTH {
                    self.raw(&line);
                    line = String::from(more);
                }
                line.push(' ');
                line.push_str(word);
            }
            self.raw(line.trim_end());
        }
        self.raw(" */");
    }

    /// Adds lines that are indented as these.
    pub(super) fn lines(&mut self, other: &Self) {
        self.text.push_str(&other.text);
    }

    /// An empty block of lines for a place in these.
    pub(super) fn here(&self) -> Self {
        Self::at(self.indent)
    }

    /// An empty block of lines for a block in these.
    pub(super) fn deeper(&self) -> Self {
        Self::at(self.indent + 2)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// How many bytes there are: a place for [`Lines::insert`].
    pub(super) fn place(&self) -> usize {
        self.text.len()
    }

    /// Whether the lines from a place on have a name.
    pub(super) fn names(&self, place: usize, name: &str) -> bool {
        let text = self.text.get(place..).unwrap_or_default();
        text.split(|character: char| !character.is_ascii_alphanumeric()).any(|word| word == name)
    }

    /// Adds a line at an earlier place.
    pub(super) fn insert(&mut self, place: usize, line: &str) {
        let mut block = self.here();
        block.line(line);
        self.text.insert_str(place, &block.text);
    }

    fn raw(&mut self, line: &str) {
        if !line.is_empty() {
            self.text.extend(std::iter::repeat_n(' ', self.indent));
        }
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// What stands before, in and behind the parentheses of the call that a line is: of the last of its outer ones.
fn call(line: &str) -> Option<(&str, &str, &str)> {
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    let (mut opened, mut closed) = (None, None);
    for (at, character) in line.char_indices() {
        match (quote, character) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '(') => {
                if depth == 0 {
                    opened = Some(at);
                }
                depth += 1;
            }
            (None, ')') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    closed = Some(at);
                }
            }
            _ => {}
        }
    }
    let (opened, closed) = (opened?, closed?);
    let arguments = line.get(opened + 1..closed)?;
    if arguments.is_empty() {
        return None;
    }
    Some((line.get(..=opened)?, arguments, line.get(closed..)?))
}

/// The arguments of a call.
fn top_level(arguments: &str) -> Vec<&str> {
    let (mut depth, mut quote, mut escaped, mut start) = (0_usize, None, false, 0);
    let mut parts = Vec::new();
    for (at, character) in arguments.char_indices() {
        match (quote, character) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '(' | '{') => depth += 1,
            (None, ')' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.extend(arguments.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(arguments.get(start..));
    parts
}

/// A text in quotes, in ASCII.
pub(super) fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        push_escaped(&mut out, character, '"');
    }
    out.push('"');
    out
}

/// A character in quotes.
pub(super) fn character(character: char) -> String {
    let mut out = String::from("'");
    push_escaped(&mut out, character, '\'');
    out.push('\'');
    out
}

fn push_escaped(out: &mut String, character: char, quote: char) {
    match character {
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        // Not as \u, which Java reads before it looks for quotes.
        '\0'..='\x1f' | '\x7f' => out.push_str(&format!("\\{:03o}", u32::from(character))),
        _ if character == quote => {
            out.push('\\');
            out.push(character);
        }
        ' '..='~' => out.push(character),
        _ => character
            .encode_utf16(&mut [0; 2])
            .iter()
            .for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
    }
}

/// A number of 64 bits, as a long.
pub(super) fn long(number: i128) -> String {
    match i64::try_from(number) {
        Ok(i64::MIN) => "Long.MIN_VALUE".to_owned(),
        Ok(i64::MAX) => "Long.MAX_VALUE".to_owned(),
        _ => format!("{number}L"),
    }
}

/// A byte of an array.
pub(super) fn byte(byte: u8) -> String {
    match byte {
        b' '..=b'~' => character(char::from(byte)),
        0..0x80 => format!("0x{byte:02x}"),
        _ => format!("(byte) 0x{byte:02x}"),
    }
}

/// The elements of an array of bytes.
pub(super) fn bytes(bytes: &[u8]) -> String {
    format!("{{{}}}", bytes.iter().map(|one| byte(*one)).collect::<Vec<_>>().join(", "))
}

/// An expression that can stand beside an operator.
pub(super) fn atom(code: &str) -> String {
    let mut depth = 0_usize;
    let plain = code.chars().all(|character| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > 0 || !matches!(character, ' ' | '-' | '~' | '^')
    });
    // A cast binds closer than any operator, but looks like a call.
    if plain && !code.starts_with('(') { code.to_owned() } else { format!("({code})") }
}

/// Text for a comment.
pub(super) fn comment(text: &str) -> String {
    let clean = |character: char| if character.is_control() { ' ' } else { character };
    let text: String = text.chars().map(clean).collect();
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '\\' => out.push_str("&#92;"),
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '@' => out.push_str("&#64;"),
            '{' => out.push_str("&#123;"),
            '}' => out.push_str("&#125;"),
            '*' => out.push_str("&#42;"),
            ' '..='~' => out.push(character),
            _ => out.push_str(&format!("&#{};", u32::from(character))),
        }
    }
    out
}
