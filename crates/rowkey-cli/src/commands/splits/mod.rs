//! `rowkey split ALGORITHM`, `rowkey split check` and `rowkey split TABLE`

mod apply;
mod check;
mod live;
mod points;
mod print;
mod spelled;
mod subject;

use crate::Answer;
use crate::args::{Algorithm, Points, Split, SplitCommand};
use crate::output::Output;

pub(crate) use live::start;
pub(crate) use spelled::spelled;
pub(crate) use subject::sampled_points;

pub(crate) fn run(arguments: &Split, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let Some(command) = &arguments.command else {
        return super::split::run(&arguments.cut, store, output);
    };
    let mut made = |algorithm: Algorithm, points: &Points| points::run(algorithm, points, store, output);
    match command {
        SplitCommand::Hex(points) => made(Algorithm::Hex, points),
        SplitCommand::Decimal(points) => made(Algorithm::Decimal, points),
        SplitCommand::Uniform(points) => made(Algorithm::Uniform, points),
        SplitCommand::Bytes(points) => made(Algorithm::Bytes, points),
        SplitCommand::BookHex(points) => made(Algorithm::BookHex, points),
        SplitCommand::Key(points) => made(Algorithm::Key, points),
        SplitCommand::Salt(points) => made(Algorithm::Salt, points),
        SplitCommand::Sample(points) => made(Algorithm::Sample, points),
        SplitCommand::Check(check) => check::run(check, store, output),
    }
}
