//! Writing a line of CSV.
//!
//! As spreadsheets and RFC 4180 have it: a value with a comma, a quote or a line end stands in quotes, and a quote in it
//! twice.

/// The values in one line, without its end.
pub(crate) fn csv_line<T: AsRef<str>>(values: impl IntoIterator<Item = T>) -> String {
    let mut line = String::new();
    for (at, value) in values.into_iter().enumerate() {
        if at > 0 {
            line.push(',');
        }
        let value = value.as_ref();
        if value.contains([',', '"', '\n', '\r']) {
            line.push('"');
            line.push_str(&value.replace('"', "\"\""));
            line.push('"');
        } else {
            line.push_str(value);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_where_they_must_be() {
        assert_eq!(csv_line(["a", "", "b c"]), "a,,b c");
        assert_eq!(csv_line(["a,b", "say \"x\"", "two\nlines"]), "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"");
    }
}
