//! A heat map as text: blocks of colour, or characters of different darkness.

use rowkey_core::visible::visible;

use super::{HeatMap, clock, colour};

/// What the terminal can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// 16 million colours.
    True,
    /// 256 colours.
    Indexed,
    /// None: characters of different darkness.
    Plain,
}

/// From nothing to hot.
const SHADES: [char; 8] = ['·', '░', '░', '▒', '▒', '▓', '▓', '█'];

/// The map in lines of at most `width` characters; time goes to the right, keys go down.
pub fn terminal(map: &HeatMap, width: usize, paint: Paint) -> String {
    let names: Vec<_> = map.rows.iter().map(|row| visible(&row.label)).collect();
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let labels = longest.min(width / 3).max(7);
    // A bar of one character beside each row marks merged ones.
    let room = width.saturating_sub(labels + 2).max(8);
    let columns = map.columns.len().max(1);
    let (wide, every) =
        if columns <= room { ((room / columns).min(4), 1) } else { (1, columns.div_ceil(room)) };
    let shown = columns.div_ceil(every);
    let reset = if paint == Paint::Plain { "" } else { "\x1b[0m" };
    let mut out = format!("{}\n", visible(&map.title));
    for (row, name) in map.rows.iter().zip(&names) {
        let mark = if row.merged > 1 { '┊' } else { '│' };
        out.push_str(&format!("{:>labels$} {mark}", cut(name, labels)));
        for column in 0..shown {
            // The hottest of neighbouring columns, so that no peak hides.
            let columns = column * every..(column + 1) * every;
            let brightest = columns.map(|column| map.brightness(row, column)).fold(0.0, f64::max);
            push_cell(&mut out, brightest, wide, paint);
        }
        out.push_str(reset);
        out.push('\n');
    }
    out.push_str(&axis(map, labels, shown * wide));
    let merged: usize = map.rows.iter().filter(|row| row.merged > 1).map(|row| row.merged).sum();
    let merged = match merged {
        0 => String::new(),
        merged => format!("; ┊ {merged} cold ones are shown merged"),
    };
    let gaps = if map.gaps > 0 { format!("; {} empty steps left out", map.gaps) } else { String::new() };
    let scale: String = (0..8).fold(String::new(), |mut scale, place| {
        push_cell(&mut scale, f64::from(place) / 7.0, 1, paint);
        scale
    });
    out.push_str(&format!("0 {scale}{reset} {}{merged}{gaps}\n", map.legend()));
    out
}

fn push_cell(out: &mut String, brightness: f64, wide: usize, paint: Paint) {
    let blanks = " ".repeat(wide);
    match paint {
        Paint::Plain => {
            let shade = (brightness * 7.0).ceil() as usize;
            let shade = SHADES.get(shade).copied().unwrap_or('█');
            out.extend(std::iter::repeat_n(shade, wide));
        }
        Paint::True => {
            let [red, green, blue] = colour(brightness);
            out.push_str(&format!("\x1b[48;2;{red};{green};{blue}m{blanks}"));
        }
        Paint::Indexed => out.push_str(&format!("\x1b[48;5;{}m{blanks}", indexed(brightness))),
    }
}

/// The nearest of the 6 × 6 × 6 colours.
fn indexed(brightness: f64) -> u8 {
    let level = |channel: u8| match channel {
        0..48 => 0,
        48..115 => 1,
        _ => (channel - 35) / 40,
    };
    let [red, green, blue] = colour(brightness).map(level);
    16 + 36 * red + 6 * green + blue
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// The first and the last time under the columns.
fn axis(map: &HeatMap, labels: usize, width: usize) -> String {
    if map.step == 0 {
        return String::new();
    }
    let time = |at: Option<&i64>| at.map_or_else(String::new, |at| clock(*at, map.step));
    let (first, last) = (time(map.columns.first()), time(map.columns.last()));
    let room = width.saturating_sub(first.len() + last.len()).max(1);
    format!("{:>labels$}  {first}{}{last}\n", "", " ".repeat(room))
}
