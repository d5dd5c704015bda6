//! The queries of a table in Go: functions that give the ranges to read.

use std::ops::Bound;

use rowkey_core::lowered::Codec;
use rowkey_core::query::{
    Fit, Operand, Parameter, QueryTemplate, TemplateBetween, TemplateBound, TemplateEnd, TemplateLimit,
    TemplatePiece, TemplateSpan,
};
use rowkey_core::types::Kind;
use rowkey_core::{FieldId, KeyRange, Order, Value};

use super::code::{Code, quote_bytes};
use super::encode::Key;
use super::fields::{GoField, GoType};
use super::{Package, naming};
use crate::names;
use crate::queries::{self, QueryDesign};

/// Words that a parameter cannot be named.
const LOCALS: [&str; 47] = [
    "rangeEnd",
    "rangeBound",
    "queryRanges",
    "compareDecimals",
    "bigText",
    "floorDiv",
    "boolByte",
    "query",
    "none",
    "record",
    "err",
    "first",
    "last",
    "low",
    "high",
    "bound",
    "encoded",
    "least",
    "greatest",
    "half",
    "bytes",
    "math",
    "big",
    "sort",
    "break",
    "case",
    "chan",
    "const",
    "continue",
    "default",
    "defer",
    "else",
    "fallthrough",
    "for",
    "func",
    "go",
    "goto",
    "if",
    "import",
    "interface",
    "map",
    "package",
    "range",
    "return",
    "select",
    "struct",
    "switch",
];

/// A sum that stands alone as gofmt prints it; inside a call it has no blanks.
fn spaced(value: &str) -> String {
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let split = |sign: char| value.split_once(sign).filter(|(left, right)| is_name(left) && is_name(right));
    match (split('+'), split('-')) {
        (Some((left, right)), _) if !left.is_empty() => format!("{left} + {right}"),
        (_, Some((left, right))) if !left.is_empty() => format!("{left} - {right}"),
        _ => value.to_owned(),
    }
}

impl Package<'_> {
    /// The functions of all queries.
    pub(super) fn queries(&self) -> String {
        let mut out = Vec::new();
        for (query, function) in self.design.queries.iter().zip(self.query_functions()) {
            let text = match &query.template {
                Ok(template) => self.query(query, template, &function),
                Err(why) => Err(why.clone()),
            };
            out.push(text.unwrap_or_else(|why| {
                let mut code = Code::default();
                code.comment(&format!("There is no {function}, because {}", why.replace('\n', " ")));
                code.text()
            }));
        }
        out.iter().map(|text| text.trim_end()).collect::<Vec<_>>().join("\n\n")
    }

    /// The names of the functions, in the order of the queries.
    pub(super) fn query_functions(&self) -> Vec<String> {
        let names =
            self.design.queries.iter().map(|query| format!("Ranges{}", naming::exported(&query.name)));
        names::unique(names, |_| false)
    }

    /// The key that a template reads by.
    fn key_of(&self, template: &QueryTemplate) -> Key<'_> {
        let name = queries::index(template).and_then(|place| self.indexes.get(place));
        let codec: &Codec = queries::codec(self.design, template);
        Key { codec, fields: &self.fields, name: name.cloned().unwrap_or_default() }
    }

    /// Why the function of a query cannot be printed.
    pub(super) fn query_refusal(&self, query: &QueryDesign) -> Option<String> {
        match &query.template {
            Ok(template) => refusal(template, &self.fields),
            Err(why) => Some(why.clone()),
        }
    }

    fn query(&self, query: &QueryDesign, template: &QueryTemplate, function: &str) -> Result<String, String> {
        if let Some(why) = refusal(template, &self.fields) {
            return Err(why);
        }
        let printer =
            Printer { package: self, key: self.key_of(template), template, parameters: parameters(template) };
        let mut code = Code::default();
        let said = queries::said(self.design, query, template);
        code.comment(&format!("{function} is what the query `{}` reads:", query.name));
        code.line("//");
        code.line(format!("//\t{}", said.source.replace('\n', " ")));
        for sentence in said.sentences {
            code.line("//");
            code.comment(&sentence.replace('\n', " "));
        }
        let all: Vec<String> = template
            .parameters
            .iter()
            .zip(&printer.parameters)
            .map(|(parameter, name)| match (parameter.role, parameter.field()) {
                (Parameter::Pattern(_), _) => format!("{name} string"),
                (_, Some(field)) => format!("{name} {}", printer.field(field).ty.name()),
                (_, None) => format!("{name} int"),
            })
            .collect();
        code.open(format!("func {function}({}) (Ranges, error) {{", all.join(", ")));
        printer.body(&mut code);
        code.close("}");
        Ok(code.text())
    }
}

/// Why a template cannot be printed in Go: numbers that are not negative in a part that has a sign.
fn refusal(template: &QueryTemplate, fields: &[GoField]) -> Option<String> {
    let TemplateEnd::Between(between) = &template.end else { return None };
    let field = fields.get(between.field.0)?;
    let is_wide = matches!(field.ty, GoType::Big | GoType::Int(64, true));
    let is_apart = between.spans.iter().any(|span| span.half.is_some());
    (is_wide && is_apart).then(|| {
        format!(
            "a range of `{}` ({}) in a part of signed numbers cannot be generated in Go: compare it with =",
            field.source, field.declared
        )
    })
}

/// The names of a function's parameters.
pub(super) fn parameters(template: &QueryTemplate) -> Vec<String> {
    let camel = template.parameters.iter().map(|one| names::camel(&one.name));
    let is_taken = |name: &str| {
        LOCALS.contains(&name)
            || matches!(
                name,
                "type" | "var" | "true" | "false" | "nil" | "string" | "byte" | "int" | "append" | "len"
            )
            || ["part", "bucket", "constant", "one"].iter().any(|word| {
                name.strip_prefix(word).is_some_and(|rest| rest.chars().all(|digit| digit.is_ascii_digit()))
            })
    };
    names::unique(camel, is_taken)
}

struct Printer<'d> {
    package: &'d Package<'d>,
    key: Key<'d>,
    template: &'d QueryTemplate,
    parameters: Vec<String>,
}

impl Printer<'_> {
    fn field(&self, id: FieldId) -> &GoField {
        self.package.fields.get(id.0).expect("a field id comes from the fields of its table")
    }

    fn operand(&self, field: FieldId, operand: &Operand) -> String {
        match operand {
            Operand::Parameter(number) => self.parameters.get(*number).cloned().unwrap_or_default(),
            Operand::Constant(value) => constant(self.field(field), value),
        }
    }

    fn body(&self, code: &mut Code) {
        let limit = match self.template.limit {
            None => "-1".to_owned(),
            Some(TemplateLimit::Constant(limit)) => limit.to_string(),
            Some(TemplateLimit::Parameter(number)) => {
                self.parameters.get(number).cloned().unwrap_or_default()
            }
        };
        let reverse = self.template.direction == Order::Descending;
        code.line(format!("none := Ranges{{Reverse: {reverse}, Limit: {limit}}}"));
        for (field, number) in queries::bound_parameters(self.template) {
            self.number_check(code, field, &self.operand(field, &Operand::Parameter(number)));
        }
        for span in &self.template.spans {
            self.span_check(code, span);
        }
        code.line("var query queryRanges");
        self.ends(code);
        let mut given: Vec<(FieldId, String)> = Vec::new();
        for (field, operand) in &self.template.bound {
            if *operand == Operand::Constant(Value::Null) {
                continue;
            }
            let value = self.value(*field, self.operand(*field, operand));
            given.push((*field, self.addressed(code, *field, value, given.len(), operand)));
        }
        for (field, operands) in &self.template.lists {
            let ty = self.field(*field).ty;
            let all: Vec<String> = operands
                .iter()
                .filter(|operand| **operand != Operand::Constant(Value::Null))
                .map(|operand| self.operand(*field, operand))
                .collect();
            let name = format!("one{}", given.len() + 1);
            let has_null = all.len() < operands.len();
            let list = if has_null {
                // Null is a pointer to nothing.
                let pointers: Vec<String> = all
                    .iter()
                    .map(|one| format!("func() *{0} {{ value := {0}({one}); return &value }}()", ty.name()))
                    .collect();
                format!("[]*{}{{nil, {}}}", ty.name(), pointers.join(", "))
            } else {
                format!("[]{}{{{}}}", ty.name(), all.join(", "))
            };
            code.open(format!("for _, {name} := range {list} {{"));
            if ty_is_float(ty) && !has_null {
                code.open(format!("if {name} != {name} {{"));
                code.line("continue");
                code.close("}");
                code.line(format!("{name} += 0"));
            } else if self.field(*field).is_pointer() && !has_null {
                code.line(format!("{name} := {name}"));
            }
            let value = match (self.field(*field).is_pointer(), has_null) {
                (true, false) => format!("&{name}"),
                _ => name.clone(),
            };
            given.push((*field, value));
        }
        self.pieces(code, &given);
        for _ in &self.template.lists {
            code.close("}");
        }
        code.line(format!("return query.ranges(none, {}), nil", self.template.end == TemplateEnd::Row));
    }

    /// A value that may stand in a record: without -0.
    fn value(&self, field: FieldId, value: String) -> String {
        if ty_is_float(self.field(field).ty) { format!("{value} + 0") } else { value }
    }

    /// A value of a record; its address where the record has that.
    fn addressed(
        &self,
        code: &mut Code,
        field: FieldId,
        value: String,
        place: usize,
        operand: &Operand,
    ) -> String {
        if !self.field(field).is_pointer() {
            return value;
        }
        match operand {
            Operand::Parameter(_) if !ty_is_float(self.field(field).ty) => format!("&{value}"),
            _ => {
                let name = format!("constant{}", place + 1);
                code.line(format!("{name} := {value}"));
                format!("&{name}")
            }
        }
    }

    /// Nothing compares with NaN, or with null.
    fn number_check(&self, code: &mut Code, field: FieldId, name: &str) {
        code.open(match self.field(field).ty {
            GoType::F32 | GoType::F64 => format!("if {name} != {name} {{"),
            GoType::Big => format!("if {name} == nil {{"),
            _ => return,
        });
        code.line("return none, nil");
        code.close("}");
    }

    /// A comparison of numbers, or of texts.
    fn compared(&self, field: FieldId, left: &str, sign: &str, right: &str) -> String {
        match self.field(field).ty {
            GoType::Big => format!("{left}.Cmp({right}) {sign} 0"),
            GoType::Decimal => format!("compareDecimals({left}, {right}) {sign} 0"),
            _ => format!("{left} {sign} {right}"),
        }
    }

    /// A whole number of the field's type.
    fn number(&self, field: FieldId, number: i128) -> String {
        if self.field(field).ty == GoType::Big {
            format!("bigText(\"{number}\")")
        } else {
            number.to_string()
        }
    }

    /// `low <= limit`, if numbers of this range may be more.
    fn at_most(&self, field: FieldId, limit: i128) -> Option<String> {
        (limit < self.range(field).1).then(|| self.compared(field, "low", "<=", &self.number(field, limit)))
    }

    /// `high >= limit`, if numbers of this range may be less.
    fn at_least(&self, field: FieldId, limit: i128) -> Option<String> {
        (limit > self.range(field).0).then(|| self.compared(field, "high", ">=", &self.number(field, limit)))
    }

    fn counts(&self, field: FieldId) -> bool {
        matches!(self.field(field).declared.kind(), Kind::Integer | Kind::Time)
    }

    fn range(&self, field: FieldId) -> (i128, i128) {
        let range = self.key.codec.fields.get(field.0).and_then(|field| field.range);
        range.unwrap_or((i64::MIN.into(), i64::MAX.into()))
    }

    /// A bound that is inclusive, if it can be, as an expression of the field's type.
    fn bound(&self, field: FieldId, bound: &TemplateBound, step: i8) -> (String, bool) {
        let operand = self.operand(field, &bound.operand);
        if bound.inclusive || !self.counts(field) {
            return (operand, bound.inclusive);
        }
        let next = match self.field(field).ty {
            GoType::Big => {
                format!("new(big.Int).{}({operand}, big.NewInt(1))", if step < 0 { "Sub" } else { "Add" })
            }
            _ => format!("{operand}{}1", if step < 0 { "-" } else { "+" }),
        };
        (next, true)
    }

    /// Whether a bound that is not inclusive has a next value.
    fn has_next(&self, field: FieldId, bound: &TemplateBound, step: i8) -> Option<String> {
        if bound.inclusive || !self.counts(field) {
            return None;
        }
        let (least, greatest) = self.range(field);
        let operand = self.operand(field, &bound.operand);
        Some(if step < 0 {
            self.compared(field, &operand, ">", &self.number(field, least))
        } else {
            self.compared(field, &operand, "<", &self.number(field, greatest))
        })
    }

    /// Returns where no value lies in a span.
    fn span_check(&self, code: &mut Code, span: &TemplateSpan) {
        let mut tests = Vec::new();
        for (bound, step) in [(&span.lower, 1), (&span.upper, -1)] {
            let Some(bound) = bound else { continue };
            if let Operand::Parameter(_) = bound.operand {
                self.number_check(code, span.field, &self.operand(span.field, &bound.operand));
                tests.extend(self.has_next(span.field, bound, step).map(|test| opposite(&test)));
            }
        }
        if let (Some(lower), Some(upper)) = (&span.lower, &span.upper) {
            let ((low, low_in), (high, high_in)) =
                (self.bound(span.field, lower, 1), self.bound(span.field, upper, -1));
            let sign = if low_in && high_in { ">" } else { ">=" };
            tests.push(match self.field(span.field).ty {
                GoType::Uuid | GoType::Array(_) => {
                    let (low, high) = (sliced(&lower.operand, &low), sliced(&upper.operand, &high));
                    format!("bytes.Compare({low}, {high}) {sign} 0")
                }
                GoType::Bytes => format!("bytes.Compare({low}, {high}) {sign} 0"),
                _ => self.compared(span.field, &low, sign, &high),
            });
        }
        if !tests.is_empty() {
            code.open(format!("if {} {{", tests.join(" || ")));
            code.line("return none, nil");
            code.close("}");
        }
    }

    /// Sets what follows the prefixes.
    fn ends(&self, code: &mut Code) {
        match &self.template.end {
            TemplateEnd::Row => code.line("query.ends = []rangeEnd{{stop: []byte{0}}}"),
            TemplateEnd::Prefix => code.line("query.ends = []rangeEnd{{}}"),
            TemplateEnd::Constant(ranges) => {
                code.open("query.ends = []rangeEnd{");
                for range in ranges {
                    code.line(format!("{},", end(range).trim_start_matches("rangeEnd")));
                }
                code.close("}");
            }
            TemplateEnd::Between(between) => {
                match (between.spans.first().and_then(|span| span.half), between.fit) {
                    (Some(_), Some(fit)) => self.halves(code, between, fit),
                    _ => between.spans.iter().for_each(|span| self.between(code, between, span)),
                }
            }
        }
    }

    /// Sets a variable to the bytes of a bound.
    fn encoded(&self, code: &mut Code, between: &TemplateBetween, name: &str, value: &str, inclusive: bool) {
        let field = self.field(between.field);
        let address = if field.is_pointer() { "&" } else { "" };
        code.line(format!("bound := Record{{{}: {address}{value}}}", field.name));
        for (place, step) in between.steps.clone().enumerate() {
            let (before, sign) = if place == 0 { ("[]byte{}", ":=") } else { ("encoded", "=") };
            code.line(format!("encoded, err {sign} bound.{}({before})", self.key.part_name(step)));
            code.open("if err != nil {");
            code.line("return none, err");
            code.close("}");
        }
        let encoded = if between.delimiter.is_empty() {
            "encoded".to_owned()
        } else {
            format!("append(encoded, {}...)", quote_bytes(&between.delimiter))
        };
        code.line(format!("{name} = &rangeBound{{{encoded}, {inclusive}}}"));
    }

    fn between(&self, code: &mut Code, between: &TemplateBetween, span: &TemplateSpan) {
        let range = self.range(between.field);
        let mut tests = Vec::new();
        let bounds = [(&span.lower, 1_i8, "low"), (&span.upper, -1, "high")];
        code.open("{");
        let is_checked = self.template.spans.iter().any(|own| own.field == between.field);
        let exclusive: Vec<String> = bounds
            .iter()
            .filter(|_| !is_checked)
            .filter_map(|(bound, step, _)| self.has_next(between.field, bound.as_ref()?, *step))
            .collect();
        if !exclusive.is_empty() {
            code.open(format!("if {} {{", exclusive.join(" && ")));
        }
        let mut set = Vec::new();
        for (bound, step, name) in bounds {
            let Some(bound) = bound else { continue };
            let (value, inclusive) = self.bound(between.field, bound, step);
            code.line(format!("{name} := {}", spaced(&self.value(between.field, value))));
            set.push((name, inclusive));
        }
        let has = |name: &str| set.iter().find(|(own, _)| *own == name).map(|(_, inclusive)| *inclusive);
        let (low, high) = (has("low"), has("high"));
        if let Some(fit) = between.fit {
            tests.extend(low.and_then(|_| self.at_most(between.field, fit.max)));
            tests.extend(high.and_then(|_| self.at_least(between.field, fit.min)));
        }
        if !tests.is_empty() {
            code.open(format!("if {} {{", tests.join(" && ")));
        }
        code.line("var first, last *rangeBound");
        let past = |name: &str| match (name, between.fit) {
            (_, None) => None,
            ("low", Some(fit)) => (fit.min >= range.0 && fit.min < range.1)
                .then(|| self.compared(between.field, "low", ">", &self.number(between.field, fit.min))),
            (_, Some(fit)) => (fit.max <= range.1 && fit.max > range.0)
                .then(|| self.compared(between.field, "high", "<", &self.number(between.field, fit.max))),
        };
        for (inclusive, name, variable) in [(low, "low", "first"), (high, "high", "last")] {
            let Some(inclusive) = inclusive else { continue };
            let inclusive = inclusive || !between.strict;
            let test = past(name);
            code.open(test.map_or("{".to_owned(), |test| format!("if {test} {{")));
            if let Some(apart) = between.fit.map(|fit| fit.apart).filter(|apart| *apart != 1) {
                // Inwards, to a time that the part can hold.
                code.line(match name {
                    "low" => format!("low = -floorDiv(-low, {apart}) * {apart}"),
                    _ => format!("high = floorDiv(high, {apart}) * {apart}"),
                });
            }
            self.encoded(code, between, variable, name, inclusive);
            code.close("}");
        }
        self.add(code, between);
        if !tests.is_empty() {
            code.close("}");
        }
        if !exclusive.is_empty() {
            code.close("}");
        }
        code.close("}");
    }

    fn add(&self, code: &mut Code, between: &TemplateBetween) {
        let order = if between.falling { "last, first" } else { "first, last" };
        code.line(format!("query.between({order}, {}, {})", between.whole_key, end(&between.area)));
    }

    fn halves(&self, code: &mut Code, between: &TemplateBetween, fit: Fit) {
        let Some(span) = between.spans.first() else { return };
        let ty = self.field(between.field).ty.name();
        let bound = |bound: &Option<TemplateBound>, step, past: i128| {
            bound.as_ref().map_or(past.to_string(), |bound| self.bound(between.field, bound, step).0)
        };
        // 64 bits, as the field may hold fewer or more numbers than the part.
        let low = format!("int64({})", bound(&span.lower, 1, fit.min));
        let high = format!("int64({})", bound(&span.upper, -1, fit.max));
        code.line(format!("low, high := {low}, {high}"));
        code.open(format!("if low <= {} && high >= {} {{", fit.min, fit.max));
        code.line(format!(
            "query.ends = []rangeEnd{{{}}}",
            end(&between.area).trim_start_matches("rangeEnd")
        ));
        code.other("} else {");
        let halves: Vec<String> = between
            .spans
            .iter()
            .filter_map(|span| span.half)
            .map(|(from, to)| format!("{{{from}, {to}}}"))
            .collect();
        code.line("// Numbers below zero and the others lie apart.");
        code.open(format!("for _, half := range [][2]int64{{{}}} {{", halves.join(", ")));
        code.line("least, greatest := half[0], half[1]");
        for (name, sign, bound) in [("least", "<", "low"), ("greatest", ">", "high")] {
            code.open(format!("if {name} {sign} {bound} {{"));
            code.line(format!("{name} = {bound}"));
            code.close("}");
        }
        code.open("if least > greatest {");
        code.line("continue");
        code.close("}");
        code.line("var first, last *rangeBound");
        for (number, variable) in [("least", "first"), ("greatest", "last")] {
            code.open("{");
            code.line(format!("value := {ty}({number})"));
            self.encoded(code, between, variable, "value", true);
            code.close("}");
        }
        self.add(code, between);
        code.close("}");
        code.close("}");
    }

    /// Adds the ranges of one combination of values.
    fn pieces(&self, code: &mut Code, given: &[(FieldId, String)]) {
        let has_steps = self.template.pieces.iter().any(|piece| matches!(piece, TemplatePiece::Step { .. }));
        if has_steps {
            let values: Vec<String> =
                given.iter().map(|(field, value)| format!("{}: {value}", self.field(*field).name)).collect();
            code.line(format!("record := Record{{{}}}", values.join(", ")));
        }
        let nothing = if self.template.lists.is_empty() { "return none, nil" } else { "continue" };
        let (mut prefix, mut rank, mut buckets) = (Vec::new(), Vec::new(), Vec::new());
        for piece in &self.template.pieces {
            match piece {
                TemplatePiece::Literal(literal) => {
                    prefix.push(format!("[]byte({})", quote_bytes(literal)));
                    rank.push(format!("[]byte({})", quote_bytes(literal)));
                }
                TemplatePiece::Step { step, ranked } => {
                    let name = format!("part{}", step + 1);
                    if self.key.codec.row_salt.is_some() && *step == 0 {
                        code.line(format!("{name}, err := record.{}Key()", self.key.name));
                    } else {
                        code.line(format!("{name}, err := record.{}(nil)", self.key.part_name(*step)));
                    }
                    code.open("if err != nil {");
                    code.line("// No row has these values.");
                    code.line(nothing);
                    code.close("}");
                    let slice = if self.key.codec.row_salt.is_some() && *step == 0 { "[:1]" } else { "" };
                    prefix.push(format!("{name}{slice}"));
                    if *ranked {
                        rank.push(format!("{name}{slice}"));
                    }
                }
                TemplatePiece::Buckets { step, values } => {
                    buckets.push((format!("bucket{}", step + 1), values));
                    let name = format!("bucket{}", step + 1);
                    prefix.push(if counts_up(values) {
                        format!("[]byte{{byte({name})}}")
                    } else {
                        format!("[]byte({name})")
                    });
                }
            }
        }
        for (name, values) in &buckets {
            if counts_up(values) {
                code.open(format!("for {name} := 0; {name} < {}; {name}++ {{", values.len()));
            } else {
                let all: Vec<String> = values.iter().map(|bytes| quote_bytes(bytes)).collect();
                code.open(format!("for _, {name} := range []string{{{}}} {{", all.join(", ")));
            }
        }
        let sum = |parts: Vec<String>| match parts.as_slice() {
            [] => "nil".to_owned(),
            [only] => only.clone(),
            several => format!("joined({})", several.join(", ")),
        };
        code.line(format!("query.add({}, {})", sum(prefix), sum(rank)));
        for _ in &buckets {
            code.close("}");
        }
    }
}

/// Whether buckets are one byte that counts up from 0.
fn counts_up(values: &[Vec<u8>]) -> bool {
    values
        .iter()
        .enumerate()
        .all(|(number, bytes)| matches!(bytes.as_slice(), [byte] if usize::from(*byte) == number))
}

/// The bytes of an array; those of a constant have no address.
fn sliced(operand: &Operand, code: &str) -> String {
    match operand {
        Operand::Constant(Value::Octets(octets)) => format!("[]byte({})", quote_bytes(octets.as_bytes())),
        _ => format!("{code}[:]"),
    }
}

fn ty_is_float(ty: GoType) -> bool {
    matches!(ty, GoType::F32 | GoType::F64)
}

/// The test that is true where this is not.
fn opposite(test: &str) -> String {
    match test.split_once(" < ") {
        Some((left, right)) => format!("{left} >= {right}"),
        None => test.replacen(" > ", " <= ", 1),
    }
}

/// A range behind a prefix.
fn end(range: &KeyRange) -> String {
    let mut parts = Vec::new();
    let start = range.first_key();
    if !start.is_empty() {
        parts.push(format!("start: []byte({})", quote_bytes(&start)));
    }
    match &range.end {
        Bound::Unbounded => {}
        Bound::Included(end) | Bound::Excluded(end) => {
            parts.push(format!("stop: []byte({})", quote_bytes(end)))
        }
    }
    format!("rangeEnd{{{}}}", parts.join(", "))
}

/// A constant of a field's type.
fn constant(field: &GoField, value: &Value<'_>) -> String {
    let plain = GoField { nullable: false, ..field.clone() };
    let literal = super::vectors::literal(&plain, value).replace("wide(", "bigText(");
    match field.ty {
        GoType::Int(..) | GoType::F32 | GoType::F64 | GoType::Text | GoType::Decimal | GoType::Bool => {
            format!("{}({literal})", field.ty.name())
        }
        _ => literal,
    }
}
