//! How is an error, or anything else about a place in a text, shown?

use std::io::{IsTerminal, Write};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use rowkey::Findings;
use rowkey::span::Span;

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
    let renderer = renderer(std::io::stderr().is_terminal());
    let shown = findings.findings.iter().map(|finding| {
        let help = finding.problem.help();
        let annotated = Annotated {
            level: Level::ERROR,
            id: None,
            title: &finding.problem.to_string(),
            origin: &findings.origin,
            source: &findings.source,
            span: finding.span,
            remarks: help.iter().map(|help| (Level::HELP, help.as_str())).collect(),
        };
        annotated.render(&renderer)
    });
    shown.collect()
}

/// Something to say about a place in a text.
pub(crate) struct Annotated<'a> {
    pub(crate) level: Level<'a>,
    /// A stable name, shown in brackets.
    pub(crate) id: Option<&'a str>,
    pub(crate) title: &'a str,
    pub(crate) origin: &'a str,
    pub(crate) source: &'a str,
    pub(crate) span: Span,
    /// What stands below the text.
    pub(crate) remarks: Vec<(Level<'a>, &'a str)>,
}

impl Annotated<'_> {
    /// As an answer, with colours if standard output is a terminal.
    pub(crate) fn answer(&self) -> String {
        self.render(&renderer(std::io::stdout().is_terminal()))
    }

    fn render(&self, renderer: &Renderer) -> String {
        let annotation = AnnotationKind::Primary.span(self.span.start..self.span.end);
        let snippet = Snippet::source(self.source).path(self.origin).fold(true).annotation(annotation);
        let title = self.level.clone().primary_title(self.title);
        let title = match self.id {
            Some(id) => title.id(id),
            None => title,
        };
        let mut group = Group::with_title(title).element(snippet);
        for (level, remark) in &self.remarks {
            group = group.element(level.clone().message(*remark));
        }
        let mut shown = renderer.render(&[group]);
        shown.push('\n');
        shown
    }
}

fn renderer(is_terminal: bool) -> Renderer {
    let colours = is_terminal && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    if colours { Renderer::styled() } else { Renderer::plain() }
}
