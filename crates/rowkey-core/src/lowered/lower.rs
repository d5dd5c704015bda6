//! The lowering: from steps and nodes, whose meaning lies in `key::eval`, `key::encode` and `key::decode`, to plain
//! data.

use super::{
    Back, Codec, CodecField, End, Form, Input, LoweredStep, Number, NumberOp, OnNull, Source, Text, TextOp,
    Undo, Value,
};
use crate::key::node::{self, BucketFunction, Case, Node, Side};
use crate::key::{Boundary, FieldId, Fields, KeySchema, Step, ValueStep};
use crate::notation::Operator;
use crate::ordered::{self, OrderedType};
use crate::types::{IntForm, Kind, Nulls, Order, Type};

const LONG_MAX: i128 = i64::MAX as i128;

impl Codec {
    /// The plain form of a key.
    pub fn of(key: &KeySchema) -> Self {
        let lowering = Lowering { fields: fields(key) };
        let steps = key.steps().iter().map(|step| match step {
            Step::Literal(bytes) => LoweredStep::Literal(bytes.clone()),
            Step::Value(step) => LoweredStep::Value(lowering.value(step, key.fields())),
        });
        Self {
            notation: key.source().to_owned(),
            fingerprint: key.fingerprint(),
            steps: steps.collect(),
            checked: key.computed_again.clone(),
            row_salt: key.row_salt.map(|buckets| u16::from(buckets).into()),
            fields: lowering.fields,
        }
    }
}

fn fields(key: &KeySchema) -> Vec<CodecField> {
    let (named, back) = (key.named_fields(), key.recoverable());
    let holds_null = |id| {
        let mut steps = key.value_steps().filter(|step| step.node.source_field() == Some(id));
        steps.any(|step| matches!(step.ty, Type::Ordered(_)))
    };
    let field = |(id, field): (FieldId, &crate::Field)| CodecField {
        name: field.name.clone(),
        ty: field.ty,
        nullable: field.nullable || holds_null(id),
        in_key: named.contains(&id),
        comes_back: back.contains(&id),
        range: match field.ty.kind() {
            Kind::Time => Some((i64::MIN.into(), LONG_MAX)),
            _ => field.ty.integer_range(),
        },
    };
    key.fields().iter().map(field).collect()
}

struct Lowering {
    fields: Vec<CodecField>,
}

impl Lowering {
    fn field(&self, id: FieldId) -> &CodecField {
        self.fields.get(id.0).expect("a field id comes from the fields that made it")
    }

    fn value(&self, step: &ValueStep, fields: &Fields) -> Value {
        // What a reader takes the bytes for: the field's own type, or what is computed.
        let (source, of) = match &step.node {
            Node::Field(id) => (Source::Field(*id), self.field(*id).ty.kind()),
            node if node.is_row_salt() => (Source::RowSalt, Kind::Integer),
            node if matches!(step.kind, Kind::Text | Kind::Bytes) => {
                (Source::Text(self.text(node, fields)), step.kind)
            }
            node => (Source::Number(self.number(node, fields)), step.kind),
        };
        let form = form(step.ty, of);
        Value {
            label: step.label.clone(),
            source,
            form,
            order: step.order,
            nulls: step.nulls,
            on_null: on_null(step),
            end: end(step),
            back: self.back(step, fields),
        }
    }

    fn number(&self, node: &Node, fields: &Fields) -> Number {
        let of = |node: &Node| Box::new(self.number(node, fields));
        match node {
            Node::Field(id) => {
                let field = self.field(*id);
                let range = field.range.unwrap_or((i128::MIN, i128::MAX));
                number(NumberOp::Field(*id), range, field.nullable)
            }
            Node::Number(constant) => number(NumberOp::Constant(*constant), (*constant, *constant), false),
            Node::Cast(node, _) => self.number(node, fields),
            Node::FromLongMax(node) => {
                let of = of(node);
                let range =
                    (LONG_MAX.saturating_sub(of.high).max(0), LONG_MAX.saturating_sub(of.low).min(LONG_MAX));
                let nullable = of.nullable;
                number(NumberOp::FromLongMax(of), range, nullable)
            }
            Node::Arithmetic(operator, left, right) => self.arithmetic(*operator, of(left), of(right)),
            Node::Remainder(node, by) => {
                let of = of(node);
                let most = by.saturating_sub(1);
                let range = (of.low.clamp(-most, 0), of.high.clamp(0, most));
                let nullable = of.nullable;
                number(NumberOp::Remainder(of, *by), range, nullable)
            }
            Node::Hash(function, inputs) => {
                let range = function.number_range().unwrap_or((0, 0));
                number(NumberOp::Hash(*function, self.inputs(inputs, fields)), range, false)
            }
            Node::Bucket(function, count, inputs) => {
                let inputs = self.inputs(inputs, fields);
                let op = match function {
                    BucketFunction::Salt => NumberOp::Salt(*count, inputs),
                    BucketFunction::OpenTsdb => NumberOp::OpenTsdbSalt(*count, inputs),
                    // A row salt is a step of its own: `Source::RowSalt`.
                    BucketFunction::Phoenix | BucketFunction::PhoenixRow => {
                        NumberOp::PhoenixSalt(*count, inputs)
                    }
                };
                number(op, (0, i128::from(*count) - 1), false)
            }
            Node::Random(count) => number(NumberOp::Random(*count), (0, i128::from(*count) - 1), false),
            // Texts are not asked for numbers: compiling sees to it.
            _ => number(NumberOp::Constant(0), (0, 0), false),
        }
    }

    fn arithmetic(&self, operator: Operator, left: Box<Number>, right: Box<Number>) -> Number {
        let nullable = left.nullable || right.nullable;
        let ((a, b), (c, d)) = ((left.low, left.high), (right.low, right.high));
        // Compiling lets no divisor but a positive constant through.
        let by = d.max(1);
        let (op, range) = match operator {
            Operator::Add => (NumberOp::Add(left, right), (a.saturating_add(c), b.saturating_add(d))),
            Operator::Subtract => {
                (NumberOp::Subtract(left, right), (a.saturating_sub(d), b.saturating_sub(c)))
            }
            Operator::Multiply => {
                let corners =
                    [a.saturating_mul(c), a.saturating_mul(d), b.saturating_mul(c), b.saturating_mul(d)];
                let [first, ..] = corners;
                let low = corners.into_iter().fold(first, i128::min);
                (NumberOp::Multiply(left, right), (low, corners.into_iter().fold(first, i128::max)))
            }
            Operator::Divide => (NumberOp::Divide(left, by), (a.div_euclid(by), b.div_euclid(by))),
            Operator::Modulo => {
                let is_same = a >= 0 && b < by;
                (NumberOp::Modulo(left, by), if is_same { (a, b) } else { (0, by - 1) })
            }
        };
        number(op, range, nullable)
    }

    fn text(&self, node: &Node, fields: &Fields) -> Text {
        let of = |node: &Node| Box::new(self.text(node, fields));
        let op = match node {
            Node::Cast(node, _) => return self.text(node, fields),
            Node::Field(id) => TextOp::Field(*id),
            Node::Hex(function, inputs) => TextOp::Hex(*function, self.inputs(inputs, fields)),
            Node::DigestBytes(function, inputs, len) => {
                TextOp::Digest(*function, self.inputs(inputs, fields), *len)
            }
            Node::Letter(letters, inputs) => TextOp::Letter(letters.clone(), self.inputs(inputs, fields)),
            Node::RandomLetter(letters) => TextOp::RandomLetter(letters.clone()),
            Node::Str(node) => TextOp::Str(Box::new(self.number(node, fields))),
            Node::Reverse(node) => match node.shape(fields).ty {
                Some(Type::Decimal(width)) => {
                    TextOp::ReverseDigits(Box::new(self.number(node, fields)), width.into())
                }
                _ => TextOp::Reverse(of(node)),
            },
            Node::SubStr(node, from, to) => TextOp::SubStr(of(node), *from, *to),
            Node::Case(Case::Upper, node) => TextOp::Upper(of(node)),
            Node::Case(Case::Lower, node) => TextOp::LowerEach(of(node)),
            Node::Lowercase(node) => TextOp::Lower(of(node)),
            Node::Pad(side, node, pad, width) => TextOp::Pad(*side, of(node), *pad, *width),
            Node::Code(node, codes) => TextOp::Code(of(node), codes.clone()),
            Node::Date(node, pieces) => TextOp::Date(Box::new(self.number(node, fields)), pieces.clone()),
            // Numbers are not asked for text: compiling sees to it.
            node => TextOp::Str(Box::new(self.number(node, fields))),
        };
        let (is_bytes, nullable) = match &op {
            TextOp::Field(id) => (self.field(*id).ty.kind() == Kind::Bytes, self.field(*id).nullable),
            TextOp::Digest(..) => (true, false),
            TextOp::Hex(..) | TextOp::Letter(..) | TextOp::RandomLetter(_) => (false, false),
            TextOp::Str(of) | TextOp::ReverseDigits(of, _) | TextOp::Date(of, _) => (false, of.nullable),
            TextOp::Reverse(of)
            | TextOp::SubStr(of, ..)
            | TextOp::Upper(of)
            | TextOp::LowerEach(of)
            | TextOp::Lower(of)
            | TextOp::Pad(_, of, ..)
            | TextOp::Code(of, _) => (of.is_bytes, of.nullable),
        };
        Text { op, is_bytes, is_ascii: node.shape(fields).ascii, nullable }
    }

    fn inputs(&self, inputs: &[node::Input], fields: &Fields) -> Vec<Input> {
        inputs.iter().map(|input| self.input(input, fields)).collect()
    }

    fn input(&self, input: &node::Input, fields: &Fields) -> Input {
        let field = match &input.node {
            Node::Field(id) => Some(*id),
            Node::Cast(node, _) => match **node {
                Node::Field(id) => Some(id),
                _ => None,
            },
            _ => None,
        };
        if let Some(id) = field {
            return Input::Field(id, plain_form(input.ty, self.field(id).ty.kind()));
        }
        match input.node.shape(fields).kind {
            Kind::Text | Kind::Bytes => Input::Text(self.text(&input.node, fields)),
            _ => Input::Number(self.number(&input.node, fields), plain_form(input.ty, Kind::Integer)),
        }
    }

    fn back(&self, step: &ValueStep, fields: &Fields) -> Back {
        match &step.node {
            Node::Random(count) => Back::Below(*count),
            Node::RandomLetter(letters) => Back::OneOf(letters.clone()),
            _ if step.boundary == Boundary::Unclear => Back::Nothing,
            Node::Field(id) if self.field(*id).ty == step.ty => Back::Field(*id),
            node => match node.source_field() {
                Some(field) => {
                    let mut undo = Vec::new();
                    undo_of(node, fields, &mut undo);
                    Back::Undo { field, undo }
                }
                None => Back::Nothing,
            },
        }
    }
}

fn number(op: NumberOp, (low, high): (i128, i128), nullable: bool) -> Number {
    Number { op, low, high, nullable }
}

/// How an expression with a source field is undone, outermost first.
fn undo_of(node: &Node, fields: &Fields, undo: &mut Vec<Undo>) {
    let inner = match node {
        Node::Cast(inner, _) => inner,
        Node::FromLongMax(inner) => {
            undo.push(Undo::From(LONG_MAX));
            inner
        }
        Node::Arithmetic(operator, left, right) => match (operator, &**left, &**right) {
            (Operator::Subtract, Node::Number(from), _) => {
                undo.push(Undo::From(*from));
                right
            }
            (Operator::Add, Node::Number(by), _) => {
                undo.push(Undo::Plus(by.wrapping_neg()));
                right
            }
            (Operator::Add, _, Node::Number(by)) => {
                undo.push(Undo::Plus(by.wrapping_neg()));
                left
            }
            (_, _, Node::Number(by)) => {
                undo.push(Undo::Plus(*by));
                left
            }
            _ => return,
        },
        Node::Str(inner) => {
            undo.push(Undo::ParseNumber);
            inner
        }
        Node::Reverse(inner) => {
            undo.push(match inner.shape(fields).ty {
                Some(Type::Decimal(width)) => Undo::ReverseDigits(width.into()),
                _ => Undo::Reverse,
            });
            inner
        }
        Node::Pad(side, inner, pad, _) => {
            let pad = char::from(*pad);
            undo.push(if *side == Side::Left { Undo::TrimStart(pad) } else { Undo::TrimEnd(pad) });
            inner
        }
        Node::Code(inner, codes) => {
            undo.push(Undo::Uncode(codes.clone()));
            inner
        }
        _ => return,
    };
    undo_of(inner, fields, undo);
}

fn on_null(step: &ValueStep) -> OnNull {
    match step.nulls {
        Nulls::First => OnNull::Mark(0x00),
        Nulls::Last => OnNull::Mark(0x02),
        Nulls::Refused if matches!(step.ty, Type::Ordered(_)) => OnNull::Byte(match step.order {
            Order::Ascending => ordered::NULL,
            Order::Descending => !ordered::NULL,
        }),
        Nulls::Refused => OnNull::Refused(step.node.source_field()),
    }
}

fn end(step: &ValueStep) -> End {
    match &step.boundary {
        Boundary::Own => step.width.map_or(End::Own, End::Fixed),
        Boundary::KeyEnd => End::KeyEnd,
        Boundary::Literal(literal) => End::Literal(literal.clone()),
        Boundary::Unclear => End::Unclear,
    }
}

/// The bytes of a value of kind `of` in a part of type `ty`.
fn form(ty: Type, of: Kind) -> Form {
    let is_text = of != Kind::Bytes;
    match ty {
        Type::Int(int) => integer(ty, int.bytes, int.form),
        Type::Timestamp => {
            Form::Integer { bytes: 8, sign: IntForm::SignFlipped, low: i64::MIN.into(), high: LONG_MAX }
        }
        Type::TimestampS => Form::Seconds,
        Type::Decimal(width) => Form::Digits(width.into()),
        Type::F32 => Form::Float(4),
        Type::F64 => Form::Float(8),
        Type::Bool => Form::Bool,
        Type::Octets(own) => Form::Octets(own),
        Type::Text => Form::Plain { is_text: true },
        Type::Bytes => Form::Plain { is_text: false },
        Type::Fixed(width) => Form::Fixed { bytes: width.into(), is_text },
        Type::Escaped => Form::Escaped,
        Type::Ordered(own) => match own {
            OrderedType::I8 => ordered_integer(ty, 1),
            OrderedType::I16 => ordered_integer(ty, 2),
            OrderedType::I32 => ordered_integer(ty, 4),
            OrderedType::I64 => ordered_integer(ty, 8),
            OrderedType::F32 => Form::OrderedFloat(4),
            OrderedType::F64 => Form::OrderedFloat(8),
            OrderedType::Numeric => Form::OrderedNumeric { is_whole: of != Kind::Numeric },
            OrderedType::Text => Form::OrderedText,
            OrderedType::Bytes => Form::OrderedBytes,
        },
    }
}

/// The same without escapes and end mark, as a hash takes it.
fn plain_form(ty: Type, of: Kind) -> Form {
    if ty == Type::Escaped { Form::Plain { is_text: true } } else { form(ty, of) }
}

fn integer(ty: Type, bytes: usize, sign: IntForm) -> Form {
    let (low, high) = ty.integer_range().unwrap_or_default();
    Form::Integer { bytes, sign, low, high }
}

fn ordered_integer(ty: Type, bytes: usize) -> Form {
    let (low, high) = ty.integer_range().unwrap_or_default();
    Form::OrderedInteger { bytes, low, high }
}
