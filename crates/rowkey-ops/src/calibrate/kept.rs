//! The file that keeps the prices of a store.
//!
//! A JSON object of one store: in its folder for a store in a folder, among the user's settings for a cluster. A file that cannot be
//! read, or is about another store, is an error: a planner with other prices than its user thinks is hard to notice.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use rowkey_core::query::Prices;
use rowkey_core::remedy::Remedy;
use serde::{Deserialize, Serialize};

use super::Measured;
use super::list::{LIST, Price};
use crate::output_file::{self, Existing, OutputError, Readers};

/// The form that is written.
const VERSION: u32 = 1;
/// What every version begins with.
const BEGIN: &[u8] = b"{\n  \"rowkey_prices\": ";
/// Which files may be replaced and removed.
const OWN: Existing = Existing::Own(|head| head.starts_with(BEGIN));

/// The store that a file is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Of<'a> {
    /// That of the folder that the file is in.
    Folder,
    /// A cluster, by its id.
    Cluster(&'a str),
}

/// Prices as they are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the prices of a store")]
pub struct Kept {
    rowkey_prices: u32,
    /// The cluster's id; `None` for a store in a folder.
    pub cluster: Option<String>,
    /// The URL by which the cluster was reached.
    pub url: Option<String>,
    /// The rows that they were measured on.
    pub rows: usize,
    prices: BTreeMap<String, u32>,
}

/// Why kept prices cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeptError {
    /// The file cannot be read.
    #[error("could not read the kept prices in {}", path.display())]
    Read {
        /// The file of kept prices.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The file is not as it was written.
    #[error("{} does not hold the prices of this store: {problem}; {}, or ignore it with {}", path.display(), cure(*is_own), Remedy::BuiltInPrices)]
    Damaged {
        /// The file of kept prices.
        path: PathBuf,
        /// What is wrong.
        problem: String,
        /// Whether rowkey wrote it.
        is_own: bool,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl KeptError {
    /// What would help, if it is a setting or a function.
    pub fn remedy(&self) -> Option<Remedy> {
        matches!(self, Self::Damaged { .. }).then_some(Remedy::BuiltInPrices)
    }
}

fn cure(is_own: bool) -> String {
    if !is_own {
        return "rowkey did not write it: move it away".to_owned();
    }
    let (measure, forget) = (Remedy::Calibrate, Remedy::ForgetPrices);
    format!("measure them anew with {measure}, go back to the built-in ones with {forget}")
}

impl Kept {
    /// What was measured, for a store in a folder.
    pub fn new(measured: &Measured) -> Self {
        let price = |figure: &super::Figure| (figure.price.name.to_owned(), figure.taken);
        let prices = measured.figures.iter().map(price).collect();
        Self { rowkey_prices: VERSION, cluster: None, url: None, rows: measured.rows, prices }
    }

    /// The same for a cluster.
    #[must_use]
    pub fn of_cluster(self, id: &str, url: &str) -> Self {
        Self { cluster: Some(id.to_owned()), url: Some(url.to_owned()), ..self }
    }

    /// Reads a file; `None` if there is none.
    ///
    /// # Errors
    /// A file that cannot be read, is damaged, or is about another store.
    pub fn read(path: &Path, of: &Of<'_>) -> Result<Option<Self>, KeptError> {
        let read = output_file::read_own(path);
        let Some(bytes) = read.map_err(|source| KeptError::Read { path: path.to_owned(), source })? else {
            return Ok(None);
        };
        Self::parse(&bytes, of).map(Some).map_err(|problem| KeptError::Damaged {
            path: path.to_owned(),
            problem,
            is_own: bytes.starts_with(BEGIN),
        })
    }

    fn parse(bytes: &[u8], of: &Of<'_>) -> Result<Self, String> {
        let kept: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if kept.rowkey_prices != VERSION {
            return Err(format!("its form is {}, and this rowkey knows form {VERSION}", kept.rowkey_prices));
        }
        match (of, kept.cluster.as_deref()) {
            (Of::Folder, None) => {}
            (Of::Cluster(id), Some(found)) if *id == found => {}
            (_, found) => {
                let found = found.map_or("a store in a folder".to_owned(), |id| format!("cluster {id}"));
                return Err(format!("it is about {found}"));
            }
        }
        for (name, value) in &kept.prices {
            let Some(price) = Price::named(name) else {
                return Err(format!("there is no price `{name}`"));
            };
            if !(price.least..=price.most).contains(value) {
                let Price { least, most, .. } = price;
                return Err(format!("`{name}` is {value}, and must be from {least} to {most}"));
            }
        }
        // Files of before do not have the price of an entry: the built-in one counts.
        let expected = |price: &&Price| match price.name {
            "server_jump" => kept.cluster.is_some(),
            name => name != "entry",
        };
        match LIST.iter().filter(expected).find(|price| !kept.prices.contains_key(price.name)) {
            Some(missing) => Err(format!("`{}` is missing", missing.name)),
            None => Ok(kept),
        }
    }

    /// Writes the file, which only its owner may read; one that rowkey did not write stays.
    ///
    /// # Errors
    /// When the file is not rowkey's, or cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), KeptError> {
        let text = serde_json::to_string_pretty(self).expect("numbers and texts with texts for names");
        let fill = |out: &mut dyn io::Write| writeln!(out, "{text}");
        Ok(output_file::write_for(Readers::Owner, path, OWN, &[], fill)?)
    }

    /// Sees whether the file may be written, before the work that it is for.
    ///
    /// # Errors
    /// As [`Kept::write`].
    pub fn check(path: &Path) -> Result<(), KeptError> {
        Ok(output_file::check(path, OWN, &[])?)
    }

    /// Removes the file; `false` if there was none. Also a damaged one, if it begins as rowkey's do.
    ///
    /// # Errors
    /// When the file is not rowkey's, or cannot be removed.
    pub fn forget(path: &Path) -> Result<bool, KeptError> {
        Ok(output_file::remove(path, OWN)?)
    }

    /// The built-in prices of a kind of store, with the kept ones in their places.
    pub fn prices(&self, built_in: &Prices) -> Prices {
        let mut prices = *built_in;
        for (name, value) in &self.prices {
            if let Some(price) = Price::named(name).filter(|price| (price.get)(built_in).is_some()) {
                (price.set)(&mut prices, *value);
            }
        }
        prices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> Kept {
        let mut prices: BTreeMap<String, u32> =
            LIST.iter().zip(100..).map(|(price, value)| (price.name.to_owned(), value)).collect();
        prices.remove("server_jump");
        Kept { rowkey_prices: VERSION, cluster: None, url: None, rows: 20_000, prices }
    }

    fn of_cluster() -> Kept {
        let mut kept = kept().of_cluster("c-1", "hbase://zk:2181/hbase");
        kept.prices.insert("server_jump".to_owned(), 103);
        kept
    }

    #[test]
    fn what_is_written_is_read_and_put_in_the_place_of_the_built_in_prices() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("PRICES");
        assert_eq!(Kept::read(&path, &Of::Folder).unwrap(), None);
        assert!(!Kept::forget(&path).unwrap());
        kept().write(&path).unwrap();
        let read = Kept::read(&path, &Of::Folder).unwrap().expect("it was written");
        assert_eq!(read, kept());
        let prices = read.prices(&Prices::EMBEDDED);
        assert_eq!((prices.range, prices.get, prices.jump, prices.server_jump), (100, 101, 102, None));
        assert_eq!((prices.sort_percent, prices.backwards_percent), (104, 105));
        assert_eq!((prices.put, prices.entry), (106, 107));
        assert_eq!((prices.key_bytes_of_a_row, prices.reads_ahead), (100, false));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        of_cluster().write(&path).unwrap();
        let cluster = Kept::read(&path, &Of::Cluster("c-1")).unwrap().expect("it was replaced");
        assert_eq!(cluster.prices(&Prices::HBASE).server_jump, Some(103));
        assert!(Kept::forget(&path).unwrap());
        assert!(!path.exists());
    }

    #[test]
    fn a_file_without_the_price_of_an_entry_is_read_with_the_built_in_one() {
        let mut older = kept();
        older.prices.remove("entry");
        let text = serde_json::to_vec(&older).unwrap();
        let prices = Kept::parse(&text, &Of::Folder).unwrap().prices(&Prices::EMBEDDED);
        assert_eq!((prices.put, prices.entry), (106, Prices::EMBEDDED.entry));
    }

    #[test]
    fn a_file_that_is_damaged_or_of_another_store_is_told_with_its_cure() {
        let text = |kept: &Kept| serde_json::to_string_pretty(kept).unwrap();
        let own = text(&kept());
        let cases = [
            (
                own.replace("\"get\": 101", "\"get\": 0"),
                Of::Folder,
                "`get` is 0, and must be from 1 to 10000",
            ),
            (own.replace("\"get\"", "\"gets\""), Of::Folder, "there is no price `gets`"),
            (own.replace("\"get\": 101,", ""), Of::Folder, "`get` is missing"),
            (
                own.replace("_prices\": 1", "_prices\": 9"),
                Of::Folder,
                "its form is 9, and this rowkey knows form 1",
            ),
            (own.replace("20000", "-1"), Of::Folder, "invalid value"),
            (own.get(..40).unwrap().to_owned(), Of::Folder, "EOF"),
            (String::new(), Of::Folder, "EOF"),
            (own.clone(), Of::Cluster("c-1"), "it is about a store in a folder"),
            (text(&of_cluster()), Of::Folder, "it is about cluster c-1"),
            (text(&of_cluster()), Of::Cluster("c-2"), "it is about cluster c-1"),
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("PRICES");
        for (text, of, words) in cases {
            std::fs::write(&path, &text).unwrap();
            let error = Kept::read(&path, &of).expect_err(words).to_string();
            assert!(error.contains(words), "{words}: {error}");
            let cure = if text.is_empty() { "move it away" } else { "`Kept::forget`" };
            assert!(error.contains("PRICES") && error.contains(cure), "{error}");
        }
    }

    #[test]
    fn a_file_of_somebody_else_is_neither_replaced_nor_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("PRICES");
        std::fs::write(&path, "apples 3\n").unwrap();
        assert!(matches!(kept().write(&path), Err(KeptError::Output(OutputError::Exists { .. }))));
        assert!(matches!(Kept::forget(&path), Err(KeptError::Output(OutputError::Exists { .. }))));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "apples 3\n");
    }
}
