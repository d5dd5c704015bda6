//! `rowkey completions SHELL`

use std::io::Write;

use clap::CommandFactory;

use crate::Answer;
use crate::args::{Arguments, Completions};
use crate::output::Output;

pub(crate) fn run(arguments: &Completions, output: &mut Output) -> anyhow::Result<Answer> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "rowkey", &mut script);
    output.screen().write_all(&script)?;
    output.screen().flush()?;
    Ok(Answer::Yes)
}
