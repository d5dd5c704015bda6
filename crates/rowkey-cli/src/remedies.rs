//! What this program calls the remedies that errors of the libraries name: its options and commands.

use rowkey_core::remedy::{self, Remedy};

/// Has all messages name options and commands of this program.
pub(crate) fn speak() {
    remedy::speak(words);
}

fn words(remedy: Remedy) -> Option<&'static str> {
    Some(match remedy {
        Remedy::FullScan => "--full-scan",
        Remedy::Sort => "--sort",
        Remedy::MaxGroups => "--max-groups",
        Remedy::Store => "--store",
        Remedy::OtherStore => "another --store",
        Remedy::NewStore => "an empty or new folder as --store",
        Remedy::SampleData => "--data FILE",
        Remedy::ValueRange => "--range",
        Remedy::SplitSample => "`rowkey split sample --from FILE --data DATA`",
        Remedy::CreateWithData => "`rowkey create FILE --data DATA`",
        Remedy::Describe => "`rowkey describe`",
        Remedy::BuildIndex => "`rowkey index build FILE`",
        Remedy::DropFamily => "--drop-family",
        Remedy::TimeFormat => "--time-format",
        Remedy::TruncateTimes => "--truncate-times",
        Remedy::Null => "--null",
        Remedy::Delimiter => "--delimiter",
        Remedy::Format => "--format",
        Remedy::Unpack => "--unpack",
        Remedy::Rename => "--rename",
        Remedy::IgnoreColumns => "--ignore-columns",
        Remedy::MaxRecord => "--max-record",
        Remedy::LoadStream => "`rowkey load TABLE - < FILE`",
        Remedy::Restart => "--restart",
        Remedy::EmptyCells => "--empty-cells",
        Remedy::PerRegion => "--per-region",
        Remedy::Force => "--force",
        Remedy::Calibrate => "`rowkey calibrate`",
        Remedy::ForgetPrices => "`rowkey calibrate --forget`",
        Remedy::BuiltInPrices => "--no-config",
        Remedy::Doctor => "`rowkey doctor`",
        Remedy::Time => "--time",
        Remedy::Rows => "--rows",
        Remedy::Table => "--table",
        Remedy::Identity => "--identity",
        Remedy::Closed => "--closed",
        Remedy::Seed => "--seed",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Arguments;
    use clap::{Command, CommandFactory};

    fn has_option(command: &Command, name: &str) -> bool {
        command.get_arguments().any(|argument| argument.get_long() == Some(name))
            || command.get_subcommands().any(|command| has_option(command, name))
    }

    #[test]
    fn every_remedy_is_an_option_or_a_command_of_this_program() {
        let program = Arguments::command();
        for remedy in Remedy::ALL {
            let words = words(*remedy).unwrap_or_else(|| panic!("{remedy:?} has no words"));
            let mut known = 0;
            for option in words.split([' ', '`']).filter_map(|word| word.strip_prefix("--")) {
                assert!(has_option(&program, option), "{words}: there is no option --{option}");
                known += 1;
            }
            if let Some(line) = words.strip_prefix("`rowkey ") {
                let name = line.trim_end_matches('`').split(' ').next().unwrap_or_default();
                assert!(program.find_subcommand(name).is_some(), "{words}: there is no command {name}");
                known += 1;
            }
            assert!(known > 0, "{words}: neither an option nor a command");
        }
    }
}
