//! What many calls to a store do, on the embedded store, on HBase and on the model in memory.
//!
//! One program for all of them, which is made quicker than one for each: `cargo test -p rowkey-ops --test it NAME::`
//! runs the tests of a file.

mod aggregates;
#[cfg(all(feature = "parquet", feature = "zstd"))]
mod any_file;
mod articles;
mod batches;
mod every_shape;
#[cfg(all(feature = "parquet", feature = "zstd"))]
mod exports;
mod external_sort;
mod hbase;
mod index_bulk;
mod index_hbase;
mod index_interleavings;
mod index_kill;
mod index_laws;
mod index_place;
mod index_tables;
mod laws;
mod loads;
mod lookups;
mod null_laws;
mod pages;
#[cfg(feature = "parquet")]
mod parquet;
mod phoenix_plans;
mod queries;
mod queries_of_the_articles;
#[cfg(feature = "parquet")]
mod same_record;
mod shapes;
