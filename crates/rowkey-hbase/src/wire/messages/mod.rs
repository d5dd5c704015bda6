//! Which messages does HBase exchange, and which of their fields matter to us?
//!
//! Structs with HBase's field numbers, written by hand; fields that we neither send nor read are left out, and
//! protocol buffers skip them. One file per HBase service.

pub(crate) mod client;
pub(crate) mod cluster;
pub(crate) mod common;
pub(crate) mod endpoint;
pub(crate) mod filter;
pub(crate) mod master;
pub(crate) mod multi;
pub(crate) mod registry;
pub(crate) mod rpc;
pub(crate) mod server;
