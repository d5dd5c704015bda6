//! What does the page of a story say, and is it what was measured?
//!
//! ````text
//! ## What the articles say
//! ## What was measured
//! ```text
//! the transcript of a small run on the embedded store
//! ```
//! ## Where they are wrong
//! ````

use std::path::PathBuf;
use std::{fs, io};

/// The headings of every page, in their order.
pub const HEADINGS: [&str; 3] =
    ["## What the articles say", "## What was measured", "## Where they are wrong"];

const BLOCK: &str = "```text\n";
const END: &str = "```\n";

/// The README of a story.
#[derive(Debug, Clone)]
pub struct Page {
    path: PathBuf,
    text: String,
}

impl Page {
    /// Reads the page of a lesson.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(lesson: &str) -> io::Result<Self> {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(lesson).join("README.md");
        let text = fs::read_to_string(&path)?;
        Ok(Self { path, text })
    }

    /// The headings that it lacks, or has in another order.
    pub fn missing_headings(&self) -> Vec<&'static str> {
        let mut lines = self.text.lines();
        HEADINGS.into_iter().filter(|heading| !lines.any(|line| line == *heading)).collect()
    }

    /// The block under "What was measured".
    pub fn measured(&self) -> Option<&str> {
        let (from, to) = self.block()?;
        self.text.get(from..to)
    }

    /// Writes the page with another block.
    ///
    /// # Errors
    /// It cannot be written, or has no block to replace.
    pub fn write_measured(&mut self, transcript: &str) -> io::Result<()> {
        let Some((from, to)) = self.block() else {
            return Err(io::Error::other(format!("no block of text below {}", HEADINGS[1])));
        };
        self.text.replace_range(from..to, transcript);
        fs::write(&self.path, &self.text)
    }

    fn block(&self) -> Option<(usize, usize)> {
        let heading = self.text.find(HEADINGS[1])?;
        let from = heading + self.text.get(heading..)?.find(BLOCK)? + BLOCK.len();
        let to = from + self.text.get(from..)?.find(END)?;
        Some((from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Page {
        Page { path: PathBuf::new(), text: text.to_owned() }
    }

    #[test]
    fn the_block_is_the_one_below_its_heading() {
        let text = "# T\n```text\nno\n```\n## What was measured\nwords\n```text\na\nb\n```\nmore";
        assert_eq!(page(text).measured(), Some("a\nb\n"));
        assert_eq!(page("## What was measured\n").measured(), None);
    }

    #[test]
    fn headings_are_missed_and_so_is_their_order() {
        let [says, measured, wrong] = HEADINGS;
        assert!(page(&format!("{says}\n{measured}\n{wrong}\n")).missing_headings().is_empty());
        assert_eq!(page(&format!("{measured}\n{says}\n")).missing_headings(), [measured, wrong]);
    }
}
