//! Names of fields and tables as names of a program.
//!
//! A name of a table file may be any text; a printer cuts it into words and joins them as its language does. Two
//! names that become one, and words that the language keeps to itself, get a number or an underscore.

/// The words of a name: at `_`, `-`, `:`, `.` and other characters that are no letters or digits, and where a small
/// letter is followed by a large one (`userId` is `user id`). In lower case; what is not ASCII is written as `u` and
/// its number.
pub fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut after_small = false;
    for character in name.chars() {
        let begins = character.is_ascii_uppercase() && after_small;
        if (begins || (character.is_ascii() && !character.is_ascii_alphanumeric())) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        after_small = character.is_ascii_lowercase() || character.is_ascii_digit();
        if character.is_ascii_alphanumeric() {
            word.push(character.to_ascii_lowercase());
        } else if !character.is_ascii() {
            word.push_str(&format!("u{:x}", u32::from(character)));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    if words.first().is_none_or(|first| first.starts_with(|character: char| character.is_ascii_digit())) {
        words.insert(0, "f".to_owned());
    }
    words
}

/// `orders` of `shop:orders`.
pub fn without_namespace(table: &str) -> &str {
    table.rsplit(':').next().unwrap_or(table)
}

/// `user_id`
pub fn snake(name: &str) -> String {
    words(name).join("_")
}

/// `UserId`
pub fn pascal(name: &str) -> String {
    words(name).iter().map(|word| capital(word)).collect()
}

/// `userId`
pub fn camel(name: &str) -> String {
    let words = words(name);
    let (first, rest) = words.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    rest.iter().fold(first.to_owned(), |name, word| name + &capital(word))
}

fn capital(word: &str) -> String {
    let mut characters = word.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + characters.as_str())
}

/// The names of a list, each once and none of them taken: a name that is gets `_` behind it, and numbers from 2 on if
/// it still is.
pub fn unique(names: impl IntoIterator<Item = String>, taken: impl Fn(&str) -> bool) -> Vec<String> {
    let mut given: Vec<String> = Vec::new();
    for name in names {
        let free = |name: &str| !taken(name) && !given.iter().any(|given| given == name);
        let marked = [name.clone(), format!("{name}_")].into_iter();
        let found = marked.chain((2..).map(|number| format!("{name}_{number}"))).find(|name| free(name));
        given.push(found.unwrap_or(name));
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_into_words() {
        for (name, snake_name, camel_name) in [
            ("user_id", "user_id", "userId"),
            ("userID", "user_id", "userId"),
            ("ns:orders-2", "ns_orders_2", "nsOrders2"),
            ("2nd", "f_2nd", "f2nd"),
            ("größe", "gru" /* see below */, ""),
            ("", "f", "f"),
            ("_", "f", "f"),
        ] {
            if camel_name.is_empty() {
                assert!(snake(name).starts_with(snake_name) && snake(name).is_ascii());
                continue;
            }
            assert_eq!((snake(name).as_str(), camel(name).as_str()), (snake_name, camel_name));
        }
        assert_eq!(pascal("user_id"), "UserId");
    }

    #[test]
    fn names_that_are_taken_change() {
        let names = ["class", "a", "a", "a_", "a"].map(str::to_owned);
        assert_eq!(unique(names, |name| name == "class"), ["class_", "a", "a_", "a__", "a_2"]);
    }
}
