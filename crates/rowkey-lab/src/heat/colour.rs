//! The colour scale of heat maps.
//!
//! Lightness rises evenly (L* from 14 to 92) while the hue goes from blue over grey to yellow: blue against yellow is the
//! one difference that the common kinds of colour blindness leave, and lightness alone tells the order even in grey. The
//! colours are computed here, in CIE LCh, and not taken from a table.

use std::sync::LazyLock;

/// Red, green and blue.
pub type Colour = [u8; 3];

/// The colour of a brightness from 0 to 1.
pub fn colour(brightness: f64) -> Colour {
    let place = (brightness.clamp(0.0, 1.0) * 255.0).round() as usize;
    PALETTE.get(place).copied().unwrap_or([0; 3])
}

static PALETTE: LazyLock<[Colour; 256]> =
    LazyLock::new(|| std::array::from_fn(|place| of_brightness(place as f64 / 255.0)));

fn of_brightness(t: f64) -> Colour {
    let lightness = 14.0 + 78.0 * t;
    // From blue (b negative) to yellow (b positive), through grey; a little green keeps it from looking dirty.
    let b = -34.0 + 100.0 * t;
    let a = 6.0 - 14.0 * t;
    srgb(lightness, a, b)
}

/// From CIE Lab under daylight (D65) to what a screen shows.
fn srgb(lightness: f64, a: f64, b: f64) -> Colour {
    let y = (lightness + 16.0) / 116.0;
    let uncompressed =
        |t: f64| if t > 6.0 / 29.0 { t.powi(3) } else { 3.0 * (6.0f64 / 29.0).powi(2) * (t - 4.0 / 29.0) };
    let (x, y, z) =
        (0.95047 * uncompressed(y + a / 500.0), uncompressed(y), 1.08883 * uncompressed(y - b / 200.0));
    let linear = [
        3.2404542 * x - 1.5371385 * y - 0.4985314 * z,
        -0.969266 * x + 1.8760108 * y + 0.041556 * z,
        0.0556434 * x - 0.2040259 * y + 1.0572252 * z,
    ];
    linear.map(|channel| {
        let channel = channel.clamp(0.0, 1.0);
        let shown =
            if channel <= 0.0031308 { 12.92 * channel } else { 1.055 * channel.powf(1.0 / 2.4) - 0.055 };
        (shown * 255.0).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a screen shows as light, roughly.
    fn luminance([red, green, blue]: Colour) -> f64 {
        let linear = |channel: u8| (f64::from(channel) / 255.0).powf(2.2);
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    #[test]
    fn brighter_is_lighter_and_goes_from_blue_to_yellow() {
        let shades: Vec<f64> = (0..=50).map(|place| luminance(colour(f64::from(place) / 50.0))).collect();
        assert!(shades.windows(2).all(|pair| pair[0] < pair[1]), "{shades:?}");
        let ([red, _, blue], [bright_red, bright_green, bright_blue]) = (colour(0.0), colour(1.0));
        assert!(blue > red && bright_red > 200 && bright_green > 200 && bright_blue < 160);
        assert_eq!((colour(-1.0), colour(2.0)), (colour(0.0), colour(1.0)));
    }
}
