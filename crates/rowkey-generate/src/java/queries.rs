//! The queries of a table in Java: methods that give the ranges to read.

use std::ops::Bound;

use rowkey_core::lowered::Codec;
use rowkey_core::query::{
    Fit, Operand, Parameter, QueryTemplate, TemplateBetween, TemplateBound, TemplateEnd, TemplateLimit,
    TemplatePiece, TemplateSpan,
};
use rowkey_core::types::Kind;
use rowkey_core::{FieldId, Order, Value};

use super::codec::{CodecPrinter, Part};
use super::lines::{Lines, comment, long};
use super::names::{Holds, JavaField, Names};
use crate::queries::{self, QueryDesign};
use crate::{Design, names};

/// Variables of the methods.
const LOCALS: [&str; 14] = [
    "none", "query", "out", "low", "high", "first", "last", "least", "greatest", "half", "limit_", "halves",
    "bound", "noRow",
];

/// The names of the methods, in the order of the queries.
pub(super) fn methods(design: &Design) -> Vec<String> {
    let names = design.queries.iter().map(|query| format!("ranges{}", names::pascal(&query.name)));
    names::unique(names, |_| false)
}

/// The methods of all queries.
pub(super) fn query_methods(design: &Design, names: &Names) -> Lines {
    let mut lines = Lines::at(2);
    for (place, (query, method)) in design.queries.iter().zip(methods(design)).enumerate() {
        if place > 0 {
            lines.blank();
        }
        let refused = match &query.template {
            Ok(template) => refusal(template, names),
            Err(why) => Some(why.clone()),
        };
        match (&query.template, refused) {
            (Ok(template), None) => query_method(design, names, (query, template), &method, &mut lines),
            (_, why) => {
                let why = why.unwrap_or_default().replace(['\n', '\r'], " ");
                let mut line = String::from("//");
                for word in format!("There is no {method}, because {}", comment(&why)).split(' ') {
                    if line.chars().count() + word.chars().count() > 90 {
                        lines.line(std::mem::replace(&mut line, String::from("//")));
                    }
                    line.push(' ');
                    line.push_str(word);
                }
                lines.line(line);
            }
        }
    }
    lines
}

/// Why a template cannot be printed in Java: numbers that are not negative in a part that has a sign.
pub(super) fn refusal(template: &QueryTemplate, names: &Names) -> Option<String> {
    let TemplateEnd::Between(between) = &template.end else { return None };
    let field = names.field(between.field);
    let is_wide = matches!(field.holds, Holds::BigInteger | Holds::Unsigned);
    let is_apart = between.spans.iter().any(|span| span.half.is_some());
    (is_wide && is_apart).then(|| {
        format!(
            "a range of `{}` ({}) in a part of signed numbers cannot be generated in Java: compare it with =",
            field.name, field.ty
        )
    })
}

fn query_method(
    design: &Design,
    names: &Names,
    (query, template): (&QueryDesign, &QueryTemplate),
    method: &str,
    lines: &mut Lines,
) {
    let codec = queries::codec(design, template);
    let class = queries::index(template).and_then(|place| names.indexes.get(place));
    let mut printer = CodecPrinter::new(names, codec, 4);
    printer.also.extend(queries::steps(design, queries::index(template)));
    let parameters = parameters(template);
    let printer = Printer {
        names,
        codec,
        parts: printer.parts(),
        prefix: class.map_or(String::new(), |class| format!("{class}.")),
        template,
        parameters,
    };
    let said = queries::said(design, query, template);
    let mut text = format!(
        "What the query {{@code {}}} reads:\n\n<pre>{{@code {}}}</pre>",
        comment(&query.name),
        comment(&said.source.replace('\n', " "))
    );
    for sentence in said.sentences {
        text.push_str(&format!("\n\n<p>{}", escaped(&sentence)));
    }
    if matches!(template.end, TemplateEnd::Between(_)) {
        text.push_str("\n\n@throws KeyException if a bound has no bytes in the key");
    }
    lines.doc(&text);
    let all: Vec<String> = template
        .parameters
        .iter()
        .zip(&printer.parameters)
        .map(|(parameter, name)| match (parameter.role, parameter.field()) {
            (Parameter::Pattern(_), _) => format!("String {name}"),
            (_, Some(field)) => format!("{} {name}", plain_type(names.field(field))),
            (_, None) => format!("int {name}"),
        })
        .collect();
    lines.open(format!("public static Ranges {method}({}) {{", all.join(", ")));
    printer.body(lines);
    lines.close("}");
}

fn escaped(text: &str) -> String {
    comment(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('@', "&#64;")
}

/// The type of a variable that is not null.
pub(super) fn plain_type(field: &JavaField) -> &'static str {
    match field.holds {
        Holds::Long | Holds::Unsigned => "long",
        Holds::Float => "float",
        Holds::Double => "double",
        Holds::Boolean => "boolean",
        _ => field.java_type(),
    }
}

/// The names of a method's parameters.
pub(super) fn parameters(template: &QueryTemplate) -> Vec<String> {
    let camel = template.parameters.iter().map(|one| names::camel(&one.name));
    let is_taken = |name: &str| {
        LOCALS.contains(&name)
            || super::names::is_taken(name)
            || ["part", "bucket", "one"].iter().any(|word| {
                name.strip_prefix(word).is_some_and(|rest| rest.chars().all(|digit| digit.is_ascii_digit()))
            })
    };
    names::unique(camel, is_taken)
}

struct Printer<'d> {
    names: &'d Names,
    codec: &'d Codec,
    parts: Vec<Option<Part>>,
    /// The class of the key's methods, with a point behind it.
    prefix: String,
    template: &'d QueryTemplate,
    parameters: Vec<String>,
}

impl Printer<'_> {
    fn operand(&self, field: FieldId, operand: &Operand) -> String {
        match operand {
            Operand::Parameter(number) => self.parameters.get(*number).cloned().unwrap_or_default(),
            Operand::Constant(value) => constant(self.names.field(field), value),
        }
    }

    fn body(&self, lines: &mut Lines) {
        let limit = match self.template.limit {
            None => "-1".to_owned(),
            Some(TemplateLimit::Constant(limit)) => limit.to_string(),
            Some(TemplateLimit::Parameter(number)) => {
                self.parameters.get(number).cloned().unwrap_or_default()
            }
        };
        let reverse = self.template.direction == Order::Descending;
        lines.line(format!("Ranges none = new Ranges({reverse}, {limit});"));
        for (field, number) in queries::bound_parameters(self.template) {
            self.number_check(
                lines,
                field,
                &self.operand(field, &Operand::Parameter(number)),
                "return none;",
            );
        }
        for span in &self.template.spans {
            self.span_check(lines, span);
        }
        lines.line("RangeQuery query = new RangeQuery();");
        let has_bounds = matches!(&self.template.end, TemplateEnd::Between(_));
        let has_steps = self.template.pieces.iter().any(|piece| matches!(piece, TemplatePiece::Step { .. }));
        if has_bounds || has_steps {
            lines.line("KeyWriter out = new KeyWriter(64);");
        }
        self.ends(lines);
        let mut given: Vec<(FieldId, String)> = Vec::new();
        for (field, operand) in &self.template.bound {
            let value = match operand {
                Operand::Constant(Value::Null) => "null".to_owned(),
                operand => self.value(*field, self.operand(*field, operand)),
            };
            given.push((*field, value));
        }
        for (field, operands) in &self.template.lists {
            let nulls = operands.contains(&Operand::Constant(Value::Null));
            let listed = |operand: &Operand| match operand {
                Operand::Constant(Value::Null) => "null".to_owned(),
                operand if nulls => self.value(*field, self.operand(*field, operand)),
                operand => self.operand(*field, operand),
            };
            let all: Vec<String> = operands.iter().map(listed).collect();
            let name = format!("one{}", given.len() + 1);
            let ty = if nulls {
                self.names.field(*field).java_type()
            } else {
                plain_type(self.names.field(*field))
            };
            lines.open(format!("for ({ty} {name} : new {ty}[] {{{}}}) {{", all.join(", ")));
            if !nulls {
                self.number_check(lines, *field, &name, "continue;");
            }
            given.push((*field, if nulls { name } else { self.value(*field, name) }));
        }
        self.pieces(lines, &given, has_steps);
        for _ in &self.template.lists {
            lines.close("}");
        }
        lines.line(format!("return query.ranges(none, {});", self.template.end == TemplateEnd::Row));
    }

    /// A value as an argument: without -0.
    fn value(&self, field: FieldId, value: String) -> String {
        match self.names.field(field).holds {
            Holds::Float => format!("{value} + 0f"),
            Holds::Double => format!("{value} + 0.0"),
            _ => value,
        }
    }

    /// Nothing compares with NaN, or with null.
    fn number_check(&self, lines: &mut Lines, field: FieldId, name: &str, then: &str) {
        lines.open(match self.names.field(field).holds {
            Holds::Float => format!("if (Float.isNaN({name})) {{"),
            Holds::Double => format!("if (Double.isNaN({name})) {{"),
            Holds::BigInteger | Holds::BigDecimal => format!("if ({name} == null) {{"),
            _ => return,
        });
        lines.line(then);
        lines.close("}");
    }

    fn counts(&self, field: FieldId) -> bool {
        matches!(self.names.field(field).ty.kind(), Kind::Integer | Kind::Time)
    }

    /// The numbers that a variable of the field holds.
    fn range(&self, field: FieldId) -> (i128, i128) {
        let (least, greatest) = self.names.field(field).range;
        if self.names.field(field).ty.kind() == Kind::Time {
            return (i64::MIN.into(), i64::MAX.into());
        }
        (least, greatest)
    }

    /// A comparison of numbers.
    fn compared(&self, field: FieldId, left: &str, sign: &str, right: &str) -> String {
        match self.names.field(field).holds {
            Holds::Unsigned => format!("Long.compareUnsigned({left}, {right}) {sign} 0"),
            Holds::BigInteger | Holds::BigDecimal => format!("{left}.compareTo({right}) {sign} 0"),
            _ => format!("{left} {sign} {right}"),
        }
    }

    /// A whole number of a field's type; one past the signed ones by its bits.
    fn number(&self, field: FieldId, number: i128) -> String {
        match self.names.field(field).holds {
            Holds::BigInteger => format!("new BigInteger(\"{number}\")"),
            _ => self::number(number),
        }
    }

    fn bound(&self, field: FieldId, bound: &TemplateBound, step: i8) -> (String, bool) {
        let operand = self.operand(field, &bound.operand);
        if bound.inclusive || !self.counts(field) {
            return (operand, bound.inclusive);
        }
        let next = match self.names.field(field).holds {
            Holds::BigInteger => {
                format!("{operand}.{}(BigInteger.ONE)", if step < 0 { "subtract" } else { "add" })
            }
            _ => format!("{operand} {} 1", if step < 0 { "-" } else { "+" }),
        };
        (next, true)
    }

    /// Whether a bound that is not inclusive is the last value, so that there is no next one.
    fn is_last(&self, field: FieldId, bound: &TemplateBound, step: i8) -> Option<String> {
        if bound.inclusive || !self.counts(field) {
            return None;
        }
        let (least, greatest) = self.range(field);
        let operand = self.operand(field, &bound.operand);
        Some(if step < 0 {
            self.compared(field, &operand, "<=", &self.number(field, least))
        } else {
            self.compared(field, &operand, ">=", &self.number(field, greatest))
        })
    }

    /// Returns where no value lies in a span.
    fn span_check(&self, lines: &mut Lines, span: &TemplateSpan) {
        let mut tests = Vec::new();
        for (bound, step) in [(&span.lower, 1), (&span.upper, -1)] {
            let Some(bound) = bound else { continue };
            if let Operand::Parameter(_) = bound.operand {
                let name = self.operand(span.field, &bound.operand);
                self.number_check(lines, span.field, &name, "return none;");
                tests.extend(self.is_last(span.field, bound, step));
            }
        }
        if let (Some(lower), Some(upper)) = (&span.lower, &span.upper) {
            let ((low, low_in), (high, high_in)) =
                (self.bound(span.field, lower, 1), self.bound(span.field, upper, -1));
            let sign = if low_in && high_in { ">" } else { ">=" };
            tests.push(match self.names.field(span.field).holds {
                Holds::Text => format!("compareTexts({low}, {high}) {sign} 0"),
                Holds::Uuid => format!("compareUuids({low}, {high}) {sign} 0"),
                Holds::Bytes | Holds::Octets(_) => format!("compareBytes({low}, {high}) {sign} 0"),
                _ => self.compared(span.field, &low, sign, &high),
            });
        }
        if !tests.is_empty() {
            lines.open_operands("if (", &tests, "||", ") {");
            lines.line("return none;");
            lines.close("}");
        }
    }

    fn ends(&self, lines: &mut Lines) {
        match &self.template.end {
            TemplateEnd::Row => lines.line("query.end(new byte[0], new byte[1]);"),
            TemplateEnd::Prefix => lines.line("query.end(new byte[0], null);"),
            TemplateEnd::Constant(ranges) => {
                for range in ranges {
                    let [start, stop] = end(range);
                    lines.line(format!("query.end({start}, {stop});"));
                }
            }
            TemplateEnd::Between(between) => {
                match (between.spans.first().and_then(|span| span.half), between.fit) {
                    (Some(_), Some(fit)) => self.halves(lines, between, fit),
                    _ => between.spans.iter().for_each(|span| self.between(lines, between, span)),
                }
            }
        }
    }

    /// The call that writes a part.
    fn part(&self, step: usize, value: impl Fn(FieldId) -> String) -> String {
        let Some(Some(part)) = self.parts.get(step) else { return String::new() };
        let arguments = part.fields.iter().map(|field| value(*field));
        let arguments: Vec<String> = std::iter::once("out".to_owned()).chain(arguments).collect();
        format!("{}{}({});", self.prefix, part.name, arguments.join(", "))
    }

    /// Sets a variable to the bytes of a bound.
    fn encoded(
        &self,
        lines: &mut Lines,
        between: &TemplateBetween,
        variable: &str,
        value: &str,
        inclusive: bool,
    ) {
        lines.line("out.length = 0;");
        for step in between.steps.clone() {
            lines.line(self.part(step, |_| value.to_owned()));
        }
        if !between.delimiter.is_empty() {
            lines.line(format!("out.put({});", array(&between.delimiter)));
        }
        lines.line(format!("{variable} = new RangeBound(out, {inclusive});"));
    }

    fn between(&self, lines: &mut Lines, between: &TemplateBetween, span: &TemplateSpan) {
        let (field, range) = (between.field, self.range(between.field));
        let bounds = [(&span.lower, 1_i8, "low"), (&span.upper, -1, "high")];
        let is_checked = self.template.spans.iter().any(|own| own.field == field);
        let lasts: Vec<String> = bounds
            .iter()
            .filter(|_| !is_checked)
            .filter_map(|(bound, step, _)| self.is_last(field, bound.as_ref()?, *step))
            .collect();
        // A block of its own for its variables.
        match lasts.as_slice() {
            [] => lines.open("{"),
            lasts => lines.open_operands("if (!(", lasts, "||", ")) {"),
        }
        let mut set = Vec::new();
        for (bound, step, name) in bounds {
            let Some(bound) = bound else { continue };
            let (value, inclusive) = self.bound(field, bound, step);
            lines.line(format!(
                "{} {name} = {};",
                plain_type(self.names.field(field)),
                self.value(field, value)
            ));
            set.push((name, inclusive));
        }
        let has = |name: &str| set.iter().find(|(own, _)| *own == name).map(|(_, inclusive)| *inclusive);
        let (low, high) = (has("low"), has("high"));
        let mut tests = Vec::new();
        let at_most = |limit: i128| limit < range.1;
        let at_least = |limit: i128| limit > range.0;
        if let Some(fit) = between.fit {
            if low.is_some() && at_most(fit.max) {
                tests.push(self.compared(field, "low", "<=", &self.number(field, fit.max)));
            }
            if high.is_some() && at_least(fit.min) {
                tests.push(self.compared(field, "high", ">=", &self.number(field, fit.min)));
            }
        }
        if !tests.is_empty() {
            lines.open_operands("if (", &tests, "&&", ") {");
        }
        lines.line("RangeBound first = null;");
        lines.line("RangeBound last = null;");
        let past_low = between
            .fit
            .filter(|fit| fit.min >= range.0)
            .map(|fit| self.compared(field, "low", ">", &self.number(field, fit.min)));
        let past_high = between
            .fit
            .filter(|fit| fit.max <= range.1)
            .map(|fit| self.compared(field, "high", "<", &self.number(field, fit.max)));
        for (inclusive, name, variable, past) in
            [(low, "low", "first", past_low), (high, "high", "last", past_high)]
        {
            let Some(inclusive) = inclusive else { continue };
            let inclusive = inclusive || !between.strict;
            if let Some(test) = &past {
                lines.open(format!("if ({test}) {{"));
            }
            if let Some(apart) = between.fit.map(|fit| fit.apart).filter(|apart| *apart != 1) {
                // Inwards, to a time that the part can hold.
                lines.line(match name {
                    "low" => format!("low = -Math.floorDiv(-low, {apart}L) * {apart}L;"),
                    _ => format!("high = Math.floorDiv(high, {apart}L) * {apart}L;"),
                });
            }
            self.encoded(lines, between, variable, name, inclusive);
            if past.is_some() {
                lines.close("}");
            }
        }
        self.add(lines, between);
        if !tests.is_empty() {
            lines.close("}");
        }
        lines.close("}");
    }

    fn add(&self, lines: &mut Lines, between: &TemplateBetween) {
        let order = if between.falling { "last, first" } else { "first, last" };
        let [start, stop] = end(&between.area);
        lines.line(format!("query.between({order}, {}, {start}, {stop});", between.whole_key));
    }

    fn halves(&self, lines: &mut Lines, between: &TemplateBetween, fit: Fit) {
        let Some(span) = between.spans.first() else { return };
        let bound = |bound: &Option<TemplateBound>, step, past: i128| {
            bound.as_ref().map_or(number(past), |bound| self.bound(between.field, bound, step).0)
        };
        lines.line(format!("long low = {};", bound(&span.lower, 1, fit.min)));
        lines.line(format!("long high = {};", bound(&span.upper, -1, fit.max)));
        let [start, stop] = end(&between.area);
        lines.open(format!("if (low <= {} && high >= {}) {{", number(fit.min), number(fit.max)));
        lines.line(format!("query.end({start}, {stop});"));
        lines.between("} else {");
        let halves: Vec<String> = between
            .spans
            .iter()
            .filter_map(|span| span.half)
            .map(|(from, to)| format!("{{{}, {}}}", number(from), number(to)))
            .collect();
        lines.line("// Numbers below zero and the others lie apart.");
        lines.open(format!("for (long[] half : new long[][] {{{}}}) {{", halves.join(", ")));
        lines.line("long least = Math.max(half[0], low);");
        lines.line("long greatest = Math.min(half[1], high);");
        lines.open("if (least <= greatest) {");
        lines.line("RangeBound first;");
        self.encoded(lines, between, "first", "least", true);
        lines.line("RangeBound last;");
        self.encoded(lines, between, "last", "greatest", true);
        self.add(lines, between);
        lines.close("}");
        lines.close("}");
        lines.close("}");
    }

    /// Adds the ranges of one combination of values.
    fn pieces(&self, lines: &mut Lines, given: &[(FieldId, String)], has_steps: bool) {
        let value = |field: FieldId| {
            given.iter().find(|(own, _)| *own == field).map_or("null".to_owned(), |(_, value)| value.clone())
        };
        if has_steps {
            lines.line("out.length = 0;");
            lines.open("try {");
        }
        let (mut prefix, mut rank, mut buckets) = (Vec::new(), Vec::new(), Vec::new());
        for piece in &self.template.pieces {
            match piece {
                TemplatePiece::Literal(literal) => {
                    prefix.push(array(literal));
                    rank.push(array(literal));
                }
                TemplatePiece::Step { step, ranked } => {
                    let name = format!("part{}", step + 1);
                    if self.codec.row_salt.is_some() && *step == 0 {
                        let fields = self.codec.fields.iter().enumerate().filter(|(_, field)| field.in_key);
                        let all: Vec<String> = fields.map(|(id, _)| value(FieldId(id))).collect();
                        lines.line(format!(
                            "byte[] {name} = Arrays.copyOf({}encode({}), 1);",
                            self.prefix,
                            all.join(", ")
                        ));
                    } else {
                        lines.line(self.part(*step, value));
                        lines.line(format!("byte[] {name} = taken(out);"));
                    }
                    prefix.push(name.clone());
                    if *ranked {
                        rank.push(name);
                    }
                }
                TemplatePiece::Buckets { step, values } => {
                    let name = format!("bucket{}", step + 1);
                    prefix.push(if counts_up(values) {
                        format!("new byte[] {{(byte) {name}}}")
                    } else {
                        name.clone()
                    });
                    buckets.push((name, values));
                }
            }
        }
        for (name, values) in &buckets {
            if counts_up(values) {
                lines.open(format!("for (int {name} = 0; {name} < {}; {name}++) {{", values.len()));
            } else {
                let hex: Vec<String> = values
                    .iter()
                    .map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect())
                    .collect();
                lines.open(format!("for (byte[] {name} : keysOfHex({})) {{", joined_text(&hex)));
            }
        }
        let sum = |parts: Vec<String>| match parts.as_slice() {
            [] => "new byte[0]".to_owned(),
            [only] => only.clone(),
            several => format!("concatenated({})", several.join(", ")),
        };
        lines.line(format!("query.add({}, {});", sum(prefix), sum(rank)));
        for _ in &buckets {
            lines.close("}");
        }
        if has_steps {
            lines.between("} catch (KeyException refused) {");
            let then = if self.template.lists.is_empty() { "return none;" } else { "continue;" };
            lines.line(format!("{then} // no row has these values"));
            lines.close("}");
        }
    }
}

/// Words of hex as one expression.
fn joined_text(words: &[String]) -> String {
    let rows: Vec<String> = words.chunks(16).map(|row| row.join(" ")).collect();
    let last = rows.len().saturating_sub(1);
    let row = |(place, row): (usize, &String)| format!("\"{row}{}\"", if place < last { " " } else { "" });
    rows.iter().enumerate().map(row).collect::<Vec<_>>().join(" + ")
}

/// Whether buckets are one byte that counts up from 0.
fn counts_up(values: &[Vec<u8>]) -> bool {
    values
        .iter()
        .enumerate()
        .all(|(number, bytes)| matches!(bytes.as_slice(), [byte] if usize::from(*byte) == number))
}

/// A number; one past the signed ones by its bits.
fn number(number: i128) -> String {
    match i64::try_from(number) {
        Ok(_) => long(number),
        Err(_) => long(i128::from(number as i64)),
    }
}

fn array(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "new byte[0]".to_owned();
    }
    let all: Vec<String> = bytes.iter().map(|byte| (*byte as i8).to_string()).collect();
    format!("new byte[] {{{}}}", all.join(", "))
}

/// A range behind a prefix.
fn end(range: &rowkey_core::KeyRange) -> [String; 2] {
    let stop = match &range.end {
        Bound::Unbounded => "null".to_owned(),
        Bound::Included(end) | Bound::Excluded(end) => array(end),
    };
    [array(&range.first_key()), stop]
}

/// A constant of a field's type.
fn constant(field: &JavaField, value: &Value<'_>) -> String {
    match value {
        Value::Bytes(bytes) => array(bytes),
        Value::Octets(octets) if field.holds != Holds::Uuid => array(octets.as_bytes()),
        Value::Null => "null".to_owned(),
        value => super::test::literal(field, value),
    }
}
