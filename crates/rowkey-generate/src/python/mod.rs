//! Python.

use crate::{Design, File, Language};

/// Python.
pub(crate) struct Python;

impl Language for Python {
    fn name(&self) -> &'static str {
        "python"
    }

    fn files(&self, _: &Design) -> Result<Vec<File>, String> {
        Err("nothing can be generated in Python yet".to_owned())
    }

    fn conform(&self, _: &[&Design]) -> Result<Vec<File>, String> {
        Err("nothing can be generated in Python yet".to_owned())
    }
}
