//! How is an error shown?

use std::io::{IsTerminal, Write};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use rowkey::Findings;

/// Prints an error and its causes to standard error; findings with the place underlined.
pub(crate) fn report(error: &anyhow::Error) {
    let mut shown = String::new();
    for (index, cause) in error.chain().enumerate() {
        if let Some(findings) = cause.downcast_ref::<Findings>() {
            shown.push_str(&render(findings));
            break;
        }
        let lead = if index == 0 { "error: " } else { "  because: " };
        shown.push_str(lead);
        shown.push_str(&cause.to_string());
        shown.push('\n');
    }
    // Where even standard error is closed there is nobody to tell.
    let _ = write!(std::io::stderr(), "{shown}");
}

fn render(findings: &Findings) -> String {
    let colours =
        std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
    findings.findings.iter().fold(String::new(), |mut shown, finding| {
        let message = finding.problem.to_string();
        let annotation = AnnotationKind::Primary.span(finding.span.start..finding.span.end);
        let snippet =
            Snippet::source(&findings.source).path(&findings.origin).fold(true).annotation(annotation);
        let mut group = Group::with_title(Level::ERROR.primary_title(&message)).element(snippet);
        let help = finding.problem.help();
        if let Some(help) = &help {
            group = group.element(Level::HELP.message(help));
        }
        shown.push_str(&renderer.render(&[group]));
        shown.push('\n');
        shown
    })
}
