//! Where an example keeps its table: what its first argument says, or a folder that goes with it.

pub(crate) enum ExampleStore {
    Given(String),
    Own(tempfile::TempDir),
}

impl ExampleStore {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Given(place) => place,
            Self::Own(folder) => folder.path().to_str().unwrap_or("example-data"),
        }
    }
}

pub(crate) fn from_arguments() -> std::io::Result<ExampleStore> {
    match std::env::args().nth(1) {
        Some(place) => Ok(ExampleStore::Given(place)),
        None => Ok(ExampleStore::Own(tempfile::tempdir()?)),
    }
}
