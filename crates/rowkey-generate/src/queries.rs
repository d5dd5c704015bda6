//! The queries of a table, as they are before their values are known.

use rowkey_core::lowered::Codec;
use rowkey_core::query::{
    Operand, PlanOptions, Prices, QueryTemplate, TemplateEnd, TemplatePiece, Via, template, template_by_key,
};
use rowkey_core::table::NamedQuery;
use rowkey_core::{FieldId, KeySchema, Table, Value};

use crate::Design;

/// A query that a table is made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryDesign {
    /// What it is for.
    pub name: String,
    /// Condition, order and limit, as in the table file.
    pub source: String,
    /// The fields that it returns; `None` for all.
    pub columns: Option<Vec<String>>,
    /// How it is read, or why that cannot be said before its values are known.
    pub template: Result<QueryTemplate, String>,
}

impl QueryDesign {
    /// The design of a query: for a cluster, whose prices are taken, and for a program that sorts where it must.
    pub fn of(table: &Table, query: &NamedQuery) -> Self {
        let fields = table.key.fields();
        let columns =
            query.columns.as_ref().map(|all| all.iter().filter_map(|name| fields.id(name)).collect());
        let options = PlanOptions { sort: true, columns, prices: Prices::HBASE, ..PlanOptions::default() };
        Self {
            name: query.name.clone(),
            source: query.condition.clone(),
            columns: query.columns.clone(),
            template: template(table, &query.condition, &options)
                .map_err(|why| why.to_string())
                .and_then(|template| with_records(template, &Codec::of(&table.key))),
        }
    }
}

impl QueryDesign {
    /// The design of a query over a key by itself.
    pub fn of_key(key: &KeySchema, name: &str, source: &str) -> Self {
        let options = PlanOptions { full_scan: true, sort: true, ..PlanOptions::default() };
        Self {
            name: name.to_owned(),
            source: source.to_owned(),
            columns: None,
            template: template_by_key(key, source, &options)
                .map_err(|why| why.to_string())
                .and_then(|template| with_records(template, &Codec::of(key))),
        }
    }
}

/// A template that some record can be an answer to: null is in no record's field of the key that is not `?`.
fn with_records(template: QueryTemplate, codec: &Codec) -> Result<QueryTemplate, String> {
    let null = Operand::Constant(Value::Null);
    let bound = template.bound.iter().filter(|(_, operand)| *operand == null).map(|(field, _)| *field);
    let listed = template.lists.iter().filter(|(_, all)| all.contains(&null)).map(|(field, _)| *field);
    let fields = bound.chain(listed).filter_map(|field| codec.fields.get(field.0));
    match fields.into_iter().find(|field| field.in_key && !field.nullable) {
        Some(field) => Err(format!("it asks for null in `{}`, which every record has", field.name)),
        None => Ok(template),
    }
}

/// The place of the index table that a template reads by; `None` for the table itself.
pub(crate) fn index(template: &QueryTemplate) -> Option<usize> {
    match template.via {
        Via::Primary => None,
        Via::Index { index, .. } => Some(index),
    }
}

/// The codec of the key that a template reads by.
pub(crate) fn codec<'d>(design: &'d Design, template: &QueryTemplate) -> &'d Codec {
    index(template).and_then(|place| design.indexes.get(place)).map_or(&design.codec, |index| &index.codec)
}

/// The queries with a template.
pub(crate) fn templates(design: &Design) -> impl Iterator<Item = (&QueryDesign, &QueryTemplate)> {
    design.queries.iter().filter_map(|query| Some((query, query.template.as_ref().ok()?)))
}

/// The steps that queries encode by themselves, of the table's key or of an index table's; a row salt has no bytes of its own.
pub(crate) fn steps(design: &Design, of: Option<usize>) -> Vec<usize> {
    let mut all = Vec::new();
    for (_, template) in templates(design).filter(|(_, template)| index(template) == of) {
        let salted = codec(design, template).row_salt.is_some();
        for piece in &template.pieces {
            match piece {
                TemplatePiece::Step { step, .. } if !(salted && *step == 0) => all.push(*step),
                _ => {}
            }
        }
        if let TemplateEnd::Between(between) = &template.end {
            all.extend(between.steps.clone());
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// What is said of a query beside its function: its text, and what its ranges leave to the caller.
pub(crate) struct Said {
    /// As in the table file.
    pub(crate) source: String,
    /// Whole sentences.
    pub(crate) sentences: Vec<String>,
}

/// What to say of a query.
pub(crate) fn said(design: &Design, query: &QueryDesign, template: &QueryTemplate) -> Said {
    let mut sentences = Vec::new();
    if let Some(index) = index(template).and_then(|place| design.indexes.get(place)) {
        let covered = matches!(template.via, Via::Index { covered: true, .. });
        let second = if covered { "" } else { ", whose entries lead to the rows" };
        sentences.push(format!("It reads the index table {}{second}.", index.table));
    }
    if let Some(residual) = &template.residual {
        sentences.push(format!(
            "The ranges hold more rows than it asks for; each must still be checked: {residual}."
        ));
    }
    if !template.sort.is_empty() {
        let one = |(field, order): &(FieldId, rowkey_core::Order)| {
            let name = design.fields().get(field.0).map_or("", |field| field.name.as_str());
            if *order == rowkey_core::Order::Descending { format!("{name} desc") } else { name.to_owned() }
        };
        let fields: Vec<String> = template.sort.iter().map(one).collect();
        sentences
            .push(format!("The rows must be sorted by {}, before the limit is applied.", fields.join(", ")));
    }
    // A comment is of lines, and of what can be seen.
    let shown = |text: &str| -> String {
        text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
    };
    Said { source: shown(&query.source), sentences: sentences.iter().map(|text| shown(text)).collect() }
}

/// The parameters that make ranges by themselves, with their fields: those that are bound, and one that is left out. Nothing is
/// read if one is NaN.
pub(crate) fn bound_parameters(template: &QueryTemplate) -> impl Iterator<Item = (FieldId, usize)> {
    let left_out = match &template.end {
        TemplateEnd::Between(between) => between.spans.get(1).filter(|span| span.half.is_none()),
        _ => None,
    };
    let left_out =
        left_out.and_then(|span| Some((span.field, &span.lower.as_ref().or(span.upper.as_ref())?.operand)));
    let bound = template.bound.iter().map(|(field, operand)| (*field, operand));
    bound.chain(left_out).filter_map(|(field, operand)| match operand {
        Operand::Parameter(number) => Some((field, *number)),
        Operand::Constant(_) => None,
    })
}
