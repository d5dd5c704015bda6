//! HBase's wire format.
//!
//! [`frame`] cuts the stream into requests and answers, [`cell_block`] lays out cells beside a message, and
//! [`messages`] are the messages themselves, one of which is read by hand ([`scan_response`]). Nothing here waits for anything, and nothing here is public.

pub(crate) mod cell_block;
pub(crate) mod frame;
#[cfg(test)]
mod fuzz;
pub(crate) mod messages;
pub(crate) mod scan_response;
