//! The file of helpers for happybase.

use super::encode::Encoder;
use super::record::long_docstring;
use super::{columns, head, module_name};
use crate::Design;

/// The text of the file.
pub(super) fn text(design: &Design) -> String {
    let module = module_name(design);
    let names = super::Names::of(design);
    let mut out = head(design, &format!("Rows of {module} through happybase 1.2."));
    let has_index = !design.indexes.is_empty();
    if has_index {
        out.push_str("import time\n");
    }
    out.push_str("from typing import Any, Iterator, Optional, Tuple\n\n");
    out.push_str(&format!("import {module} as rows\n\n\n"));
    let is_random = Encoder::new(&design.codec, &names, "").is_random();
    let (parameter, draw) = if is_random { (", draw: Any", ", draw") } else { ("", "") };
    // The time of its cells, unless the record has none.
    let at = design.cell_time.map(|id| columns::cell_time(design, &names, id, "now"));
    out.push_str(&format!("def put(connection: Any, record: rows.Record{parameter}) -> bytes:\n"));
    if has_index {
        let first = "Writes a new row, its entries in the index tables first, and gives its key.";
        let rest = ["A row that was there with other values leaves entries behind: delete them."];
        out.push_str(&format!("    {}\n", long_docstring(first, &rest)));
    } else {
        out.push_str("    \"\"\"Writes a row and gives its key.\"\"\"\n");
    }
    out.push_str(&format!("    key = rows.encode(record{draw})\n"));
    if has_index {
        out.push_str(
            "    now = int(time.time() * 1000)\n    for entry in rows.index_entries(record, now):\n",
        );
        out.push_str("        index = connection.table(entry.table)\n");
        out.push_str("        index.put(entry.key, entry.cells, timestamp=now)\n");
    }
    let stamp = match at {
        Some(time) if has_index || !time.contains("now") => format!(", timestamp={time}"),
        Some(_) => {
            format!(", timestamp={}", design.cell_time.map_or_else(String::new, |id| names.of_record(id)))
        }
        None if has_index => ", timestamp=now".to_owned(),
        None => String::new(),
    };
    out.push_str("    table = connection.table(rows.TABLE)\n");
    let line = format!("    table.put(key, rows.encode_cells(record){stamp})\n");
    if line.len() > 89 {
        out.push_str(&format!("    cells = rows.encode_cells(record)\n    table.put(key, cells{stamp})\n"));
    } else {
        out.push_str(&line);
    }
    out.push_str("    return key\n");
    out.push_str(include_str!("happybase.py"));
    if design.bucket.is_some() {
        out.push_str(include_str!("happybase_merged.py"));
    }
    out
}
