//! A heat map as text: blocks of colour, or characters of different darkness.

use rowkey_core::visible::visible;

use rowkey_lab::heat::{HeatMap, clock, colour};

use super::screen::Painted;

/// What the terminal can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    /// 16 million colours.
    True,
    /// 256 colours.
    Indexed,
    /// None: characters of different darkness.
    Plain,
}

/// From nothing to hot.
const SHADES: [char; 8] = ['·', '░', '░', '▒', '▒', '▓', '▓', '█'];

impl Painted {
    /// A heat map; its labels are visible already.
    pub(crate) fn heat(map: &HeatMap, width: usize, paint: Paint) -> Self {
        Self(terminal(map, width, paint))
    }
}

/// The map in lines of at most `width` characters; time goes to the right, keys go down.
fn terminal(map: &HeatMap, width: usize, paint: Paint) -> String {
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
    let (first, last) = (map.columns.first(), map.columns.last());
    let day = |at: Option<&i64>| at.map(|at| at.div_euclid(86_400_000));
    // Of short columns on several days, the day tells more than the second.
    let step = if day(first) == day(last) { map.step } else { map.step.max(60_000) };
    let time = |at: Option<&i64>| at.map_or_else(String::new, |at| clock(*at, step));
    let (first, last) = (time(first), time(last));
    let room = width.saturating_sub(first.len() + last.len()).max(1);
    format!("{:>labels$}  {first}{}{last}\n", "", " ".repeat(room))
}

#[cfg(test)]
mod tests {
    use rowkey_lab::heat::HeatRow;

    use super::*;

    #[test]
    fn what_is_hot_is_dark_and_merged_rows_are_marked() {
        let row = |label: &str, merged: usize, counts: Vec<u64>| HeatRow {
            label: label.to_owned(),
            start: Vec::new(),
            merged,
            border: false,
            counts,
        };
        let rows = vec![row("(first)", 3, vec![0, 3, 0]), row("id=7", 1, vec![0, 0, 90])];
        let (columns, title) = (vec![0, 3_600_000, 7_200_000], "[id]".to_owned());
        let map = HeatMap {
            title,
            rows,
            columns,
            step: 3_600_000,
            gaps: 0,
            max: 90,
            hottest: 90,
            row_is: "region",
        };
        let plain = terminal(&map, 80, Paint::Plain);
        assert!(plain.lines().all(|line| line.chars().count() <= 90), "{plain}");
        assert!(!plain.contains('\x1b') && plain.contains("┊ 3 cold ones are shown merged"), "{plain}");
        let line = |label: &str| plain.lines().find(|line| line.contains(label)).unwrap();
        assert!(line("(first)").contains('┊') && !line("(first)").contains('█'), "{plain}");
        assert!(line("id=7").contains('│') && line("id=7").ends_with('█'), "{plain}");
        assert!(terminal(&map, 80, Paint::True).contains("\x1b[48;2;"));
        assert!(terminal(&map, 80, Paint::Indexed).contains("\x1b[48;5;"));
    }
}
