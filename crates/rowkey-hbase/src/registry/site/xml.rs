//! The properties of a configuration of Hadoop, and no other XML.
//!
//! ```text
//! <configuration> <property> <name>…</name> <value>…</value> </property> … </configuration>
//! ```
//!
//! A property may also have both as attributes. The last of a name counts. Comments, `CDATA` and the five entities are known;
//! files that include others are refused, because what they would add is not there.

use std::collections::BTreeMap;

/// What is wrong, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) line: usize,
    pub(super) what: &'static str,
}

/// All properties by their names.
pub(super) fn properties(text: &str) -> Result<BTreeMap<String, String>, Wrong> {
    let mut found = BTreeMap::new();
    let mut open: Vec<&str> = Vec::new();
    let (mut name, mut value) = (String::new(), String::new());
    let mut rest = text;
    let wrong = |rest: &str, what| {
        let before = &text[..text.len() - rest.len()];
        Err(Wrong { line: before.matches('\n').count() + 1, what })
    };
    while let Some(start) = rest.find('<') {
        let (words, tag) = rest.split_at(start);
        match open.last() {
            Some(&"name") => name.push_str(&decoded(words)),
            Some(&"value") => value.push_str(&decoded(words)),
            _ => {}
        }
        if let Some(after) = tag.strip_prefix("<!--") {
            let Some((_, after)) = after.split_once("-->") else {
                return wrong(tag, "a comment does not end");
            };
            rest = after;
            continue;
        }
        if let Some(after) = tag.strip_prefix("<![CDATA[") {
            let Some((words, after)) = after.split_once("]]>") else {
                return wrong(tag, "a CDATA section does not end");
            };
            match open.last() {
                Some(&"name") => name.push_str(words),
                Some(&"value") => value.push_str(words),
                _ => {}
            }
            rest = after;
            continue;
        }
        let Some((inside, after)) = tag[1..].split_once('>') else {
            return wrong(tag, "a tag does not end");
        };
        rest = after;
        if inside.starts_with(['?', '!']) {
            continue;
        }
        if let Some(closed) = inside.strip_prefix('/') {
            if open.pop() != Some(closed.trim()) {
                return wrong(tag, "this is closed here, but something else is open");
            }
            if closed.trim() == "property" && !name.trim().is_empty() {
                found.insert(std::mem::take(&mut name).trim().to_owned(), std::mem::take(&mut value));
            }
            continue;
        }
        let (inside, is_empty) = match inside.strip_suffix('/') {
            Some(inside) => (inside, true),
            None => (inside, false),
        };
        let element = inside.split_whitespace().next().unwrap_or_default();
        match (open.last(), element) {
            (None, "configuration") => {}
            (None, _) => return wrong(tag, "it does not begin with <configuration>"),
            (_, "xi:include" | "include") => {
                return wrong(tag, "it includes another file; put the properties of both into one");
            }
            (_, "property") => {
                name = attribute(inside, "name").unwrap_or_default();
                value = attribute(inside, "value").unwrap_or_default();
            }
            _ => {}
        }
        if !is_empty {
            if open.len() > 16 {
                return wrong(tag, "elements are within each other too deep");
            }
            open.push(element);
        } else if element == "property" && !name.is_empty() {
            found.insert(std::mem::take(&mut name), std::mem::take(&mut value));
        }
    }
    if text.trim().is_empty() || !text.contains("<configuration") {
        return Err(Wrong { line: 1, what: "it does not begin with <configuration>" });
    }
    match open.pop() {
        Some(_) => wrong("", "it ends too early"),
        None => Ok(found),
    }
}

fn attribute(inside: &str, name: &str) -> Option<String> {
    let (_, after) = inside.split_once(&format!(" {name}="))?;
    let quote = after.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
    let (value, _) = after[1..].split_once(quote)?;
    Some(decoded(value))
}

fn decoded(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    // `&amp;` last, so that nothing is undone twice.
    let known = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    known.iter().fold(text.to_owned(), |text, (entity, letter)| text.replace(entity, letter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn properties_come_in_all_their_forms() {
        let text = "<?xml version=\"1.0\"?>\n<?xml-stylesheet href=\"a.xsl\"?>\n<!-- <property> -->\n<configuration>\n \
                    <property>\n  <name> a </name>\n  <value>1 &amp;lt; 2</value>\n  <final>true</final>\n  <description>x \
                    <b>y</b></description>\n </property>\n <property name=\"b\" value='&quot;'/>\n \
                    <property><name>c</name><value><![CDATA[<&>]]></value></property>\n \
                    <property><name>a</name><value/></property><property><name>d</name></property>\n</configuration>\n";
        let found = properties(text).unwrap();
        let expected = [("a", ""), ("b", "\""), ("c", "<&>"), ("d", "")];
        assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
        let first = text.replace("<property><name>a</name><value/></property>", "");
        assert_eq!(properties(&first).unwrap()["a"], "1 &lt; 2");
    }

    #[test]
    fn other_files_are_refused_with_their_line() {
        for (text, line, what) in [
            ("", 1, "it does not begin with <configuration>"),
            ("quorum: a", 1, "it does not begin with <configuration>"),
            ("<html>\n</html>", 1, "it does not begin with <configuration>"),
            ("<configuration>\n<property>\n", 3, "it ends too early"),
            ("<configuration>\n<a></b>", 2, "this is closed here, but something else is open"),
            ("<configuration>\n\n<!-- ", 3, "a comment does not end"),
            ("<configuration><a", 1, "a tag does not end"),
            (
                "<configuration>\n<xi:include href=\"b.xml\"/>",
                2,
                "it includes another file; put the properties of both into one",
            ),
        ] {
            assert_eq!(properties(text), Err(Wrong { line, what }), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(parts in prop::collection::vec(prop::sample::select(vec![
            "<configuration>", "</configuration>", "<property", ">", "<name>", "</name>", "<value>", "</value>", "</property>",
            "/>", " name=\"", "\"", "é", "&amp;", "<!--", "-->", "<![CDATA[", "]]>", "\n", "<", "${a}",
        ]), 0..30)) {
            let _ = properties(&parts.concat());
        }
    }
}
