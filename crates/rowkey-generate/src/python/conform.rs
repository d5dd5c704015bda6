//! The program that answers the conformance kit for a module.

use rowkey_core::Type;
use rowkey_core::query::Parameter;
use rowkey_core::types::Kind;

use super::columns;
use super::encode::Encoder;
use super::layout::{Py, atom, call, quoted, statement};
use super::record::{Names, fields, octets};
use super::{head, module_name, snippets};
use crate::Design;

/// One file that says what each table has, and answers.
pub(super) fn text(designs: &[&Design]) -> String {
    let mut tables = Vec::new();
    let mut imports = String::new();
    for design in designs {
        let names = Names::of(design);
        let module = module_name(design);
        imports.push_str(&format!("import {module}\n"));
        let rows = fields(design).map(|(id, field)| {
            let (read, print) = forms(field.ty);
            atom(format!("{}: ({}, {read}, {print})", quoted(&field.name), quoted(names.attribute(id))))
        });
        let fields = Py::Brackets { open: "{".to_owned(), inner: rows.collect(), close: '}' };
        let indexes = design.indexes.iter().zip(columns::suffixes(design));
        let main = (design.table.as_str(), &design.codec, String::new());
        for (table, codec, suffix) in std::iter::once(main)
            .chain(indexes.map(|(index, suffix)| (index.table.as_str(), &index.codec, suffix)))
        {
            let back =
                codec.fields.iter().filter(|field| field.comes_back).map(|field| atom(quoted(&field.name)));
            let back = Py::Brackets { open: "[".to_owned(), inner: back.collect(), close: ']' };
            let encoder = Encoder::new(codec, &names, &suffix);
            let takes_draws = if encoder.is_random() { "True" } else { "False" };
            let arguments = [
                atom(&*module),
                atom(format!("{module}.encode{suffix}")),
                atom(format!("{module}.decode{suffix}")),
                fields.clone(),
                back,
                atom(takes_draws),
                if suffix.is_empty() { queries(design, &module) } else { atom("{}") },
            ];
            tables.push((quoted(table), call("Table", arguments)));
        }
    }
    let mut body = include_str!("conform.py").to_owned();
    body.push_str("\n\n#: by name; the first answers requests without one\n");
    body.push_str("TABLES: Dict[str, Table] = {}\n");
    for (name, table) in tables {
        statement(&mut body, 0, &format!("TABLES[{name}] = "), &table, "");
    }
    body.push_str("\nif __name__ == \"__main__\":\n");
    body.push_str("    for request_line in sys.stdin:\n        print(answer(request_line), flush=True)\n");
    let modules = snippets::imports(&body);
    let about = "Answers the requests of `rowkey conform` for generated modules.";
    let head = designs.first().map_or_else(String::new, |design| head(design, about));
    format!("{head}{modules}\n{imports}{body}")
}

/// The functions of queries, and what reads their parameters.
fn queries(design: &Design, module: &str) -> Py {
    let rows =
        design.queries.iter().zip(super::queries::functions(design)).filter_map(|(query, function)| {
            let template = query.template.as_ref().ok()?;
            let read =
                template.parameters.iter().map(|parameter| match (parameter.role, parameter.field()) {
                    (Parameter::Pattern(_), _) => "str".to_owned(),
                    (_, Some(field)) => {
                        forms(design.fields().get(field.0).map_or(Type::Text, |field| field.ty)).0
                    }
                    (_, None) => "int".to_owned(),
                });
            let read: Vec<String> = read.collect();
            Some(atom(format!("{}: ({module}.{function}, [{}])", quoted(&query.name), read.join(", "))))
        });
    Py::Brackets { open: "{".to_owned(), inner: rows.collect(), close: '}' }
}

/// What reads a text of the protocol, and what prints it.
fn forms(ty: Type) -> (String, String) {
    let of = |read: &str, print: &str| (read.to_owned(), print.to_owned());
    match ty.kind() {
        Kind::Float if ty.is_single() => of("_single", "repr"),
        Kind::Integer | Kind::Time => of("int", "str"),
        Kind::Float => of("float", "repr"),
        Kind::Numeric => of("decimal.Decimal", "_numeric"),
        Kind::Text => of("str", "str"),
        Kind::Bytes => of("bytes.fromhex", "bytes.hex"),
        Kind::Bool => of("_bool", "_print_bool"),
        Kind::Octets(own) => {
            let (name, class) = octets(own);
            match name {
                "uuid" => {
                    (format!("lambda text: {class}(text)"), "lambda value: value.bytes.hex()".to_owned())
                }
                _ => (
                    format!("lambda text: {class}(bytes.fromhex(text))"),
                    "lambda value: value.packed.hex()".to_owned(),
                ),
            }
        }
    }
}
