//! Pages of a query: each ends with a token, from which any process can go on.
//!
//! `cargo run -p rowkey --example paging [FOLDER or hbase://…]`

#![expect(clippy::print_stdout, reason = "an example prints")]

mod place;

use rowkey::{Client, QueryRequest, Table};

const NUMBERS: &str = r#"
[table]
name = "numbers"
key = "[salt(4, number)][number]"
splits = "salt"

[fields]
number = "u32"
square = "u64"

[families.d]
columns = { s = "square" }
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let place = place::from_arguments()?;
    let client = Client::open(place.name())?;
    let numbers = client.open_or_create(Table::parse("numbers.toml", NUMBERS)?)?.typed::<(u32, u64)>()?;
    let squares: Vec<(u32, u64)> = (0..25).map(|n| (n, u64::from(n) * u64::from(n))).collect();
    numbers.put(&squares)?;

    let mut token: Option<String> = None;
    loop {
        let mut request = QueryRequest::new("number >= 0 order by number limit 10");
        if let Some(token) = &token {
            request = request.after(token);
        }
        let mut rows = numbers.query(request)?;
        let mut page = Vec::new();
        for row in rows.by_ref() {
            page.push(row?.get()?.0);
        }
        println!("{page:?}");
        token = rows.rows().next_page();
        if token.is_none() {
            break;
        }
    }
    Ok(client.close()?)
}
