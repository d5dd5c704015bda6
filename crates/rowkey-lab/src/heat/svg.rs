//! A heat map as a vector picture, with the exact count of every cell on pointing at it.

use std::fmt::Write;

use super::picture::labelled;
use super::{HeatMap, MADE_BY, clock, colour, grouped};

/// The map as SVG.
pub fn svg(map: &HeatMap) -> String {
    let (left, top, legend) = (230.0, 40.0, 70.0);
    let (columns, rows) = (map.columns.len().max(1), map.rows.len().max(1));
    let cell_width = (900.0 / columns as f64).clamp(1.0, 40.0);
    let cell_height = (480.0 / rows as f64).clamp(2.0, 26.0);
    let (width, height) = (columns as f64 * cell_width, rows as f64 * cell_height);
    let mut out = String::new();
    let title = escaped(&map.title);
    let (wide, high) = (left + width + 30.0, top + height + legend);
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide:.0} {high:.0}\" font-family=\"sans-serif\" font-size=\"11\">\n<!-- {MADE_BY} -->\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{left}\" y=\"22\" font-size=\"15\">{title}</text>"
    );
    for (place, row) in map.rows.iter().enumerate() {
        let y = top + place as f64 * cell_height;
        let (label, merged) = (escaped(&row.label), row.merged);
        let ranges = if merged > 1 { format!(" in {merged} merged {}s", map.row_is) } else { String::new() };
        for (column, count) in row.counts.iter().enumerate() {
            let (fill, count) = (hex(map.brightness(row, column)), grouped(*count));
            let at = map.columns.get(column).map_or_else(String::new, |at| clock(*at, map.step));
            let (x, w, h) = (left + column as f64 * cell_width, cell_width + 0.05, cell_height + 0.05);
            let _ = writeln!(
                out,
                "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{w:.2}\" height=\"{h:.2}\" fill=\"{fill}\">\
                 <title>{label} · {at} · {count} rows{ranges}</title></rect>"
            );
        }
        if merged > 1 {
            let x = left - 7.0;
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y:.2}\" width=\"4\" height=\"{cell_height:.2}\" fill=\"#b0b0b0\"><title>{merged} merged</title></rect>"
            );
        }
        if row.border {
            let x = left + width;
            let _ = writeln!(
                out,
                "<line x1=\"{left}\" x2=\"{x:.1}\" y1=\"{y:.2}\" y2=\"{y:.2}\" stroke=\"white\" stroke-width=\"0.7\"/>"
            );
        }
    }
    for place in labelled(map.rows.len(), cell_height, 12.0) {
        let (x, y) = (left - 10.0, top + place as f64 * cell_height + cell_height.min(14.0) * 0.8);
        let label = escaped(&map.rows[place].label.chars().take(38).collect::<String>());
        let _ = writeln!(out, "<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{label}</text>");
    }
    let bottom = top + height;
    for place in labelled(map.columns.len(), cell_width, 90.0).filter(|_| map.step > 0) {
        let (x, y) = (left + place as f64 * cell_width, bottom + 14.0);
        let _ =
            writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", clock(map.columns[place], map.step));
    }
    for place in 0..100 {
        let (x, y, fill) =
            (left + f64::from(place) * 2.0, bottom + 30.0, hex((f64::from(place) / 99.0).sqrt()));
        let _ =
            writeln!(out, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"2.1\" height=\"12\" fill=\"{fill}\"/>");
    }
    let (below, beside, most, legend) =
        (bottom + 55.0, bottom + 40.0, grouped(map.max), escaped(&map.legend()));
    let (end, behind) = (left + 200.0, left + 215.0);
    let _ = writeln!(
        out,
        "<text x=\"{left}\" y=\"{below:.1}\">0</text><text x=\"{end:.1}\" y=\"{below:.1}\">{most}</text><text x=\"{behind:.1}\" y=\"{beside:.1}\">{legend}</text>\n</svg>"
    );
    out
}

/// The colour of a brightness as SVG writes it.
fn hex(brightness: f64) -> String {
    let [red, green, blue] = colour(brightness);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
