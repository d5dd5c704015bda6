//! Where do the lines of `--from FILE|-` come from?

use std::path::Path;

use rowkey_ops::input::Source;

use crate::args::RecordLimit;
use crate::public::Publicly;

/// Opens a file of records, or standard input for `-`; also the name that messages give it.
pub(crate) fn open_records(path: &Path, limit: RecordLimit) -> anyhow::Result<(Source, String)> {
    let (source, label) = open(path)?;
    Ok((limit.of(source), label))
}

/// Opens a file, or standard input for `-`; also the name that messages give it.
pub(crate) fn open(path: &Path) -> anyhow::Result<(Source, String)> {
    if path == Path::new("-") {
        return Ok((Source::stream(std::io::stdin()), "standard input".to_owned()));
    }
    let file = std::fs::File::open(path).publicly(|| format!("could not read {}", path.display()))?;
    Ok((Source::file(file), path.display().to_string()))
}
