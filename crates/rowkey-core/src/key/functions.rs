//! The functions of the notation, and their arguments.

use super::node::{BucketFunction, Case, DatePiece, Input, Node, Side};
use super::resolve::Resolver;
use crate::finding::Problem;
use crate::hashes::HashFunction;
use crate::notation::{Call, Expr, ExprKind};
use crate::span::nearest;
use crate::types::{Kind, Type};

/// The one function that stands for what follows it in the key.
pub(super) const ROW_SALT: &str = "phoenix_row_salt";

/// Every function with the form that a message shows.
const FORMS: [(&str, &str); 24] = [
    ("md5", "md5(user_id)"),
    ("sha1", "sha1(user_id)"),
    ("sha256", "sha256(user_id)"),
    ("murmur3", "murmur3(user_id)"),
    ("java_hash", "java_hash(user_id)"),
    ("crc32", "crc32(user_id)"),
    ("xxh3", "xxh3(user_id)"),
    ("salt", "salt(16, user_id), salt(16) over all fields, or salt('abcd', user_id)"),
    (ROW_SALT, "phoenix_row_salt(16), which hashes the stored bytes of all parts behind it"),
    ("phoenix_salt", "phoenix_salt(user_id, 16)"),
    ("opentsdb_salt", "opentsdb_salt(20, metric, tags)"),
    ("random", "random(4) or random('abcd')"),
    ("str", "str(user_id)"),
    ("reverse", "reverse(user_id)"),
    ("lpad", "lpad(user_id, '0', 10)"),
    ("rpad", "rpad(user_id, '~', 20)"),
    ("lower", "lower(name)"),
    ("lower_each", "lower_each(name)"),
    ("upper", "upper(name)"),
    ("subStr", "x.subStr(0,4), from the first up to but not including the second character"),
    ("bytes", "md5(x).bytes(4)"),
    ("code", "code(site, 'Taobao'='tb')"),
    ("date", "date(ts) or date(ts, 'yyyyMMddHH')"),
    ("rem", "x.rem(1000)"),
];

/// The most buckets that a number of at most four bytes can tell apart.
const MAX_BUCKETS: i128 = u32::MAX as i128;

/// The widest pad: a row key has no more bytes.
const MAX_WIDTH: i128 = 32_767;

pub(super) fn resolve(resolver: &mut Resolver<'_>, call: &Call, expr: &Expr) -> Option<Node> {
    let name = call.function.as_str();
    if !FORMS.iter().any(|(known, _)| *known == name) {
        let nearest = nearest(name, FORMS.iter().map(|(known, _)| *known));
        let problem = Problem::UnknownFunction { name: name.to_owned(), nearest };
        return resolver.find(call.function_span, problem);
    }
    let mut function = Function { resolver, call, expr };
    if let Some(hash) = HashFunction::from_name(name) {
        let inputs = function.inputs(&call.arguments, hash == HashFunction::JavaHash)?;
        return Some(if hash.digest_len().is_some() {
            Node::Hex(hash, inputs)
        } else {
            Node::Hash(hash, inputs)
        });
    }
    match name {
        "salt" => function.salt(),
        ROW_SALT => function.phoenix_row_salt(),
        "phoenix_salt" => function.phoenix_salt(),
        "opentsdb_salt" => function.opentsdb_salt(),
        "random" => function.random(),
        "str" => function.str(),
        "reverse" => function.reverse(),
        "lpad" => function.pad(Side::Left),
        "rpad" => function.pad(Side::Right),
        "lower" => function.lower(),
        "lower_each" => function.case(Case::Lower),
        "upper" => function.case(Case::Upper),
        "subStr" => function.sub_str(),
        "bytes" => function.bytes(),
        "code" => function.code(),
        "date" => function.date(),
        _ => function.rem(),
    }
}

struct Function<'r, 'f, 'c> {
    resolver: &'r mut Resolver<'f>,
    call: &'c Call,
    expr: &'c Expr,
}

impl<'c> Function<'_, '_, 'c> {
    /// The arguments do not look as they should.
    fn wrong<T>(&mut self) -> Option<T> {
        let form = FORMS.iter().find(|(name, _)| *name == self.call.function).map_or("", |(_, form)| form);
        let problem = Problem::Arguments { function: self.call.function.clone(), form };
        self.resolver.find(self.expr.span, problem)
    }

    fn arguments(&self) -> &'c [Expr] {
        &self.call.arguments
    }

    /// What a hash hashes: at least one expression, each under its type.
    fn inputs(&mut self, arguments: &[Expr], text_only: bool) -> Option<Vec<Input>> {
        if arguments.is_empty() {
            return self.wrong();
        }
        let mut inputs = Vec::with_capacity(arguments.len());
        for argument in arguments {
            if let Some(node) = self.resolver.node(argument) {
                inputs.extend(self.input(node, argument, text_only));
            }
        }
        (inputs.len() == arguments.len()).then_some(inputs)
    }

    fn input(&mut self, node: Node, argument: &Expr, text_only: bool) -> Option<Input> {
        if node.is_random() {
            return self.resolver.find(argument.span, Problem::RandomInside);
        }
        let shape = node.shape(self.resolver.fields);
        if text_only && shape.kind != Kind::Text {
            let problem =
                Problem::TextOnly { function: self.call.function.clone(), found: shape.kind.words() };
            return self.resolver.find(argument.span, problem);
        }
        match shape.ty {
            Some(ty) => Some(Input { node, ty }),
            None => self.resolver.find(argument.span, Problem::NeedsType { expr: argument.to_string() }),
        }
    }

    fn buckets(&mut self, argument: &Expr) -> Option<u32> {
        let ExprKind::Number(number) = argument.kind else { return self.wrong() };
        if !(2..=MAX_BUCKETS).contains(&number) {
            let problem = Problem::BucketCount { buckets: number.to_string(), limit: MAX_BUCKETS };
            return self.resolver.find(argument.span, problem);
        }
        u32::try_from(number).ok()
    }

    fn letters(&mut self, text: &str, argument: &Expr) -> Option<Vec<char>> {
        let letters: Vec<char> = text.chars().collect();
        let mut sorted = letters.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if letters.len() < 2 || sorted.len() != letters.len() {
            return self.resolver.find(argument.span, Problem::Letters { letters: text.to_owned() });
        }
        Some(letters)
    }

    fn salt(&mut self) -> Option<Node> {
        let Some((count, hashed)) = self.arguments().split_first() else { return self.wrong() };
        // Without arguments it hashes all fields, which are known only when all parts are.
        let inputs = if hashed.is_empty() { Some(Vec::new()) } else { self.inputs(hashed, false) };
        if let ExprKind::Text(text) = &count.kind {
            let letters = self.letters(text, count);
            return Some(Node::Letter(letters?, inputs?));
        }
        let buckets = self.buckets(count);
        Some(Node::Bucket(BucketFunction::Salt, buckets?, inputs?))
    }

    fn phoenix_salt(&mut self) -> Option<Node> {
        let Some((count, hashed)) = self.arguments().split_last() else { return self.wrong() };
        let inputs = self.inputs(hashed, false);
        Some(Node::Bucket(BucketFunction::Phoenix, self.byte_buckets(count)?, inputs?))
    }

    fn phoenix_row_salt(&mut self) -> Option<Node> {
        let [count] = self.arguments() else { return self.wrong() };
        let buckets = self.byte_buckets(count)?;
        if !std::mem::take(&mut self.resolver.takes_row_salt) {
            return self.resolver.find(self.expr.span, Problem::RowSaltPlace);
        }
        // The fields are known only when all parts are.
        Some(Node::Bucket(BucketFunction::PhoenixRow, buckets, Vec::new()))
    }

    /// No more buckets than a byte can tell apart.
    fn byte_buckets(&mut self, count: &Expr) -> Option<u32> {
        let buckets = self.buckets(count)?;
        if buckets > 256 {
            let problem = Problem::BucketCount { buckets: buckets.to_string(), limit: 256 };
            return self.resolver.find(count.span, problem);
        }
        Some(buckets)
    }

    fn opentsdb_salt(&mut self) -> Option<Node> {
        let Some((count, hashed)) = self.arguments().split_first() else { return self.wrong() };
        let inputs = self.inputs(hashed, false);
        Some(Node::Bucket(BucketFunction::OpenTsdb, self.buckets(count)?, inputs?))
    }

    fn random(&mut self) -> Option<Node> {
        match self.arguments() {
            [argument] => match &argument.kind {
                ExprKind::Text(text) => self.letters(text, argument).map(Node::RandomLetter),
                _ => self.buckets(argument).map(Node::Random),
            },
            _ => self.wrong(),
        }
    }

    fn str(&mut self) -> Option<Node> {
        let [argument] = self.arguments() else { return self.wrong() };
        Some(Node::Str(Box::new(self.resolver.whole_number(argument)?)))
    }

    fn reverse(&mut self) -> Option<Node> {
        let [argument] = self.arguments() else { return self.wrong() };
        let node = self.resolver.node(argument)?;
        let shape = node.shape(self.resolver.fields);
        let reversible = shape.kind == Kind::Text || matches!(shape.ty, Some(Type::Decimal(_)));
        if !reversible || node.is_random() {
            let needed = "text, or a number of type decimal(n)";
            let problem =
                Problem::WrongKind { expr: argument.to_string(), found: shape.kind.words(), needed };
            return self.resolver.find(argument.span, problem);
        }
        Some(Node::Reverse(Box::new(node)))
    }

    fn pad(&mut self, side: Side) -> Option<Node> {
        let [of, pad, width] = self.arguments() else { return self.wrong() };
        let node = self.resolver.text(of);
        let (ExprKind::Text(pad_text), ExprKind::Number(width_number)) = (&pad.kind, &width.kind) else {
            return self.wrong();
        };
        let &[byte] = pad_text.as_bytes() else {
            return self.resolver.find(pad.span, Problem::PadCharacter { pad: pad_text.clone() });
        };
        if !byte.is_ascii() {
            return self.resolver.find(pad.span, Problem::PadCharacter { pad: pad_text.clone() });
        }
        let fits = (1..=MAX_WIDTH).contains(width_number);
        let Some(width) = usize::try_from(*width_number).ok().filter(|_| fits) else { return self.wrong() };
        Some(Node::Pad(side, Box::new(node?), byte, width))
    }

    fn case(&mut self, case: Case) -> Option<Node> {
        let [argument] = self.arguments() else { return self.wrong() };
        Some(Node::Case(case, Box::new(self.resolver.text(argument)?)))
    }

    /// ASCII has no letter whose lower case depends on its neighbours.
    fn lower(&mut self) -> Option<Node> {
        let each = self.case(Case::Lower)?;
        match each {
            Node::Case(_, node) if !node.shape(self.resolver.fields).ascii => Some(Node::Lowercase(node)),
            each => Some(each),
        }
    }

    fn sub_str(&mut self) -> Option<Node> {
        let [of, from, to] = self.arguments() else { return self.wrong() };
        let node = self.resolver.text(of)?;
        let number = |expr: &Expr| match expr.kind {
            ExprKind::Number(number) => usize::try_from(number).ok().filter(|number| *number <= 32_767),
            _ => None,
        };
        let (Some(from), Some(to_place)) = (number(from), number(to)) else { return self.wrong() };
        if from >= to_place {
            return self.wrong();
        }
        let shape = node.shape(self.resolver.fields);
        if let Some(width) = shape.width
            && shape.ascii
            && to_place > width
        {
            return self.resolver.find(to.span, Problem::SubStrTooLong { of: of.to_string(), width });
        }
        Some(Node::SubStr(Box::new(node), from, to_place))
    }

    fn bytes(&mut self) -> Option<Node> {
        let [of, count] = self.arguments() else { return self.wrong() };
        let node = self.resolver.node(of)?;
        let (Node::Hex(function, inputs), ExprKind::Number(number)) = (node, &count.kind) else {
            return self.wrong();
        };
        let len = function.digest_len().unwrap_or(0);
        match usize::try_from(*number).ok().filter(|number| (1..=len).contains(number)) {
            Some(number) => Some(Node::DigestBytes(function, inputs, number)),
            None => self.resolver.find(count.span, Problem::DigestBytes { function: function.name(), len }),
        }
    }

    fn code(&mut self) -> Option<Node> {
        let Some((of, mappings)) = self.arguments().split_first().filter(|(_, rest)| !rest.is_empty()) else {
            return self.wrong();
        };
        let node = self.resolver.text(of);
        let mut codes: Vec<(String, String)> = Vec::new();
        for mapping in mappings {
            let ExprKind::Mapping(from, to) = &mapping.kind else { return self.wrong() };
            if codes.iter().any(|(known, _)| known == from) {
                return self.resolver.find(mapping.span, Problem::CodeTwice { text: from.clone() });
            }
            codes.push((from.clone(), to.clone()));
        }
        Some(Node::Code(Box::new(node?), codes))
    }

    fn date(&mut self) -> Option<Node> {
        let (of, pattern) = match self.arguments() {
            [of] => (of, None),
            [of, pattern] => (of, Some(pattern)),
            _ => return self.wrong(),
        };
        let node = self.resolver.node(of)?;
        let shape = node.shape(self.resolver.fields);
        if !matches!(shape.kind, Kind::Time | Kind::Integer) || node.is_random() {
            let needed = "a time";
            let problem = Problem::WrongKind { expr: of.to_string(), found: shape.kind.words(), needed };
            return self.resolver.find(of.span, problem);
        }
        let text = match pattern.map(|pattern| &pattern.kind) {
            None => "yyyyMMdd",
            Some(ExprKind::Text(text)) => text,
            Some(_) => return self.wrong(),
        };
        match date_pattern(text) {
            Some(pieces) => Some(Node::Date(Box::new(node), pieces)),
            None => {
                let span = pattern.map_or(self.expr.span, |pattern| pattern.span);
                self.resolver.find(span, Problem::DatePattern { pattern: text.to_owned() })
            }
        }
    }

    fn rem(&mut self) -> Option<Node> {
        let [of, by] = self.arguments() else { return self.wrong() };
        let node = self.resolver.whole_number(of)?;
        match by.kind {
            ExprKind::Number(number) if number > 0 => Some(Node::Remainder(Box::new(node), number)),
            _ => {
                let problem = Problem::NotAPositiveConstant { operator: "rem", found: by.to_string() };
                self.resolver.find(by.span, problem)
            }
        }
    }
}

/// The letters yyyy MM dd HH mm ss SSS, anything but letters between them; `None` for other letters or nothing.
fn date_pattern(text: &str) -> Option<Vec<DatePiece>> {
    const LETTERS: [(&str, DatePiece); 7] = [
        ("yyyy", DatePiece::Year),
        ("MM", DatePiece::Month),
        ("dd", DatePiece::Day),
        ("HH", DatePiece::Hour),
        ("mm", DatePiece::Minute),
        ("SSS", DatePiece::Milli),
        ("ss", DatePiece::Second),
    ];
    let mut pieces: Vec<DatePiece> = Vec::new();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if let Some((letters, piece)) = LETTERS.iter().find(|(letters, _)| rest.starts_with(letters)) {
            pieces.push(piece.clone());
            rest = rest.get(letters.len()..)?;
        } else if character.is_ascii() && !character.is_ascii_alphabetic() {
            match pieces.last_mut() {
                Some(DatePiece::Text(text)) => text.push(character),
                _ => pieces.push(DatePiece::Text(character.to_string())),
            }
            rest = rest.get(1..)?;
        } else {
            return None;
        }
    }
    pieces.iter().any(|piece| !matches!(piece, DatePiece::Text(_))).then_some(pieces)
}
