//! Commands about namespaces.

use rowkey_store::{Namespace, TableName};

use super::{Command, list_names, name};
use crate::error::ShellError;
use crate::language::Value;
use crate::screen::Screen;
use crate::session::Session;

commands! {
    create_namespace(1 to any) "Makes a namespace, with attributes if there are any."
        ["create_namespace 'ns1'", "create_namespace 'ns1', {'owner' => 'anna'}"] => create;

    describe_namespace(1 to 1) "Prints a namespace's attributes."
        ["describe_namespace 'ns1'"] => describe;

    drop_namespace(1 to 1) "Removes a namespace without tables."
        ["drop_namespace 'ns1'"] => |session, arguments, _| {
            session.store.drop_namespace(&name(arguments.first(), "Namespace")?)?;
            Ok(Value::Nil)
        };

    list_namespace(0 to 1) "Lists namespaces, all or those that a regular expression matches."
        ["list_namespace", "list_namespace 'abc.*'"] => |session, arguments, screen| {
            let names = || Ok(session.store.list_namespaces()?.into_iter().map(|namespace| namespace.name).collect());
            list_names("NAMESPACE", names, arguments.first(), screen)
        };

    list_namespace_tables(1 to 1) "Lists the tables of a namespace, without its name."
        ["list_namespace_tables 'ns1'"] => |session, arguments, screen| {
            let namespace = name(arguments.first(), "Namespace")?;
            let tables = || {
                let tables = session.store.tables_of_namespace(&namespace)?;
                Ok(tables.iter().map(TableName::qualifier).map(str::to_owned).collect())
            };
            list_names("TABLE", tables, None, screen)
        };
}

fn create(session: &Session, arguments: &[Value], _: &mut Screen<'_>) -> Result<Value, ShellError> {
    let mut namespace = Namespace::new(name(arguments.first(), "Namespace")?);
    for argument in Value::flat(arguments.get(1..).unwrap_or_default()) {
        let Value::Hash(attributes) = argument else {
            let (class, shown) = (argument.class(), argument.inspect());
            return ShellError::argument(format!("{class} of {shown} is not of Hash or String type"));
        };
        namespace.attributes.extend(attributes.into_iter().map(|(key, value)| (key, value.text())));
    }
    session.store.create_namespace(&namespace)?;
    Ok(Value::Nil)
}

fn describe(session: &Session, arguments: &[Value], screen: &mut Screen<'_>) -> Result<Value, ShellError> {
    let Namespace { name, attributes } =
        session.store.describe_namespace(&name(arguments.first(), "Namespace")?)?;
    let attributes: String = attributes.iter().map(|(key, value)| format!(", {key} => '{value}'")).collect();
    screen.cell("DESCRIPTION")?;
    screen.cell(&format!("{{NAME => '{name}'{attributes}}}"))?;
    screen.line("Quota is disabled")?;
    Ok(Value::Nil)
}
