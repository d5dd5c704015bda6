//! Generated Go is as gofmt leaves it, `go vet` finds nothing, and it passes its vectors: for every table file of
//! this repository.
//!
//! The files for gohbase are compiled against a stand-in with the functions that they use, or against a copy of its
//! repository that `ROWKEY_GOHBASE` names. Without a Go compiler the tests say so and look at nothing.

#![expect(clippy::print_stderr, reason = "a compiler that is not there is told to whoever looks")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rowkey_core::{Table, Type, Value, column};
use rowkey_generate::values::Values;
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
        fs::create_dir_all(&path).expect("files of a test can be written and read");
        Self(path)
    }

    fn write(&self, file: &File, below: &str) {
        let path = self.0.join(below).join(&file.name);
        fs::create_dir_all(path.parent().expect("files of a test can be written and read"))
            .expect("files of a test can be written and read");
        fs::write(path, &file.text).expect("files of a test can be written and read");
    }

    fn run(&self, program: &str, arguments: &[&str]) -> (bool, String) {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.0).env("GOFLAGS", "-mod=mod");
        // Without the client itself nothing is asked of the network.
        if client().is_none() {
            command.env("GOPROXY", "off");
        }
        let output = command.output().expect("files of a test can be written and read");
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
        for entry in fs::read_dir(folder).expect("files of a test can be written and read") {
            let path = entry.expect("files of a test can be written and read").path();
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
    let go = language("go").expect("files of a test can be written and read");
    for file in go.files(design).expect("files of a test can be written and read") {
        folder.write(&file, below);
    }
}

/// The package of the orders.
fn put_orders(folder: &Folder) {
    put(folder, "", &orders());
}

fn orders() -> Design {
    let source = fs::read_to_string(repository().join("examples/orders/orders.toml")).expect("the orders");
    Design::of(&Table::parse("orders.toml", &source).expect("a table file"), origin("orders.toml"))
}

/// A copy of gohbase's repository, if there is one.
fn client() -> Option<String> {
    std::env::var("ROWKEY_GOHBASE").ok()
}

/// The client, or a stand-in for it, so that the files for it can be compiled without the network.
fn put_client(folder: &Folder) {
    let file =
        |name: &str, text: &str| folder.write(&File { name: name.to_owned(), text: text.to_owned() }, "");
    let path = client().unwrap_or_else(|| "./gohbase".to_owned());
    let needs =
        format!("require github.com/tsuna/gohbase v0.0.0\n\nreplace github.com/tsuna/gohbase => {path}\n");
    file("go.mod", &format!("module generated\n\ngo 1.21\n\n{needs}"));
    if client().is_none() {
        file("gohbase/go.mod", "module github.com/tsuna/gohbase\n\ngo 1.21\n");
        file("gohbase/client.go", include_str!("go/client.go.txt"));
        file("gohbase/hrpc/hrpc.go", include_str!("go/hrpc.go.txt"));
    }
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
    put_orders(&folder);
    for (name, head) in [("go.mod", "text shop/go.mod"), ("main.go", "go shop/main.go")] {
        folder.write(&File { name: name.to_owned(), text: block(head) }, "");
    }
    let (_, unformatted) = folder.run("gofmt", &["-l", "main.go"]);
    assert_eq!(unformatted, "");
    let (done, said) = folder.run("go", &["run", "."]);
    assert!(done, "{said}");
    assert_eq!(said, block("text"));
}

#[test]
fn the_same_table_gives_the_same_text() {
    let go = language("go").unwrap();
    assert_eq!(go.files(&orders()), go.files(&orders()));
}

#[test]
fn scans_of_buckets_merge_in_the_order_of_the_keys_behind_them() {
    if !has_go() {
        return;
    }
    let folder = Folder::new("merge");
    put_orders(&folder);
    let file = |name: &str, text: &str| File { name: name.to_owned(), text: text.to_owned() };
    folder.write(&file("go.mod", "module generated\n\ngo 1.21\n"), "");
    folder.write(&file("orders/merge_test.go", include_str!("go/merge_test.go.txt")), "");
    let (passed, said) = folder.run("go", &["test", "./..."]);
    assert!(passed, "{said}");
}

#[test]
fn cells_of_every_type_are_those_of_the_core() {
    if !has_go() {
        return;
    }
    // Fields of a fixed number of bytes come first in the alphabet.
    let name = |number: usize, ty: Type| {
        let fixed = column::width(ty).is_some() && !matches!(ty, Type::Fixed(_));
        format!("{}{number:02}", if fixed { "f" } else { "v" })
    };
    let fields: Vec<(String, Type)> =
        Type::all().enumerate().map(|(number, ty)| (name(number, ty), ty)).collect();
    let types: String = fields.iter().map(|(name, ty)| format!("{name} = \"{ty}\"\n")).collect();
    let columns: Vec<String> = fields.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    let source = format!(
        "[table]\nname = \"cells\"\nkey = \"[id]\"\n[fields]\nid = \"u64\"\n{types}[families.d]\ncolumns = [{}]\n",
        columns.join(", ")
    );
    let table = Table::parse("cells.toml", &source).unwrap();
    let design = Design::of(&table, origin("cells.toml"));
    let mut lines = String::new();
    let mut values = Values::new(7);
    for (name, ty) in fields.iter().cycle().take(fields.len() * 30) {
        let value = values.value(*ty);
        // NaN has many forms in bytes, and each language another.
        if value.float().is_some_and(f64::is_nan) {
            continue;
        }
        let mut bytes = Vec::new();
        let cell = column::encode(&value, *ty, &mut bytes)
            .map_or("null".to_owned(), |()| format!("\"{}\"", hex(&bytes)));
        let text = match &value {
            Value::Time(millis) => millis.to_string(),
            Value::Bytes(bytes) => hex(bytes),
            Value::Octets(octets) => hex(octets.as_bytes()),
            other => other.to_string(),
        };
        // Escapes of JSON for everything that is not plain.
        let text: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        lines.push_str(&format!("{{\"field\":\"{name}\",\"text\":\"{text}\",\"cell\":{cell}}}\n"));
    }
    let folder = Folder::new("cells");
    put(&folder, "", &design);
    for file in language("go").unwrap().conform(&[&design]).unwrap() {
        folder.write(&file, "");
    }
    for (name, text) in
        [("columns_test.go", include_str!("go/columns_test.go.txt")), ("columns.txt", lines.as_str())]
    {
        folder.write(&File { name: format!("cells/{name}"), text: text.to_owned() }, "");
    }
    let (passed, said) = folder.run("go", &["test", "./..."]);
    assert!(passed, "{}: {said}", folder.0.display());
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
