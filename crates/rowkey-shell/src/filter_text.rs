//! Parses filters: `"PrefixFilter('a') AND (PageFilter(5) OR SKIP ValueFilter(=, 'binary:x'))"`.
//!
//! HBase's filter language. `SKIP` and `WHILE` bind tightest, then `AND`, then `OR`; a filter's arguments are texts in
//! single quotes (a quote in them is doubled), numbers, `true`, `false` and the operators `< <= = != >= >`; a comparator is
//! `'binary:…'`, `'binaryprefix:…'`, `'regexstring:…'`, `'regexstringnocase:…'` or `'substring:…'`.
//!
//! The words of an error are HBase's; what is wrong with a filter's arguments, which HBase only logs, is kept beside them.

use std::ops::Bound;

use rowkey_store::filter::{Comparator, CompareOp, Filter, PageStart, SingleColumn};

/// So deep may brackets, `SKIP` and `WHILE` stand in each other.
pub(crate) const MAX_DEPTH: usize = 64;

/// A text that is no filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterTextError {
    /// It is not made of filters and operators.
    #[error("Incorrect Filter String")]
    Text,
    /// A closing bracket without an opening one.
    #[error("Mismatched parenthesis")]
    Brackets,
    /// An operator without what it works on.
    #[error("Incorrect input string - {0}")]
    Operator(&'static str),
    /// Filters in filters past all measure.
    #[error("Incorrect Filter String: at byte {at} it is nested more than {MAX_DEPTH} deep")]
    TooDeep {
        /// Where, in bytes from 0.
        at: usize,
    },
    /// An unknown filter.
    #[error("Filter Name {0} not supported")]
    Name(String),
    /// Arguments that the filter does not take.
    #[error("Incorrect filter string {text}")]
    Arguments {
        /// The filter as it stands.
        text: String,
        /// What is wrong with them.
        problem: String,
    },
}

/// Reads a filter.
///
/// # Errors
/// In HBase's words.
pub fn parse_filter(text: &[u8]) -> Result<Filter, FilterTextError> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    let filter = reader.any_of()?;
    reader.blanks();
    match reader.rest() {
        [] => Ok(filter),
        [b')', ..] => Err(FilterTextError::Brackets),
        _ => Err(FilterTextError::Text),
    }
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    /// How many brackets and wrappers are open here.
    depth: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn blanks(&mut self) {
        self.at += self.rest().iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    }

    /// Takes an operator that stands by itself.
    fn word(&mut self, word: &str) -> bool {
        self.blanks();
        let rest = self.rest();
        let found = rest.starts_with(word.as_bytes()) && matches!(rest.get(word.len()), Some(b' ' | b'('));
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn any_of(&mut self) -> Result<Filter, FilterTextError> {
        let missing = FilterTextError::Operator("an OR needs two filters");
        self.list("OR", Self::all_of, missing, Filter::One)
    }

    fn all_of(&mut self) -> Result<Filter, FilterTextError> {
        let missing = FilterTextError::Operator("an AND needs two filters");
        self.list("AND", Self::wrapped, missing, Filter::All)
    }

    fn list(
        &mut self,
        operator: &str,
        one: impl Fn(&mut Self) -> Result<Filter, FilterTextError>,
        missing: FilterTextError,
        make: impl Fn(Vec<Filter>) -> Filter,
    ) -> Result<Filter, FilterTextError> {
        let first = one(self)?;
        let mut filters = vec![first];
        while self.word(operator) {
            self.blanks();
            if matches!(self.rest(), [] | [b')', ..]) {
                return Err(missing);
            }
            filters.push(one(self)?);
        }
        if filters.len() > 1 { Ok(make(filters)) } else { filters.pop().ok_or(FilterTextError::Text) }
    }

    fn wrapped(&mut self) -> Result<Filter, FilterTextError> {
        if self.depth > MAX_DEPTH {
            return Err(FilterTextError::TooDeep { at: self.at });
        }
        self.depth += 1;
        let filter = self.wrapped_here();
        self.depth -= 1;
        filter
    }

    fn wrapped_here(&mut self) -> Result<Filter, FilterTextError> {
        if self.word("SKIP") {
            return Ok(Filter::Skip(Box::new(self.wrapped()?)));
        }
        if self.word("WHILE") {
            return Ok(Filter::WhileMatch(Box::new(self.wrapped()?)));
        }
        self.blanks();
        match self.rest() {
            [] => Err(FilterTextError::Text),
            [b')', ..] => Err(FilterTextError::Brackets),
            [b'(', ..] => {
                self.at += 1;
                let inner = self.any_of()?;
                self.blanks();
                match self.rest() {
                    [b')', ..] => {
                        self.at += 1;
                        Ok(inner)
                    }
                    // HBase forgives a bracket that is open at the end.
                    [] => Ok(inner),
                    _ => Err(FilterTextError::Text),
                }
            }
            _ => self.simple(),
        }
    }

    /// `Name (argument, …)`.
    fn simple(&mut self) -> Result<Filter, FilterTextError> {
        let rest = self.rest();
        let mut quoted = false;
        let end = rest.iter().position(|byte| {
            quoted ^= *byte == b'\'';
            *byte == b')' && !quoted
        });
        let text = end.and_then(|end| rest.get(..=end)).ok_or(FilterTextError::Text)?;
        self.at += text.len();
        let name_end = text.iter().position(|byte| matches!(byte, b'(' | b' ')).unwrap_or(text.len());
        let name = String::from_utf8_lossy(text.get(..name_end).unwrap_or_default()).into_owned();
        let open = text.iter().position(|byte| *byte == b'(').ok_or(FilterTextError::Text)?;
        let arguments = text.get(open + 1..text.len() - 1).unwrap_or_default();
        if !NAMES.contains(&name.as_str()) {
            return Err(FilterTextError::Name(name));
        }
        let made = split(arguments).and_then(|arguments| make(&name, &Arguments(arguments)));
        made.map_err(|problem| FilterTextError::Arguments {
            text: String::from_utf8_lossy(text).into_owned(),
            problem,
        })
    }
}

/// An argument of a filter.
enum Word {
    Quoted(Vec<u8>),
    Bare(String),
}

/// Cuts arguments at commas and blanks.
fn split(text: &[u8]) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b' ' | b',' => {}
            b'\'' => {
                let mut word = Vec::new();
                loop {
                    match bytes.next() {
                        Some(b'\'') if bytes.next_if_eq(&b'\'').is_some() => word.push(b'\''),
                        Some(b'\'') => break,
                        Some(byte) => word.push(byte),
                        None => return Err("a quote is not closed".to_owned()),
                    }
                }
                words.push(Word::Quoted(word));
            }
            byte => {
                let mut word = vec![byte];
                while let Some(byte) = bytes.next_if(|byte| !matches!(byte, b' ' | b',')) {
                    word.push(byte);
                }
                words.push(Word::Bare(String::from_utf8_lossy(&word).into_owned()));
            }
        }
    }
    Ok(words)
}

struct Arguments(Vec<Word>);

impl Arguments {
    fn count(&self, expected: &[usize]) -> Result<usize, String> {
        if expected.contains(&self.0.len()) {
            return Ok(self.0.len());
        }
        let counts: Vec<String> = expected.iter().map(ToString::to_string).collect();
        Err(format!("it takes {} arguments, not {}", counts.join(" or "), self.0.len()))
    }

    fn quoted(&self, index: usize) -> Result<Vec<u8>, String> {
        match self.0.get(index) {
            Some(Word::Quoted(text)) => Ok(text.clone()),
            _ => Err(format!("argument {} must be in single quotes", index + 1)),
        }
    }

    fn bare(&self, index: usize) -> Result<&str, String> {
        match self.0.get(index) {
            Some(Word::Bare(word)) => Ok(word),
            _ => Err(format!("argument {} must not be in quotes", index + 1)),
        }
    }

    fn number<N: TryFrom<i64>>(&self, index: usize) -> Result<N, String> {
        let word = self.bare(index)?;
        let number = word.parse::<i64>().ok().and_then(|number| N::try_from(number).ok());
        number.ok_or_else(|| format!("argument {} is `{word}`, which is no number that fits", index + 1))
    }

    fn truth(&self, index: usize) -> Result<bool, String> {
        match self.bare(index)?.to_ascii_lowercase().as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            word => Err(format!("argument {} is `{word}`; write true or false", index + 1)),
        }
    }

    fn compare(&self, index: usize) -> Result<(CompareOp, Comparator), String> {
        let op = match self.bare(index)? {
            "<" => CompareOp::Less,
            "<=" => CompareOp::LessOrEqual,
            "=" => CompareOp::Equal,
            "!=" => CompareOp::NotEqual,
            ">" => CompareOp::Greater,
            ">=" => CompareOp::GreaterOrEqual,
            word => return Err(format!("`{word}` is no operator; take < <= = != >= or >")),
        };
        let text = self.quoted(index + 1)?;
        let colon = text.iter().position(|byte| *byte == b':').ok_or("a comparator is `type:value`")?;
        let value = text.get(colon + 1..).unwrap_or_default().to_vec();
        let words = || String::from_utf8_lossy(&value).into_owned();
        let comparator = match text.get(..colon).unwrap_or_default() {
            b"binary" => Comparator::Binary(value),
            b"binaryprefix" => Comparator::BinaryPrefix(value),
            b"regexstring" => Comparator::Regex { pattern: words(), ignore_case: false },
            b"regexstringnocase" => Comparator::Regex { pattern: words(), ignore_case: true },
            b"substring" => Comparator::Substring(words()),
            other => return Err(format!("there is no comparator `{}`", String::from_utf8_lossy(other))),
        };
        let only_same = matches!(comparator, Comparator::Regex { .. } | Comparator::Substring(_));
        if only_same && !matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
            return Err("regexstring and substring can only be compared with = and !=".to_owned());
        }
        Ok((op, comparator))
    }
}

/// The filters that a text can name.
const NAMES: [&str; 18] = [
    "ColumnCountGetFilter",
    "ColumnPaginationFilter",
    "ColumnPrefixFilter",
    "ColumnRangeFilter",
    "ColumnValueFilter",
    "FamilyFilter",
    "FirstKeyOnlyFilter",
    "InclusiveStopFilter",
    "KeyOnlyFilter",
    "MultipleColumnPrefixFilter",
    "PageFilter",
    "PrefixFilter",
    "QualifierFilter",
    "RowFilter",
    "SingleColumnValueExcludeFilter",
    "SingleColumnValueFilter",
    "TimestampsFilter",
    "ValueFilter",
];

/// The filters that a text can name, by the alphabet.
pub(crate) fn names() -> &'static [&'static str] {
    &NAMES
}

fn make(name: &str, arguments: &Arguments) -> Result<Filter, String> {
    let all = 0..arguments.0.len();
    Ok(match name {
        "KeyOnlyFilter" => {
            let length_as_value = arguments.count(&[0, 1])? == 1 && arguments.truth(0)?;
            Filter::KeyOnly { length_as_value }
        }
        "FirstKeyOnlyFilter" => arguments.count(&[0]).map(|_| Filter::FirstKeyOnly)?,
        "MultipleColumnPrefixFilter" => {
            Filter::MultipleColumnPrefix(all.map(|index| arguments.quoted(index)).collect::<Result<_, _>>()?)
        }
        "TimestampsFilter" => {
            let timestamps = all.map(|index| arguments.number(index)).collect::<Result<_, _>>()?;
            Filter::Timestamps { timestamps, can_hint: false }
        }
        "ColumnRangeFilter" => {
            arguments.count(&[4])?;
            let bound = |text: Vec<u8>, inclusive: bool| match (text.is_empty(), inclusive) {
                (true, _) => Bound::Unbounded,
                (false, true) => Bound::Included(text),
                (false, false) => Bound::Excluded(text),
            };
            let min = bound(arguments.quoted(0)?, arguments.truth(1)?);
            Filter::ColumnRange { min, max: bound(arguments.quoted(2)?, arguments.truth(3)?) }
        }
        "SingleColumnValueFilter" | "SingleColumnValueExcludeFilter" => {
            let count = arguments.count(&[4, 6])?;
            let (op, comparator) = arguments.compare(2)?;
            let mut column = SingleColumn::new(arguments.quoted(0)?, arguments.quoted(1)?, op, comparator);
            if count == 6 {
                column.filter_if_missing = arguments.truth(4)?;
                column.latest_version_only = arguments.truth(5)?;
            }
            if name == "SingleColumnValueFilter" {
                Filter::SingleColumnValue(column)
            } else {
                Filter::SingleColumnValueExclude(column)
            }
        }
        "ColumnValueFilter" => {
            arguments.count(&[4])?;
            let (family, qualifier) = (arguments.quoted(0)?, arguments.quoted(1)?);
            let (op, comparator) = arguments.compare(2)?;
            Filter::ColumnValue { family, qualifier, op, comparator }
        }
        "ColumnPaginationFilter" => {
            arguments.count(&[2])?;
            Filter::ColumnPagination {
                limit: arguments.number(0)?,
                start: PageStart::Offset(arguments.number(1)?),
            }
        }
        "RowFilter" | "FamilyFilter" | "QualifierFilter" | "ValueFilter" => {
            arguments.count(&[2])?;
            let (op, comparator) = arguments.compare(0)?;
            match name {
                "RowFilter" => Filter::Row(op, comparator),
                "FamilyFilter" => Filter::Family(op, comparator),
                "QualifierFilter" => Filter::Qualifier(op, comparator),
                _ => Filter::Value(op, comparator),
            }
        }
        _ => {
            arguments.count(&[1])?;
            match name {
                "PageFilter" => Filter::Page(arguments.number(0)?),
                "ColumnCountGetFilter" => Filter::ColumnCountGet(arguments.number(0)?),
                "ColumnPrefixFilter" => Filter::ColumnPrefix(arguments.quoted(0)?),
                "InclusiveStopFilter" => Filter::InclusiveStop(arguments.quoted(0)?),
                _ => Filter::Prefix(arguments.quoted(0)?),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Filter {
        parse_filter(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn prefix(text: &str) -> Filter {
        Filter::Prefix(text.into())
    }

    #[test]
    fn operators_bind_skip_then_and_then_or() {
        let filter =
            parse("PrefixFilter('a') OR SKIP PrefixFilter ('b') AND PrefixFilter('c') OR (PageFilter(5))");
        let both = Filter::All(vec![Filter::Skip(Box::new(prefix("b"))), prefix("c")]);
        assert_eq!(filter, Filter::One(vec![prefix("a"), both, Filter::Page(5)]));
        let filter = parse("(PrefixFilter('a') OR PrefixFilter('b'))AND(WHILE PageFilter(1))");
        let one = Filter::One(vec![prefix("a"), prefix("b")]);
        assert_eq!(filter, Filter::All(vec![one, Filter::WhileMatch(Box::new(Filter::Page(1)))]));
    }

    #[test]
    fn quotes_are_doubled_and_brackets_in_texts_are_texts() {
        assert_eq!(parse("PrefixFilter('it''s (')"), prefix("it's ("));
        let value = Filter::Value(CompareOp::GreaterOrEqual, Comparator::Binary(b"a:b)".to_vec()));
        assert_eq!(parse("ValueFilter (>=, 'binary:a:b)')"), value);
    }

    #[test]
    fn every_name_can_be_made() {
        for name in NAMES {
            let compare = "=, 'binary:x'";
            let arguments = match name {
                "ColumnPaginationFilter" => "1, 2".to_owned(),
                "ColumnRangeFilter" => "'a', true, '', FALSE".to_owned(),
                "ColumnCountGetFilter" | "PageFilter" | "TimestampsFilter" => "5".to_owned(),
                "FamilyFilter" | "QualifierFilter" | "RowFilter" | "ValueFilter" => compare.to_owned(),
                "ColumnValueFilter" => format!("'f', 'q', {compare}"),
                "SingleColumnValueExcludeFilter" => format!("'f', 'q', {compare}"),
                "SingleColumnValueFilter" => format!("'f', 'q', {compare}, true, false"),
                "FirstKeyOnlyFilter" => String::new(),
                "KeyOnlyFilter" => "true".to_owned(),
                _ => "'a'".to_owned(),
            };
            parse(&format!("{name}({arguments})"));
        }
    }

    #[test]
    fn nesting_has_a_limit_with_its_place() {
        let nested = |open: &str, close: &str, depth: usize| {
            format!("{}PageFilter(1){}", open.repeat(depth), close.repeat(depth))
        };
        for (open, close) in [("(", ")"), ("SKIP ", ""), ("WHILE (", ")"), ("(", "")] {
            let levels = open.split(' ').filter(|word| !word.is_empty()).count();
            assert!(parse_filter(nested(open, close, MAX_DEPTH / levels).as_bytes()).is_ok());
            for depth in [MAX_DEPTH + 1, 6_000, 100_000] {
                let error = parse_filter(nested(open, close, depth).as_bytes()).unwrap_err();
                assert!(matches!(error, FilterTextError::TooDeep { at: 1.. }), "{error}");
            }
        }
        let long = vec!["PageFilter(1)"; 100_000].join(" AND ");
        assert!(matches!(parse(&long), Filter::All(all) if all.len() == 100_000));
    }

    #[test]
    fn errors_have_hbases_words() {
        let wrong = |text: &str| parse_filter(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(wrong("PrefixFilter('a'"), "Incorrect Filter String");
        assert_eq!(wrong(""), "Incorrect Filter String");
        assert_eq!(wrong("PrefixFilter('a') PrefixFilter('b')"), "Incorrect Filter String");
        assert_eq!(wrong("NoFilter('a')"), "Filter Name NoFilter not supported");
        assert_eq!(wrong("PrefixFilter('a'))"), "Mismatched parenthesis");
        assert_eq!(wrong("PrefixFilter('a') AND "), "Incorrect input string - an AND needs two filters");
        assert_eq!(wrong("PageFilter(x)"), "Incorrect filter string PageFilter(x)");
        assert_eq!(
            wrong("ValueFilter(<, 'substring:x')"),
            "Incorrect filter string ValueFilter(<, 'substring:x')"
        );
    }
}
