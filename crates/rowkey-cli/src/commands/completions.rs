//! `rowkey completions SHELL`

use clap::CommandFactory;

use crate::Answer;
use crate::args::{Arguments, Completions};

pub(crate) fn run(arguments: &Completions) -> anyhow::Result<Answer> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "rowkey", &mut script);
    std::io::Write::write_all(&mut std::io::stdout(), &script)?;
    Ok(Answer::Yes)
}
