//! Go.

use crate::{Design, File, Language};

/// Go.
pub(crate) struct Go;

impl Language for Go {
    fn name(&self) -> &'static str {
        "go"
    }

    fn files(&self, _: &Design) -> Result<Vec<File>, String> {
        Err("nothing can be generated in Go yet".to_owned())
    }

    fn conform(&self, _: &[&Design]) -> Result<Vec<File>, String> {
        Err("nothing can be generated in Go yet".to_owned())
    }
}
