//! Arguments of `rowkey shell`.

use std::path::PathBuf;

use clap::Args;

/// HBase's shell commands on either store, at a prompt or from a script
#[derive(Debug, Args)]
#[command(after_help = "\
Commands, options and output are those of HBase's own shell; type help at the prompt. A script ends at the first command
that fails, and then the exit code is 2.

Example:
  rowkey shell
  rowkey shell -e \"create 't', 'f', SPLITS => ['b']\" -e \"put 't', 'a', 'f:x', 'v'\" -e \"scan 't'\"
  rowkey shell script.txt --store hbase://zookeeper:2181/hbase
  echo \"scan 'orders', {DECODE => true, LIMIT => 5}\" | rowkey shell")]
pub(crate) struct Shell {
    /// A file of commands, or - for standard input
    pub(crate) script: Option<PathBuf>,

    /// Run these commands and end; may be given several times
    #[arg(short, long, value_name = "COMMANDS", conflicts_with = "script")]
    pub(crate) execute: Vec<String>,

    /// Print times of cells as milliseconds since 1970, as older shells did
    #[arg(long)]
    pub(crate) epoch: bool,

    /// Go on with a script after a command that failed
    #[arg(long)]
    pub(crate) keep_going: bool,
}
