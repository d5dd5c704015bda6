//! Split points as `--splits` says them.

use anyhow::Context;
use rowkey_core::split;

use crate::key_text::KeyText;

/// `hex 16` and the like, or `1,2,3`; `None` for words that only one command knows.
pub(crate) fn spelled(splits: &str, text: KeyText) -> anyhow::Result<Option<Vec<Vec<u8>>>> {
    let words: Vec<&str> = splits.split_whitespace().collect();
    Ok(Some(match words.as_slice() {
        ["hex", regions] => split::hex(number(splits, regions)?)?,
        ["decimal", regions] => split::decimal(number(splits, regions)?)?,
        ["uniform", regions] => split::uniform(number(splits, regions)?)?,
        [_] => listed(splits, text)?,
        _ if splits.contains(',') => listed(splits, text)?,
        _ => return Ok(None),
    }))
}

fn listed(splits: &str, text: KeyText) -> anyhow::Result<Vec<Vec<u8>>> {
    splits.split(',').map(|key| text.read_row(key.trim())).collect()
}

/// A number of regions.
pub(super) fn number(splits: &str, text: &str) -> anyhow::Result<u32> {
    text.parse().with_context(|| format!("--splits '{splits}': `{text}` is no number of regions"))
}
