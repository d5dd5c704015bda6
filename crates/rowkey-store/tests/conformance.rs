//! The model passes the suite that every store passes.

#![cfg(feature = "conformance")]

use rowkey_store::Store;
use rowkey_store::conformance::model::Model;

fn model() -> Box<dyn Store> {
    Box::new(Model::default())
}

rowkey_store::conformance_suite!(model);
