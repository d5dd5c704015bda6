//! `rowkey man [COMMAND]`: the same definition as `--help`, as roff.

use std::path::Path;

use anyhow::{Context, anyhow};
use clap::{Command, CommandFactory};
use clap_mangen::Man as Page;
use rowkey_ops::output_file::{self, Existing};
use serde_json::json;

use crate::Answer;
use crate::args::{Arguments, Man};
use crate::output::{Output, counted};

/// What the foot of a page says.
const SOURCE: &str = concat!("rowkey ", env!("CARGO_PKG_VERSION"));

pub(crate) fn run(arguments: &Man, output: &mut Output) -> anyhow::Result<Answer> {
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("could not create the folder {}", folder.display()))?;
        let written = write(&program, "rowkey", folder)?;
        let told = format!("wrote {} to {}", counted(written, "page"), folder.display());
        output.line(&told, || json!({ "pages": written, "folder": folder }))?;
        return Ok(Answer::Yes);
    }
    let (mut command, mut name) = (&program, "rowkey".to_owned());
    for word in &arguments.command {
        command = command.find_subcommand(word).ok_or_else(|| {
            anyhow!(
                "there is no command `{}`; `rowkey --help` lists them",
                format!("{name} {word}").replacen("rowkey ", "", 1)
            )
        })?;
        name = format!("{name} {word}");
    }
    output.verbatim(String::from_utf8_lossy(&page(command, &name)?).trim_end())?;
    Ok(Answer::Yes)
}

/// The pages of a command and of those below it.
fn write(command: &Command, name: &str, folder: &Path) -> anyhow::Result<usize> {
    let file = folder.join(format!("{}.1", name.replace(' ', "-")));
    let page = page(command, name)?;
    output_file::write(&file, Existing::Own(is_page), &[], |out| out.write_all(&page))?;
    let mut written = 1;
    for below in command.get_subcommands() {
        written += write(below, &format!("{name} {}", below.get_name()), folder)?;
    }
    Ok(written)
}

/// Whether a file begins as one of our pages.
fn is_page(head: &[u8]) -> bool {
    String::from_utf8_lossy(head).lines().any(|line| line.starts_with(".TH rowkey"))
}

fn page(command: &Command, name: &str) -> std::io::Result<Vec<u8>> {
    let mut roff = Vec::new();
    // Without a date, so that the same program gives the same page.
    let title = name.replace(' ', "-");
    Page::new(command.clone()).title(title).date("").source(SOURCE).manual("rowkey").render(&mut roff)?;
    Ok(roff)
}
