//! The list of commands: what `cargo xtask` prints, and what runs for a name.

use crate::recipes::{GROUPS, Recipe};
use crate::{
    Failure, Outcome, against, bench, benchmarks, bounds, cluster, demo, dist, faults, features, index_bench,
    lines, stories, test, versions, workspace,
};

/// A command of ours.
struct Own {
    /// Its words.
    name: &'static str,
    /// What may follow them.
    arguments: &'static str,
    what: &'static str,
    run: fn(&[String]) -> Outcome,
}

const fn own(
    name: &'static str,
    arguments: &'static str,
    what: &'static str,
    run: fn(&[String]) -> Outcome,
) -> Own {
    Own { name, arguments, what, run }
}

const OWN: &[(&str, &[Own])] = &[
    (
        "every day",
        &[
            own(
                "test",
                "[--full]",
                "format, lints, build, tests on a real HBase, documentation; --full adds the long runs (*)",
                test::run,
            ),
            own(
                "demo",
                "[--rows 100000]",
                "a hot key, a better one, its table created, loaded, queried",
                demo::run,
            ),
            own(
                "stories",
                "[NAME …]",
                "the lessons of docs/sources.md, run and measured [--hbase | --store URL] [--full] [--keep] [--list]",
                stories::run,
            ),
            own(
                "cluster",
                "[--hdfs]",
                "an HBase for your own tries, until Ctrl-C or the end of standard input; --hdfs syncs what it says it syncs",
                cluster::run,
            ),
            own(
                "lines",
                "[REV]",
                "lines of code of each crate, without comments, blank lines and tests; beside another revision",
                lines::run,
            ),
            own(
                "dist",
                "[--debug-build]",
                "a release archive with its SHA-256 sums, in target/dist",
                dist::run,
            ),
        ],
    ),
    (
        "proof",
        &[
            own(
                "faults",
                "[SUITE]",
                "plant mistakes, one by one, and see that the tests notice each: core, planning (10 minutes each), execution (15), advice (40)",
                faults::run,
            ),
            own(
                "features",
                "[CRATE …]",
                "each crate compiled alone, without features and with each of them",
                features::run,
            ),
            own(
                "versions",
                "[2.5.8 …]",
                "create, load, scan and drop on HBase 2.6.1, 3.0.0-alpha-4, 2.6.4, 2.5.8 and 2.4.18",
                versions::run,
            ),
        ],
    ),
    (
        "speed",
        &[
            own(
                "bench keys",
                "[--no-java]",
                "how quick keys are, beside hand-written code, other crates and HBase on a JVM",
                bench::keys,
            ),
            own(
                "bench hbase",
                "[--rows N]",
                "the HBase client beside HBase's own and gohbase, 2 million rows [--no-java] [--no-go]",
                bench::hbase,
            ),
            own(
                "bench generate",
                "[--rounds N]",
                "generated Java, Go and Python beside code by hand, HBase's types and HBaseWD [--no-java] [--no-go]",
                bench::generate,
            ),
            own(
                "bench against",
                "[REV]",
                "puts, gets and openings of the embedded store beside another revision of it [--rounds N] [--only TEXT]",
                against::run,
            ),
            own(
                "bench index",
                "[--hbase]",
                "what index tables cost to write, beside the plain table [--rows N] [--rounds N] [--old REV]",
                index_bench::run,
            ),
            own(
                "bench all",
                "[NAME …]",
                "every comparison, 25 minutes, into docs/benchmarks.md; some, into their sections [--quick]",
                benchmarks::run,
            ),
            own(
                "bounds",
                "[--quick]",
                "what huge inputs and mistakes cost at most: the table of docs/limits.md [--program PATH]",
                bounds::run,
            ),
        ],
    ),
];

/// Runs what the arguments name; without any, the list.
pub(crate) fn run(args: &[String]) -> Outcome {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let (Some(first), rest) = (words.first(), words.get(1..).unwrap_or_default()) else {
        println!("{}", list());
        return Ok(());
    };
    if ["help", "--help", "-h"].contains(first) {
        println!("{}", list());
        return Ok(());
    }
    for own in OWN.iter().flat_map(|(_, commands)| *commands) {
        let name: Vec<&str> = own.name.split(' ').collect();
        if words.starts_with(&name) {
            return (own.run)(&args[name.len()..]);
        }
    }
    match GROUPS.iter().flat_map(|(_, recipes)| *recipes).find(|recipe| recipe.name == *first) {
        Some(recipe) => cook(recipe, rest),
        None => Err(unknown(first, rest)),
    }
}

/// Nothing is called so; where several commands begin with the word, what may follow it.
fn unknown(first: &str, rest: &[&str]) -> Failure {
    let names = OWN.iter().flat_map(|(_, commands)| *commands).map(|own| own.name);
    let subjects: Vec<&str> = names.filter_map(|name| name.strip_prefix(first)?.strip_prefix(' ')).collect();
    match (subjects.as_slice(), rest.first()) {
        ([], _) => Failure::new(format!("there is no command `{first}`; `cargo xtask` lists them")),
        (_, None) => Failure::new(format!("`cargo xtask {first}` needs one of {}", subjects.join(", "))),
        (_, Some(other)) => Failure::new(format!(
            "`cargo xtask {first}` needs one of {}, but got `{other}`",
            subjects.join(", ")
        )),
    }
}

/// Prints the lines of a recipe, or runs the first.
fn cook(recipe: &Recipe, args: &[&str]) -> Outcome {
    match args {
        [] => recipe.lines.iter().for_each(|line| println!("{line}")),
        ["--run"] => {
            let line = recipe.lines.first().copied().unwrap_or_default();
            if line.contains("&&") {
                return Err(Failure::new(format!(
                    "this is more than one command; run it in a shell: {line}"
                )));
            }
            println!("$ {line}");
            return workspace::succeed(recipe.command());
        }
        _ => {
            let (name, got) = (recipe.name, args.join(" "));
            return Err(Failure::new(format!("`cargo xtask {name}` takes `--run` only, but got `{got}`")));
        }
    }
    Ok(())
}

/// One line for each command.
fn list() -> String {
    let mut list = "usage: cargo xtask COMMAND\n".to_owned();
    for (title, commands) in OWN {
        list.push_str(&format!("\n{title}\n"));
        for Own { name, arguments, what, .. } in *commands {
            list.push_str(&format!("  {:<22} {what}\n", format!("{name} {arguments}")));
        }
    }
    list.push_str(
        "\nThe others print the lines of cargo that do it, to be changed and copied; --run runs the first. (*) is a long run.\n",
    );
    for (title, recipes) in GROUPS {
        list.push_str(&format!("\n{title}\n"));
        for Recipe { name, what, minutes, .. } in *recipes {
            let mark = minutes.map_or(String::new(), |minutes| format!(" (*, {minutes} min)"));
            list.push_str(&format!("  {name:<22} {what}{mark}\n"));
        }
    }
    list.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_name_stands_once_and_has_a_line() {
        let own = OWN.iter().flat_map(|(_, commands)| *commands).map(|own| own.name);
        let recipes = GROUPS.iter().flat_map(|(_, recipes)| *recipes).map(|recipe| recipe.name);
        let names: Vec<&str> = own.chain(recipes).collect();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        let list = list();
        for name in names {
            assert!(list.contains(&format!("\n  {name} ")), "{name}");
        }
    }
}
