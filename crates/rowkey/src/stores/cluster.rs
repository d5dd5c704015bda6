//! A cluster: HBase.

use rowkey_core::query::Prices;
use rowkey_store::Store;

use super::{Kind, Opening};
use crate::Error;

pub(super) const KIND: Kind = Kind {
    urls: &[("hbase", "hbase://HOST:2181/hbase"), ("hbase+rpc", "hbase+rpc://MASTER:16000")],
    prices: Prices::HBASE,
    open,
    owns: |_| false,
};

#[cfg(feature = "hbase")]
fn open(place: &str, opening: Opening) -> Result<Option<Box<dyn Store>>, Error> {
    let store = connect(place, opening).map_err(|problem| Error::open(place, problem))?;
    Ok(Some(Box::new(store)))
}

#[cfg(feature = "hbase")]
fn connect(url: &str, opening: Opening) -> Result<rowkey_hbase::HBaseStore, rowkey_hbase::HBaseError> {
    use rowkey_hbase::{ClusterUrl, HBaseStore, Options, Watcher};
    let url: ClusterUrl = url.parse()?;
    let mut options = Options::from_url(&url);
    if let Some(tell) = opening.tell {
        options.watcher = Watcher::new(move |procedure| {
            tell(super::News::Work {
                text: procedure.to_string(),
                waits_for: procedure.waits_for.map(|wait| wait.to_string()),
                ended: procedure.ended,
            });
        });
    }
    HBaseStore::connect_with(&url, options)
}

#[cfg(not(feature = "hbase"))]
fn open(place: &str, _: Opening) -> Result<Option<Box<dyn Store>>, Error> {
    Err(Error::Feature { place: place.to_owned(), feature: "hbase" })
}
