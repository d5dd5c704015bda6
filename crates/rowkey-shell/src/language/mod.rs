//! The language of HBase's shell: tokens, parser and values.
//!
//! The part of Ruby that people use at HBase's prompt:
//!
//! | text | is |
//! | --- | --- |
//! | `scan 't', LIMIT => 5`, `scan('t', {LIMIT => 5})` | a command with arguments; pairs at the end are one hash |
//! | `'it''s', 'a\'b'`, `"\x00\n"` | text as it is; text with Ruby's escapes, for bytes |
//! | `5`, `-5`, `1_000`, `0x1f`, `1.5`, `true`, `nil` | numbers and the rest |
//! | `['a', 'b']`, `{NAME => 'f', 'x' => 1}` | lists and hashes; keys are constants or texts |
//! | `t = create 't', 'f'`, `t.put 'r', 'f:a', 'v'`, `x = 'abc'` | a variable for a table or a value |
//! | `;`, a line's end, `# …` | the end of a statement; a comment. Within brackets and after a comma a line goes on |
//!
//! [`parse`] tells text that is wrong from text that is only not complete yet, for which a prompt asks for another line.

mod parse;
mod token;
mod value;

pub use parse::{Argument, Call, MAX_DEPTH, ParseError, Statement, parse};
pub use value::{Hash, Value};
