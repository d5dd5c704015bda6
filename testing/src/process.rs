//! When is the cluster's JVM ready, and what ends it?
//!
//! The pipe to its standard input is its life: it ends when the pipe closes, and the pipe closes with us.

use std::io::{self, BufRead, BufReader};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Result, java};

const START_LIMIT: Duration = Duration::from_secs(180);
const STOP_LIMIT: Duration = Duration::from_secs(10);

/// The JVM and the pipe that keeps it alive; dropping it waits until the JVM has gone.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
}

impl Process {
    pub(crate) fn spawn(command: &mut Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // Ctrl-C goes to the whole group; the JVM shall see only the pipe, so that it always cleans up
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let mut child = command.spawn().map_err(|source| java::missing("java", source))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        Ok(Self { child, stdin, stdout })
    }

    /// Reads until the line that names the addresses of ZooKeeper and the master; the error is the reason.
    pub(crate) fn wait_until_ready(&mut self) -> std::result::Result<(String, String), String> {
        let (send, receive) = mpsc::channel();
        let stdout = self.stdout.take();
        // it reads on to the end, so that the JVM never meets a full or closed pipe
        thread::spawn(move || {
            for line in
                stdout.into_iter().flat_map(|out| BufReader::new(out).lines()).map_while(io::Result::ok)
            {
                // nobody listens once the cluster is ready
                let _ = send.send(line);
            }
        });
        let limit = Instant::now() + START_LIMIT;
        // a JVM that refuses its options says so on standard output
        let mut said = String::new();
        loop {
            match receive.recv_timeout(limit.saturating_duration_since(Instant::now())) {
                Ok(line) => match parse_ready(&line) {
                    Some(addresses) => return Ok(addresses),
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

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.stdin.take());
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

fn parse_ready(line: &str) -> Option<(String, String)> {
    let (zookeeper, master) = line.strip_prefix("READY zookeeper=")?.split_once(" master=")?;
    Some((zookeeper.to_owned(), master.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ready_line_gives_both_addresses() {
        let both = parse_ready("READY zookeeper=127.0.0.1:2181 master=127.0.0.1:16000");
        assert_eq!(both, Some(("127.0.0.1:2181".into(), "127.0.0.1:16000".into())));
        assert_eq!(parse_ready("anything else"), None);
    }
}
