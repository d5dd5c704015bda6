//! The program that answers the conformance kit, in Go.

use rowkey_core::lowered::Codec;
use rowkey_core::query::Parameter;

use super::code::{Code, quote};
use super::fields::{GoField, GoType};
use super::{Key, Package, library};
use crate::{File, QueryDesign};

/// The answers of packages, and a program that gives them; requests without a table are for the first.
pub(super) fn files(packages: &[Package<'_>]) -> Vec<File> {
    let line = packages.first().map(|package| package.design.origin.line()).unwrap_or_default();
    let mut main = Code::default();
    main.line(format!("// {line}"));
    main.line("");
    main.line("// Command conform answers the requests of `rowkey conform`.");
    main.line("package main");
    main.line("");
    main.open("import (");
    for package in ["bufio", "encoding/json", "fmt", "os"] {
        main.line(quote(package));
    }
    main.line("");
    let mut paths: Vec<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    paths.sort_unstable();
    for path in paths {
        main.line(quote(&format!("generated/{path}")));
    }
    main.close(")");
    main.line("");
    main.open("func main() {");
    main.line("lines := bufio.NewScanner(os.Stdin)");
    main.line("lines.Buffer(nil, 1<<24)");
    main.line("answers := bufio.NewWriter(os.Stdout)");
    main.open("for lines.Scan() {");
    main.line("var request struct{ Table string }");
    main.line("_ = json.Unmarshal(lines.Bytes(), &request)");
    main.line("fmt.Fprintln(answers, answer(request.Table, lines.Text()))");
    main.open("if err := answers.Flush(); err != nil {");
    main.line("os.Exit(1)");
    main.close("}");
    main.close("}");
    main.close("}");
    main.line("");
    main.open("func answer(table, line string) string {");
    main.open("switch table {");
    for (place, package) in packages.iter().enumerate().rev() {
        let tables: Vec<String> = package.keys().iter().map(|(table, _)| quote(table)).collect();
        let case = if place == 0 { "default:".to_owned() } else { format!("case {}:", tables.join(", ")) };
        main.other_case(&case);
        main.line(format!("return {}.Answer(line)", package.name));
    }
    main.close("}");
    main.close("}");
    let mut files: Vec<File> = packages.iter().map(Package::conform_file).collect();
    files.push(File { name: "conform/main.go".to_owned(), text: main.text() });
    files.push(File {
        name: "go.mod".to_owned(),
        text: format!("// {line}\n\nmodule generated\n\ngo 1.21\n"),
    });
    files
}

impl Package<'_> {
    /// `conform.go` beside `key.go`
    fn conform_file(&self) -> File {
        let own = format!("{}\n{}\n{}", self.dispatch(), self.record_of_texts(), self.to_texts());
        let runtime = include_str!("runtime/conform.go");
        let needed = library::needed_from(&format!("{own}\nAnswer("), &[runtime]);
        let body = format!("{own}\n{needed}\n");
        let text = format!("{}{}{body}", self.head(""), library::imports(&body));
        File { name: format!("{}/conform.go", self.name), text }
    }

    /// The tables of the package: of the main one the name is empty.
    fn keys(&self) -> Vec<(String, Key<'_>)> {
        let indexes = self.design.indexes.iter().zip(&self.indexes).map(|(index, name)| {
            let key = Key { codec: &index.codec, fields: &self.fields, name: name.clone() };
            (index.table.clone(), key)
        });
        [(self.design.table.clone(), self.key())].into_iter().chain(indexes).collect()
    }

    fn dispatch(&self) -> String {
        let mut code = Code::default();
        code.line("// conformEncode is the key of a record, of the table or an index table.");
        code.open("func conformEncode(request *conformRequest) ([]byte, error) {");
        code.line("record, err := conformRecord(request)");
        code.open("if err != nil {");
        code.line("return nil, err");
        code.close("}");
        code.open("switch request.Table {");
        for (table, key) in self.keys().iter().rev() {
            let draw = if key.is_random() { "request.draw" } else { "" };
            if key.name.is_empty() {
                code.other_case("default:");
            } else {
                code.other_case(&format!("case {}:", quote(table)));
            }
            for (field, lowered) in self.fields.iter().zip(&key.codec.fields) {
                if lowered.in_key && !field.may_be_nil() {
                    code.open(format!("if request.isNull({}) {{", quote(&field.source)));
                    code.line(format!(
                        "return nil, &Error{{Kind: KindNull, Field: {}}}",
                        quote(&field.source)
                    ));
                    code.close("}");
                }
            }
            code.line(format!("return record.{}Key({draw})", key.name));
        }
        code.close("}");
        code.close("}");
        code.line("");
        code.line("// conformDecode is the fields that come back from a key.");
        code.open("func conformDecode(request *conformRequest, key []byte) (map[string]*string, error) {");
        code.line("var record Record");
        code.line("fields := make(map[string]*string)");
        code.open("switch request.Table {");
        for (table, key) in self.keys().iter().rev() {
            if key.name.is_empty() {
                code.other_case("default:");
            } else {
                code.other_case(&format!("case {}:", quote(table)));
            }
            code.open(format!("if err := record.Decode{}Key(key); err != nil {{", key.name));
            code.line("return nil, err");
            code.close("}");
            if come_back(key.codec).next().is_some() {
                code.line("values := conformTexts(&record)");
            }
            for name in come_back(key.codec) {
                code.line(format!("fields[{0}] = values[{0}]", quote(name)));
            }
        }
        code.close("}");
        code.line("return fields, nil");
        code.close("}");
        code.line("");
        code.line("// conformRanges is the ranges of a query.");
        code.open("func conformRanges(request *conformRequest, answer map[string]any) error {");
        self.query_cases(&mut code);
        code.close("}");
        code.text()
    }

    fn query_cases(&self, code: &mut Code) {
        let queries = self.design.queries.iter().zip(self.query_functions());
        let queries: Vec<_> = queries.filter(|(query, _)| self.query_refusal(query).is_none()).collect();
        if queries.is_empty() {
            return code.line("return fmt.Errorf(\"there is no query %q\", request.Query)");
        }
        code.line("var ranges Ranges");
        let has_parameters = |query: &QueryDesign| {
            query.template.as_ref().is_ok_and(|template| !template.parameters.is_empty())
        };
        if queries.iter().any(|(query, _)| has_parameters(query)) {
            code.line("var problem *Error");
        }
        code.line("var err error");
        code.open("switch request.Query {");
        for (query, function) in queries {
            let Ok(template) = &query.template else { continue };
            code.other_case(&format!("case {}:", quote(&query.name)));
            let mut arguments = Vec::new();
            for (place, parameter) in template.parameters.iter().enumerate() {
                let field = parameter.field().and_then(|id| self.fields.get(id.0));
                let (ty, call) = match (parameter.role, field) {
                    (Parameter::Pattern(_), _) => ("string".to_owned(), "*text, nil".to_owned()),
                    (_, Some(field)) => (field.ty.name(), parse_call(field)),
                    (_, None) => ("int32".to_owned(), "conformSigned[int32](*text, 32)".to_owned()),
                };
                code.line(format!("var p{place} {ty}"));
                code.open("{");
                code.line(format!("text := request.parameter({place})"));
                code.open(format!("if p{place}, problem = {call}; problem != nil {{"));
                code.line("return problem");
                code.close("}");
                code.close("}");
                arguments.push(if field.is_none() { format!("int(p{place})") } else { format!("p{place}") });
            }
            code.line(format!("ranges, err = {function}({})", arguments.join(", ")));
        }
        code.other_case("default:");
        code.line("return fmt.Errorf(\"there is no query %q\", request.Query)");
        code.close("}");
        code.open("if err == nil {");
        code.line("conformGroups(ranges, answer)");
        code.close("}");
        code.line("return err");
    }

    /// A record from its texts.
    fn record_of_texts(&self) -> String {
        let mut code = Code::default();
        code.open("func conformRecord(request *conformRequest) (*Record, error) {");
        code.line("record := new(Record)");
        code.open("for name, text := range request.Record {");
        code.open("if text == nil {");
        code.line("continue");
        code.close("}");
        code.line("var problem *Error");
        code.open("switch name {");
        for field in &self.fields {
            code.other_case(&format!("case {}:", quote(&field.source)));
            let call = parse_call(field);
            if field.is_pointer() {
                code.line(format!("var value {}", field.ty.name()));
                code.line(format!("value, problem = {call}"));
                code.line(format!("record.{} = &value", field.name));
            } else {
                code.line(format!("record.{}, problem = {call}", field.name));
            }
        }
        code.close("}");
        code.open("if problem != nil {");
        code.line("problem.Field = name");
        code.line("return nil, problem");
        code.close("}");
        code.close("}");
        code.line("return record, nil");
        code.close("}");
        code.text()
    }

    /// The texts of a record.
    fn to_texts(&self) -> String {
        let mut code = Code::default();
        code.open("func conformTexts(record *Record) map[string]*string {");
        code.line("texts := make(map[string]*string)");
        code.line("set := func(name, text string) { texts[name] = &text }");
        for field in &self.fields {
            let own = format!("record.{}", field.name);
            if field.may_be_nil() {
                code.open(format!("if {own} != nil {{"));
            }
            let value = if field.is_pointer() { format!("*{own}") } else { own.clone() };
            code.line(format!("set({}, {})", quote(&field.source), text_of(field, &own, &value)));
            if field.may_be_nil() {
                code.close("}");
            }
        }
        code.line("return texts");
        code.close("}");
        code.text()
    }
}

fn come_back(codec: &Codec) -> impl Iterator<Item = &str> {
    codec.fields.iter().filter(|field| field.comes_back).map(|field| field.name.as_str())
}

fn parse_call(field: &GoField) -> String {
    match field.ty {
        GoType::Int(bits, true) => format!("conformUnsigned[uint{bits}](*text, {bits})"),
        GoType::Int(bits, false) => format!("conformSigned[int{bits}](*text, {bits})"),
        GoType::Big => "conformBig(*text)".to_owned(),
        GoType::F32 => "conformFloat[float32](*text, 32)".to_owned(),
        GoType::F64 => "conformFloat[float64](*text, 64)".to_owned(),
        GoType::Decimal => "Decimal(*text), nil".to_owned(),
        GoType::Text => "*text, nil".to_owned(),
        GoType::Bytes => "conformBytes(*text, -1)".to_owned(),
        GoType::Uuid => "conformArray[UUID](*text)".to_owned(),
        GoType::Array(bytes) => format!("conformArray[[{bytes}]byte](*text)"),
        GoType::Bool => "*text == \"true\", nil".to_owned(),
    }
}

fn text_of(field: &GoField, own: &str, value: &str) -> String {
    match field.ty {
        GoType::Int(_, true) => format!("strconv.FormatUint(uint64({value}), 10)"),
        GoType::Int(_, false) => format!("strconv.FormatInt(int64({value}), 10)"),
        GoType::Big => format!("{value}.Text(10)"),
        GoType::F32 => format!("strconv.FormatFloat(float64({value}), 'g', -1, 32)"),
        GoType::F64 => format!("strconv.FormatFloat(float64({value}), 'g', -1, 64)"),
        GoType::Decimal => format!("string({value})"),
        GoType::Text => value.to_owned(),
        GoType::Bytes => format!("hex.EncodeToString({value})"),
        GoType::Uuid | GoType::Array(_) => format!("hex.EncodeToString({own}[:])"),
        GoType::Bool => format!("strconv.FormatBool({value})"),
    }
}
