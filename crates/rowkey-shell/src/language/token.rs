//! Cuts a line into words, texts and numbers.
//!
//! Written by hand: a prompt has to know whether a text is wrong or only not complete, and Ruby's line ends depend on
//! what came before them.

use super::parse::ParseError;

/// A word of the language.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Text(Vec<u8>),
    Int(i64),
    Float(f64),
    /// A command or a variable: it begins with a small letter or `_`.
    Name(String),
    /// It begins with a capital letter.
    Constant(String),
    Comma,
    Arrow,
    Equals,
    Dot,
    Open(char),
    Close(char),
    /// The end of a statement.
    End,
}

/// A word and the byte where it starts.
pub(super) type Placed = (usize, Token);

/// Cuts a text into words.
pub(super) fn tokens(source: &str) -> Result<Vec<Placed>, ParseError> {
    let mut words = Words { source, at: 0, found: Vec::new(), open: Vec::new() };
    while let Some(c) = words.peek() {
        words.word(c)?;
    }
    if !words.open.is_empty() || words.goes_on() {
        return Err(ParseError::Incomplete);
    }
    words.push(source.len(), Token::End);
    Ok(words.found)
}

struct Words<'s> {
    source: &'s str,
    at: usize,
    found: Vec<Placed>,
    /// The brackets that are open.
    open: Vec<(usize, char)>,
}

impl Words<'_> {
    fn peek(&self) -> Option<char> {
        self.source.get(self.at..)?.chars().next()
    }

    fn rest(&self) -> &str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn push(&mut self, at: usize, token: Token) {
        self.found.push((at, token));
    }

    /// Whether the last word asks for another one, so that a line's end means nothing.
    fn goes_on(&self) -> bool {
        matches!(self.found.last(), Some((_, Token::Comma | Token::Arrow | Token::Equals | Token::Dot)))
    }

    fn word(&mut self, c: char) -> Result<(), ParseError> {
        let at = self.at;
        match c {
            '\n' | ';' => {
                self.at += 1;
                if c == ';' || (self.open.is_empty() && !self.goes_on()) {
                    self.push(at, Token::End);
                }
            }
            '\\' if self.rest().starts_with("\\\n") => self.at += 2,
            c if c.is_whitespace() => self.at += c.len_utf8(),
            '#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
            '\'' => self.single_quoted()?,
            '"' => self.double_quoted()?,
            '(' | '[' | '{' => {
                self.at += 1;
                self.open.push((at, c));
                self.push(at, Token::Open(c));
            }
            ')' | ']' | '}' => self.close(c)?,
            ',' => self.sign(1, Token::Comma),
            '.' => self.sign(1, Token::Dot),
            '=' if self.rest().starts_with("=>") => self.sign(2, Token::Arrow),
            '=' if !self.rest().starts_with("==") => self.sign(1, Token::Equals),
            c if c.is_ascii_digit() || (c == '-' && self.digit_follows()) => self.number()?,
            c if c.is_alphabetic() || c == '_' => self.name(c),
            c => return Err(ParseError::at(self.source, at, format!("`{c}` has no meaning here"))),
        }
        Ok(())
    }

    fn sign(&mut self, length: usize, token: Token) {
        self.push(self.at, token);
        self.at += length;
    }

    fn digit_follows(&self) -> bool {
        self.rest().chars().nth(1).is_some_and(|c| c.is_ascii_digit())
    }

    fn close(&mut self, c: char) -> Result<(), ParseError> {
        let wants = |open: char| match open {
            '(' => ')',
            '[' => ']',
            _ => '}',
        };
        match self.open.pop() {
            Some((_, open)) if wants(open) == c => self.sign(1, Token::Close(c)),
            Some((_, open)) => {
                let problem = format!("`{c}` closes `{open}`, which needs `{}`", wants(open));
                return Err(ParseError::at(self.source, self.at, problem));
            }
            None => {
                return Err(ParseError::at(self.source, self.at, format!("`{c}` closes nothing")));
            }
        }
        Ok(())
    }

    fn name(&mut self, first: char) {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let end = self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
        let name = self.rest().get(..end).unwrap_or_default().to_owned();
        let token = if first.is_uppercase() { Token::Constant(name) } else { Token::Name(name) };
        self.sign(end, token);
    }

    fn number(&mut self) -> Result<(), ParseError> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest.get(sign..).unwrap_or_default();
        let hex = digits.strip_prefix("0x");
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut end = digits.find(|c| !is_part(c)).unwrap_or(digits.len());
        // A dot belongs to a number only if a digit follows it.
        let fraction = digits.get(end..).unwrap_or_default().strip_prefix('.');
        let is_float = hex.is_none()
            && fraction.is_some_and(|fraction| fraction.starts_with(|c: char| c.is_ascii_digit()));
        if is_float {
            let fraction = fraction.unwrap_or_default();
            end += 1 + fraction.find(|c| !is_part(c)).unwrap_or(fraction.len());
        }
        let text: String = rest.get(..sign + end).unwrap_or_default().replace('_', "");
        let token = if is_float {
            text.parse().ok().map(Token::Float)
        } else if hex.is_some() {
            i64::from_str_radix(&text.replacen("0x", "", 1), 16).ok().map(Token::Int)
        } else {
            text.parse().ok().map(Token::Int)
        };
        let Some(token) = token else {
            let problem = format!("`{text}` is no number from {} to {}", i64::MIN, i64::MAX);
            return Err(ParseError::at(self.source, self.at, problem));
        };
        self.sign(sign + end, token);
        Ok(())
    }

    /// `'…'`: only a quote and a backslash can be escaped.
    fn single_quoted(&mut self) -> Result<(), ParseError> {
        let mut text = Vec::new();
        let mut bytes = self.rest().bytes().enumerate().skip(1);
        while let Some((index, byte)) = bytes.next() {
            match byte {
                b'\'' => {
                    self.sign(index + 1, Token::Text(text));
                    return Ok(());
                }
                b'\\' => match bytes.next() {
                    Some((_, escaped @ (b'\'' | b'\\'))) => text.push(escaped),
                    Some((_, other)) => text.extend([b'\\', other]),
                    None => return Err(ParseError::Incomplete),
                },
                byte => text.push(byte),
            }
        }
        Err(ParseError::Incomplete)
    }

    /// `"…"`: with Ruby's escapes.
    fn double_quoted(&mut self) -> Result<(), ParseError> {
        let start = self.at;
        self.at += 1;
        let mut text = Vec::new();
        loop {
            let rest = self.rest().as_bytes();
            match rest {
                [] => return Err(ParseError::Incomplete),
                [b'"', ..] => {
                    self.at += 1;
                    self.push(start, Token::Text(text));
                    return Ok(());
                }
                [b'#', b'{', ..] => {
                    let problem = "values cannot be put into texts with `#{…}` here".to_owned();
                    return Err(ParseError::at(self.source, self.at, problem));
                }
                [b'\\'] => return Err(ParseError::Incomplete),
                [b'\\', escape @ ..] => {
                    let (length, bytes) = unescape(escape).ok_or_else(|| {
                        let problem = "this escape is not complete: \\xHH, \\ooo or \\uXXXX".to_owned();
                        ParseError::at(self.source, self.at, problem)
                    })?;
                    text.extend(bytes);
                    self.at += 1 + length;
                }
                [byte, ..] => {
                    text.push(*byte);
                    self.at += 1;
                    // The rest of a character of several bytes.
                    while !self.source.is_char_boundary(self.at) {
                        text.extend(self.source.as_bytes().get(self.at));
                        self.at += 1;
                    }
                }
            }
        }
    }
}

/// What follows a backslash: its length in the text, and the bytes it stands for.
fn unescape(escape: &[u8]) -> Option<(usize, Vec<u8>)> {
    let digits = |from: usize, radix: u32, most: usize| {
        let digits: String = escape
            .iter()
            .skip(from)
            .take(most)
            .map(|b| char::from(*b))
            .take_while(|c| c.is_digit(radix))
            .collect();
        let number = u32::from_str_radix(&digits, radix).ok()?;
        Some((digits.len(), number))
    };
    let utf8 = |number: u32| char::from_u32(number).map(|c| c.to_string().into_bytes());
    let first = *escape.first()?;
    Some(match first {
        b'x' => {
            let (length, number) = digits(1, 16, 2)?;
            (1 + length, vec![u8::try_from(number).ok()?])
        }
        b'0'..=b'7' => {
            let (length, number) = digits(0, 8, 3)?;
            (length, vec![(number & 0xff) as u8])
        }
        b'u' if escape.get(1) == Some(&b'{') => {
            let (length, number) = digits(2, 16, 6)?;
            (escape.get(2 + length) == Some(&b'}')).then_some(())?;
            (3 + length, utf8(number)?)
        }
        b'u' => {
            let (length, number) = digits(1, 16, 4)?;
            (length == 4).then_some(())?;
            (5, utf8(number)?)
        }
        b'n' => (1, vec![b'\n']),
        b't' => (1, vec![b'\t']),
        b'r' => (1, vec![b'\r']),
        b's' => (1, vec![b' ']),
        b'a' => (1, vec![7]),
        b'b' => (1, vec![8]),
        b'v' => (1, vec![11]),
        b'f' => (1, vec![12]),
        b'e' => (1, vec![27]),
        b'\n' => (1, Vec::new()),
        other => (1, vec![other]),
    })
}
