//! Split points as `--splits` says them.

use anyhow::Context;
use rowkey_core::split::{ALGORITHMS, Algorithm};

use crate::key_text::KeyText;

/// `hex 16` and the like, or `1,2,3`; `None` for words that only one command knows.
pub(crate) fn spelled(splits: &str, text: KeyText) -> anyhow::Result<Option<Vec<Vec<u8>>>> {
    let words: Vec<&str> = splits.split_whitespace().collect();
    if let [word, regions] = words.as_slice()
        && let Some(algorithm) = Algorithm::named(word)
    {
        return Ok(Some(algorithm.points(number(splits, regions)?)?));
    }
    Ok(Some(match words.as_slice() {
        [_] => listed(splits, text)?,
        _ if splits.contains(',') => listed(splits, text)?,
        _ => return Ok(None),
    }))
}

/// Examples of what needs a name and a number only, with quotes and commas.
pub(crate) fn examples() -> String {
    let each = ALGORITHMS.iter().map(|algorithm| format!("'{} {}'", algorithm.word, algorithm.usual));
    each.collect::<Vec<_>>().join(", ")
}

fn listed(splits: &str, text: KeyText) -> anyhow::Result<Vec<Vec<u8>>> {
    splits.split(',').map(|key| text.read_row(key.trim())).collect()
}

/// A number of regions.
pub(super) fn number(splits: &str, text: &str) -> anyhow::Result<u32> {
    text.parse().with_context(|| format!("--splits '{splits}': `{text}` is no number of regions"))
}
