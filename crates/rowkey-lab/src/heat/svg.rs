//! A heat map as a vector picture, with the exact count of every cell on pointing at it.

use std::fmt::Write;

use super::{HeatMap, MADE_BY, clock, colour, grouped};

/// The map as SVG.
pub fn svg(map: &HeatMap) -> String {
    let (left, top, legend) = (230.0, 40.0, 70.0);
    let (columns, rows) = (map.columns.len().max(1), map.rows.len().max(1));
    let cell_width = (900.0 / columns as f64).clamp(1.0, 40.0);
    let cell_height = (480.0 / rows as f64).clamp(2.0, 26.0);
    let (width, height) = (columns as f64 * cell_width, rows as f64 * cell_height);
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {:.0}\" font-family=\"sans-serif\" font-size=\"11\">\n<!-- {MADE_BY} -->\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{left}\" y=\"22\" font-size=\"15\">{}</text>",
        left + width + 30.0,
        top + height + legend,
        escaped(&map.title)
    );
    for (place, row) in map.rows.iter().enumerate() {
        let y = top + place as f64 * cell_height;
        for (column, count) in row.counts.iter().enumerate() {
            let [red, green, blue] = colour(map.brightness(row, column));
            let at = map.columns.get(column).map_or_else(String::new, |at| clock(*at, map.step));
            let _ = writeln!(
                out,
                "<rect x=\"{:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"#{red:02x}{green:02x}{blue:02x}\">\
                 <title>{} · {at} · {} rows{}</title></rect>",
                left + column as f64 * cell_width,
                cell_width + 0.05,
                cell_height + 0.05,
                escaped(&row.label),
                grouped(*count),
                if row.merged > 1 {
                    format!(" in {} merged {}s", row.merged, map.row_is)
                } else {
                    String::new()
                }
            );
        }
        if row.merged > 1 {
            let _ = writeln!(
                out,
                "<rect x=\"{}\" y=\"{y:.2}\" width=\"4\" height=\"{cell_height:.2}\" fill=\"#b0b0b0\"><title>{} merged</title></rect>",
                left - 7.0,
                row.merged
            );
        }
        if row.border {
            let _ = writeln!(
                out,
                "<line x1=\"{left}\" x2=\"{:.1}\" y1=\"{y:.2}\" y2=\"{y:.2}\" stroke=\"white\" stroke-width=\"0.7\"/>",
                left + width
            );
        }
    }
    for place in super::picture::labelled(rows, cell_height, 12.0) {
        let Some(row) = map.rows.get(place) else { continue };
        let y = top + place as f64 * cell_height + cell_height.min(14.0) * 0.8;
        let label: String = row.label.chars().take(38).collect();
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>",
            left - 10.0,
            escaped(&label)
        );
    }
    let bottom = top + height;
    if map.step > 0 {
        for place in super::picture::labelled(columns, cell_width, 90.0) {
            let Some(at) = map.columns.get(place) else { continue };
            let x = left + place as f64 * cell_width;
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                bottom + 14.0,
                clock(*at, map.step)
            );
        }
    }
    for place in 0..100 {
        let [red, green, blue] = colour((f64::from(place) / 99.0).sqrt());
        let _ = writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"2.1\" height=\"12\" fill=\"#{red:02x}{green:02x}{blue:02x}\"/>",
            left + f64::from(place) * 2.0,
            bottom + 30.0
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{left}\" y=\"{:.1}\">0</text><text x=\"{:.1}\" y=\"{:.1}\">{}</text><text x=\"{:.1}\" y=\"{:.1}\">{}</text>\n</svg>",
        bottom + 55.0,
        left + 200.0,
        bottom + 55.0,
        grouped(map.max),
        left + 215.0,
        bottom + 40.0,
        escaped(&map.legend())
    );
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
