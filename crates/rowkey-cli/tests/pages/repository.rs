//! Which files does the repository hold, and which of them are pages?

use std::path::{Path, PathBuf};

/// The files of the repository.
pub(crate) struct Repository {
    pub(crate) root: PathBuf,
    /// With `/`, from the root.
    pub(crate) files: Vec<String>,
}

impl Repository {
    pub(crate) fn read() -> Self {
        let root =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository");
        let mut files = Vec::new();
        collect(&root, "", &mut files);
        files.sort();
        Self { root, files }
    }

    /// The pages, or the one that `ROWKEY_PAGE` names.
    pub(crate) fn pages<'a>(&'a self, except: &'a [&str]) -> impl Iterator<Item = &'a str> {
        let only = std::env::var("ROWKEY_PAGE").ok();
        let files = self.files.iter().map(String::as_str);
        files.filter(move |file| {
            let is_page = file.ends_with(".md") && !except.contains(file);
            is_page && only.as_deref().is_none_or(|only| only == *file)
        })
    }

    pub(crate) fn text(&self, file: &str) -> String {
        let path = self.root.join(file);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Whether a file is there by its whole path, or is a folder that holds one.
    pub(crate) fn has(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        self.files.iter().any(|file| file == path || file.starts_with(&folder))
    }

    /// Whether some file's path ends so.
    pub(crate) fn has_some(&self, end: &str) -> bool {
        self.files
            .iter()
            .any(|file| file.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')))
    }
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("the folder can be listed").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            // What Git and Cargo keep, and data of tries.
            if !(name.starts_with('.') || ["target", "rowkey-data", "node_modules"].contains(&name.as_str()))
            {
                collect(&entry.path(), &format!("{path}/"), files);
            }
        } else {
            files.push(path);
        }
    }
}
