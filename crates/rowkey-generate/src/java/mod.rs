//! Java.

use crate::{Design, File, Language};

/// Java.
pub(crate) struct Java;

impl Language for Java {
    fn name(&self) -> &'static str {
        "java"
    }

    fn files(&self, _: &Design) -> Result<Vec<File>, String> {
        Err("nothing can be generated in Java yet".to_owned())
    }

    fn conform(&self, _: &[&Design]) -> Result<Vec<File>, String> {
        Err("nothing can be generated in Java yet".to_owned())
    }
}
