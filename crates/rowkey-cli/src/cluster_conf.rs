//! Which cluster do `--conf` and `HBASE_CONF_DIR` name?
//!
//! A configuration becomes the URL that says the same, so that everything behind this knows URLs only. `--store 'hbase://?keytab=…'`,
//! without a host, adds settings to it; those count before the configuration's.

use std::path::{Path, PathBuf};

use rowkey_hbase::url_of_site;

use crate::args::DEFAULT_STORE;
use crate::public::public;

/// The store that is meant.
pub(crate) fn store(store: &str, conf: Option<&Path>) -> anyhow::Result<String> {
    let folder = std::env::var_os("HBASE_CONF_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    named(store, conf, folder.as_deref())
}

fn named(store: &str, conf: Option<&Path>, folder: Option<&Path>) -> anyhow::Result<String> {
    let more = match store.strip_prefix("hbase://") {
        Some("") => Some(""),
        Some(rest) => rest.strip_prefix('?'),
        None => None,
    };
    let file = match (conf, more, folder) {
        (Some(file), Some(_), _) | (None, Some(_), Some(file)) => file,
        (Some(file), None, _) => {
            if store != DEFAULT_STORE {
                return Err(public(format!(
                    "--conf {} and the store {store} (--store or ROWKEY_STORE) are two places; leave one out, or add settings \
                     to the configuration with --store 'hbase://?SETTING=VALUE'",
                    file.display()
                )));
            }
            file
        }
        (None, ..) => return Ok(store.to_owned()),
    };
    let url = url_of_site(file)?;
    Ok(match more.unwrap_or_default() {
        "" => url,
        more if url.contains('?') => format!("{url}&{more}"),
        more => format!("{url}?{more}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_named_by_an_option_or_by_a_url_without_a_host() {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("hbase-site.xml");
        let text = "<configuration><property><name>hbase.zookeeper.quorum</name><value>zk</value></property></configuration>";
        std::fs::write(&site, text).unwrap();
        let url = "hbase://zk:2181/hbase";
        let named =
            |store: &str, conf: Option<&Path>, folder: Option<&Path>| named(store, conf, folder).unwrap();
        let there = Some(folder.path());
        assert_eq!(named(DEFAULT_STORE, Some(&site), None), url);
        assert_eq!(named(DEFAULT_STORE, there, None), url);
        assert_eq!(named("hbase://", None, there), url);
        assert_eq!(named("hbase://?user=anna", None, there), format!("{url}?user=anna"));
        assert_eq!(named("hbase://?user=anna", there, None), format!("{url}?user=anna"));
        // The variable alone changes nothing: a folder is a folder.
        for store in [DEFAULT_STORE, "hbase://other", "elsewhere"] {
            assert_eq!(named(store, None, there), store);
        }
        assert_eq!(named("hbase://", None, None), "hbase://");
        let error = super::named("hbase://other", there, None).unwrap_err().to_string();
        assert!(error.contains("are two places; leave one out"), "{error}");
    }
}
