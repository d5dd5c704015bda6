//! Names the program, the machine and the kind of terminal.

use super::verdict::Verdicts;

pub(crate) fn examine(is_terminal: bool, verdicts: &mut Verdicts) {
    verdicts.ok(
        "program",
        format!(
            "rowkey {}; reads and writes folders of format 1 to {}",
            env!("CARGO_PKG_VERSION"),
            rowkey_embedded::FORMAT_VERSION
        ),
    );
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    // The first that is set decides, as for every program.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| Some((name, set(name)?)));
    terminal(is_terminal, set("NO_COLOR").is_some(), locale, verdicts);
}

fn terminal(
    is_terminal: bool,
    no_color: bool,
    locale: Option<(&'static str, String)>,
    verdicts: &mut Verdicts,
) {
    let colours = match (is_terminal, no_color) {
        (false, _) => "no colours, because standard output is no terminal",
        (true, true) => "no colours, because NO_COLOR is set",
        (true, false) => "colours",
    };
    let is_utf8 = locale.as_ref().is_some_and(|(_, value)| {
        let value = value.to_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    });
    let told = locale.map_or("no locale set".to_owned(), |(name, value)| format!("{name}={value}"));
    let seen = format!("{colours}; {told}");
    if is_terminal && !is_utf8 {
        let cure = "tables and names are UTF-8; if they look broken, set LC_ALL=C.UTF-8";
        verdicts.warn("terminal", seen, cure);
    } else {
        verdicts.ok("terminal", seen);
    }
}

#[cfg(test)]
mod tests {
    use super::super::verdict::State;
    use super::*;

    fn seen(is_terminal: bool, no_color: bool, locale: Option<&str>) -> (State, String) {
        let mut verdicts = Verdicts::default();
        terminal(is_terminal, no_color, locale.map(|value| ("LANG", value.to_owned())), &mut verdicts);
        let verdict = verdicts.list.remove(0);
        (verdict.state, verdict.seen)
    }

    #[test]
    fn a_terminal_without_utf8_is_warned() {
        assert_eq!(
            seen(true, false, Some("de_DE.UTF-8")),
            (State::Ok, "colours; LANG=de_DE.UTF-8".to_owned())
        );
        assert_eq!(seen(true, true, Some("C")).0, State::Warning);
        assert_eq!(seen(true, false, None).0, State::Warning);
        assert!(seen(true, true, Some("en_US.utf8")).1.starts_with("no colours, because NO_COLOR is set"));
        // A pipe carries bytes, whatever the locale.
        assert_eq!(seen(false, false, None).0, State::Ok);
    }
}
