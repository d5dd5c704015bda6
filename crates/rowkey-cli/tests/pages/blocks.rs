//! What is a page made of?

/// A stretch of a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Block<'a> {
    /// Lines outside of fences.
    Prose(Vec<&'a str>),
    /// Lines between fences; `info` is what stands behind the opening one.
    Fenced { info: &'a str, lines: Vec<&'a str> },
}

impl Block<'_> {
    /// The name of the file that a block is, as in ```` ```toml orders.toml ````.
    pub(crate) fn file(&self) -> Option<&str> {
        match self {
            Self::Fenced { info, .. } => info.split_once(' ').map(|(_, name)| name.trim()),
            Self::Prose(_) => None,
        }
    }
}

/// The blocks of a page, each with the number of its first line (that behind the fence).
pub(crate) fn blocks(page: &str) -> Vec<(usize, Block<'_>)> {
    let mut found: Vec<(usize, Block<'_>)> = Vec::new();
    let mut fence: Option<&str> = None;
    for (index, line) in page.lines().enumerate() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match (fence, found.last_mut()) {
            (Some(open), _) if line == open => fence = None,
            (Some(_), Some((_, Block::Fenced { lines, .. }))) => lines.push(line),
            _ if ticks >= 3 => {
                fence = Some(&line[..ticks]);
                found.push((index + 2, Block::Fenced { info: line[ticks..].trim(), lines: Vec::new() }));
            }
            (_, Some((_, Block::Prose(lines)))) => lines.push(line),
            _ => found.push((index + 1, Block::Prose(vec![line]))),
        }
    }
    found
}

/// The texts between single backquotes of prose, each with its line; a span may go on in the next line.
pub(crate) fn code_spans(first: usize, lines: &[&str]) -> Vec<(usize, String)> {
    let mut spans = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in (first..).zip(lines) {
        // A paragraph ends every span.
        if line.trim().is_empty() {
            open = None;
        }
        let mut pieces = line.split('`').peekable();
        while let Some(piece) = pieces.next() {
            let ends_here = pieces.peek().is_some();
            match (open.take(), ends_here) {
                (Some((line, text)), true) => spans.push((line, text + piece)),
                (Some((line, text)), false) => open = Some((line, text + piece + " ")),
                (None, true) => open = Some((number, String::new())),
                (None, false) => {}
            }
        }
    }
    spans
}

#[test]
fn a_page_is_prose_and_fences() {
    let page = "a `b` c\n```console\n$ x\n```\n`two\nlines` and `d`\n````md\n```sh\n```\n````\n";
    let found = blocks(page);
    let infos: Vec<_> = found.iter().map(|(line, block)| (*line, matches!(block, Block::Prose(_)))).collect();
    assert_eq!(infos, [(1, true), (3, false), (5, true), (8, false)]);
    assert_eq!(found[3].1, Block::Fenced { info: "md", lines: vec!["```sh", "```"] });
    let Block::Prose(lines) = &found[2].1 else { panic!("{found:?}") };
    assert_eq!(code_spans(5, lines), [(5, "two lines".to_owned()), (6, "d".to_owned())]);
}
