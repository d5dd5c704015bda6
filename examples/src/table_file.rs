//! How do stories share a cluster? Every run gives its tables names of its own.

/// The names in a table file, of the table and its index tables, each with `suffix`; and the file that has them.
pub(crate) fn renamed(file: &str, suffix: &str) -> (Vec<String>, String) {
    let (mut names, mut text) = (Vec::new(), String::new());
    let mut named = false;
    for line in file.lines() {
        if line.starts_with('[') {
            // Queries have names, too, but they are only words.
            named = line.starts_with("[table]") || line.starts_with("[[index]]");
        }
        match name(line).filter(|_| named) {
            Some(name) => {
                let whole = format!("{name}{suffix}");
                text.push_str(&line.replacen(&format!("\"{name}\""), &format!("\"{whole}\""), 1));
                names.push(whole);
            }
            None => text.push_str(line),
        }
        text.push('\n');
    }
    (names, text)
}

/// `orders` of `name = "orders"`.
fn name(line: &str) -> Option<&str> {
    let value = line.strip_prefix("name")?.trim_start().strip_prefix('=')?.trim_start();
    value.strip_prefix('"')?.split_once('"').map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_their_indexes_are_renamed_and_queries_are_not() {
        let file = "[table]\nname   = \"orders\"   # why\n\n[[index]]\nname = \"by_seller\"\n\n[[query]]\nname = \"latest\"\n";
        let (names, text) = renamed(file, "_7");
        assert_eq!(names, ["orders_7", "by_seller_7"]);
        assert_eq!(text, file.replace("orders\"", "orders_7\"").replace("by_seller\"", "by_seller_7\""));
    }
}
