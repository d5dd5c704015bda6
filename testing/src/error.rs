//! What can go wrong between a test and its cluster, and what to do about it.

use std::path::{Path, PathBuf};
use std::{fmt, io};

/// The result of everything here that leaves the process.
pub type Result<T> = std::result::Result<T, Error>;

/// Why there is no cluster, no jar or no answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A program of the machine is missing.
    ToolMissing {
        /// Its name as it was called.
        tool: String,
        /// What was to be done with it.
        purpose: &'static str,
        /// How it comes onto the machine.
        cure: &'static str,
    },
    /// A file or folder refused.
    Io {
        /// What was attempted.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// There is no folder for the cache.
    NoCacheFolder,
    /// Maven did not bring the jars.
    Fetch {
        /// The version of HBase.
        version: String,
        /// How often it was tried.
        attempts: u32,
        /// The end of Maven's output.
        output: String,
    },
    /// `javac` refused one of our programs.
    Compile {
        /// The class.
        program: &'static str,
        /// The compiler's output.
        output: String,
    },
    /// One of our Java programs ended with an error.
    Program {
        /// The class.
        program: &'static str,
        /// Its arguments.
        args: Vec<String>,
        /// How it ended.
        status: String,
        /// What it wrote to standard error.
        output: String,
    },
    /// A running cluster did not do what it was told.
    Command {
        /// The command.
        command: String,
        /// What it said.
        reason: String,
    },
    /// The cluster did not become ready.
    Start {
        /// How far it came.
        reason: String,
        /// The last lines of its log.
        log: String,
    },
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ToolMissing { tool, purpose, cure } => {
                write!(f, "cannot {purpose}: `{tool}` is not on this machine; {cure}")
            }
            // the cause stands here too, because a failed test prints the error without its chain
            Self::Io { action, path, source } => write!(f, "cannot {action} {}: {source}", path.display()),
            Self::NoCacheFolder => {
                write!(
                    f,
                    "no folder for downloads: ROWKEY_CACHE, XDG_CACHE_HOME and HOME are all unset; set ROWKEY_CACHE"
                )
            }
            Self::Fetch { version, attempts, output } => write!(
                f,
                "cannot fetch the jars of HBase {version}: Maven failed {attempts} times; check the network and \
                 Maven's settings, then try again. The end of its output:\n{output}"
            ),
            Self::Compile { program, output } => {
                write!(f, "cannot compile {program}.java; a JDK 11 or newer is needed. javac says:\n{output}")
            }
            Self::Program { program, args, status, output } => {
                write!(f, "{program} {} ended with {status}; it says:\n{output}", args.join(" "))
            }
            Self::Command { command, reason } => write!(f, "the HBase cluster did not `{command}`: {reason}"),
            Self::Start { reason, log } => {
                write!(f, "the HBase cluster did not start: {reason}. The end of its log:\n{log}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
