//! `rowkey split ALGORITHM`, `rowkey split check` and `rowkey split TABLE`

mod apply;
mod check;
mod live;
mod points;
mod print;
mod spelled;
mod subject;

use crate::Answer;
use crate::args::{Split, SplitCommand};
use crate::output::Output;

pub(crate) use live::start;
pub(crate) use spelled::{examples, spelled};
pub(crate) use subject::sampled_points;

pub(crate) fn run(arguments: &Split, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let Some(command) = &arguments.command else {
        return super::split::run(&arguments.cut, store, output);
    };
    match command {
        SplitCommand::Check(check) => check::run(check, store, output),
        SplitCommand::Hex(points)
        | SplitCommand::Decimal(points)
        | SplitCommand::Uniform(points)
        | SplitCommand::Bytes(points)
        | SplitCommand::BookHex(points)
        | SplitCommand::Key(points)
        | SplitCommand::Salt(points)
        | SplitCommand::Sample(points) => points::run(command, points, store, output),
    }
}
