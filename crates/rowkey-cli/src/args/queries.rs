//! The commands that answer and explain queries.

use std::path::PathBuf;

use clap::Args;

use super::{OfTable, Reading, Shown};

/// A condition may begin with a minus, but not with two: that is an option that is not there.
pub(super) fn condition(text: &str) -> Result<String, String> {
    let mut words = text.split_whitespace();
    match (words.next(), words.next()) {
        (Some(option), _) if option.starts_with("--") => {
            Err(format!("there is no option `{option}`; see --help"))
        }
        // A field may be called so, and then something compares it.
        (Some(first), Some(next)) if first.eq_ignore_ascii_case("select") && !compares(next) => Err(format!(
            "a query here is what stands behind `where`: the table is named before it, and --columns names fields; write \
             \"{}\"",
            behind_where(text)
        )),
        (Some(first), Some(next)) if first.eq_ignore_ascii_case("where") && !compares(next) => {
            Err(format!("leave out `where`; write \"{}\"", behind_where(text)))
        }
        _ => Ok(text.to_owned()),
    }
}

fn compares(word: &str) -> bool {
    word.starts_with(['=', '<', '>', '!'])
        || ["in", "like", "is", "between", "not"].iter().any(|own| word.eq_ignore_ascii_case(own))
}

/// What stands behind `where` in SQL, with its order and limit.
fn behind_where(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let word = |name: &str| {
        let found = lower.match_indices(name).find(|(at, _)| {
            let before = lower.get(..*at).and_then(|before| before.chars().next_back());
            let after = lower.get(at + name.len()..).and_then(|after| after.chars().next());
            before.is_none_or(char::is_whitespace) && after.is_none_or(char::is_whitespace)
        });
        found.map(|(at, _)| at)
    };
    let begin =
        word("where").map(|at| at + "where".len()).or_else(|| word("order")).or_else(|| word("limit"));
    begin.and_then(|at| text.get(at..)).unwrap_or_default().trim().trim_end_matches(';').to_owned()
}

/// What is asked for, and what it may cost.
#[derive(Debug, Clone, Args)]
pub(crate) struct QueryArguments {
    /// Condition, order and limit
    #[arg(default_value = "", allow_hyphen_values = true, value_parser = condition)]
    pub(crate) query: String,

    /// A value for the next `?` of the query; may be given several times
    #[arg(long = "param", value_name = "VALUE", allow_hyphen_values = true)]
    pub(crate) parameters: Vec<String>,

    /// Allow a query that reads the whole table
    #[arg(long)]
    pub(crate) full_scan: bool,

    /// Allow sorting all rows, on disk if need be, when they do not come in the order asked for
    #[arg(long)]
    pub(crate) sort: bool,
}

/// Query a table by conditions, order and limit
#[derive(Debug, Args)]
#[command(after_help = "\
A query is CONDITION [order by FIELD [desc], …] [limit N]. A condition compares fields with numbers or 'texts' by = <> <
<= > >=, `between`, `in (…)`, `like '…%'` and `is [not] null`, joined by `and`, `or` and `not`. Times are written as
'2025-01-31', '2025-01-31 12:00:00' (UTC), '2025-01-31T12:00:00Z' or milliseconds.

Example:
  rowkey query orders \"user_id = 7 and ts >= '2025-02-01' order by ts desc limit 20\"
  rowkey query orders 'user_id in (?, ?) order by user_id' --param 7 --param 8 --csv
  rowkey query orders 'user_id = 7 limit 100' --page")]
pub(crate) struct Query {
    #[command(flatten)]
    pub(crate) of: OfTable,

    #[command(flatten)]
    pub(crate) asked: QueryArguments,

    /// Print what the next page begins with once the limit is reached; with that text, print the next page
    #[arg(long, value_name = "TOKEN", num_args = 0..=1, default_missing_value = "")]
    pub(crate) page: Option<String>,

    /// Leave out rows that the table file does not describe, and count them
    #[arg(long)]
    pub(crate) skip_undecodable: bool,

    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// Show how a query would be answered: ranges, regions, order, and what no key helps with
#[derive(Debug, Args)]
#[command(after_help = "\
A table file is enough; nothing is read from a store unless a table is named or --analyze is given. A query that `query`
would refuse is explained as well, with exit code 1.

Example:
  rowkey explain examples/orders/orders.toml 'user_id = 7 order by ts desc limit 20'
  rowkey explain orders 'user_id = 7 and amount > 100' --analyze
  rowkey explain orders 'user_id = 7' --analyze --count
  rowkey explain orders 'user_id in (7, 8)' --dot | dot -Tsvg > plan.svg")]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) of: OfTable,

    #[command(flatten)]
    pub(crate) asked: QueryArguments,

    /// Run the query and show what each step read
    #[arg(long)]
    pub(crate) analyze: bool,

    /// With --analyze: count the rows, as `count` does, and show whether the store's endpoint, keys or rows were asked
    #[arg(long, requires = "analyze")]
    pub(crate) count: bool,

    /// Print a graph for Graphviz
    #[arg(long)]
    pub(crate) dot: bool,

    /// Records to estimate rows and cost by, as `simulate` does: a CSV, JSON or Parquet file; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) data: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,

    /// What the sample of --data is drawn from
    #[arg(long, default_value_t = 0, requires = "data")]
    pub(crate) seed: u64,

    /// Only these fields are asked for, which an index table may hold
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,
}
