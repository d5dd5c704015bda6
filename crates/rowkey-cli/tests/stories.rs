//! Is everything true that the stories under `examples/` say, on both stores?
//!
//! One test for each story and store. The page of a story shows the run on the embedded store; `ROWKEY_BLESS=1` writes it anew.

#![expect(clippy::print_stdout, reason = "`--nocapture` shows the stories")]

use std::path::{Path, PathBuf};

use rowkey_stories::{Page, Run, STORIES, Scale, Setting, Story};
use rowkey_testing::cluster;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Runs a story small, prints it (`--nocapture` shows it), and insists on its claims.
fn tell(name: &str, cluster: Option<String>) -> Run {
    let story = Story::named(name).expect("the list has it");
    let program = PathBuf::from(env!("CARGO_BIN_EXE_rowkey"));
    let setting = Setting { program, cluster, scale: Scale::Small };
    let run =
        story.run(&setting, |line| println!("{line}")).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    if let Err(error) = &run.ended {
        panic!("{name}: {error}\n{error:?}");
    }
    assert!(!run.stage.figures().is_empty(), "{name} claims nothing");
    run
}

fn on_the_embedded_store(name: &str) {
    let run = tell(name, None);
    let mut page = Page::read(name).unwrap_or_else(|error| panic!("examples/{name}/README.md: {error}"));
    if std::env::var_os("ROWKEY_BLESS").is_some() {
        page.write_measured(run.stage.transcript()).expect("the page can be written");
    }
    let said = page
        .measured()
        .unwrap_or_else(|| panic!("examples/{name}/README.md has no block of what was measured"));
    let bless = "ROWKEY_BLESS=1 writes it anew";
    for (said, found) in said.lines().zip(run.stage.transcript().lines()) {
        assert_eq!(said, found, "examples/{name}/README.md: {bless}");
    }
    assert_eq!(
        said.lines().count(),
        run.stage.transcript().lines().count(),
        "examples/{name}/README.md: {bless}"
    );
}

fn on_hbase(name: &str) {
    tell(name, Some(cluster::shared().zookeeper_url.clone()));
}

macro_rules! tests {
    ($($module:ident $folder:literal,)*) => {
        $(mod $module {
            #[test]
            fn embedded() {
                super::on_the_embedded_store($folder);
            }

            #[test]
            fn hbase() {
                super::on_hbase($folder);
            }
        })*
    };
}

rowkey_stories::each_story!(tests);

#[test]
fn every_folder_with_a_story_is_in_the_list_and_in_the_index() {
    let mut folders: Vec<String> = std::fs::read_dir(examples())
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|folder| folder.join("story.rs").exists())
        .filter_map(|folder| Some(folder.file_name()?.to_str()?.to_owned()))
        .collect();
    folders.sort();
    let mut listed: Vec<&str> = STORIES.iter().map(|story| story.name).collect();
    listed.sort_unstable();
    assert_eq!(folders, listed);
    let index = std::fs::read_to_string(examples().join("README.md")).expect("the index is there");
    for name in listed {
        assert!(index.contains(&format!("]({name}/README.md)")), "examples/README.md has no line for {name}");
    }
}

#[test]
fn every_page_has_its_headings() {
    for story in STORIES {
        let page = Page::read(story.name).unwrap_or_else(|error| panic!("{}: {error}", story.name));
        assert_eq!(page.missing_headings(), [""; 0], "examples/{}/README.md", story.name);
    }
}
