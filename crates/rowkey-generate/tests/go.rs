//! Generated Go is as gofmt leaves it, `go vet` finds nothing, and it passes its vectors: for every table file of this repository.
//!
//! Without a Go compiler the test says so and looks at nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rowkey_core::Table;
use rowkey_generate::{Design, File, Origin, language};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn origin(file: &str) -> Origin {
    Origin { version: "0.0.0".to_owned(), file: file.to_owned() }
}

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rowkey-go-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, file: &File, below: &str) {
        let path = self.0.join(below).join(&file.name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &file.text).unwrap();
    }

    fn run(&self, program: &str, arguments: &[&str]) -> (bool, String) {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(&self.0)
            .env("GOFLAGS", "-mod=mod")
            .env("GOPROXY", "off")
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&text).into_owned())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

fn has_go() -> bool {
    let found = Command::new("go").arg("version").output().is_ok();
    if !found {
        eprintln!("there is no Go compiler: generated Go is not looked at");
    }
    found
}

/// The table files of the examples and the templates.
fn table_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![repository().join("examples"), repository().join("crates/rowkey-cli/templates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn put(folder: &Folder, below: &str, design: &Design) {
    let go = language("go").unwrap();
    for file in go.files(design).unwrap() {
        folder.write(&file, below);
    }
}

/// A stand-in for the client, so that the files for it can be compiled without the network.
fn put_client(folder: &Folder) {
    let file = |name: &str, text: &str| File { name: name.to_owned(), text: text.to_owned() };
    let stub = "module github.com/tsuna/gohbase\n\ngo 1.21\n";
    let main = "module generated\n\ngo 1.21\n\nrequire github.com/tsuna/gohbase v0.0.0\n\nreplace github.com/tsuna/gohbase => ./gohbase\n";
    folder.write(&file("go.mod", main), "");
    folder.write(&file("gohbase/go.mod", stub), "");
    folder.write(&file("gohbase/client.go", include_str!("go/client.go.txt")), "");
    folder.write(&file("gohbase/hrpc/hrpc.go", include_str!("go/hrpc.go.txt")), "");
}

#[test]
fn every_table_file_gives_formatted_code_that_passes_its_vectors() {
    if !has_go() {
        return;
    }
    let folder = Folder::new("tables");
    put_client(&folder);
    let mut count = 0;
    for path in table_files() {
        let text = fs::read_to_string(&path).unwrap();
        // Some files of the examples are no tables, and some are wrong on purpose.
        let Ok(table) = Table::parse(&path.to_string_lossy(), &text) else { continue };
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        put(&folder, &format!("t{count}"), &Design::of(&table, origin(&name)));
        count += 1;
    }
    assert!(count > 40, "{count}");
    let (_, unformatted) = folder.run("gofmt", &["-l", "-s", "."]);
    let own: Vec<&str> = unformatted.lines().filter(|line| !line.starts_with("gohbase/")).collect();
    assert!(own.is_empty(), "gofmt would change {own:?} in {}", folder.0.display());
    for tags in [&[][..], &["-tags", "gohbase"]] {
        let (clean, said) = folder.run("go", &[&["vet"], tags, &["./..."]].concat());
        assert!(clean, "{}: {said}", folder.0.display());
    }
    let (passed, said) = folder.run("go", &["test", "-vet=off", "./..."]);
    assert!(passed, "{}: {said}", folder.0.display());
}

#[test]
fn the_program_of_the_page_prints_what_the_page_says() {
    if !has_go() {
        return;
    }
    let page = fs::read_to_string(repository().join("docs/generate/go.md")).unwrap();
    let block = |head: &str| {
        let (_, rest) = page.split_once(&format!("```{head}\n")).unwrap_or_else(|| panic!("no block {head}"));
        rest.split_once("```").unwrap().0.to_owned()
    };
    let folder = Folder::new("page");
    let source = fs::read_to_string(repository().join("examples/orders/orders.toml")).unwrap();
    put(&folder, "", &Design::of(&Table::parse("orders.toml", &source).unwrap(), origin("orders.toml")));
    for (name, head) in [("go.mod", "text shop/go.mod"), ("main.go", "go shop/main.go")] {
        folder.write(&File { name: name.to_owned(), text: block(head) }, "");
    }
    let (_, unformatted) = folder.run("gofmt", &["-l", "main.go"]);
    assert_eq!(unformatted, "");
    let (done, said) = folder.run("go", &["run", "."]);
    assert!(done, "{said}");
    assert_eq!(said, block("text"));
}

/// The code as it was when someone last read it.
#[test]
fn the_code_of_the_orders_is_the_one_that_was_read() {
    let source = fs::read_to_string(repository().join("examples/orders/orders.toml")).unwrap();
    let design = Design::of(&Table::parse("orders.toml", &source).unwrap(), origin("orders.toml"));
    let files = language("go").unwrap().files(&design).unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/go/orders.key.go.txt");
    if std::env::var_os("ROWKEY_BLESS").is_some() {
        fs::write(&golden, &files[0].text).unwrap();
    }
    assert_eq!(
        files[0].text,
        fs::read_to_string(golden).unwrap(),
        "ROWKEY_BLESS=1 writes it anew; read the change"
    );
    assert_eq!(files, language("go").unwrap().files(&design).unwrap());
}
