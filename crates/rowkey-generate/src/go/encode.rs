//! From a record to its key, in Go.
//!
//! A step becomes a few lines that append to `dst`. What is computed stands in a function of its own, because
//! decoding calls it again. What a hash hashes is appended to `dst`, hashed and taken away, so that nothing is
//! allocated.

use rowkey_core::FieldId;
use rowkey_core::lowered::{
    Codec, DatePiece, End, Form, HashFunction, Input, LoweredStep, Number, NumberOp, OnNull, Side, Source,
    Text, TextOp, Value,
};
use rowkey_core::types::{IntForm, Nulls, Order};

use super::code::{Code, quote, quote_bytes};
use super::fields::{GoField, GoType};

/// What prints the functions of one key.
pub(super) struct Key<'d> {
    pub(super) codec: &'d Codec,
    pub(super) fields: &'d [GoField],
    /// Nothing for the table's own key, `OrdersBySeller` for that of an index table.
    pub(super) name: String,
}

/// What a number is in Go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repr {
    Signed,
    Unsigned,
    Big,
}

impl Repr {
    /// The narrowest for numbers of a range.
    pub(super) fn of(low: i128, high: i128) -> Self {
        if i64::try_from(low).is_ok() && i64::try_from(high).is_ok() {
            Self::Signed
        } else if low >= 0 && u64::try_from(high).is_ok() {
            Self::Unsigned
        } else {
            Self::Big
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Signed => "int64",
            Self::Unsigned => "uint64",
            Self::Big => "*big.Int",
        }
    }
}

/// A number in Go.
#[derive(Debug, Clone)]
pub(super) struct Num {
    pub(super) code: String,
    pub(super) repr: Repr,
    pub(super) low: i128,
    pub(super) high: i128,
    /// The type of `code`, if it is not that of `repr`: `uint16`.
    pub(super) narrow: Option<String>,
    /// The variable that says whether it is not null.
    pub(super) there: Option<String>,
}

impl Num {
    pub(super) fn new(code: impl Into<String>, repr: Repr, (low, high): (i128, i128)) -> Self {
        Self { code: code.into(), repr, low, high, narrow: None, there: None }
    }

    /// As `new`, with code of this type.
    pub(super) fn narrow(code: String, ty: &str, repr: Repr, range: (i128, i128)) -> Self {
        Self { narrow: (ty != repr.name()).then(|| ty.to_owned()), ..Self::new(code, repr, range) }
    }

    /// Its code as a number of this type.
    pub(super) fn cast(&self, to: &str) -> String {
        let own = self.narrow.as_deref().unwrap_or(self.repr.name());
        match self.repr {
            Repr::Big => match to {
                "uint64" => format!("{}.Uint64()", self.code),
                "int64" => format!("{}.Int64()", self.code),
                "*big.Int" => self.code.clone(),
                other if other.starts_with('u') => format!("{other}({}.Uint64())", self.code),
                other => format!("{other}({}.Int64())", self.code),
            },
            _ if to == "*big.Int" => format!("bigOf({})", self.code),
            _ if own == to => self.code.clone(),
            _ => format!("{to}({})", self.code),
        }
    }

    fn is_simple(&self) -> bool {
        self.code.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '.' | '*'))
    }
}

/// A constant in Go, as a number of this type.
pub(super) fn constant(number: i128, repr: Repr) -> String {
    match repr {
        Repr::Signed => number.to_string(),
        // What does not fit wraps, as the arithmetic it is for does.
        Repr::Unsigned => (number as u64).to_string(),
        Repr::Big => match i64::try_from(number) {
            Ok(small) => format!("big.NewInt({small})"),
            Err(_) => format!("bigText(\"{number}\")"),
        },
    }
}

/// What stands in a position of a refusal.
#[derive(Debug, Clone)]
enum About {
    Field(String),
    Part(String),
}

impl About {
    fn call(&self) -> String {
        match self {
            Self::Field(name) => format!("ofField({})", quote(name)),
            Self::Part(label) => format!("ofPart({})", quote(label)),
        }
    }
}

/// The variable of what `dst` could not be.
const REFUSED: &str = "refused";

/// The function of salts.
const SALT: &str = "murmur3";

/// A function that appends, being written.
struct Body<'k, 'd> {
    key: &'k Key<'d>,
    code: Code,
    label: String,
    names: Vec<String>,
}

impl<'d> Key<'d> {
    /// Whether its keys have random parts.
    pub(super) fn is_random(&self) -> bool {
        self.values().any(|(_, value)| is_random(value))
    }

    /// The steps that depend on the record, with their places.
    pub(super) fn values(&self) -> impl Iterator<Item = (usize, &'d Value)> {
        self.codec.steps.iter().enumerate().filter_map(|(place, step)| match step {
            LoweredStep::Value(value) => Some((place, value)),
            LoweredStep::Literal(_) => None,
        })
    }

    /// The name of the method that appends a step.
    pub(super) fn part_name(&self, place: usize) -> String {
        let number = self.values().take_while(|(other, _)| *other <= place).count();
        format!("append{}Part{number}", self.name)
    }

    /// `AppendKey`, `Key`, and the methods of parts that are wanted: those that are computed, those of `also`.
    pub(super) fn encode(&self, also: &[usize]) -> String {
        let (append, whole) = (format!("Append{}Key", self.name), format!("{}Key", self.name));
        let (parameter, argument) =
            if self.is_random() { (", draw func(count int) int", ", draw") } else { ("", "") };
        let alone = parameter.trim_start_matches(", ");
        let mut code = Code::default();
        code.comment(&format!(
            "{append} appends the row key of the record, {}, to dst.",
            self.codec.notation
        ));
        if self.is_random() {
            code.comment(
                "\nEach random part calls draw, which gives a number below a count; math/rand's Intn is one.",
            );
        }
        code.open(format!("func (r *Record) {append}(dst []byte{parameter}) ([]byte, error) {{"));
        code.line("start := len(dst)");
        let calls = self.values().any(|(_, value)| self.is_called(value));
        if calls {
            code.line("var err error");
        }
        let first = code.place();
        let mut body =
            Body { key: self, code, label: String::new(), names: vec!["start".to_owned(), "err".to_owned()] };
        for (place, step) in self.codec.steps.iter().enumerate() {
            match step {
                LoweredStep::Literal(bytes) => {
                    body.code.line(format!("dst = append(dst, {})", literal_bytes(bytes)));
                }
                LoweredStep::Value(value) if self.is_called(value) => {
                    let argument = if is_random(value) { argument } else { "" };
                    body.code.open(format!(
                        "if dst, err = r.{}(dst{argument}); err != nil {{",
                        self.part_name(place)
                    ));
                    body.code.line("return nil, err");
                    body.code.close("}");
                }
                LoweredStep::Value(value) => {
                    body.code.comment(&value.label);
                    body.step(value);
                }
            }
        }
        let mut code = body.code;
        code.declare_if_used(first, REFUSED, &format!("var {REFUSED} *Error"));
        if let Some(buckets) = self.codec.row_salt {
            code.line(format!("dst[start] = byte(phoenixSalt(dst[start+1:], {buckets}))"));
        }
        code.line("return finishKey(dst, start)");
        code.close("}");
        code.line("");
        code.comment(&format!("{whole} is the row key of the record."));
        code.open(format!("func (r *Record) {whole}({alone}) ([]byte, error) {{"));
        code.line(format!("return r.{append}(nil{argument})"));
        code.close("}");
        for (place, value) in self.values() {
            if self.has_method(value) || also.contains(&place) {
                code.line("");
                code.line(self.method(place, value).trim_end());
            }
        }
        code.text()
    }

    /// Whether `AppendKey` calls its method; a number that is always there is computed in place, which is quicker.
    fn is_called(&self, value: &Value) -> bool {
        let is_short = matches!(&value.source, Source::Number(number) if !number.nullable);
        self.has_method(value) && (!is_short || is_random(value))
    }

    /// Whether it has a method, for decoding and for queries.
    fn has_method(&self, value: &Value) -> bool {
        matches!(value.source, Source::Number(_) | Source::Text(_))
    }

    fn method(&self, place: usize, value: &Value) -> String {
        let name = self.part_name(place);
        let mut code = Code::default();
        code.comment(&format!("{name} appends {}.", value.label));
        let parameter = if is_random(value) { ", draw func(count int) int" } else { "" };
        code.open(format!("func (r *Record) {name}(dst []byte{parameter}) ([]byte, error) {{"));
        let place = code.place();
        let mut body = Body { key: self, code, label: String::new(), names: Vec::new() };
        body.step(value);
        body.code.declare_if_used(place, REFUSED, &format!("var {REFUSED} *Error"));
        body.code.line("return dst, nil");
        body.code.close("}");
        body.code.text()
    }
}

/// Whether a step draws a random number.
pub(super) fn is_random(value: &Value) -> bool {
    match &value.source {
        Source::Number(number) => matches!(number.op, NumberOp::Random(_)),
        Source::Text(text) => matches!(text.op, TextOp::RandomLetter(_)),
        Source::Field(_) | Source::RowSalt => false,
    }
}

/// Bytes as further arguments of `append`.
pub(super) fn literal_bytes(bytes: &[u8]) -> String {
    match bytes {
        [byte @ (b' '..=b'&' | b'('..=b'[' | b']'..=b'~')] => format!("'{}'", char::from(*byte)),
        [byte] => format!("0x{byte:02x}"),
        bytes => format!("{}...", quote_bytes(bytes)),
    }
}

/// The bits that turn a number's last bytes into those of its form.
pub(super) fn mask(bytes: usize, sign: IntForm, order: Order) -> u64 {
    let all = u64::MAX >> (64 - 8 * bytes);
    let flip = if sign == IntForm::SignFlipped { 1 << (8 * bytes - 1) } else { 0 };
    if order == Order::Descending { flip ^ all } else { flip }
}

/// `x^0x80`, `^x` or `x`.
pub(super) fn masked(code: &str, bytes: usize, mask: u64) -> String {
    if mask == 0 {
        code.to_owned()
    } else if mask == u64::MAX >> (64 - 8 * bytes) {
        format!("^{code}")
    } else {
        format!("{code}^0x{mask:0width$x}", width = 2 * bytes)
    }
}

/// What `ordered` types begin with.
pub(super) fn header(form: Form) -> Option<u8> {
    match form {
        Form::OrderedInteger { bytes: 1, .. } => Some(0x29),
        Form::OrderedInteger { bytes: 2, .. } => Some(0x2A),
        Form::OrderedInteger { bytes: 4, .. } => Some(0x2B),
        Form::OrderedInteger { .. } => Some(0x2C),
        Form::OrderedFloat(4) => Some(0x30),
        Form::OrderedFloat(_) => Some(0x31),
        Form::OrderedText => Some(0x34),
        Form::OrderedBytes => Some(0x37),
        _ => None,
    }
}

impl Body<'_, '_> {
    fn field(&self, id: FieldId) -> &GoField {
        self.key.fields.get(id.0).expect("a field id comes from the fields that made it")
    }

    /// A name that the function does not have yet.
    fn name(&mut self, wanted: &str) -> String {
        let names = std::iter::once(wanted.to_owned()).chain((2..).map(|number| format!("{wanted}{number}")));
        let name = names.into_iter().find(|name| !self.names.contains(name)).unwrap_or_default();
        self.names.push(name.clone());
        name
    }

    fn part(&self) -> About {
        About::Part(self.label.clone())
    }

    /// `if CONDITION { return nil, PROBLEM.ofPart("…") }`
    fn refuse_if(&mut self, condition: &str, problem: &str, about: &About) {
        self.code.open(format!("if {condition} {{"));
        self.code.line(format!("return nil, {problem}.{}", about.call()));
        self.code.close("}");
    }

    /// As `refuse_if`, for a call that gives a problem.
    fn refuse_by(&mut self, call: &str, about: &About) {
        self.refuse_if(&format!("problem := {call}; problem != nil"), "problem", about);
    }

    /// A call that gives a value and a problem, as a new variable.
    fn try_new(&mut self, wanted: &str, call: &str, about: &About) -> String {
        let (name, problem) = (self.name(wanted), self.name("problem"));
        self.code.line(format!("{name}, {problem} := {call}"));
        self.refuse_if(&format!("{problem} != nil"), &problem, about);
        name
    }

    /// `dst` becomes what a call gives, if that has no problem. The variable of the problem stands at the top of
    /// the function, because a new one would make a new `dst` inside of a block.
    fn try_dst(&mut self, call: &str, about: &About) {
        self.refuse_if(&format!("dst, {REFUSED} = {call}; {REFUSED} != nil"), REFUSED, about);
    }

    fn step(&mut self, value: &Value) {
        self.label = value.label.clone();
        match &value.source {
            Source::RowSalt => self.code.line("dst = append(dst, 0) // replaced below"),
            Source::Field(id) => self.field_step(value, *id),
            Source::Number(number) => self.number_step(value, number),
            Source::Text(text) => self.text_step(value, text),
        }
    }

    fn mark(&mut self, value: &Value) {
        if value.nulls != Nulls::Refused {
            self.code.line("dst = append(dst, 0x01)");
        }
    }

    /// What is written for null.
    fn null(&mut self, value: &Value) {
        match value.on_null {
            OnNull::Mark(byte) | OnNull::Byte(byte) => {
                self.code.line(format!("dst = append(dst, 0x{byte:02x})"))
            }
            OnNull::Refused(field) => {
                let refusal = self.null_refusal(field);
                self.code.line(refusal);
            }
        }
    }

    fn null_refusal(&self, field: Option<FieldId>) -> String {
        match field {
            Some(id) => format!("return nil, isNull({})", quote(&self.field(id).source)),
            None => format!("return nil, partIsNull({})", quote(&self.label)),
        }
    }

    fn field_step(&mut self, value: &Value, id: FieldId) {
        let field = self.field(id).clone();
        let is_refused = matches!(value.on_null, OnNull::Refused(_));
        let guards = field.may_be_nil();
        if guards {
            self.code.open(format!("if r.{} == nil {{", field.name));
            self.null(value);
            if is_refused {
                self.code.close("}");
            } else {
                self.code.other("} else {");
            }
        }
        self.mark(value);
        self.field_form(&field, value.form, value.order, Some(&value.end));
        if guards && !is_refused {
            self.code.close("}");
        }
    }

    /// Refuses a text behind `at` with its delimiter inside.
    fn delimiter(&mut self, end: &End, at: &str) {
        let End::Literal(delimiter) = end else { return };
        let (part, quoted) = (self.part(), quote_bytes(delimiter));
        match delimiter.as_slice() {
            [byte] => {
                let byte = literal_bytes(&[*byte]);
                let condition = format!("bytes.IndexByte(dst[{at}:], {byte}) >= 0");
                self.refuse_if(&condition, &format!("delimiterInside(dst[{at}:], {quoted})"), &part);
            }
            _ => self.refuse_by(&format!("refuseDelimiter(dst, {at}, {quoted})"), &part),
        }
    }

    /// The bytes of a field that is not null.
    fn field_form(&mut self, field: &GoField, form: Form, order: Order, end: Option<&End>) {
        let own = format!("r.{}", field.name);
        let pointed = if field.is_pointer() { format!("*{own}") } else { own.clone() };
        let about = About::Field(field.source.clone());
        let at = self.name("at");
        if let Some(header) = header(form) {
            let flip = if order == Order::Descending { 0xFF } else { 0 };
            self.code.line(format!("dst = append(dst, 0x{:02x})", header ^ flip));
        }
        let place = self.code.place();
        match form {
            Form::Bool => {
                let byte = format!("boolByte({pointed})");
                let byte = if order == Order::Descending { format!("^{byte}") } else { byte };
                self.code.line(format!("dst = append(dst, {byte})"));
            }
            Form::Octets(_) => {
                self.code.line(format!("dst = append(dst, {own}[:]...)"));
                self.complement(&at, order);
            }
            Form::Float(bytes) | Form::OrderedFloat(bytes) => {
                self.float(field.ty, &pointed, form, bytes, order, &about)
            }
            Form::Plain { .. }
            | Form::Fixed { .. }
            | Form::Escaped
            | Form::OrderedText
            | Form::OrderedBytes => {
                self.code.line(format!("dst = append(dst, {pointed}...)"));
                if field.ty == GoType::Text {
                    self.refuse_if(
                        &format!("!isUTF8(dst[len(dst)-len({pointed}):])"),
                        &format!("notUTF8({pointed})"),
                        &about,
                    );
                }
                self.framed(&at, form, order, &about);
            }
            Form::OrderedNumeric { .. } if field.ty == GoType::Decimal => {
                let number = self.try_new("number", &format!("parseDecimal(string({pointed}))"), &about);
                self.code.line(format!("dst = {number}.appendOrdered(dst)"));
                self.complement(&at, order);
            }
            Form::Integer { .. }
            | Form::Seconds
            | Form::Digits(_)
            | Form::OrderedInteger { .. }
            | Form::OrderedNumeric { .. } => {
                let number = self.field_number(field, &pointed);
                self.number_form(&at, &number, form, order, &about);
            }
        }
        if let Some(end) = end {
            self.delimiter(end, &at);
        }
        self.declare_place(place, &at);
    }

    /// Declares a name for the place at which something is appended, if it is used.
    fn declare_place(&mut self, place: usize, name: &str) {
        if !self.code.declare_if_used(place, name, &format!("{name} := len(dst)")) {
            self.names.retain(|other| other != name);
        }
    }

    /// A field that is a number, unchecked.
    fn field_number(&self, field: &GoField, pointed: &str) -> Num {
        match field.ty.range() {
            Some(range) => {
                let repr = Repr::of(range.0, range.1);
                let name = field.ty.name();
                let narrow = (name != repr.name()).then_some(name);
                Num { narrow, ..Num::new(pointed, repr, range) }
            }
            None => Num::new(pointed, Repr::Big, (i128::MIN, i128::MAX)),
        }
    }

    fn complement(&mut self, at: &str, order: Order) {
        if order == Order::Descending {
            self.code.line(format!("dst = complement(dst, {at})"));
        }
    }

    /// What is done to a text that stands behind `at`.
    fn framed(&mut self, at: &str, form: Form, order: Order, about: &About) {
        match form {
            Form::Fixed { bytes, .. } => self.refuse_by(&format!("checkWidth(dst, {at}, {bytes})"), about),
            Form::Escaped => self.code.line(format!("dst = escapeZeros(dst, {at})")),
            Form::OrderedText => self.try_dst(&format!("orderedText(dst, {at})"), about),
            Form::OrderedBytes => self.code.line(format!("dst = orderedBytes(dst, {at})")),
            _ => {}
        }
        self.complement(at, order);
    }

    fn float(&mut self, ty: GoType, code: &str, form: Form, bytes: usize, order: Order, about: &About) {
        let wide = if ty == GoType::F64 { code.to_owned() } else { format!("float64({code})") };
        if ty == GoType::F64 && bytes == 4 {
            self.refuse_by(&format!("checkSingle({wide})"), about);
        }
        let check = if matches!(form, Form::OrderedFloat(_)) { "checkOrderedFloat" } else { "checkFloat" };
        if check == "checkOrderedFloat" || !(ty == GoType::F64 && bytes == 4) {
            self.refuse_by(&format!("{check}({wide})"), about);
        }
        let mask = if order == Order::Descending { u64::MAX >> (64 - 8 * bytes) } else { 0 };
        let (bits, number) = match (bytes, ty) {
            (4, GoType::F64) => (32, format!("sortable32(float32({code}))")),
            (4, _) => (32, format!("sortable32({code})")),
            _ => (64, format!("sortable64({wide})")),
        };
        self.code
            .line(format!("dst = binary.BigEndian.AppendUint{bits}(dst, {})", masked(&number, bytes, mask)));
    }

    /// Refuses a number outside a range.
    fn in_range(&mut self, number: &Num, (low, high): (i128, i128), ty: &str, about: &About) {
        let mut conditions = Vec::new();
        if number.repr == Repr::Big {
            if number.low < low || number.high > high {
                conditions.push(format!(
                    "!isWithin({}, {}, {})",
                    number.code,
                    constant(low, Repr::Big),
                    constant(high, Repr::Big)
                ));
            }
        } else {
            if number.low < low {
                conditions.push(format!("{} < {low}", number.code));
            }
            if number.high > high {
                conditions.push(format!("{} > {high}", number.code));
            }
        }
        if !conditions.is_empty() {
            let problem = format!("outOfRange({}, {}, \"{low}\", \"{high}\")", number.code, quote(ty));
            self.refuse_if(&conditions.join(" || "), &problem, about);
        }
    }

    /// The bytes of a number in its form.
    fn number_form(&mut self, at: &str, number: &Num, form: Form, order: Order, about: &About) {
        let number = &self.bound(number.clone());
        match form {
            Form::Integer { bytes, sign, low, high } => {
                self.in_range(number, (low, high), &integer_name(bytes, low), about);
                self.word(number, bytes, mask(bytes, sign, order));
            }
            Form::OrderedInteger { bytes, low, high } => {
                self.in_range(number, (low, high), &integer_name(bytes, low), about);
                self.word(number, bytes, mask(bytes, IntForm::SignFlipped, order));
            }
            Form::Seconds => {
                let millis = number.cast("int64");
                self.refuse_by(&format!("checkSeconds({millis})"), about);
                let all = if order == Order::Descending { u64::from(u32::MAX) } else { 0 };
                let seconds = masked(&format!("uint32({millis}/1000)"), 4, all);
                self.code.line(format!("dst = binary.BigEndian.AppendUint32(dst, {seconds})"));
            }
            Form::Digits(width) => {
                self.in_range(number, (0, most_of_digits(width)), &format!("decimal({width})"), about);
                self.digits(number, width);
                self.complement(at, order);
            }
            Form::OrderedNumeric { .. } => {
                let text = match number.repr {
                    Repr::Signed => format!("strconv.FormatInt({}, 10)", number.cast("int64")),
                    Repr::Unsigned => format!("strconv.FormatUint({}, 10)", number.cast("uint64")),
                    Repr::Big => format!("{}.Text(10)", number.code),
                };
                let decimal = self.try_new("decimal", &format!("decimalOfInteger({text})"), about);
                self.code.line(format!("dst = {decimal}.appendOrdered(dst)"));
                self.complement(at, order);
            }
            // Compiling lets no other form of a number through.
            _ => {}
        }
    }

    fn digits(&mut self, number: &Num, width: usize) {
        let call = match number.repr {
            Repr::Big => format!("appendBigDecimal(dst, {}, {width})", number.code),
            _ => format!("appendDecimal(dst, {}, {width})", number.cast("uint64")),
        };
        self.code.line(format!("dst = {call}"));
    }

    fn word(&mut self, number: &Num, bytes: usize, mask: u64) {
        let bits = bytes * 8;
        let word = masked(
            &number.cast(&if bits == 8 { "byte".to_owned() } else { format!("uint{bits}") }),
            bytes,
            mask,
        );
        let line = if bits == 8 {
            format!("dst = append(dst, {})", word)
        } else {
            format!("dst = binary.BigEndian.AppendUint{bits}(dst, {})", word)
        };
        self.code.line(line);
    }

    fn number_step(&mut self, value: &Value, number: &Number) {
        let computed = self.number(number);
        let about = self.part();
        let is_refused = matches!(value.on_null, OnNull::Refused(_));
        if let Some(there) = &computed.there {
            self.code.open(format!("if !{there} {{"));
            self.null(value);
            if is_refused {
                self.code.close("}");
            } else {
                self.code.other("} else {");
            }
        }
        self.mark(value);
        if let Some(header) = header(value.form) {
            let flip = if value.order == Order::Descending { 0xFF } else { 0 };
            self.code.line(format!("dst = append(dst, 0x{:02x})", header ^ flip));
        }
        let (at, place) = (self.name("at"), self.code.place());
        self.number_form(&at, &computed, value.form, value.order, &about);
        self.declare_place(place, &at);
        if computed.there.is_some() && !is_refused {
            self.code.close("}");
        }
    }

    fn text_step(&mut self, value: &Value, text: &Text) {
        let about = self.part();
        self.mark(value);
        let flip = if value.order == Order::Descending { 0xFF } else { 0 };
        if let Some(header) = header(value.form) {
            self.code.line(format!("dst = append(dst, 0x{:02x})", header ^ flip));
        }
        let (at, place) = (self.name("at"), self.code.place());
        let there = self.text(text, &at);
        let prefix = usize::from(value.nulls != Nulls::Refused) + usize::from(header(value.form).is_some());
        if let Some(there) = &there {
            self.code.open(format!("if !{there} {{"));
            match value.on_null {
                OnNull::Mark(byte) | OnNull::Byte(byte) => {
                    self.code.line(format!("return append(dst[:{at}-{prefix}], 0x{byte:02x}), nil"));
                }
                OnNull::Refused(field) => {
                    let refusal = self.null_refusal(field);
                    self.code.line(refusal);
                }
            }
            self.code.close("}");
        }
        self.framed(&at, value.form, value.order, &about);
        self.delimiter(&value.end, &at);
        self.declare_place(place, &at);
    }

    /// The number in a variable, if its code is more than a name.
    fn bound(&mut self, number: Num) -> Num {
        if number.is_simple() {
            return number;
        }
        let name = self.name("number");
        self.code.line(format!("{name} := {}", number.code));
        Num { code: name, ..number }
    }

    /// Computes something where none of these is null: in a block of its own, if one can be.
    fn where_there(&mut self, theres: Vec<String>, compute: impl FnOnce(&mut Self) -> Num) -> Num {
        if theres.is_empty() {
            return compute(self);
        }
        let there = match theres.as_slice() {
            [one] => one.clone(),
            several => {
                let there = self.name("there");
                self.code.line(format!("{there} := {}", several.join(" && ")));
                there
            }
        };
        let (name, place) = (self.name("number"), self.code.place());
        self.code.open(format!("if {there} {{"));
        let number = compute(self);
        self.code.line(format!("{name} = {}", number.cast(number.repr.name())));
        self.code.close("}");
        self.code.declare_if_used(place, &name, &format!("var {name} {}", number.repr.name()));
        Num { code: name, narrow: None, there: Some(there), ..number }
    }

    /// Computes a number.
    fn number(&mut self, number: &Number) -> Num {
        let range = (number.low, number.high);
        let repr = Repr::of(number.low, number.high);
        let about = self.part();
        match &number.op {
            NumberOp::Field(id) => {
                let field = self.field(*id).clone();
                let range = self.key.codec.fields.get(id.0).and_then(|field| field.range).unwrap_or(range);
                let own = format!("r.{}", field.name);
                let pointed = if field.is_pointer() { format!("*{own}") } else { own.clone() };
                let mut theres = Vec::new();
                if field.may_be_nil() {
                    let there = self.name("there");
                    self.code.line(format!("{there} := {own} != nil"));
                    theres.push(there);
                }
                self.where_there(theres, |body| {
                    let number = body.field_number(&field, &pointed);
                    let about = About::Field(field.source.clone());
                    body.in_range(&number, range, &field.declared.to_string(), &about);
                    let narrow = Repr::of(range.0, range.1);
                    if number.repr == Repr::Big && narrow != Repr::Big {
                        return Num::new(number.cast(narrow.name()), narrow, range);
                    }
                    Num { low: range.0, high: range.1, ..number }
                })
            }
            NumberOp::Constant(value) => Num::new(constant(*value, repr), repr, range),
            NumberOp::FromLongMax(of) => {
                let of = self.number(of);
                self.where_there(of.there.clone().into_iter().collect(), |body| {
                    let of = body.bound(of);
                    let max = i128::from(i64::MAX);
                    let condition = match of.repr {
                        Repr::Signed => (of.low < 0).then(|| format!("{} < 0", of.code)),
                        Repr::Unsigned => (of.high > max).then(|| format!("{} > math.MaxInt64", of.code)),
                        Repr::Big => {
                            Some(format!("!isWithin({}, big.NewInt(0), big.NewInt(math.MaxInt64))", of.code))
                        }
                    };
                    if let Some(condition) = condition {
                        body.refuse_if(&condition, &format!("notFromLongMax({})", of.code), &about);
                    }
                    body.bound(Num::new(
                        format!("math.MaxInt64 - {}", of.cast("int64")),
                        Repr::Signed,
                        (range.0.max(0), range.1),
                    ))
                })
            }
            NumberOp::Add(left, right) => self.arithmetic("+", "Add", left, right, range),
            NumberOp::Subtract(left, right) => self.arithmetic("-", "Sub", left, right, range),
            NumberOp::Multiply(left, right) => self.arithmetic("*", "Mul", left, right, range),
            NumberOp::Divide(of, by) => self.division("/", "floorDiv", "Div", of, *by, range),
            NumberOp::Modulo(of, by) => self.division("%", "floorMod", "Mod", of, *by, range),
            NumberOp::Remainder(of, by) => self.division("%", "", "Rem", of, *by, range),
            NumberOp::Hash(function, inputs) => {
                let from = self.name("from");
                let place = self.code.place();
                self.inputs(inputs);
                let hash = self.name("hash");
                let (call, ty) = match function {
                    HashFunction::Murmur3 => ("murmur3", "int32"),
                    HashFunction::JavaHash => ("javaHash", "int32"),
                    HashFunction::Crc32 => ("crc32.ChecksumIEEE", "uint32"),
                    _ => ("xxh3", "uint64"),
                };
                self.code.line(format!("{hash} := {call}(dst[{from}:])"));
                self.take_away(&from, place);
                Num { narrow: (ty != repr.name()).then(|| ty.to_owned()), ..Num::new(hash, repr, range) }
            }
            NumberOp::Salt(buckets, inputs) => self.bucket(SALT, *buckets, inputs, range),
            NumberOp::PhoenixSalt(buckets, inputs) => self.bucket("phoenixSalt", *buckets, inputs, range),
            NumberOp::OpenTsdbSalt(buckets, inputs) => {
                let (from, place) = (self.name("from"), self.code.place());
                let (first, others) = inputs.split_at(inputs.len().min(1));
                self.inputs(first);
                let metric = self.name("metric");
                self.code.line(format!("{metric} := len(dst) - {from}"));
                self.inputs(others);
                let bucket = self.name("bucket");
                self.code.line(format!("{bucket} := openTSDBSalt(dst[{from}:], {metric}, {buckets})"));
                self.take_away(&from, place);
                Num::new(bucket, Repr::Signed, range)
            }
            NumberOp::Random(count) => {
                let drawn = self.try_new("drawn", &format!("drawBelow(draw, {count})"), &about);
                Num::new(drawn, Repr::Signed, range)
            }
        }
    }

    /// A bucket by the function of Phoenix, or by murmur3: then the remainder stands here, by a constant, which is
    /// no division.
    fn bucket(&mut self, function: &str, buckets: u32, inputs: &[Input], range: (i128, i128)) -> Num {
        if let Some(word) = self.only_word(inputs).filter(|_| function == SALT) {
            let bucket = self.name("bucket");
            self.code.line(format!("{bucket} := floorMod(int64(murmur3Word({word})), {buckets})"));
            return Num::new(bucket, Repr::Signed, range);
        }
        let (from, place) = (self.name("from"), self.code.place());
        self.inputs(inputs);
        let bucket = self.name("bucket");
        if function == SALT {
            self.code.line(format!("{bucket} := floorMod(int64(murmur3(dst[{from}:])), {buckets})"));
        } else {
            self.code.line(format!("{bucket} := {function}(dst[{from}:], {buckets})"));
        }
        self.take_away(&from, place);
        Num::new(bucket, Repr::Signed, range)
    }

    /// The word of inputs that are one whole number of eight bytes, which need not go through memory.
    fn only_word(&self, inputs: &[Input]) -> Option<String> {
        let [Input::Field(id, Form::Integer { bytes: 8, sign, low, high })] = inputs else { return None };
        let field = self.field(*id);
        let (own_low, own_high) = field.ty.range().filter(|_| !field.may_be_nil())?;
        if own_low < *low || own_high > *high {
            return None;
        }
        let number = self.field_number(field, &format!("r.{}", field.name));
        Some(masked(&number.cast("uint64"), 8, mask(8, *sign, Order::Ascending)))
    }

    /// Takes away what was appended from a place on to be hashed.
    fn take_away(&mut self, from: &str, place: usize) {
        self.code.line(format!("dst = dst[:{from}]"));
        self.declare_place(place, from);
    }

    fn arithmetic(
        &mut self,
        sign: &str,
        method: &str,
        left: &Number,
        right: &Number,
        range: (i128, i128),
    ) -> Num {
        let about = self.part();
        let repr = Repr::of(range.0, range.1);
        let constant_of = |number: &Number, repr| match number.op {
            NumberOp::Constant(value) => Some(constant(value, repr)),
            _ => None,
        };
        let (a, b) = (self.number(left), self.number(right));
        let theres = [&a, &b].into_iter().filter_map(|number| number.there.clone()).collect::<Vec<_>>();
        self.where_there(theres, |body| {
            let is_big = repr == Repr::Big || a.repr == Repr::Big || b.repr == Repr::Big;
            let own = if is_big { Repr::Big } else { repr };
            let a_code = constant_of(left, own).unwrap_or_else(|| a.cast(own.name()));
            let b_code = constant_of(right, own).unwrap_or_else(|| b.cast(own.name()));
            if !is_big {
                return body.bound(Num::new(format!("{a_code} {sign} {b_code}"), repr, range));
            }
            let name = body.name("number");
            body.code.line(format!("{name} := new(big.Int).{method}({a_code}, {b_code})"));
            if range.0 == i128::MIN || range.1 == i128::MAX {
                body.refuse_if(&format!("!fits128({name})"), "overflows()", &about);
            }
            let wide = Num::new(name, Repr::Big, range);
            if repr == Repr::Big { wide } else { Num::new(wide.cast(repr.name()), repr, range) }
        })
    }

    fn division(
        &mut self,
        sign: &str,
        floor: &str,
        method: &str,
        of: &Number,
        by: i128,
        range: (i128, i128),
    ) -> Num {
        let of = self.number(of);
        self.where_there(of.there.clone().into_iter().collect(), |body| {
            let of = body.bound(of);
            let repr = Repr::of(range.0, range.1);
            let fits = match of.repr {
                Repr::Signed => i64::try_from(by).is_ok(),
                Repr::Unsigned => u64::try_from(by).is_ok(),
                Repr::Big => false,
            };
            if fits {
                let code = of.cast(of.repr.name());
                let code = if of.low < 0 && !floor.is_empty() {
                    format!("{floor}({code}, {by})")
                } else {
                    format!("{code} {sign} {by}")
                };
                return body.bound(Num::new(code, of.repr, range));
            }
            let name = body.name("number");
            let (a, b) = (of.cast("*big.Int"), constant(by, Repr::Big));
            body.code.line(format!("{name} := new(big.Int).{method}({a}, {b})"));
            let wide = Num::new(name, Repr::Big, range);
            if repr == Repr::Big { wide } else { Num::new(wide.cast(repr.name()), repr, range) }
        })
    }

    /// Appends what a hash hashes.
    fn inputs(&mut self, inputs: &[Input]) {
        for input in inputs {
            match input {
                Input::Field(id, form) => {
                    let field = self.field(*id).clone();
                    if field.may_be_nil() {
                        self.code.open(format!("if r.{} != nil {{", field.name));
                    }
                    self.field_form(&field, *form, Order::Ascending, None);
                    if field.may_be_nil() {
                        self.code.close("}");
                    }
                }
                Input::Number(number, form) => {
                    let about = self.part();
                    let number = self.number(number);
                    if let Some(there) = &number.there {
                        self.code.open(format!("if {there} {{"));
                    }
                    if let Some(header) = header(*form) {
                        self.code.line(format!("dst = append(dst, 0x{header:02x})"));
                    }
                    self.number_form("", &number, *form, Order::Ascending, &about);
                    if number.there.is_some() {
                        self.code.close("}");
                    }
                }
                Input::Text(text) => {
                    let (at, place) = (self.name("at"), self.code.place());
                    self.text(text, &at);
                    self.declare_place(place, &at);
                }
            }
        }
    }

    /// Appends a text, which then stands behind `at`; gives the variable that says whether it is not null.
    fn text(&mut self, text: &Text, at: &str) -> Option<String> {
        let about = self.part();
        match &text.op {
            TextOp::Field(id) => {
                let field = self.field(*id).clone();
                let there = field.may_be_nil().then(|| {
                    let there = self.name("there");
                    self.code.line(format!("{there} := r.{} != nil", field.name));
                    self.code.open(format!("if {there} {{"));
                    there
                });
                let form = match (field.declared, field.ty) {
                    (rowkey_core::Type::Fixed(bytes), _) => {
                        Form::Fixed { bytes: bytes.into(), is_text: true }
                    }
                    (_, ty) => Form::Plain { is_text: ty == GoType::Text },
                };
                self.field_form(&field, form, Order::Ascending, None);
                if there.is_some() {
                    self.code.close("}");
                }
                there
            }
            TextOp::Hex(function, inputs) => {
                let digest = self.digest(*function, inputs);
                self.code.line(format!("dst = appendHex(dst, {digest}[:])"));
                None
            }
            TextOp::Digest(function, inputs, len) => {
                let digest = self.digest(*function, inputs);
                self.code.line(format!("dst = append(dst, {digest}[:{len}]...)"));
                None
            }
            TextOp::Letter(letters, inputs) => {
                let count = u32::try_from(letters.len()).unwrap_or(1);
                let bucket = self.bucket(SALT, count, inputs, (0, i128::from(count)));
                self.letter(letters, &bucket.code);
                None
            }
            TextOp::RandomLetter(letters) => {
                let drawn = self.try_new("drawn", &format!("drawBelow(draw, {})", letters.len()), &about);
                self.letter(letters, &drawn);
                None
            }
            TextOp::Str(number) => {
                let number = self.number(number);
                self.there(number.there.clone(), |body| {
                    let line = match number.repr {
                        Repr::Signed => format!("dst = strconv.AppendInt(dst, {}, 10)", number.cast("int64")),
                        Repr::Unsigned => {
                            format!("dst = strconv.AppendUint(dst, {}, 10)", number.cast("uint64"))
                        }
                        Repr::Big => format!("dst = {}.Append(dst, 10)", number.code),
                    };
                    body.code.line(line);
                })
            }
            TextOp::ReverseDigits(number, width) => {
                let number = self.number(number);
                self.there(number.there.clone(), |body| {
                    let number = body.bound(number);
                    body.in_range(&number, (0, most_of_digits(*width)), &format!("decimal({width})"), &about);
                    body.digits(&number, *width);
                    body.code.line(format!("reverse(dst, {at})"));
                })
            }
            TextOp::Date(number, pieces) => {
                let number = self.number(number);
                self.there(number.there.clone(), |body| body.date(&number, pieces))
            }
            TextOp::Reverse(of) => self.after(of, at, |body| body.code.line(format!("reverse(dst, {at})"))),
            TextOp::SubStr(of, from, to) => self.after(of, at, |body| {
                body.try_dst(&format!("subStr(dst, {at}, {from}, {to})"), &about);
            }),
            TextOp::Upper(of) => self.after(of, at, |body| body.code.line(format!("dst = upper(dst, {at})"))),
            TextOp::LowerEach(of) => {
                self.after(of, at, |body| body.code.line(format!("dst = lowerEach(dst, {at})")))
            }
            TextOp::Lower(of) => self.after(of, at, |body| body.code.line(format!("dst = lower(dst, {at})"))),
            TextOp::Pad(side, of, pad, width) => self.after(of, at, |body| {
                let function = if *side == Side::Left { "lpad" } else { "rpad" };
                let pad = literal_bytes(&[*pad]);
                body.try_dst(&format!("{function}(dst, {at}, {pad}, {width})"), &about);
            }),
            TextOp::Code(of, codes) => self.after(of, at, |body| {
                body.code.open(format!("switch string(dst[{at}:]) {{"));
                for (from, to) in codes {
                    body.code.other_case(&format!("case {}:", quote(from)));
                    body.code.line(format!("dst = append(dst[:{at}], {}...)", quote(to)));
                }
                body.code.other_case("default:");
                body.code.line(format!("return nil, unknownCode(dst[{at}:]).{}", about.call()));
                body.code.close("}");
            }),
        }
    }

    /// Does something to a text that is there.
    fn after(&mut self, of: &Text, at: &str, then: impl FnOnce(&mut Self)) -> Option<String> {
        let there = self.text(of, at);
        self.there(there, then)
    }

    fn there(&mut self, there: Option<String>, then: impl FnOnce(&mut Self)) -> Option<String> {
        if let Some(there) = &there {
            self.code.open(format!("if {there} {{"));
        }
        then(self);
        if there.is_some() {
            self.code.close("}");
        }
        there
    }

    fn digest(&mut self, function: HashFunction, inputs: &[Input]) -> String {
        let (from, place) = (self.name("from"), self.code.place());
        self.inputs(inputs);
        let digest = self.name("digest");
        let call = match function {
            HashFunction::Md5 => "md5.Sum",
            HashFunction::Sha1 => "sha1.Sum",
            _ => "sha256.Sum256",
        };
        self.code.line(format!("{digest} := {call}(dst[{from}:])"));
        self.take_away(&from, place);
        digest
    }

    fn letter(&mut self, letters: &[char], number: &str) {
        if letters.iter().all(char::is_ascii) {
            let letters: String = letters.iter().collect();
            self.code.line(format!("dst = append(dst, {}[{number}])", quote(&letters)));
            return;
        }
        let letters: Vec<String> = letters.iter().map(|letter| quote(&letter.to_string())).collect();
        self.code.line(format!("dst = append(dst, []string{{{}}}[{number}]...)", letters.join(", ")));
    }

    fn date(&mut self, number: &Num, pieces: &[DatePiece]) {
        let about = self.part();
        let millis = match number.repr {
            Repr::Signed => number.cast("int64"),
            _ => {
                let wide = number.cast("*big.Int");
                format!("millisOf({wide})")
            }
        };
        let date = self.try_new("date", &format!("dateOf({millis})"), &about);
        for piece in pieces {
            let (code, width) = match piece {
                DatePiece::Text(text) => {
                    self.code.line(format!("dst = append(dst, {})", literal_bytes(text.as_bytes())));
                    continue;
                }
                DatePiece::Year => (format!("{date}.Year()"), 4),
                DatePiece::Month => (format!("{date}.Month()"), 2),
                DatePiece::Day => (format!("{date}.Day()"), 2),
                DatePiece::Hour => (format!("{date}.Hour()"), 2),
                DatePiece::Minute => (format!("{date}.Minute()"), 2),
                DatePiece::Second => (format!("{date}.Second()"), 2),
                DatePiece::Milli => (format!("{date}.Nanosecond()/1e6"), 3),
            };
            self.code.line(format!("dst = appendDecimal(dst, uint64({code}), {width})"));
        }
    }
}

fn integer_name(bytes: usize, low: i128) -> String {
    format!("{} of {bytes} bytes", if low < 0 { "a number" } else { "an unsigned number" })
}

/// The largest number of so many digits.
pub(super) fn most_of_digits(width: usize) -> i128 {
    let power = u32::try_from(width).ok().and_then(|width| 10i128.checked_pow(width));
    power.map_or(i128::MAX, |power| power - 1)
}
