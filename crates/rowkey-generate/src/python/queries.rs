//! The queries of a table: functions that give the ranges to read.

use rowkey_core::lowered::{Codec, CodecField};
use rowkey_core::query::{
    Operand, Parameter, QueryTemplate, TemplateBetween, TemplateBound, TemplateEnd, TemplateLimit,
    TemplatePiece, TemplateSpan,
};
use rowkey_core::types::Kind;
use rowkey_core::{FieldId, KeyRange, Order, Value};
use std::ops::Bound;

use super::layout::{Py, atom, bytes, call, quoted_bytes, statement};
use super::record::{Names, docstring, fields, is_required, one_line, type_name, value};
use crate::queries::{self, QueryDesign};
use crate::{Design, names};

/// Words that a parameter cannot have for a name.
const LOCALS: [&str; 46] = [
    "pieces",
    "ends",
    "record",
    "low",
    "high",
    "least",
    "greatest",
    "first",
    "last",
    "rank",
    "bucket",
    "key",
    "prefixes",
    "none",
    "self",
    "math",
    "head",
    "tail",
    "before",
    "area",
    "bytes",
    "len",
    // What the functions call.
    "range",
    "set",
    "sorted",
    "min",
    "max",
    "abs",
    "int",
    "float",
    "str",
    "bool",
    "list",
    "tuple",
    "zip",
    "enumerate",
    "isinstance",
    "type",
    "any",
    "all",
    "decimal",
    "uuid",
    "ipaddress",
    "struct",
    "datetime",
    "operator",
];

/// Prints all functions.
pub(super) fn print(out: &mut String, design: &Design, names: &Names) {
    let suffixes = super::columns::suffixes(design);
    for (query, function) in design.queries.iter().zip(functions(design)) {
        match &query.template {
            Ok(template) => {
                let suffix = queries::index(template).and_then(|place| suffixes.get(place)).cloned();
                let suffix = suffix.unwrap_or_default();
                let codec = queries::codec(design, template);
                Printer { design, names, codec, template, suffix, parameters: parameters(template) }
                    .print(out, query, &function);
            }
            Err(why) => {
                out.push_str(&format!("\n\n# There is no {function}, because {}\n", one_line(why)));
            }
        }
    }
}

/// The names of the functions, in the order of the queries.
pub(super) fn functions(design: &Design) -> Vec<String> {
    let names = design.queries.iter().map(|query| format!("ranges_{}", names::snake(&query.name)));
    names::unique(names, |_| false)
}

/// The names of a function's parameters.
pub(super) fn parameters(template: &QueryTemplate) -> Vec<String> {
    let snake = template.parameters.iter().map(|one| names::snake(&one.name));
    names::unique(snake, |name| LOCALS.contains(&name) || super::record::is_taken(name))
}

struct Printer<'d> {
    design: &'d Design,
    names: &'d Names,
    codec: &'d Codec,
    template: &'d QueryTemplate,
    suffix: String,
    parameters: Vec<String>,
}

impl Printer<'_> {
    fn print(&self, out: &mut String, query: &QueryDesign, function: &str) {
        let parameters = self.template.parameters.iter().zip(&self.parameters).map(|(parameter, name)| {
            let ty = parameter.field().map_or("int", |field| type_name(self.field(field).ty.kind()));
            let ty = if matches!(parameter.role, Parameter::Pattern(_)) { "str" } else { ty };
            atom(format!("{name}: {ty}"))
        });
        out.push_str("\n\n");
        statement(out, 0, &format!("def {function}"), &call("", parameters), " -> Ranges:");
        let said = queries::said(self.design, query, self.template);
        let mut text = format!(
            "What the query `{}` reads:\n\n    - `{}`\n",
            one_line(&query.name),
            one_line(&said.source)
        );
        for sentence in said.sentences {
            text.push_str(&format!("\n    {}\n", one_line(&sentence)));
        }
        text.push_str("    ");
        out.push_str(&format!("    {}\n", docstring(&text)));
        let mut lines = Body { out: String::new(), indent: 4 };
        self.body(&mut lines);
        out.push_str(&lines.out);
    }

    fn field(&self, id: FieldId) -> &CodecField {
        self.codec.fields.get(id.0).expect("a field id comes from the fields of its codec")
    }

    fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Parameter(number) => self.parameters.get(*number).cloned().unwrap_or_default(),
            Operand::Constant(constant) => value(constant).flat(),
        }
    }

    /// A record of these values, with something of its type for each further field that a record must have.
    fn record(&self, given: &[(FieldId, String)]) -> Py {
        let all = fields(self.design).filter_map(|(id, field)| {
            let value = match given.iter().find(|(own, _)| *own == id) {
                Some((_, value)) => value.clone(),
                None if is_required(field) => nothing(field.ty.kind()).to_owned(),
                None => return None,
            };
            Some(atom(format!("{}={value}", self.names.attribute(id))))
        });
        call("Record", all)
    }

    fn limit(&self) -> String {
        match self.template.limit {
            None => "None".to_owned(),
            Some(TemplateLimit::Constant(limit)) => limit.to_string(),
            Some(TemplateLimit::Parameter(number)) => self.operand(&Operand::Parameter(number)),
        }
    }

    fn nothing(&self) -> String {
        format!("return Ranges([], {}, {})", self.reverse(), self.limit())
    }

    fn reverse(&self) -> &'static str {
        if self.template.direction == Order::Descending { "True" } else { "False" }
    }

    fn body(&self, out: &mut Body) {
        for (field, number) in queries::bound_parameters(self.template) {
            let name = self.operand(&Operand::Parameter(number));
            self.number_check(out, field, &name);
        }
        for span in &self.template.spans {
            self.span_check(out, span);
        }
        out.line("pieces: List[_Piece] = []");
        self.ends(out);
        let is_loop = !self.template.lists.is_empty();
        let mut given: Vec<(FieldId, String)> =
            self.template.bound.iter().map(|(field, operand)| (*field, self.operand(operand))).collect();
        for (field, operands) in &self.template.lists {
            let all = operands.iter().map(|operand| atom(self.operand(operand))).collect();
            let all = Py::Brackets { open: "(".to_owned(), inner: all, close: ')' };
            let name = format!("one_{}", names::snake(&self.field(*field).name));
            let nulls = operands.contains(&Operand::Constant(Value::Null));
            let is_float = self.field(*field).ty.kind() == Kind::Float && !nulls;
            let zero = if is_float { " + 0.0" } else { "" };
            statement(&mut out.out, out.indent, &format!("for {name} in "), &all, ":");
            out.indent += 4;
            if !zero.is_empty() {
                out.line(&format!("if math.isnan({name}):"));
                out.line("    continue");
            }
            given.push((*field, format!("{name}{zero}")));
        }
        for (field, value) in given.iter_mut().take(self.template.bound.len()) {
            if self.field(*field).ty.kind() == Kind::Float && value != "None" {
                value.push_str(" + 0.0");
            }
        }
        self.pieces(out, &given, is_loop);
        out.indent = 4;
        let rows = if self.template.end == TemplateEnd::Row { ", rows=True" } else { "" };
        out.line(&format!("return _ranges(pieces, {}, {}{rows})", self.reverse(), self.limit()));
    }

    /// Nothing compares with NaN.
    fn number_check(&self, out: &mut Body, field: FieldId, name: &str) {
        if self.field(field).ty.kind() == Kind::Float {
            out.line(&format!("if math.isnan({name}):"));
            out.line(&format!("    {}", self.nothing()));
        }
    }

    fn counts(&self, field: FieldId) -> bool {
        matches!(self.field(field).ty.kind(), Kind::Integer | Kind::Time)
    }

    /// A bound as an expression, and whether it is inclusive then.
    fn bound(&self, field: FieldId, bound: &TemplateBound, step: i8) -> (String, bool) {
        let operand = self.operand(&bound.operand);
        if bound.inclusive || !self.counts(field) {
            return (operand, bound.inclusive);
        }
        (format!("{operand} {} 1", if step < 0 { "-" } else { "+" }), true)
    }

    /// Whether a bound that is not inclusive is the last value of its type, so that there is no next one; and whether it is not.
    fn past(&self, field: FieldId, bound: &TemplateBound, step: i8) -> Option<[String; 2]> {
        if bound.inclusive || !self.counts(field) {
            return None;
        }
        let times = (i128::from(i64::MIN), i128::from(i64::MAX));
        let range = self.field(field).range.filter(|_| self.field(field).ty.kind() == Kind::Integer);
        let (least, greatest) = range.unwrap_or(times);
        let operand = self.operand(&bound.operand);
        Some(match step {
            1 => [format!("{operand} >= {greatest}"), format!("{operand} < {greatest}")],
            _ => [format!("{operand} <= {least}"), format!("{operand} > {least}")],
        })
    }

    /// Returns where no value lies in a span.
    fn span_check(&self, out: &mut Body, span: &TemplateSpan) {
        for bound in [&span.lower, &span.upper].into_iter().flatten() {
            if let Operand::Parameter(_) = bound.operand {
                self.number_check(out, span.field, &self.operand(&bound.operand));
            }
        }
        let mut tests = Vec::new();
        for (bound, step) in [(&span.lower, 1), (&span.upper, -1)] {
            tests.extend(
                bound.as_ref().and_then(|bound| self.past(span.field, bound, step)).map(|[past, _]| past),
            );
        }
        if let (Some(lower), Some(upper)) = (&span.lower, &span.upper) {
            let ((low, low_in), (high, high_in)) =
                (self.bound(span.field, lower, 1), self.bound(span.field, upper, -1));
            let sign = if low_in && high_in { ">" } else { ">=" };
            tests.push(format!("{low} {sign} {high}"));
        }
        for test in tests {
            out.line(&format!("if {test}:"));
            out.line(&format!("    {}", self.nothing()));
        }
    }

    fn part(&self, step: usize, record: &str) -> String {
        format!("_part_{}{}({record})", step + 1, self.suffix)
    }

    /// Sets `ends`, what follows the prefixes.
    fn ends(&self, out: &mut Body) {
        match &self.template.end {
            TemplateEnd::Row => out.line("ends: List[_End] = [(b\"\", b\"\\x00\")]"),
            TemplateEnd::Prefix => out.line("ends: List[_End] = [(b\"\", None)]"),
            TemplateEnd::Constant(ranges) => {
                let all = Py::Brackets {
                    open: "[".to_owned(),
                    inner: ranges.iter().map(end).collect(),
                    close: ']',
                };
                statement(&mut out.out, out.indent, "ends: List[_End] = ", &all, "");
            }
            TemplateEnd::Between(between) => {
                out.line("ends: List[_End] = []");
                match between.spans.first().and_then(|span| span.half) {
                    Some(_) => self.halves(out, between),
                    None => between.spans.iter().for_each(|span| self.between(out, between, span)),
                }
            }
        }
    }

    /// Sets a variable to the bytes of a bound.
    fn encoded(&self, out: &mut Body, between: &TemplateBetween, name: &str, bound: &str, inclusive: bool) {
        statement(
            &mut out.out,
            out.indent,
            "record = ",
            &self.record(&[(between.field, bound.to_owned())]),
            "",
        );
        for (place, step) in between.steps.clone().enumerate() {
            out.line(&format!("key {} {}", if place == 0 { "=" } else { "+=" }, self.part(step, "record")));
        }
        if !between.delimiter.is_empty() {
            out.line(&format!("key += {}", quoted_bytes(&between.delimiter)));
        }
        out.line(&format!("{name} = (key, {})", if inclusive { "True" } else { "False" }));
    }

    fn between(&self, out: &mut Body, between: &TemplateBetween, span: &TemplateSpan) {
        let base = out.indent;
        let mut names = [None, None];
        let bounds = [(&span.lower, 1, "low"), (&span.upper, -1, "high")];
        for (slot, (bound, step, name)) in names.iter_mut().zip(bounds) {
            let Some(bound) = bound else { continue };
            let (mut code, inclusive) = self.bound(between.field, bound, step);
            if self.field(between.field).ty.kind() == Kind::Float {
                code.push_str(" + 0.0");
            }
            out.line(&format!("{name} = {code}"));
            *slot = Some((name, inclusive));
        }
        let [low, high] = names;
        let mut tests = Vec::new();
        // Spans of the whole query were looked at before.
        if self.template.spans.iter().all(|own| own.field != between.field) {
            let past =
                |(bound, step): (&Option<TemplateBound>, i8)| self.past(between.field, bound.as_ref()?, step);
            tests.extend(
                [(&span.lower, 1), (&span.upper, -1)].into_iter().filter_map(past).map(|[_, not]| not),
            );
        }
        if let Some(fit) = between.fit {
            tests.extend(low.map(|_| format!("low <= {}", fit.max)));
            tests.extend(high.map(|_| format!("high >= {}", fit.min)));
        }
        if !tests.is_empty() {
            out.line(&format!("if {}:", tests.join(" and ")));
            out.indent += 4;
        }
        for (bound, name, past) in [
            (low, "first", between.fit.map(|fit| format!("low > {}", fit.min))),
            (high, "last", between.fit.map(|fit| format!("high < {}", fit.max))),
        ] {
            let Some((variable, inclusive)) = bound else {
                out.line(&format!("{name} = None"));
                continue;
            };
            let inclusive = inclusive || !between.strict;
            match past {
                Some(past) => {
                    out.line(&format!("{name} = None"));
                    out.line(&format!("if {past}:"));
                    out.indent += 4;
                    if let Some(apart) = between.fit.map(|fit| fit.apart).filter(|apart| *apart != 1) {
                        // Inwards, to a time that the part can hold.
                        out.line(&match variable {
                            "low" => format!("low = -(-low // {apart}) * {apart}"),
                            _ => format!("high = high // {apart} * {apart}"),
                        });
                    }
                    self.encoded(out, between, name, variable, inclusive);
                    out.indent -= 4;
                }
                None => self.encoded(out, between, name, variable, inclusive),
            }
        }
        let order = if between.falling { "last, first" } else { "first, last" };
        self.add(out, between, order);
        out.indent = base;
    }

    fn add(&self, out: &mut Body, between: &TemplateBetween, order: &str) {
        let (one, other) = order.split_once(", ").unwrap_or_default();
        let whole = if between.whole_key { "True" } else { "False" };
        let between = call("_between", [atom(one), atom(other), atom(whole), end(&between.area)]);
        statement(&mut out.out, out.indent, "ends += ", &between, "");
    }

    fn halves(&self, out: &mut Body, between: &TemplateBetween) {
        let (Some(span), Some(fit)) = (between.spans.first(), between.fit) else { return };
        let low =
            span.lower.as_ref().map_or(fit.min.to_string(), |bound| self.bound(between.field, bound, 1).0);
        let high =
            span.upper.as_ref().map_or(fit.max.to_string(), |bound| self.bound(between.field, bound, -1).0);
        out.line(&format!("low = {low}"));
        out.line(&format!("high = {high}"));
        out.line(&format!("if low <= {} and high >= {}:", fit.min, fit.max));
        out.line(&format!("    ends.append({})", end(&between.area).flat()));
        out.line("else:");
        let halves = between.spans.iter().filter_map(|span| span.half);
        let halves = halves.map(|(from, to)| atom(format!("({from}, {to})"))).collect();
        let halves = Py::Brackets { open: "(".to_owned(), inner: halves, close: ')' };
        out.line("    # numbers below zero and the others lie apart");
        statement(&mut out.out, out.indent + 4, "for least, greatest in ", &halves, ":");
        out.line("        least, greatest = max(least, low), min(greatest, high)");
        out.line("        if least <= greatest:");
        let base = out.indent;
        out.indent += 12;
        self.encoded(out, between, "first", "least", true);
        self.encoded(out, between, "last", "greatest", true);
        self.add(out, between, if between.falling { "last, first" } else { "first, last" });
        out.indent = base;
    }

    /// Adds the ranges of one combination of values.
    fn pieces(&self, out: &mut Body, given: &[(FieldId, String)], is_loop: bool) {
        let has_steps = self.template.pieces.iter().any(|piece| matches!(piece, TemplatePiece::Step { .. }));
        if has_steps {
            statement(&mut out.out, out.indent, "record = ", &self.record(given), "");
            out.line("try:");
            for piece in &self.template.pieces {
                if let TemplatePiece::Step { step, .. } = piece {
                    let code = if self.codec.row_salt.is_some() && *step == 0 {
                        format!("encode{}(record)[:1]", self.suffix)
                    } else {
                        self.part(*step, "record")
                    };
                    out.line(&format!("    part_{} = {code}", step + 1));
                }
            }
            out.line("except RowKeyError:");
            out.line("    # no row has these values");
            let nothing = self.nothing();
            out.line(&format!("    {}", if is_loop { "continue" } else { nothing.as_str() }));
        }
        let (mut prefix, mut rank) = (Vec::new(), Vec::new());
        let base = out.indent;
        for piece in &self.template.pieces {
            match piece {
                TemplatePiece::Literal(literal) => {
                    prefix.push(quoted_bytes(literal));
                    rank.push(quoted_bytes(literal));
                }
                TemplatePiece::Step { step, ranked } => {
                    prefix.push(format!("part_{}", step + 1));
                    if *ranked {
                        rank.push(format!("part_{}", step + 1));
                    }
                }
                TemplatePiece::Buckets { step, values } => {
                    let name = format!("bucket_{}", step + 1);
                    if let Some(width) = counting(values) {
                        out.line(&format!("for {name} in range({}):", values.len()));
                        prefix.push(format!("{name}.to_bytes({width}, \"big\")"));
                    } else {
                        let all = values.iter().map(|bytes| atom(quoted_bytes(bytes))).collect();
                        let all = Py::Brackets { open: "[".to_owned(), inner: all, close: ']' };
                        statement(&mut out.out, out.indent, &format!("for {name} in "), &all, ":");
                        prefix.push(name);
                    }
                    out.indent += 4;
                }
            }
        }
        let sum = |parts: Vec<String>| match parts.is_empty() {
            true => atom("b\"\""),
            false => atom(parts.join(" + ")),
        };
        let add = call("_add_ranges", [atom("pieces"), sum(prefix), sum(rank), atom("ends")]);
        statement(&mut out.out, out.indent, "", &add, "");
        out.indent = base;
    }
}

/// Lines of a function.
struct Body {
    out: String,
    indent: usize,
}

impl Body {
    fn line(&mut self, text: &str) {
        self.out.push_str(&" ".repeat(self.indent));
        self.out.push_str(text);
        self.out.push('\n');
    }
}

/// The bytes of each bucket, if they are numbers that count up.
fn counting(values: &[Vec<u8>]) -> Option<usize> {
    let width = values.first().map_or(0, Vec::len);
    let counts = values.iter().enumerate().all(|(number, bytes)| {
        let number = (number as u128).to_be_bytes();
        number.get(16 - width.min(16)..) == Some(bytes.as_slice())
    });
    counts.then_some(width)
}

/// A range behind a prefix.
fn end(range: &KeyRange) -> Py {
    let stop = match &range.end {
        Bound::Unbounded => atom("None"),
        Bound::Included(end) | Bound::Excluded(end) => bytes(end),
    };
    atom(format!("({}, {})", quoted_bytes(&range.first_key()), stop.flat()))
}

/// A value of a kind that is not looked at.
fn nothing(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer | Kind::Time => "0",
        Kind::Float => "0.0",
        Kind::Numeric => "decimal.Decimal(0)",
        Kind::Text => "\"\"",
        Kind::Bytes => "b\"\"",
        Kind::Bool => "False",
        Kind::Octets(own) => match own.width() {
            4 => "ipaddress.IPv4Address(0)",
            _ if super::record::octets(own).0 == "ipv6" => "ipaddress.IPv6Address(0)",
            _ => "uuid.UUID(int=0)",
        },
    }
}
