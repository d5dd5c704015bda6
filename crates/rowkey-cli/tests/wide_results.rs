//! How are rows with many columns shown?

use crate::program::terminal::on_a_terminal_of;
use crate::program::{Workplace, assert_error, json};

/// A table of 19 fields with two rows: a number, and texts of six letters.
fn place() -> Workplace {
    let place = Workplace::new("wide");
    let fields: Vec<String> = (1..19).map(|nth| format!("field{nth:02}")).collect();
    let declared: String = fields.iter().map(|field| format!("{field} = \"text\"\n")).collect();
    let columns: Vec<String> = fields.iter().map(|field| format!("{field} = \"{field}\"")).collect();
    let file = format!(
        "[table]\nname = \"wide\"\nkey = \"[id: u32]\"\n\n[fields]\nid = \"u32\"\n{declared}\n[families.d]\ncolumns = {{ {} }}\n",
        columns.join(", ")
    );
    place.write("wide.toml", &file);
    let row = |id: u32| {
        let values: Vec<String> = (1..19).map(|nth| format!("v{id}-{nth:03}")).collect();
        format!("{id},{}\n", values.join(","))
    };
    place.write("wide.csv", &format!("id,{}\n{}{}", fields.join(","), row(1), row(2)));
    place.ok(&["create", "wide.toml"]);
    place.ok(&["load", "wide", "wide.csv"]);
    place
}

/// The lines of a table's body and header.
fn lines(shown: &str) -> Vec<&str> {
    shown.lines().map(|line| line.trim_end_matches('\r')).filter(|line| line.starts_with('│')).collect()
}

#[test]
fn columns_that_do_not_fit_the_terminal_are_left_out_and_counted() {
    let place = place();
    let shown = on_a_terminal_of(80, &place, &["query", "wide", "id = 1"], &[]);
    // A border, `id` in five columns, and ten in each of the others: seven of them fit into 80.
    let [header, row] = lines(&shown)[..] else { panic!("wrapped: {shown}") };
    assert!(header.contains("field07") && !header.contains("field08"), "{shown}");
    assert!(row.contains("v1-007") && row.chars().count() <= 80, "{shown}");
    let told = "11 of 19 columns are not shown; --wide shows all, --vertical shows each row as a block";
    assert!(shown.contains(told), "{shown}");

    // The same for the key of `scan` and `get`, and of cells.
    for command in [&["scan", "wide"][..], &["get", "wide", "id=1"]] {
        let shown = on_a_terminal_of(80, &place, command, &[]);
        assert!(lines(&shown)[0].contains("field05") && shown.contains("13 of 20 columns"), "{shown}");
    }
    let shown = on_a_terminal_of(30, &place, &["scan", "wide", "--raw-cells", "--limit", "1"], &[]);
    assert!(shown.contains("3 of 4 columns are not shown"), "{shown}");

    // All of them fit.
    let shown = on_a_terminal_of(200, &place, &["query", "wide", "id = 1"], &[]);
    assert!(lines(&shown)[0].contains("field18") && !shown.contains("not shown"), "{shown}");
    let few = ["query", "wide", "id = 1", "--columns", "field18,id"];
    let shown = on_a_terminal_of(80, &place, &few, &[]);
    assert!(lines(&shown)[0].contains("field18") && !shown.contains("not shown"), "{shown}");
}

#[test]
fn wide_has_all_columns_on_one_line_and_so_has_a_pipe() {
    let place = place();
    let shown = on_a_terminal_of(80, &place, &["query", "wide", "id = 1", "--wide"], &[]);
    let [header, row] = lines(&shown)[..] else { panic!("wrapped: {shown}") };
    assert!(header.contains("field18") && row.contains("v1-018") && !shown.contains("not shown"), "{shown}");
    let piped = place.ok(&["query", "wide", "id = 1"]);
    assert_eq!(lines(&piped), [header, row]);
    assert_eq!(place.ok(&["query", "wide", "id = 1", "--wide"]), piped);
}

#[test]
fn vertical_has_a_block_for_each_row() {
    let place = place();
    let columns = ["--vertical", "--columns", "id,field18"];
    let shown = place.ok(&[&["query", "wide", "", "--full-scan"][..], &columns].concat());
    assert_eq!(shown, "── row 1 ──\nid       1\nfield18  v1-018\n── row 2 ──\nid       2\nfield18  v2-018\n");
    let shown = place.ok(&[&["get", "wide", "id=2"][..], &columns].concat());
    assert_eq!(shown, "── row 1 ──\nkey      \\x00\\x00\\x00\\x02\nid       2\nfield18  v2-018\n");
    let shown = place.ok(&["scan", "wide", "--vertical"]);
    assert_eq!(shown.lines().count(), 2 * 21, "{shown}");
    let cells = place.ok(&["scan", "wide", "--vertical", "--raw-cells", "--limit", "1"]);
    assert!(cells.contains("\ncolumn     d:field18\n") && cells.contains("── row 18 ──"), "{cells}");
    // A line end in a value does not look like the next field.
    let row = place.read("wide.csv").replacen("1,v1-001", "3,\"one\nid       4\"", 1);
    place.write("line.csv", &row);
    place.ok(&["load", "wide", "line.csv"]);
    let shown = place.ok(&["get", "wide", "id=3", "--vertical", "--columns", "field01"]);
    assert_eq!(shown.lines().count(), 3, "{shown}");
    let redacted = place.ok(&["get", "wide", "id=2", "--vertical", "--columns", "field18", "--redact"]);
    assert!(redacted.contains("field18") && !redacted.contains("v2-018"), "{redacted}");
    // Nothing is nothing.
    let none = place.run(&["query", "wide", "id = 9", "--vertical"]);
    assert_eq!((none.code, none.out.as_str()), (1, ""));
}

#[test]
fn an_answer_has_one_form() {
    let place = place();
    for form in ["--wide", "--vertical"] {
        let run = place.run(&["query", "wide", "id = 1", form, "--json"]);
        assert_error(&run, &[&format!("choose either {form} or --json")]);
        let run = place.run(&["query", "wide", "id = 1", form, "--csv"]);
        assert_error(&run, &["cannot be used with"]);
    }
    assert_error(&place.run(&["scan", "wide", "--wide", "--vertical"]), &["cannot be used with"]);
    assert_eq!(json(&place.ok(&["get", "wide", "id=1", "--json"]))["record"]["field18"], "v1-018");
}
