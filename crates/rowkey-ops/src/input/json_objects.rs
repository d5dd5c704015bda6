//! From JSON in any layout to an object per line: an array of objects, or objects one behind another, over any number of lines.
//!
//! Nothing is parsed but what separates values: strings, brackets, commas. Line ends between the parts of an object become
//! blanks, and each object gets a line of its own, which the reader of JSON Lines takes. So the number of a line is the number of
//! its object. What is no JSON inside an object stays as it is, for that reader to refuse.
//!
//! **Law** (below): an object per line comes out as it went in.

use std::io::{self, Read};

use super::Stream;

/// JSON as it comes, read as lines.
pub(super) struct JsonObjects {
    bytes: Stream,
    input: Vec<u8>,
    /// How much of the input was gone through.
    done: usize,
    output: Vec<u8>,
    given: usize,
    place: JsonPlace,
    /// Open brackets of the value.
    depth: u32,
    string: InString,
    in_array: bool,
    values: u64,
    begins: bool,
    over: bool,
}

/// What the next byte may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JsonPlace {
    /// The first value, or the bracket of an array.
    Beginning,
    /// A value.
    Value,
    /// The first value of an array, or its end.
    FirstOfArray,
    /// Inside a value.
    Inside,
    /// A comma or the end of the array.
    Behind,
    /// Nothing.
    End,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum InString {
    No,
    Yes,
    Escaped,
}

const PIECE: u64 = 1 << 16;

impl JsonObjects {
    pub(super) fn new(bytes: Stream) -> Self {
        Self {
            bytes,
            input: Vec::new(),
            done: 0,
            output: Vec::new(),
            given: 0,
            place: JsonPlace::Beginning,
            depth: 0,
            string: InString::No,
            in_array: false,
            values: 0,
            begins: true,
            over: false,
        }
    }

    fn refill(&mut self) -> io::Result<()> {
        self.input.clear();
        let read = self.bytes.by_ref().take(PIECE).read_to_end(&mut self.input)?;
        // Only the first piece can begin with a byte order mark.
        let is_first = std::mem::replace(&mut self.begins, false);
        self.done = if is_first && self.input.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        if read == 0 {
            self.over = true;
            match self.place {
                JsonPlace::FirstOfArray | JsonPlace::Behind => return Err(self.not_closed()),
                JsonPlace::Value if self.in_array => return Err(self.not_closed()),
                JsonPlace::Inside if self.in_array => return Err(self.not_closed()),
                JsonPlace::Beginning => {
                    return Err(io::Error::other("there is no JSON in it; is the file complete?"));
                }
                // The reader says what is wrong with a value that is cut off.
                JsonPlace::Inside => self.output.push(b'\n'),
                _ => {}
            }
        }
        Ok(())
    }

    fn not_closed(&self) -> io::Error {
        let values = self.values;
        io::Error::other(format!(
            "the JSON array is not closed behind its {values} values; is the file complete?"
        ))
    }

    /// Goes through the input up to its end, or to what is wrong.
    fn advance(&mut self) -> io::Result<()> {
        while let Some(&byte) = self.input.get(self.done) {
            self.done += 1;
            if self.place == JsonPlace::Inside {
                self.inside(byte);
                continue;
            }
            match (self.place, byte) {
                (_, b' ' | b'\t' | b'\n' | b'\r') => {}
                (JsonPlace::Beginning, b'[') => (self.in_array, self.place) = (true, JsonPlace::FirstOfArray),
                (JsonPlace::FirstOfArray, b']') | (JsonPlace::Behind, b']') => self.place = JsonPlace::End,
                (JsonPlace::Behind, b',') => self.place = JsonPlace::Value,
                (JsonPlace::Value | JsonPlace::FirstOfArray, b',' | b']') if self.in_array => {
                    let values = self.values;
                    return Err(io::Error::other(format!(
                        "the JSON array has a comma without a value behind its {values} values"
                    )));
                }
                (JsonPlace::Beginning | JsonPlace::Value | JsonPlace::FirstOfArray, _) => {
                    self.place = JsonPlace::Inside;
                    self.inside(byte);
                }
                (JsonPlace::Behind, _) => {
                    let values = self.values;
                    return Err(io::Error::other(format!(
                        "there is no comma behind value {values} of the JSON array"
                    )));
                }
                (JsonPlace::End | JsonPlace::Inside, _) => {
                    return Err(io::Error::other(
                        "something follows the end of the JSON array; write one array, or objects without one",
                    ));
                }
            }
        }
        Ok(())
    }

    /// Takes a byte of a value.
    fn inside(&mut self, byte: u8) {
        match (self.string, byte) {
            (InString::Escaped, _) => self.string = InString::Yes,
            (InString::Yes, b'\\') => self.string = InString::Escaped,
            (InString::Yes, b'"') => self.string = InString::No,
            // No JSON: the line that it ends is refused.
            (InString::Yes, _) => {}
            (InString::No, b'"') => self.string = InString::Yes,
            (InString::No, b'{' | b'[') => self.depth += 1,
            (InString::No, b',' | b']') if self.depth == 0 && self.in_array => {
                // A value without brackets has ended.
                self.ended();
                self.place = if byte == b',' { JsonPlace::Value } else { JsonPlace::End };
                return;
            }
            (InString::No, b'}' | b']') => {
                self.output.push(byte);
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.ended();
                }
                return;
            }
            (InString::No, b'\n' | b'\r') if self.depth == 0 => return self.ended(),
            (InString::No, b'\n' | b'\r' | b'\t') => return self.output.push(b' '),
            (InString::No, _) => {}
        }
        self.output.push(byte);
    }

    fn ended(&mut self) {
        self.output.push(b'\n');
        self.values += 1;
        self.place = if self.in_array { JsonPlace::Behind } else { JsonPlace::Value };
    }
}

impl Read for JsonObjects {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.output.len() {
            if self.over {
                return Ok(0);
            }
            self.output.clear();
            self.given = 0;
            let gone = if self.done < self.input.len() { Ok(()) } else { self.refill() };
            let gone = gone.and_then(|()| self.advance());
            if let Err(error) = gone {
                // What came before it is handed on first; the next reading ends here again.
                if self.output.is_empty() {
                    return Err(error);
                }
                self.bytes = Box::new(Failed(error.to_string()));
                self.input.clear();
                self.done = 0;
                self.over = false;
            }
        }
        let rest = self.output.get(self.given..).unwrap_or_default();
        let length = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..length), rest.get(..length)) {
            to.copy_from_slice(from);
        }
        self.given += length;
        Ok(length)
    }
}

/// Bytes that cannot be read.
struct Failed(String);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other(self.0.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines, and what was wrong behind them; the text arrives in pieces.
    fn lines(text: &str, piece: usize) -> (Vec<String>, Option<String>) {
        struct Pieces(io::Cursor<Vec<u8>>, usize);
        impl Read for Pieces {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let length = buffer.len().min(self.1);
                self.0.read(&mut buffer[..length])
            }
        }
        let pieces = Pieces(io::Cursor::new(text.as_bytes().to_vec()), piece);
        let mut objects = JsonObjects::new(Box::new(pieces));
        let mut out = Vec::new();
        let error = objects.read_to_end(&mut out).err().map(|error| error.to_string());
        let text = String::from_utf8(out).expect("text");
        (text.lines().map(str::to_owned).collect(), error)
    }

    #[test]
    fn every_object_gets_a_line() {
        let two = ["{\"a\":1}", "{\"a\":[1,{\"b\":\"],}\\\"\"}]}"];
        for piece in [1, 2, 3, 7, 100] {
            for text in [
                "{\"a\":1}\n{\"a\":[1,{\"b\":\"],}\\\"\"}]}\n",
                "{\"a\":1}\r\n\r\n{\"a\":[1,{\"b\":\"],}\\\"\"}]}",
                "[{\"a\":1},{\"a\":[1,{\"b\":\"],}\\\"\"}]}]",
                "\u{feff} [ {\"a\":1}\n , {\"a\":[1,{\"b\":\"],}\\\"\"}]} ]\n\n",
                "{\"a\":1} {\"a\":[1,{\"b\":\"],}\\\"\"}]}",
            ] {
                assert_eq!(lines(text, piece), (two.map(str::to_owned).to_vec(), None), "{text}");
            }
            let pretty = "[\n  {\n    \"a\": 1\n  }\n]\n";
            assert_eq!(lines(pretty, piece), (vec!["{     \"a\": 1   }".to_owned()], None));
            assert_eq!(lines("[]", piece), (vec![], None));
            assert_eq!(lines("[1, null ,\"x\"]", piece).0, ["1", "null ", "\"x\""]);
        }
    }

    #[test]
    fn what_is_no_array_is_told_behind_what_was_read() {
        for (text, count, words) in [
            ("[{\"a\":1}", 1, "not closed behind its 1 values"),
            ("[{\"a\":1},", 1, "not closed"),
            ("[{\"a\":1", 0, "not closed"),
            ("[", 0, "not closed"),
            (" \n", 0, "no JSON"),
            ("[{\"a\":1}{\"a\":2}]", 1, "no comma behind value 1"),
            ("[{\"a\":1}] {\"a\":2}", 1, "follows the end"),
            ("[][]", 0, "follows the end"),
            ("[{\"a\":1},]", 1, "a comma without a value"),
            ("[,{\"a\":1}]", 0, "a comma without a value"),
        ] {
            for piece in [1, 3, 100] {
                let (found, error) = lines(text, piece);
                let whole = found.iter().filter(|line| line.ends_with('}')).count();
                assert_eq!(whole, count, "{text}: {found:?}");
                assert!(error.as_ref().is_some_and(|error| error.contains(words)), "{text}: {error:?}");
            }
        }
    }
}
