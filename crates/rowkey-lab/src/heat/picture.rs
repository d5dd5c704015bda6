//! A heat map as a PNG.

use super::{Colour, HeatMap, MADE_BY, clock, colour, grouped};

const WHITE: Colour = [255; 3];
const INK: Colour = [40, 40, 48];
const MERGED: Colour = [176, 176, 176];
/// A letter is so many points wide and high.
const LETTER: usize = 8;

/// A picture that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("the picture of {width} by {height} points could not be written")]
pub struct PictureError {
    /// How wide it is.
    pub width: usize,
    /// How high it is.
    pub height: usize,
    source: png::EncodingError,
}

struct Canvas {
    width: usize,
    height: usize,
    points: Vec<u8>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Self {
        Self { width, height, points: vec![255; width * height * 3] }
    }

    fn fill(&mut self, (x, y): (usize, usize), (width, height): (usize, usize), colour: Colour) {
        for line in y..(y + height).min(self.height) {
            let (from, to) = (x.min(self.width), (x + width).min(self.width));
            let (from, to) = ((line * self.width + from) * 3, (line * self.width + to) * 3);
            for point in self.points.get_mut(from..to).unwrap_or_default().chunks_exact_mut(3) {
                point.copy_from_slice(&colour);
            }
        }
    }

    /// Text, its upper left corner at a point; letters that the font does not have are blocks.
    fn text(&mut self, (x, y): (usize, usize), text: &str, size: usize) {
        for (place, letter) in text.chars().enumerate() {
            for (line, bits) in glyph(letter).iter().enumerate() {
                for column in (0..LETTER).filter(|column| bits >> column & 1 == 1) {
                    let at = (x + (place * LETTER + column) * size, y + line * size);
                    self.fill(at, (size, size), INK);
                }
            }
        }
    }
}

/// The points of a letter, line by line, the lowest bit on the left. The font has ASCII; labels have three more.
fn glyph(letter: char) -> [u8; LETTER] {
    match letter {
        '≥' => [0x06, 0x18, 0x60, 0x18, 0x06, 0, 0x7E, 0],
        '≤' => [0x60, 0x18, 0x06, 0x18, 0x60, 0, 0x7E, 0],
        '…' => [0, 0, 0, 0, 0, 0x49, 0x49, 0],
        _ => {
            let known = font8x8::legacy::BASIC_LEGACY.get(letter as usize).copied();
            known.unwrap_or([0, 0, 0x3C, 0x3C, 0x3C, 0x3C, 0, 0])
        }
    }
}

/// The map as the bytes of a PNG file.
///
/// # Errors
/// When the picture cannot be compressed, which needs more memory than there is.
pub fn png(map: &HeatMap) -> Result<Vec<u8>, PictureError> {
    let (columns, rows) = (map.columns.len().max(1), map.rows.len().max(1));
    let cell_width = (960 / columns).clamp(1, 48);
    let cell_height = (560 / rows).clamp(1, 28);
    let longest = map.rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0).min(30);
    let (left, top) = ((longest + 3) * LETTER, 44);
    let (width, height) = (columns * cell_width, rows * cell_height);
    let legend = map.legend();
    let wide = (left + width + 24)
        .max(left + 220 + legend.len() * LETTER)
        .max(left + map.title.chars().count() * 16 + 16);
    let mut canvas = Canvas::new(wide, top + height + 72);
    canvas.text((left, 14), &map.title, 2);
    for (place, row) in map.rows.iter().enumerate() {
        let y = top + place * cell_height;
        for column in 0..columns {
            let at = (left + column * cell_width, y);
            canvas.fill(at, (cell_width, cell_height), colour(map.brightness(row, column)));
        }
        if row.merged > 1 {
            canvas.fill((left - 7, y), (4, cell_height), MERGED);
        }
        if row.border && cell_height > 1 {
            canvas.fill((left, y), (width, 1), WHITE);
        }
    }
    for place in labelled(map.rows.len(), cell_height as f64, 11.0) {
        let label: String = map.rows[place].label.chars().take(longest).collect();
        let x = left - 12 - label.chars().count() * LETTER;
        let middle = cell_height.saturating_sub(LETTER) / 2;
        canvas.text((x, top + place * cell_height + middle), &label, 1);
    }
    let bottom = top + height;
    for place in labelled(map.columns.len(), cell_width as f64, 110.0).filter(|_| map.step > 0) {
        let x = left + place * cell_width;
        canvas.fill((x, bottom), (1, 5), INK);
        canvas.text((x, bottom + 8), &clock(map.columns[place], map.step), 1);
    }
    for place in 0..200 {
        let shade = colour((place as f64 / 199.0).sqrt());
        canvas.fill((left + place, bottom + 30), (1, 12), shade);
    }
    canvas.text((left, bottom + 46), "0", 1);
    let most = grouped(map.max);
    canvas.text((left + 200 - most.len() * LETTER, bottom + 46), &most, 1);
    canvas.text((left + 212, bottom + 32), &legend, 1);
    encode(&canvas).map_err(|source| PictureError { width: canvas.width, height: canvas.height, source })
}

fn encode(canvas: &Canvas) -> Result<Vec<u8>, png::EncodingError> {
    let mut out = Vec::new();
    let (width, height) = (canvas.width as u32, canvas.height as u32);
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.add_text_chunk("Software".to_owned(), MADE_BY.to_owned())?;
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&canvas.points)?;
    writer.finish()?;
    Ok(out)
}

/// Which of many things in a row have room for a label.
pub(super) fn labelled(count: usize, each: f64, room: f64) -> impl Iterator<Item = usize> {
    let every = (room / each).ceil().max(1.0) as usize;
    (0..count).step_by(every)
}
