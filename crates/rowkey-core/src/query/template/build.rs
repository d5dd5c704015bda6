//! From the form of a query to a template: the walk of [`super::super::walk`], with what will be known for what is known.

use super::form::{Form, Forms};
use super::{
    Fit, Operand, QueryTemplate, TemplateBetween, TemplateEnd, TemplatePiece, TemplateRefusal, TemplateSpan,
};
use crate::key::{Boundary, FieldId, KeySchema, Sorting, Step, ValueStep};
use crate::query::bounds::value_area;
use crate::query::choose::{identities, may_miss};
use crate::query::guess::Guess;
use crate::query::order::Given;
use crate::query::piece::{Arranged, RankedRange, Relative};
use crate::query::plan::{MAX_FAN_OUT, MAX_GETS, Plan, PlanError, PlanOptions, Via, Ways, finish};
use crate::query::price::estimate;
use crate::query::walk::{Known, Walk};
use crate::range::KeyRange;
use crate::table::Table;
use crate::types::{Nulls, Order, Type};
use crate::value::Value;

/// The template of a query over a table and its index tables, or over the one that the options name; the best by its form.
///
/// # Errors
/// When neither the table nor an index table can answer it before its values are known: the reason of the table.
pub fn template(
    table: &Table,
    source: &str,
    options: &PlanOptions,
) -> Result<QueryTemplate, TemplateRefusal> {
    let forms = Forms::read(source, table.key.fields())
        .map_err(|findings| TemplateRefusal::Unreadable(Box::new(findings)))?;
    let asked = identities(table, &forms.query);
    let is_left = |template: &QueryTemplate| {
        template.conditions.iter().flat_map(|(_, fields)| fields).any(|field| table.identity.contains(field))
    };
    let is_asked = |name: &str| options.by.as_deref().is_none_or(|by| by == name);
    let mut refused = None;
    let mut best: Option<(QueryTemplate, f64)> = None;
    let mut take = |drawn: Result<Drawn, TemplateRefusal>| match drawn {
        Ok(Drawn { template, mut plan, guess }) => {
            plan.via = template.via;
            let most = asked.filter(|_| !is_left(&template));
            let cost = estimate(&plan, None, guess, most, &options.prices).cost;
            if best.as_ref().is_none_or(|(_, least)| cost < *least) {
                best = Some((template, cost));
            }
        }
        Err(why) => drop(refused.get_or_insert(why)),
    };
    if is_asked(&table.name) {
        take(draw(&table.key, &forms, options));
    }
    for (place, index) in table.indexes.iter().enumerate().filter(|(_, index)| is_asked(&index.name)) {
        if may_miss(table, index, &forms.query).is_some() {
            continue;
        }
        let options = PlanOptions { full_scan: false, ..options.clone() };
        take(draw(&index.key, &forms, &options).map(|mut drawn| {
            let mut there = index.key.recoverable();
            there.extend(&index.columns);
            let all = || table.key.fields().iter().map(|(field, _)| field).collect();
            let mut needed: Vec<FieldId> = options.columns.clone().unwrap_or_else(all);
            needed.extend(drawn.template.conditions.iter().flat_map(|(_, fields)| fields));
            needed.extend(drawn.template.sort.iter().map(|(field, _)| *field));
            let covered = needed.iter().all(|field| there.contains(field));
            drawn.template.via = Via::Index { index: place, covered };
            drawn
        }));
    }
    match (best, refused) {
        (Some((template, _)), _) => Ok(template),
        (None, Some(why)) => Err(why),
        (None, None) => template_by_key(&table.key, source, options),
    }
}

/// The template of a query over a key.
///
/// # Errors
/// When it cannot be planned before its values are known.
pub fn template_by_key(
    key: &KeySchema,
    source: &str,
    options: &PlanOptions,
) -> Result<QueryTemplate, TemplateRefusal> {
    let forms = Forms::read(source, key.fields())
        .map_err(|findings| TemplateRefusal::Unreadable(Box::new(findings)))?;
    Ok(draw(key, &forms, options)?.template)
}

/// A template, and a plan of the same form by which it is priced.
struct Drawn {
    template: QueryTemplate,
    plan: Plan,
    guess: Guess,
}

fn draw(key: &KeySchema, forms: &Forms, options: &PlanOptions) -> Result<Drawn, TemplateRefusal> {
    if forms.is_impossible() || key.fields().iter().any(|(id, field)| is_past(forms.form(id), field.ty)) {
        return Err(TemplateRefusal::Nothing);
    }
    for (field, _) in &forms.query.order_by {
        if let Form::Refused(why @ (TemplateRefusal::Several { .. } | TemplateRefusal::Or { .. })) =
            forms.form(*field)
        {
            // Whether it has one value, and so is in every order, is not known.
            return Err(why.clone());
        }
    }
    let mut known = Known::new(key, &forms.conjuncts, options);
    known.sets = forms.sets();
    let mut pen = Pen {
        key,
        forms,
        known: &known,
        bound: Vec::new(),
        lists: Vec::new(),
        pieces: Vec::new(),
        heads: 1,
        exact: Vec::new(),
        used: Vec::new(),
        narrowed: false,
        stopped_at: 0,
    };
    let end = pen.run()?;
    let Pen { bound, lists, pieces, exact, mut used, narrowed, stopped_at, heads, .. } = pen;
    let by_field = |conjunct: &crate::query::conjunct::Conjunct| {
        conjunct.exact && conjunct.field.is_some_and(|field| exact.contains(&field))
    };
    used.extend(forms.conjuncts.iter().enumerate().filter(|(_, one)| by_field(one)).map(|(place, _)| place));
    let ends = match &end {
        TemplateEnd::Row | TemplateEnd::Prefix => 1,
        TemplateEnd::Constant(ranges) => ranges.len(),
        TemplateEnd::Between(between) => between.spans.len(),
    };
    let combinations = combinations(&lists);
    let ranges = heads.saturating_mul(ends).saturating_mul(combinations);
    let limit = if end == TemplateEnd::Row { MAX_GETS } else { MAX_FAN_OUT };
    if ranges > limit {
        return Err(TemplateRefusal::TooMany { ranges, limit, part: part(key, stopped_at) });
    }
    let way = known.lists().into_iter().next().unwrap_or_default();
    let guess = known.guess(&way, stopped_at, heads.saturating_mul(combinations), None);
    // Only how many there are, and whether they are single rows, matters here.
    let range = if end == TemplateEnd::Row { KeyRange::point(b"k") } else { KeyRange::all() };
    let piece = RankedRange { range, rank: Vec::new(), ranks: KeyRange::all(), fixed: 0, seek: None };
    let ways = Ways {
        arranged: Arranged { groups: vec![vec![piece; ranges]], by_rank: true },
        used: used.clone(),
        given: Given::by_rank(key, &known.sets, stopped_at),
        narrowed,
        guess,
        counted: false,
    };
    let plan = finish(&known, &forms.query, ways)?;
    let left = (0..forms.conjuncts.len()).filter(|place| !used.contains(place));
    let conditions: Vec<(String, Vec<FieldId>)> = left
        .filter_map(|place| {
            Some((forms.texts.get(place)?.clone(), forms.conjuncts.get(place)?.predicate.fields()))
        })
        .filter(|(text, _)| text != "true")
        .collect();
    let template = QueryTemplate {
        parameters: forms.parameters.clone(),
        via: Via::Primary,
        spans: spans(key, forms),
        bound,
        lists,
        pieces,
        end,
        direction: plan.direction,
        sort: plan.sort.clone(),
        limit: forms.limit,
        residual: residual(&conditions),
        conditions,
        whole_table: plan.whole_table,
    };
    Ok(Drawn { template, plan, guess })
}

/// Whether a known bound is a number that the type does not have, as in `< 0` of one without negative numbers.
fn is_past(form: &Form, ty: Type) -> bool {
    let Form::Span { lower, upper } = form else { return false };
    [lower, upper].into_iter().flatten().any(|bound| match (&bound.operand, ty.integer_range()) {
        (Operand::Constant(Value::Int(number)), Some((min, max))) => *number < min || *number > max,
        _ => false,
    })
}

/// Conditions as one text.
fn residual(conditions: &[(String, Vec<FieldId>)]) -> Option<String> {
    match conditions {
        [] => None,
        [(only, _)] => Some(only.clone()),
        // A condition of its own is a comparison, or an `or`.
        several => {
            let one = |(text, _): &(String, Vec<FieldId>)| {
                if text.contains(" or ") { format!("({text})") } else { text.clone() }
            };
            Some(several.iter().map(one).collect::<Vec<_>>().join(" and "))
        }
    }
}

/// The ranges of fields that may turn out empty.
fn spans(key: &KeySchema, forms: &Forms) -> Vec<TemplateSpan> {
    let span = |(field, _): (FieldId, _)| match forms.form(field) {
        Form::Span { lower, upper } => {
            Some(TemplateSpan { field, lower: lower.clone(), upper: upper.clone(), half: None })
        }
        _ => None,
    };
    key.fields().iter().filter_map(span).collect()
}

fn part(key: &KeySchema, step: usize) -> String {
    let after = key.steps().iter().skip(step);
    let label = |step: &Step| match step {
        Step::Literal(_) => None,
        Step::Value(step) => Some(step.label().to_owned()),
    };
    after.filter_map(label).next().unwrap_or_else(|| key.source().to_owned())
}

fn combinations(lists: &[(FieldId, Vec<Operand>)]) -> usize {
    lists.iter().map(|(_, operands)| operands.len()).fold(1, usize::saturating_mul)
}

/// The walk along the key.
struct Pen<'k> {
    key: &'k KeySchema,
    forms: &'k Forms,
    known: &'k Known<'k>,
    bound: Vec<(FieldId, Operand)>,
    lists: Vec<(FieldId, Vec<Operand>)>,
    pieces: Vec<TemplatePiece>,
    /// How many prefixes there are for each combination of listed values.
    heads: usize,
    exact: Vec<FieldId>,
    used: Vec<usize>,
    narrowed: bool,
    stopped_at: usize,
}

impl<'k> Pen<'k> {
    fn run(&mut self) -> Result<TemplateEnd, TemplateRefusal> {
        let steps = self.key.steps();
        for (index, step) in steps.iter().enumerate() {
            self.stopped_at = index;
            let end = match step {
                Step::Literal(bytes) => {
                    self.pieces.push(TemplatePiece::Literal(bytes.clone()));
                    None
                }
                Step::Value(step) => self.value(index, step)?,
            };
            if let Some(end) = end {
                return Ok(end);
            }
        }
        self.stopped_at = steps.len();
        Ok(TemplateEnd::Row)
    }

    fn value(&mut self, index: usize, step: &ValueStep) -> Result<Option<TemplateEnd>, TemplateRefusal> {
        let fields = step.fields();
        if !step.is_random() && fields.iter().all(|field| self.forms.form(*field).is_listed()) {
            return self.known_step(index, step, &fields);
        }
        for field in &fields {
            if let Form::Refused(why) = self.forms.form(*field) {
                return Err(why.clone());
            }
        }
        if let Some(end) = self.bounds(index, step, &fields)? {
            self.narrowed = true;
            return Ok(Some(end));
        }
        match step.bucket_count() {
            Some(count) => self.buckets(index, step, count),
            None => Ok(Some(TemplateEnd::Prefix)),
        }
    }

    /// A part of which every field will be known.
    fn known_step(
        &mut self,
        index: usize,
        step: &ValueStep,
        fields: &[FieldId],
    ) -> Result<Option<TemplateEnd>, TemplateRefusal> {
        for field in fields {
            let is_new = self.bound.iter().all(|(own, _)| own != field)
                && self.lists.iter().all(|(own, _)| own != field);
            match self.forms.form(*field) {
                Form::Bound(operand) if is_new => self.bound.push((*field, operand.clone())),
                Form::OneOf(operands) if is_new => self.lists.push((*field, operands.clone())),
                _ => {}
            }
        }
        let ranked = !(step.sorting() == Sorting::Lost && step.width.is_some());
        self.pieces.push(TemplatePiece::Step { step: index, ranked });
        self.narrowed = true;
        if *step.boundary() == Boundary::Unclear {
            if !self.lists.is_empty() {
                return Err(TemplateRefusal::UnclearList { part: step.label().to_owned() });
            }
            return Ok(Some(TemplateEnd::Prefix));
        }
        self.mark_exact(step);
        Ok(None)
    }

    fn mark_exact(&mut self, step: &ValueStep) {
        self.exact.extend(step.recovers());
    }

    fn bounds(
        &mut self,
        index: usize,
        step: &ValueStep,
        fields: &[FieldId],
    ) -> Result<Option<TemplateEnd>, TemplateRefusal> {
        let span = |lower, upper| TemplateSpan { field: FieldId(0), lower, upper, half: None };
        let spans = match fields {
            [only] => match self.forms.form(*only) {
                Form::Span { lower, upper } => vec![span(lower.clone(), upper.clone())],
                Form::Except(operand) => {
                    let bound = || Some(super::TemplateBound { operand: operand.clone(), inclusive: false });
                    vec![span(None, bound()), span(bound(), None)]
                }
                _ => return Ok(self.constant(index, step)),
            },
            _ => return Ok(self.constant(index, step)),
        };
        let Some((field, order, strict)) = step.monotone() else { return self.halves(index, step, spans) };
        let blank = vec![None; self.key.fields().len()];
        let walk = Walk::new(self.known, &blank, 1);
        let finer = walk.finer_steps(index, step);
        let strict = strict || !finer.is_empty();
        let last = finer.last().copied().unwrap_or(step);
        if strict {
            self.mark_exact(last);
        }
        let falling = (order == Order::Descending) != (step.order() == Order::Descending);
        let mut between = between(index, step, field, spans);
        between.steps = index..=index + finer.len();
        between.whole_key = *last.boundary() == Boundary::KeyEnd;
        between.strict = strict;
        between.falling = falling;
        if falling {
            between.spans.reverse();
        }
        Ok(Some(TemplateEnd::Between(between)))
    }

    /// The bytes of a number in two's complement: those below zero and the others are each in order.
    fn halves(
        &mut self,
        index: usize,
        step: &ValueStep,
        spans: Vec<TemplateSpan>,
    ) -> Result<Option<TemplateEnd>, TemplateRefusal> {
        let (Some(field), Some((least, greatest))) = (step.twos_complement_field(), step.value_range())
        else {
            let text = matches!(step.boundary(), Boundary::Literal(_))
                && step.ty() == Type::Text
                && step.order() == Order::Ascending
                && step.nulls == Nulls::Refused
                && step.field().is_some();
            let sorts_otherwise = text || (step.padded().is_some() && step.nulls == Nulls::Refused);
            return if sorts_otherwise {
                Err(TemplateRefusal::TextOrder { part: step.label().to_owned() })
            } else {
                Ok(None)
            };
        };
        let [span] = spans.as_slice() else {
            let field = self.key.fields().get(field).name.clone();
            return Err(TemplateRefusal::Except { field });
        };
        self.mark_exact(step);
        let falling = step.order() == Order::Descending;
        let half = |from, to| TemplateSpan { half: Some((from, to)), ..span.clone() };
        let (below, above) = (half(least, -1), half(0, greatest));
        // Complemented, those below zero come first.
        let spans = if falling { vec![below, above] } else { vec![above, below] };
        let mut between = between(index, step, field, spans);
        between.falling = falling;
        Ok(Some(TemplateEnd::Between(between)))
    }

    /// The bytes by conditions that are known now.
    fn constant(&mut self, index: usize, step: &ValueStep) -> Option<TemplateEnd> {
        let known = Known::new(self.key, &self.forms.constant, self.known.options);
        let blank = vec![None; self.key.fields().len()];
        let mut walk = Walk::new(&known, &blank, 1);
        let bounds = walk.bounds(index, step);
        self.exact.append(&mut walk.exact);
        self.used.append(&mut walk.used);
        let half_open = |bound: &Relative| half_open(bound.behind(&[]));
        Some(TemplateEnd::Constant(bounds?.iter().map(half_open).collect()))
    }

    /// Every value of a salt, bucket or hash prefix begins ranges of its own.
    fn buckets(
        &mut self,
        index: usize,
        step: &ValueStep,
        count: u32,
    ) -> Result<Option<TemplateEnd>, TemplateRefusal> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let combinations = combinations(&self.lists);
        let ranges = count.saturating_mul(self.heads).saturating_mul(combinations);
        if ranges > MAX_FAN_OUT {
            let later = self.key.steps().iter().skip(index + 1);
            let narrows = later
                .filter_map(|step| match step {
                    Step::Literal(_) => None,
                    Step::Value(step) => Some(step),
                })
                .any(|step| step.fields().iter().any(|field| !self.known.set(*field).is_all()));
            if combinations == 1 && (self.known.options.full_scan || self.narrowed || !narrows) {
                return Ok(Some(TemplateEnd::Prefix));
            }
            let names: Vec<&str> =
                step.fields().iter().map(|id| self.key.fields().get(*id).name.as_str()).collect();
            let (part, fields) = (step.label().to_owned(), names.join(", "));
            let ranges = u64::try_from(ranges).unwrap_or(u64::MAX);
            return Err(PlanError::FanOut { ranges, part, fields }.into());
        }
        self.heads *= count;
        let numbers = (0..count).filter_map(|number| u32::try_from(number).ok());
        let mut values: Vec<Vec<u8>> = numbers.filter_map(|number| step.bucket_bytes(number)).collect();
        values.sort();
        self.pieces.push(TemplatePiece::Buckets { step: index, values });
        Ok(None)
    }
}

fn between(index: usize, step: &ValueStep, field: FieldId, mut spans: Vec<TemplateSpan>) -> TemplateBetween {
    spans.iter_mut().for_each(|span| span.field = field);
    let fit = step.value_range().filter(|_| step.field().is_some());
    TemplateBetween {
        field,
        spans,
        steps: index..=index,
        fit: fit.map(|(min, max)| Fit { min, max, apart: step.ty().step() }),
        delimiter: match step.boundary() {
            Boundary::Literal(end) => end.clone(),
            _ => Vec::new(),
        },
        strict: true,
        falling: false,
        whole_key: *step.boundary() == Boundary::KeyEnd,
        area: half_open(value_area(step)),
    }
}

/// The same keys, from the first on and before the first behind.
fn half_open(range: KeyRange) -> KeyRange {
    use std::ops::Bound;
    let end = match range.end {
        Bound::Included(end) => Bound::Excluded(crate::range::successor(&end)),
        bound => bound,
    };
    let start = match range.start {
        Bound::Excluded(start) => Bound::Included(crate::range::successor(&start)),
        bound => bound,
    };
    KeyRange { start, end }
}
