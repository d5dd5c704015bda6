//! A salted time series: readings of many sensors, spread over 8 regions, read in order of time.
//!
//! `cargo run -p rowkey --example time_series [FOLDER or hbase://…]`

#![expect(clippy::print_stdout, reason = "an example prints")]

mod place;

use rowkey::{Client, Millis, Table};

const READINGS: &str = r#"
[table]
name = "readings"
key = "[salt(8, sensor)][sensor][ts]"
splits = "salt"

[fields]
sensor = "u32"
ts = "timestamp"
celsius = "f64"

[families.d]
columns = { c = "celsius" }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let place = place::from_arguments()?;
    let client = Client::open(place.name())?;
    let table = Table::parse("readings.toml", READINGS)?;
    let readings = client.open_or_create(table)?.typed::<(u32, Millis, f64)>()?;

    let hour = 3_600_000;
    let day: Vec<(u32, Millis, f64)> = (0..24)
        .flat_map(|h| (0..100).map(move |sensor| (sensor, Millis(h * hour), 20.0 + f64::from(sensor % 7))))
        .collect();
    readings.put(&day)?;

    // One sensor is one key range; all sensors are eight, merged.
    for row in readings.query("sensor = 42 and ts >= '1970-01-01T20:00:00Z'")? {
        let row = row?;
        let (sensor, Millis(ts), celsius) = row.get()?;
        println!("sensor {sensor} at {}: {celsius} °C", ts / hour);
    }
    let all = readings.query("sensor >= 0 order by sensor, ts limit 3")?;
    println!("{} rows of all sensors", all.count());
    Ok(client.close()?)
}
