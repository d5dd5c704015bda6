//! The protobuf messages of HBase, with the fields that rowkey uses.
//!
//! Structs with HBase's field numbers, written by hand; fields that we neither send nor read are left out, and
//! protocol buffers skip them. One file per HBase service.

/// Each field: its number, label and kind as in protocol buffers, its name and its type in Rust.
macro_rules! messages {
    ($(
        $(#[$of_message:meta])*
        $message:ident {
            $(
                $(#[$of_field:meta])*
                $tag:literal: $label:ident $(($($packed:tt)*))? $kind:ident $field:ident: $type:ty,
            )*
        }
    )*) => {$(
        $(#[$of_message])*
        #[derive(Clone, PartialEq, prost::Message)]
        pub(crate) struct $message {
            $(
                $(#[$of_field])*
                #[prost($kind, $label, $($($packed)*,)? tag = $tag)]
                pub(crate) $field: $type,
            )*
        }
    )*};
}

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
