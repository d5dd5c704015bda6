//! The program `rowkey`.
//!
//! Arguments are read in [`args`], a command each in [`commands`], a store is opened in [`open_store`], and everything
//! that reaches a screen goes through [`output`]. Exit code 0: done; 1: a negative answer, such as a query without a
//! row; 2: an error; 130 and 143: interrupted by Ctrl-C or SIGTERM ([`interrupt`]).

mod args;
mod cluster_conf;
mod commands;
mod consent;
mod input_argument;
mod interrupt;
mod key_argument;
mod key_text;
mod open_store;
mod output;
mod planned;
mod public;
mod record_argument;
mod remedies;
mod settings;
mod table_argument;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use rowkey_core::disclosure::Disclosure;
use rowkey_core::visible::is_hidden;

use args::{Arguments, Command, IndexCommand};
use output::Output;

/// Buffers of a megabyte come and go with every page of a Parquet file and every flush of the store; this one keeps them.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How a command ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// Done, or yes.
    Yes,
    /// No: nothing found.
    No,
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(output::tell_panic));
    remedies::speak();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&unknown_option(error)),
    };
    interrupt::watch(ended_by_a_signal(&arguments.command));
    if arguments.no_config {
        settings::ignore();
    }
    let mut output = Output::new(arguments.json, redaction(&arguments));
    match run(&arguments, &mut output) {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        // The reader closed the pipe, as `| head` does: that is no error.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::report(&error, output.shown);
            ExitCode::from(interrupt::exit_code().unwrap_or(2))
        }
    }
}

/// What becomes of a command that a signal ends at once.
fn ended_by_a_signal(command: &Command) -> &'static str {
    match command {
        Command::Create(_) => {
            "the table may be there by now; the same command with --if-not-exists makes it if it is not"
        }
        Command::Alter(_)
        | Command::Index(_)
        | Command::Split(_)
        | Command::Merge(_)
        | Command::Demo(_)
        | Command::Drop(_)
        | Command::Truncate(_) => "what was done before stays, and the same command can be run again",
        Command::Shell(_) => "what was done before stays",
        _ => "nothing was changed",
    }
}

/// An option that is not known is taken for a condition, because a condition may begin with a minus; then its value is one argument too many, and
/// that is not what is wrong.
fn unknown_option(error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(extra)) = error.get(ContextKind::InvalidArg) else { return error };
    let arguments: Vec<String> =
        std::env::args_os().map(|text| text.to_string_lossy().into_owned()).collect();
    let before = arguments.windows(2).find(|pair| pair.last() == Some(extra)).and_then(<[_]>::first);
    match before.filter(|option| option.starts_with("--") && error.kind() == ErrorKind::UnknownArgument) {
        Some(option) => Arguments::command()
            .error(ErrorKind::UnknownArgument, format!("there is no option `{option}`; see --help")),
        None => error,
    }
}

/// What is wrong with the arguments, or the help that they ask for; with `--redact` only the kind of the mistake. Both repeat arguments and variables: where these hold
/// something that a terminal would obey, they come without colours and escaped.
fn refuse(error: &clap::Error) -> ExitCode {
    let store = std::env::var_os("ROWKEY_STORE");
    let is_clean = |text: std::ffi::OsString| text.to_str().is_some_and(|text| !text.contains(is_hidden));
    if std::env::args_os().chain(store).all(is_clean) && !output::is_redacted() {
        error.exit();
    }
    let text = error.render().to_string();
    if error.use_stderr() && output::is_redacted() {
        output::tell(&format!("error: {}; which one is hidden by --redact\n", error.kind()));
    } else if error.use_stderr() {
        output::tell(&text);
    } else if let Err(error) = Output::new(false, Disclosure::Whole).text(text.trim_end()) {
        output::report(&error.into(), Disclosure::Whole);
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

fn redaction(arguments: &Arguments) -> Disclosure {
    if arguments.redact { Disclosure::Lengths } else { Disclosure::Whole }
}

/// Whether a command keeps the promise of `--redact`: it shows values only where that is decided, or none at all.
fn can_redact(command: &Command) -> bool {
    match command {
        Command::Get(_) | Command::Scan(_) | Command::Query(_) | Command::Explain(_) | Command::Count(_) => {
            true
        }
        Command::Regions(_) | Command::Profile(_) | Command::Create(_) | Command::Load(_) => true,
        Command::New(_) | Command::Size(_) | Command::Completions(_) => true,
        Command::List(_)
        | Command::Describe(_)
        | Command::Alter(_)
        | Command::Drop(_)
        | Command::Truncate(_) => true,
        Command::Check(check) => check.data.is_empty(),
        _ => false,
    }
}

/// The files and folders that a command writes by names from its arguments.
fn outputs(command: &Command) -> Vec<&Path> {
    let named: Vec<Option<&PathBuf>> = match command {
        Command::Demo(demo) => return vec![demo.folder.as_deref().unwrap_or(Path::new("."))],
        Command::New(new) => vec![new.file.as_ref(), new.write.as_ref()],
        Command::Load(load) => vec![load.skip_bad.as_ref()],
        Command::Export(export) => vec![Some(&export.out).filter(|out| out.as_path() != Path::new("-"))],
        Command::Index(index) => match &index.command {
            IndexCommand::Build(build) => vec![build.checkpoint.as_ref()],
            IndexCommand::Verify(_) | IndexCommand::Repair(_) => vec![],
        },
        Command::Simulate(simulate) => vec![simulate.png.as_ref(), simulate.svg.as_ref()],
        Command::Advise(advise) => vec![advise.write.as_ref()],
        Command::Man(man) => vec![man.out.as_ref()],
        Command::Generate(generate) => vec![Some(&generate.out)],
        // All by name, so that a new command is asked for its outputs.
        Command::Check(_) | Command::Encode(_) | Command::Decode(_) | Command::Create(_) => vec![],
        Command::List(_) | Command::Describe(_) | Command::Alter(_) | Command::Remember(_) => vec![],
        Command::Truncate(_) | Command::Drop(_) | Command::Get(_) | Command::Scan(_) => vec![],
        Command::Query(_) | Command::Explain(_) | Command::Count(_) | Command::Delete(_) => vec![],
        Command::Regions(_) | Command::Split(_) | Command::Size(_) | Command::Merge(_) => vec![],
        Command::Profile(_) | Command::Calibrate(_) | Command::Shell(_) => vec![],
        Command::Doctor(_) | Command::Completions(_) | Command::Conform(_) => vec![],
    };
    named.into_iter().flatten().map(PathBuf::as_path).collect()
}

fn run(arguments: &Arguments, output: &mut Output) -> anyhow::Result<Answer> {
    let store = &cluster_conf::store(&arguments.store, arguments.conf.as_deref())?;
    outputs(&arguments.command).into_iter().try_for_each(open_store::refuse_inside)?;
    if arguments.redact && !can_redact(&arguments.command) {
        bail!(
            "--redact is known to get, scan, query, explain, count, regions and profile; this command would show keys \
             or values all the same. Leave --redact out, and keep its answer to yourself"
        );
    }
    match &arguments.command {
        Command::Demo(demo) => commands::demo::run(demo, store, output),
        Command::New(new) => commands::new::run(new, output),
        Command::Check(check) => commands::check::run(check, store, output),
        Command::Encode(encode) => commands::encode::run(encode, store, output),
        Command::Decode(decode) => commands::decode::run(decode, store, output),
        Command::Create(create) => commands::create::run(create, store, output),
        Command::List(_) => commands::tables::list(store, output),
        Command::Describe(describe) => commands::tables::describe(describe, store, output),
        Command::Alter(alter) => commands::alter::run(alter, store, output),
        Command::Remember(remember) => commands::remember::run(remember, store, output),
        Command::Drop(drop) => commands::tables::drop(drop, store, output),
        Command::Truncate(truncate) => commands::tables::truncate(truncate, store, output),
        Command::Load(load) => commands::load::run(load, store, output),
        Command::Export(export) => commands::export::run(export, store, output),
        Command::Get(get) => commands::get::run(get, store, output),
        Command::Scan(scan) => commands::scan::run(scan, store, output),
        Command::Query(query) => commands::query::run(query, store, output),
        Command::Explain(explain) => commands::explain::run(explain, store, output),
        Command::Count(count) => commands::count::run(count, store, output),
        Command::Delete(delete) => commands::delete::run(delete, store, output),
        Command::Index(index) => commands::index::run(&index.command, store, output),
        Command::Regions(regions) => commands::regions::run(regions, store, output),
        Command::Split(split) => commands::splits::run(split, store, output),
        Command::Size(size) => commands::size::run(size, output),
        Command::Merge(merge) => commands::merge::run(merge, store, output),
        Command::Profile(profile) => commands::profile::run(profile, store, output),
        Command::Simulate(simulate) => commands::simulate::run(simulate, store, output),
        Command::Advise(advise) => commands::advise::run(advise, store, output),
        Command::Calibrate(calibrate) => commands::calibrate::run(calibrate, store, output),
        Command::Generate(generate) => commands::generate::run(generate, store, output),
        Command::Conform(conform) => commands::conform::run(conform, store, output),
        Command::Shell(shell) => commands::shell::run(shell, store, output),
        Command::Doctor(doctor) => commands::doctor::run(doctor, store, output),
        Command::Completions(completions) => commands::completions::run(completions, output),
        Command::Man(man) => commands::man::run(man, output),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io =
        |cause: &(dyn std::error::Error + 'static)| cause.downcast_ref::<std::io::Error>().map(|e| e.kind());
    error.chain().any(|cause| io(cause) == Some(std::io::ErrorKind::BrokenPipe))
}
