//! The command that cures a verdict.

use rowkey_lab::diagnose::Next;

use crate::args::quoted;

/// How the simulation was called, so that a cure can be tried with the same data.
pub(super) struct Situation<'a> {
    /// The arguments that say what is simulated: `--data orders.csv --time ts`, or `--traffic zipf`.
    pub(super) feed: &'a str,
    /// The data file, if there is one.
    pub(super) data: Option<&'a str>,
    /// The argument of the design: a key or a table file.
    pub(super) design: &'a str,
}

impl Situation<'_> {
    /// The command for what a cure says.
    pub(super) fn command(&self, next: &Next) -> Option<String> {
        let (feed, design) = (self.feed, quoted(self.design));
        Some(match next {
            Next::Beside { key, regions } => {
                format!("rowkey simulate {design} {} {feed} --regions {regions}", quoted(key))
            }
            Next::Advise => {
                format!("rowkey advise --data {} --queries {design}", quoted(self.data.unwrap_or("DATA")))
            }
            Next::Cut { key, regions } => match self.data {
                Some(data) => {
                    let (key, data) = (quoted(key), quoted(data));
                    format!("rowkey split sample --from {key} --data {data} --regions {regions}")
                }
                None => format!("rowkey simulate {} {feed} --regions {regions}", quoted(key)),
            },
            Next::Size { rate } => format!("rowkey size {design} --rate {rate:.0}"),
            _ => return None,
        })
    }
}
