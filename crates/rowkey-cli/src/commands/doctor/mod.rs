//! `rowkey doctor [TABLE]`: checks that everything can be reached and fits together.
//!
//! Each file looks at one thing and adds its verdicts: [`machine`] (program and terminal), [`folder`] and [`space`] or
//! [`cluster`] and [`clock`], then [`table`]. What cannot be looked at because something before it failed is left out.

mod clock;
mod cluster;
mod folder;
mod machine;
mod space;
mod table;
mod verdict;

use crate::Answer;
use crate::args::Doctor;
use crate::output::{Output, is_terminal};
use crate::{open_store, table_argument};

use verdict::{State, Verdicts};

pub(crate) fn run(arguments: &Doctor, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    // A file that cannot be read is a mistake in the command, and no state of the store.
    let file = arguments.table.as_deref().map(table_argument::file).transpose()?.flatten();
    anyhow::ensure!(
        !(arguments.deep && open_store::is_cluster(store)),
        "--deep reads the files of a folder, and {store} is a cluster; ask HBase's own tools: hbase hbck"
    );
    let mut verdicts = Verdicts::default();
    machine::examine(is_terminal(), &mut verdicts);
    let opened = if open_store::is_cluster(store) {
        cluster::examine(store, &mut verdicts)?
    } else {
        folder::examine(store.as_ref(), arguments, &mut verdicts)
    };
    if let (Some(argument), Some(store)) = (&arguments.table, opened) {
        table::examine(&*store, argument, file, &mut verdicts)?;
    }
    verdicts.print(output)?;
    Ok(if verdicts.worst() == State::Ok { Answer::Yes } else { Answer::No })
}
