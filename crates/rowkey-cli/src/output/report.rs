//! How is an error, or anything else about a place in a text, shown?

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use rowkey::Findings;
use rowkey::span::{Span, line_and_column};
use rowkey::visible::{visible, visible_lines};

use super::screen::{Painted, errors_are_on_a_terminal, is_terminal, tell, tell_painted};

/// Prints an error and its causes to standard error; findings with the place underlined.
pub(crate) fn report(error: &anyhow::Error) {
    for (index, cause) in error.chain().enumerate() {
        if let Some(findings) = cause.downcast_ref::<Findings>() {
            return tell_findings(findings);
        }
        let lead = if index == 0 { "error: " } else { "  because: " };
        tell(&format!("{lead}{cause}\n"));
    }
}

fn tell_findings(findings: &Findings) {
    let renderer = renderer(errors_are_on_a_terminal());
    for finding in &findings.findings {
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
        tell_painted(&annotated.render(&renderer));
    }
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
    pub(crate) fn answer(&self) -> Painted {
        self.render(&renderer(is_terminal()))
    }

    /// The renderer adds colours, so everything that it is given must be visible before.
    fn render(&self, renderer: &Renderer) -> Painted {
        let (lines, span) = self.lines();
        let (before, rest) = lines.split_at_checked(span.start).unwrap_or((lines, ""));
        let (marked, after) = rest.split_at_checked(span.end - span.start).unwrap_or((rest, ""));
        let [before, marked, after] = [before, marked, after].map(visible_lines);
        let annotation = AnnotationKind::Primary.span(before.len()..before.len() + marked.len());
        let source = format!("{before}{marked}{after}");
        let (origin, title) = (visible(self.origin), visible_lines(self.title));
        let first = line_and_column(self.source, self.span.start).0;
        let snippet =
            Snippet::source(&source).path(origin).line_start(first).fold(true).annotation(annotation);
        let title = self.level.clone().primary_title(title);
        let title = match self.id {
            Some(id) => title.id(id),
            None => title,
        };
        let mut group = Group::with_title(title).element(snippet);
        for (level, remark) in &self.remarks {
            group = group.element(level.clone().message(visible_lines(remark)));
        }
        let mut shown = renderer.render(&[group]);
        shown.push('\n');
        Painted(shown)
    }

    /// The lines of the place and the place in them: a large file is not laid out for one line of it.
    fn lines(&self) -> (&str, Span) {
        let Span { start, end } = self.span;
        let first = self.source.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let last = self
            .source
            .get(end..)
            .and_then(|after| after.find('\n'))
            .map_or(self.source.len(), |at| end + at);
        let lines = self.source.get(first..last.max(first)).unwrap_or(self.source);
        (lines, Span::new(start.saturating_sub(first), end.saturating_sub(first)))
    }
}

fn renderer(is_terminal: bool) -> Renderer {
    let colours = is_terminal && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    if colours { Renderer::styled() } else { Renderer::plain() }
}
