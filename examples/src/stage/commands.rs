//! How does a story run the program, and what of it is shown?

use serde_json::Value;

use super::{EMBEDDED, Stage};
use crate::Told;
use crate::program::{self, Answer};

impl Stage {
    /// Runs the program; its command is shown, its answer is not. Exit code 1, a negative answer, is an answer.
    ///
    /// # Errors
    /// It cannot be started, or ends with an error.
    pub fn rowkey(&mut self, arguments: &[&str]) -> Told<Answer> {
        let answer = self.run(arguments)?.expect(&[0, 1], "0 or 1")?;
        self.show_command(&answer);
        Ok(answer)
    }

    /// Runs the program and shows what it answers, on standard output or, if there is nothing, on standard error. Only for
    /// answers that are the same in every run.
    ///
    /// # Errors
    /// As [`Stage::rowkey`].
    pub fn show(&mut self, arguments: &[&str]) -> Told<Answer> {
        let answer = self.rowkey(arguments)?;
        self.show_lines(if answer.out.is_empty() { &answer.err } else { &answer.out });
        Ok(answer)
    }

    /// Runs the program and shows the error that it must end with.
    ///
    /// # Errors
    /// It cannot be started, or ends without an error.
    pub fn fails(&mut self, arguments: &[&str]) -> Told<Answer> {
        let answer = self.run(arguments)?.expect(&[2], "2, an error,")?;
        self.show_command(&answer);
        self.show_lines(&answer.err);
        Ok(answer)
    }

    /// Runs the program with `--json` and gives the objects that it prints.
    ///
    /// # Errors
    /// As [`Stage::rowkey`], or a line is no JSON.
    pub fn json(&mut self, arguments: &[&str]) -> Told<Vec<Value>> {
        let arguments: Vec<&str> = ["--json"].into_iter().chain(arguments.iter().copied()).collect();
        self.rowkey(&arguments)?.json()
    }

    /// Runs statements of HBase's shell, `;` or a line end between them, and shows and gives what they print, without times.
    /// Cells that are shown need a time of their own.
    ///
    /// # Errors
    /// As [`Stage::rowkey`].
    pub fn shell(&mut self, statements: &str) -> Told<String> {
        let answer = self.rowkey(&["shell", "-e", statements])?;
        let timeless: Vec<&str> = answer.out.lines().filter(|line| !line.starts_with("Took ")).collect();
        let shown = timeless.join("\n");
        self.show_lines(&shown);
        Ok(shown)
    }

    /// Creates the table of a table file and loads data into it, as two commands.
    ///
    /// # Errors
    /// As [`Stage::rowkey`].
    pub fn create_and_load(&mut self, file: &str, table: &str, data: &str) -> Told {
        self.show(&["create", file])?;
        self.show(&["load", table, data])?;
        Ok(())
    }

    /// Runs several programs at the same time, until the last has ended; nothing of them is shown.
    ///
    /// # Errors
    /// One cannot be started, or ends with an error.
    pub fn at_once(&self, commands: &[Vec<&str>]) -> Told {
        let (program, folder) = (&self.setting.program, self.folder.path());
        let store = self.setting.cluster.as_deref().unwrap_or(EMBEDDED);
        let one = |arguments: &[&str]| program::run(program, folder, store, arguments)?.expect(&[0], "0");
        std::thread::scope(|scope| {
            let runs: Vec<_> = commands.iter().map(|arguments| scope.spawn(move || one(arguments))).collect();
            runs.into_iter().try_for_each(|run| match run.join() {
                Ok(answer) => answer.map(drop),
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Told<Answer> {
        let store = self.setting.cluster.as_deref().unwrap_or(EMBEDDED);
        program::run(&self.setting.program, self.folder.path(), store, arguments)
    }

    pub(super) fn show_command(&mut self, answer: &Answer) {
        let note = if answer.code == 0 { String::new() } else { format!("    # exit code {}", answer.code) };
        if !self.transcript.is_empty() {
            self.say("");
        }
        self.say(&format!("$ {}{note}", answer.command));
    }

    fn show_lines(&mut self, text: &str) {
        text.lines().for_each(|line| self.say(line.trim_end()));
    }
}
