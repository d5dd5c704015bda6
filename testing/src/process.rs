//! When is a server's JVM ready, and what ends it?
//!
//! The pipe to its standard input is its life: it ends when the pipe closes, and the pipe closes with us. Commands go through
//! the same pipe, one line each, and are answered by one line.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Result, java};

const START_LIMIT: Duration = Duration::from_secs(180);
const ANSWER_LIMIT: Duration = Duration::from_secs(120);
const STOP_LIMIT: Duration = Duration::from_secs(10);

/// The JVM and the pipe that keeps it alive; dropping it waits until the JVM has gone.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    pipes: Mutex<Pipes>,
}

#[derive(Debug)]
struct Pipes {
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    /// What it says once it is ready.
    lines: Option<Receiver<String>>,
}

impl Process {
    pub(crate) fn spawn(command: &mut Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // Ctrl-C goes to the whole group; the JVM shall see only the pipe, so that it always cleans up
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let mut child = command.spawn().map_err(|source| java::missing("java", source))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        Ok(Self { child, pipes: Mutex::new(Pipes { stdin, stdout, lines: None }) })
    }

    /// Reads until the line that begins with `READY`, and gives what stands behind that word; the error is the reason.
    pub(crate) fn wait_until_ready(&mut self) -> std::result::Result<String, String> {
        self.wait_for(|line| line.strip_prefix("READY ").map(str::to_owned))
    }

    /// Reads until a line in which something is found; the error is the reason why there is none.
    pub(crate) fn wait_for<T>(&mut self, find: impl Fn(&str) -> Option<T>) -> std::result::Result<T, String> {
        let (send, receive) = mpsc::channel();
        let mut pipes = self.pipes.lock().unwrap_or_else(PoisonError::into_inner);
        let stdout = pipes.stdout.take();
        // it reads on to the end, so that the JVM never meets a full or closed pipe
        thread::spawn(move || {
            for line in
                stdout.into_iter().flat_map(|out| BufReader::new(out).lines()).map_while(io::Result::ok)
            {
                // nobody listens once the process is dropped
                let _ = send.send(line);
            }
        });
        let limit = Instant::now() + START_LIMIT;
        // a JVM that refuses its options says so on standard output
        let mut said = String::new();
        loop {
            match receive.recv_timeout(limit.saturating_duration_since(Instant::now())) {
                Ok(line) => match find(&line) {
                    Some(found) => {
                        pipes.lines = Some(receive);
                        return Ok(found);
                    }
                    None => said = format!("{said}; {line}"),
                },
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("not ready after {} s{said}", START_LIMIT.as_secs()));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(format!("its process ended before it was ready{said}"));
                }
            }
        }
    }
}

impl Process {
    /// Gives a command and waits for its answer; the error is the reason why there is none.
    pub(crate) fn ask(&self, command: &str) -> std::result::Result<String, String> {
        let mut pipes = self.pipes.lock().unwrap_or_else(PoisonError::into_inner);
        let Pipes { stdin: Some(stdin), lines: Some(lines), .. } = &mut *pipes else {
            return Err("it is not ready".to_owned());
        };
        writeln!(stdin, "{command}").and_then(|()| stdin.flush()).map_err(|problem| problem.to_string())?;
        match lines.recv_timeout(ANSWER_LIMIT) {
            Ok(answer) if answer.starts_with("FAILED") => Err(answer),
            Ok(answer) => Ok(answer),
            Err(RecvTimeoutError::Timeout) => Err(format!("no answer after {} s", ANSWER_LIMIT.as_secs())),
            Err(RecvTimeoutError::Disconnected) => Err("its process has ended".to_owned()),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let pipes = self.pipes.get_mut().unwrap_or_else(PoisonError::into_inner);
        drop(pipes.stdin.take());
        let limit = Instant::now() + STOP_LIMIT;
        while matches!(self.child.try_wait(), Ok(None)) {
            if Instant::now() > limit {
                // a failure here means that it has gone by itself
                let _ = self.child.kill();
                let _ = self.child.wait();
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}
