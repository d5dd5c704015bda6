//! Prints an error, or a remark about a place in a text.

use std::error::Error;
use std::io;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use rowkey_core::disclosure::Disclosure;
use rowkey_core::finding::MAX_FINDINGS;
use rowkey_core::internal::line_and_column;
use rowkey_core::visible::{visible, visible_lines};
use rowkey_core::{Findings, Span};

use super::screen::{Painted, errors_are_on_a_terminal, is_terminal, tell, tell_painted};
use crate::key_text::NotHex;
use crate::public::Public;
use crate::record_argument::RecordError;

/// Prints an error and its causes to standard error; findings with the place underlined.
pub(crate) fn report(error: &anyhow::Error, shown: Disclosure) {
    for (index, cause) in error.chain().enumerate() {
        if let Some(findings) = cause.downcast_ref::<Findings>() {
            return tell_findings(findings, shown);
        }
        let lead = if index == 0 { "error: " } else { "  because: " };
        let text = if shown.hides() { hidden(error, cause) } else { cause.to_string() };
        tell(&format!("{lead}{text}\n"));
    }
}

/// The text of a cause without values. A cause of an unknown type may hold any, so it is left out whole.
fn hidden(error: &anyhow::Error, cause: &(dyn Error + 'static)) -> String {
    let is_constant = |text: &&'static str| cause.to_string() == **text;
    let is_constant = error.downcast_ref::<&'static str>().is_some_and(is_constant);
    let is_of_the_system =
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.raw_os_error().is_some());
    if is_constant || is_of_the_system || marks_values(cause) {
        Disclosure::Lengths.for_messages(|| cause.to_string())
    } else {
        "(hidden by --redact, because it may name a value; run the command without --redact to see it)"
            .to_owned()
    }
}

/// Whether an error is of a type whose messages mark every value.
fn marks_values(cause: &(dyn Error + 'static)) -> bool {
    macro_rules! is_one_of {
        ($($known:ty),* $(,)?) => { false $(|| cause.is::<$known>())* };
    }
    is_one_of!(
        Public,
        RecordError,
        NotHex,
        rowkey_core::codec::ValueError,
        rowkey_core::escape::UnescapeError,
        rowkey_core::key::DecodeError,
        rowkey_core::key::EncodeError,
        rowkey_core::query::PlanError,
        rowkey_core::split::SplitError,
        rowkey_core::value::ReadError,
        rowkey_embedded::EmbeddedError,
        rowkey_hbase::HBaseError,
        rowkey_hbase::KerberosProblem,
        rowkey_hbase::SiteError,
        rowkey_hbase::TlsFileProblem,
        rowkey_hbase::TlsProblem,
        rowkey_hbase::WrapProblem,
        rowkey_lab::advise::LogError,
        rowkey_lab::key_sample::KeySampleError,
        rowkey_lab::sample::GuessError,
        rowkey_lab::sample::LiveError,
        rowkey_ops::calibrate::KeptError,
        rowkey_ops::create::TableError,
        rowkey_ops::external_sort::SortError,
        rowkey_ops::index::IndexError,
        rowkey_ops::input::BatchError,
        rowkey_ops::input::InputError,
        rowkey_ops::load::LoadError,
        rowkey_ops::output_file::OutputError,
        rowkey_ops::query::QueryError,
        rowkey_ops::record::RowError,
        rowkey_store::StoreError,
        rowkey_store::TableNameError,
    )
}

fn tell_findings(findings: &Findings, shown: Disclosure) {
    let renderer = renderer(errors_are_on_a_terminal());
    for finding in &findings.findings {
        if shown.hides() {
            // The source text is left out: a query is full of values.
            tell(&format!("error: {}\n", shown.for_messages(|| findings.line(finding))));
            continue;
        }
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
    if findings.findings.len() >= MAX_FINDINGS {
        tell(&format!(
            "these are the first {MAX_FINDINGS} findings; there may be more
"
        ));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::public::public;

    #[test]
    fn with_redact_only_errors_that_mark_their_values_are_shown() {
        let texts = |error: anyhow::Error| -> Vec<String> {
            error.chain().map(|cause| hidden(&error, cause)).collect()
        };
        let secret = "TOPSECRET";
        let shown = texts(anyhow::anyhow!("the value {secret} is bad").context("a constant text"));
        assert_eq!(shown[0], "a constant text");
        assert!(shown[1].starts_with("(hidden by --redact"), "{shown:?}");
        assert_eq!(texts(public("table orders is changing")), ["table orders is changing"]);
        let os = texts(io::Error::from_raw_os_error(2).into());
        assert!(os[0].starts_with("No such file"), "{os:?}");
        let custom = texts(io::Error::other(secret).into());
        assert!(custom[0].starts_with("(hidden by --redact"), "{custom:?}");
    }
}
