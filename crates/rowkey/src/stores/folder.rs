//! A folder of this machine: the embedded store.

use std::path::Path;

use rowkey_core::query::Prices;
use rowkey_store::Store;

use super::{Kind, Opening};
use crate::Error;

pub(super) const KIND: Kind = Kind { urls: &[], prices: Prices::EMBEDDED, open, owns };

#[cfg(feature = "embedded")]
fn open(place: &str, opening: Opening) -> Result<Option<Box<dyn Store>>, Error> {
    use rowkey_embedded::{EmbeddedStore, Options};
    let folder = Path::new(place);
    if !opening.make
        && EmbeddedStore::format_of(folder).map_err(|problem| Error::open(place, problem))?.is_none()
    {
        return Ok(None);
    }
    let store =
        EmbeddedStore::open(folder, Options::default()).map_err(|problem| Error::open(place, problem))?;
    if let Some(tell) = opening.tell {
        store.opening().notes().into_iter().for_each(|note| tell(super::News::Note(note)));
    }
    Ok(Some(Box::new(store)))
}

#[cfg(not(feature = "embedded"))]
fn open(place: &str, _: Opening) -> Result<Option<Box<dyn Store>>, Error> {
    Err(Error::Feature { place: place.to_owned(), feature: "embedded" })
}

#[cfg(feature = "embedded")]
fn owns(folder: &Path) -> bool {
    use rowkey_embedded::{EmbeddedError, EmbeddedStore};
    match EmbeddedStore::format_of(folder) {
        Ok(format) => format.is_some(),
        Err(error) => matches!(error, EmbeddedError::NewerFormat { .. } | EmbeddedError::Missing { .. }),
    }
}

#[cfg(not(feature = "embedded"))]
fn owns(_: &Path) -> bool {
    false
}
