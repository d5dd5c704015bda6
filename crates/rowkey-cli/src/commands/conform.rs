//! `rowkey conform KEY|FILE -- COMMAND`

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Command, Stdio};

use rowkey_generate::conform::Kit;
use serde_json::json;

use crate::Answer;
use crate::args::Conform;
use crate::key_argument::Named;
use crate::output::{Output, grouped};
use crate::public::{Publicly, public};

/// How many wrong answers are shown.
const SHOWN: usize = 10;

pub(crate) fn run(arguments: &Conform, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    let named = Named::of(&arguments.key, store)?;
    let mut kit = Kit::default();
    kit.add(named.table().map_or("key", |table| &table.name), named.key(), arguments.records, arguments.seed);
    for index in named.table().map_or(&[][..], |table| &table.indexes) {
        kit.add(&index.name, &index.key, arguments.records, arguments.seed);
    }
    let answers = ask(&arguments.command, &kit)?;
    let verdict = kit.judge(answers.iter().map(String::as_str));
    for difference in verdict.differences.iter().take(SHOWN) {
        let text = format!(
            "request  {}\nexpected {}\nfound    {}\n",
            difference.request, difference.expected, difference.found
        );
        output.line(&text, || {
            json!({ "request": difference.request, "expected": difference.expected, "found": difference.found })
        })?;
    }
    let (right, all) = (grouped(verdict.right as u64), grouped(kit.len() as u64));
    output.note(&match verdict.differences.len() {
        0 => format!("all {all} answers are rowkey's"),
        wrong => format!("{right} of {all} answers are rowkey's; {} are not", grouped(wrong as u64)),
    });
    Ok(if verdict.differences.is_empty() { Answer::Yes } else { Answer::No })
}

/// The lines that a program answers.
fn ask(command: &[String], kit: &Kit) -> anyhow::Result<Vec<String>> {
    let shown = command.join(" ");
    let Some((program, rest)) = command.split_first() else {
        return Err(public("no program is named behind `--`"));
    };
    let mut child =
        Command::new(program).args(rest).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().publicly(
            || format!("could not start `{shown}`; name the program and its arguments behind `--`"),
        )?;
    let (Some(input), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(public(format!("`{shown}` has no standard input or output")));
    };
    let lines = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut input = BufWriter::new(input);
            // A program that reads no further has its reasons; what it does not answer is told.
            let _ = kit.requests().try_for_each(|request| writeln!(input, "{request}"));
        });
        BufReader::new(answers).lines().collect::<Result<Vec<_>, _>>()
    });
    let lines = lines.publicly(|| format!("could not read the answers of `{shown}`"))?;
    let status = child.wait().publicly(|| format!("could not wait for `{shown}`"))?;
    if !status.success() {
        return Err(public(format!(
            "`{shown}` failed ({status}) after {} of {} answers",
            lines.len(),
            kit.len()
        )));
    }
    Ok(lines)
}
