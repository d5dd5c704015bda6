//! Do the parts of a key, their fields and types go together?

use super::schema::{Boundary, Field, FieldId, Fields, KeySchema, Step};
use crate::finding::{Finding, Problem};
use crate::notation::{Argument, Expr, Notation, Part, PartKind, Suffix};
use crate::span::{Span, nearest};
use crate::types::{Order, Type};

/// The functions of the notation that this version has.
const FUNCTIONS: [&str; 1] = ["salt"];

/// Bucket numbers take at most two bytes.
const MAX_BUCKETS: u32 = 1 << 16;

pub(super) fn compile(
    source: &str,
    notation: &Notation,
    declared: Option<&Fields>,
) -> Result<KeySchema, Vec<Finding>> {
    let mut compiler = Compiler {
        fields: declared.cloned().unwrap_or_default(),
        declared: declared.is_some(),
        findings: Vec::new(),
    };
    if declared.is_none() {
        compiler.infer_fields(notation);
    }
    let mut steps: Vec<Step> = Vec::new();
    for part in &notation.parts {
        match (compiler.step(part), steps.last_mut()) {
            (Some(Step::Literal(more)), Some(Step::Literal(bytes))) => bytes.extend(more),
            (Some(step), _) => steps.push(step),
            (None, _) => {}
        }
    }
    if !compiler.findings.is_empty() {
        return Err(compiler.findings);
    }
    set_boundaries(&mut steps);
    let mut key = KeySchema { source: source.to_owned(), fields: compiler.fields, steps };
    fill_whole_salts(&mut key);
    Ok(key)
}

/// `salt(n)` hashes each field of the key once, in order of appearance.
fn fill_whole_salts(key: &mut KeySchema) {
    let all = key.named_fields();
    for step in &mut key.steps {
        if let Step::Salt { fields, .. } = step
            && fields.is_empty()
        {
            fields.clone_from(&all);
        }
    }
}

struct Compiler {
    fields: Fields,
    declared: bool,
    findings: Vec<Finding>,
}

impl Compiler {
    fn find(&mut self, span: Span, problem: Problem) {
        self.findings.push(Finding::new(span, problem));
    }

    /// A key by itself: each field has the type of the first part that gives it one, else text.
    fn infer_fields(&mut self, notation: &Notation) {
        let parts = || {
            notation.parts.iter().filter_map(|part| match &part.kind {
                PartKind::Expr(expr, suffix) => Some((expr, suffix)),
                PartKind::Literal(_) => None,
            })
        };
        let mut typed: Vec<(&str, Type)> = Vec::new();
        for (expr, suffix) in parts() {
            if let (Expr::Field { name, .. }, Some((ty, span))) = (expr, suffix.ty) {
                match typed.iter().find(|(known, _)| known == name) {
                    Some(&(_, first)) if first != ty => {
                        self.find(span, Problem::TwoTypes { field: name.clone(), first, second: ty });
                    }
                    Some(_) => {}
                    None => typed.push((name, ty)),
                }
            }
        }
        for (expr, _) in parts() {
            for name in field_names(expr) {
                if self.fields.id(name).is_none() {
                    let ty = typed.iter().find(|(known, _)| *known == name).map_or(Type::Text, |(_, ty)| *ty);
                    self.fields.push(Field { name: name.to_owned(), ty });
                }
            }
        }
    }

    fn step(&mut self, part: &Part) -> Option<Step> {
        match &part.kind {
            PartKind::Literal(bytes) => Some(Step::Literal(bytes.clone())),
            PartKind::Expr(Expr::Field { name, span }, suffix) => self.field_step(name, *span, *suffix),
            PartKind::Expr(Expr::Call { function, function_span, arguments, span }, suffix) => {
                if function == "salt" {
                    self.salt_step(arguments, *span, *suffix)
                } else {
                    let nearest = nearest(function, FUNCTIONS);
                    self.find(*function_span, Problem::UnknownFunction { name: function.clone(), nearest });
                    None
                }
            }
        }
    }

    fn field_step(&mut self, name: &str, span: Span, suffix: Suffix) -> Option<Step> {
        let field = self.field(name, span)?;
        let declared = self.fields.get(field).ty;
        let ty = suffix.ty.map_or(declared, |(ty, _)| ty);
        if !ty.fits(declared) {
            let place = suffix.ty.map_or(span, |(_, place)| place);
            self.find(place, Problem::TypeDoesNotFit { field: name.to_owned(), declared, part: ty });
            return None;
        }
        if ty == Type::Text && suffix.order == Order::Descending {
            self.find(span, Problem::DescendingText { field: name.to_owned() });
            return None;
        }
        Some(Step::Field { field, ty, order: suffix.order, boundary: Boundary::Own })
    }

    fn salt_step(&mut self, arguments: &[Argument], span: Span, suffix: Suffix) -> Option<Step> {
        let Some((Argument::Number { digits, span: number_span }, hashed)) = arguments.split_first() else {
            self.find(span, Problem::SaltArguments);
            return None;
        };
        if let Some((_, place)) = suffix.ty {
            self.find(place, Problem::SaltSuffix { what: "type" });
        } else if suffix.order == Order::Descending {
            self.find(span, Problem::SaltSuffix { what: "desc" });
        }
        let mut fields = Vec::new();
        for argument in hashed {
            match argument {
                Argument::Expr(Expr::Field { name, span }) => fields.extend(self.field(name, *span)),
                Argument::Number { span, .. } | Argument::Expr(Expr::Call { span, .. }) => {
                    self.find(*span, Problem::SaltArguments);
                }
            }
        }
        if !hashed.is_empty() && fields.is_empty() {
            return None; // every argument has its finding; an empty list would mean all fields
        }
        match digits.parse::<u32>() {
            Ok(buckets @ 2..=MAX_BUCKETS) => {
                Some(Step::Salt { buckets, width: if buckets <= 256 { 1 } else { 2 }, fields })
            }
            _ => {
                self.find(*number_span, Problem::BucketCount { buckets: digits.clone() });
                None
            }
        }
    }

    fn field(&mut self, name: &str, span: Span) -> Option<FieldId> {
        let id = self.fields.id(name);
        if id.is_none() && self.declared {
            let nearest = nearest(name, self.fields.names()).map(str::to_owned);
            let known = self.fields.names().map(str::to_owned).collect();
            self.find(span, Problem::UnknownField { name: name.to_owned(), nearest, known });
        }
        id
    }
}

fn field_names(expr: &Expr) -> Vec<&str> {
    match expr {
        Expr::Field { name, .. } => vec![name],
        Expr::Call { arguments, .. } => arguments
            .iter()
            .flat_map(|argument| match argument {
                Argument::Expr(expr) => field_names(expr),
                Argument::Number { .. } => Vec::new(),
            })
            .collect(),
    }
}

/// Plain text has no end of its own: what follows it decides.
fn set_boundaries(steps: &mut [Step]) {
    let following: Vec<Boundary> = steps
        .iter()
        .skip(1)
        .map(|next| match next {
            Step::Literal(bytes) => Boundary::Literal(bytes.clone()),
            Step::Salt { .. } | Step::Field { .. } => Boundary::Unclear,
        })
        .chain([Boundary::KeyEnd])
        .collect();
    for (step, after) in steps.iter_mut().zip(following) {
        if let Step::Field { ty: Type::Text, boundary, .. } = step {
            *boundary = after;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_problem(source: &str) -> String {
        KeySchema::parse(source).unwrap_err().findings[0].problem.to_string()
    }

    #[test]
    fn fields_of_a_bare_key_take_the_first_type_given() {
        let key = KeySchema::parse("[salt(16, user)][user: u64][host]_[at: timestamp desc]").unwrap();
        let fields: Vec<String> = key.fields().iter().map(|(_, f)| format!("{}:{}", f.name, f.ty)).collect();
        assert_eq!(fields, ["user:u64", "host:text", "at:timestamp"]);
    }

    #[test]
    fn text_ends_where_the_next_part_lets_it() {
        let boundaries = |source: &str| -> Vec<Boundary> {
            let key = KeySchema::parse(source).unwrap();
            key.steps()
                .iter()
                .filter_map(|step| match step {
                    Step::Field { boundary, .. } => Some(boundary.clone()),
                    _ => None,
                })
                .collect()
        };
        assert_eq!(boundaries("[a][_]-[b]"), [Boundary::Literal(b"_-".to_vec()), Boundary::KeyEnd]);
        assert_eq!(boundaries("[a][b: u8]"), [Boundary::Unclear, Boundary::Own]);
        assert_eq!(boundaries("[a: escaped]"), [Boundary::Own]);
    }

    #[test]
    fn what_cannot_work_is_refused() {
        assert!(first_problem("[slat(16, a)]").contains("no function `slat`"));
        assert!(first_problem("[salt(1, a)][a]").contains("2 to 65,536 buckets, not 1"));
        assert!(first_problem("[salt(99999999999, a)][a]").contains("not 99999999999"));
        assert!(first_problem("[salt(a)][a]").contains("salt takes a number"));
        assert!(first_problem("[salt(4, 7)][a]").contains("salt takes a number"));
        assert!(first_problem("[a desc]").contains("plain text cannot sort descending"));
        assert!(first_problem("[a: u8][a: u16]").contains("u8 in an earlier part and u16 here"));
    }

    #[test]
    fn declared_fields_are_checked() {
        let fields =
            Fields::new(vec![Field { name: "user_id".to_owned(), ty: Type::from_name("u64").unwrap() }]);
        let findings = KeySchema::with_fields("[user_di][user_id: text]", &fields).unwrap_err();
        assert_eq!(findings.len(), 2);
        assert_eq!(findings[0].problem.help().unwrap(), "did you mean `user_id`?");
        assert!(matches!(findings[1].problem, Problem::TypeDoesNotFit { .. }));
    }

    #[test]
    fn the_fingerprint_names_the_order_and_not_the_spelling() {
        let fingerprint = |source: &str| KeySchema::parse(source).unwrap().fingerprint();
        assert_eq!(fingerprint("[a][_][b: u8]"), fingerprint("[ a ]_[b:u8]"));
        let keys =
            ["[a]_[b: u8]", "[a]-[b: u8]", "[a]_[b: u16]", "[a]_[b: u8 desc]", "[salt(2, a)][a]_[b: u8]"];
        let mut all: Vec<String> = keys.iter().map(|key| fingerprint(key)).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), keys.len());
        // Stored in tables: this figure may never change.
        assert_eq!(fingerprint("[salt(16, a)][a: u64][b: timestamp desc][c]"), "499f95099cee72b9");
    }
}
