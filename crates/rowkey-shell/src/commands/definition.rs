//! Commands that make, change and describe tables.

use std::collections::BTreeMap;
use std::fs;

use rowkey_core::split::ALGORITHMS;
use rowkey_store::{Family, TableDescriptor};

use super::{Command, answer, list_names};
use crate::describe;
use crate::error::ShellError;
use crate::filter_text;
use crate::language::{Hash, Value};
use crate::options::Options;
use crate::screen::Screen;
use crate::session::Session;

commands! {
    alter(1 to any) "Adds, changes or removes families, and sets attributes of a table."
        [
            "alter 't1', NAME => 'f', VERSIONS => 5",
            "alter 't1', 'g', {NAME => 'h', TTL => 86400}",
            "alter 't1', 'delete' => 'g'",
            "alter 't1', MAX_FILESIZE => '134217728'",
            "alter 't1', METHOD => 'table_att_unset', NAME => 'MAX_FILESIZE'",
        ] => alter;

    alter_status(1 to 1) "Says how many regions have the newest settings; here an alter has ended when it returns."
        ["alter_status 't1'"] => |session, arguments, screen| {
            let table = Session::table(arguments.first())?;
            if !session.store.table_exists(&table)? {
                return ShellError::argument(format!("Can't find a table: {table}"));
            }
            updated(session, &table, screen)
        };

    create(1 to any) "Makes a table: families by name or as hashes with their settings, split points, attributes."
        [
            "create 't1', 'f', 'g'",
            "create 't1', {NAME => 'f', VERSIONS => 5, TTL => 2592000}",
            "create 't1', 'f', SPLITS => ['10', '20', '30']",
            "create 't1', 'f', SPLITS_FILE => 'splits.txt'",
            "create 't1', 'f', {NUMREGIONS => 16, SPLITALGO => 'HexStringSplit'}",
        ] => create;

    describe(1 to 1) "Prints a table's attributes and families; desc for short."
        ["describe 't1'"] => describe_table;

    disable(1 to 1) "Lets a table take no reads and writes, as drop needs it."
        ["disable 't1'"] => |session, arguments, _| {
            let table = session.existing(arguments.first())?;
            if session.store.is_enabled(&table)? {
                session.store.disable_table(&table)?;
            }
            Ok(Value::Nil)
        };

    drop(1 to 1) "Removes a table that is disabled, with all its rows."
        ["disable 't1'; drop 't1'"] => |session, arguments, _| {
            let table = session.existing(arguments.first())?;
            if session.store.is_enabled(&table)? {
                return ShellError::argument(format!("Table {table} is enabled. Disable it first."));
            }
            session.store.drop_table(&table)?;
            Ok(Value::Nil)
        };

    enable(1 to 1) "Lets a table take reads and writes again."
        ["enable 't1'"] => |session, arguments, _| {
            let table = session.existing(arguments.first())?;
            if !session.store.is_enabled(&table)? {
                session.store.enable_table(&table)?;
            }
            Ok(Value::Nil)
        };

    exists(1 to 1) "Says whether there is such a table."
        ["exists 't1'"] => |session, arguments, screen| {
            let table = Session::table(arguments.first())?;
            let exists = session.store.table_exists(&table)?;
            let does = if exists { "does exist" } else { "does not exist" };
            screen.cell(&format!("Table {table} {does}"))?;
            Ok(Value::Bool(exists))
        };

    get_table(1 to 1) "Gives a table, for a variable."
        ["t = get_table 't1'; t.scan; get_table 't1'"] => |session, arguments, _| {
            Ok(Value::Table(session.existing(arguments.first())?))
        };

    is_disabled(1 to 1) "Says whether a table is disabled."
        ["is_disabled 't1'"] => |session, arguments, screen| enabled(session, arguments, screen, false);

    is_enabled(1 to 1) "Says whether a table takes reads and writes."
        ["is_enabled 't1'"] => |session, arguments, screen| enabled(session, arguments, screen, true);

    list(0 to 1) "Lists tables, all or those that a regular expression matches."
        ["list", "list 'abc.*'"] => list;

    show_filters(0 to 0) "Lists the filters of the filter language."
        ["show_filters"] => |_, _, screen| {
            for name in filter_text::names() {
                screen.cell(name)?;
            }
            Ok(Value::Nil)
        };
}

fn enabled(
    session: &Session,
    arguments: &[Value],
    screen: &mut Screen<'_>,
    asked: bool,
) -> Result<Value, ShellError> {
    answer(session.store.is_enabled(&Session::table(arguments.first())?)? == asked, screen)
}

fn list(session: &Session, arguments: &[Value], screen: &mut Screen<'_>) -> Result<Value, ShellError> {
    let tables = || Ok(session.store.list_tables()?.iter().map(ToString::to_string).collect());
    list_names("TABLE", tables, arguments.first(), screen)
}

fn describe_table(
    session: &Session,
    arguments: &[Value],
    screen: &mut Screen<'_>,
) -> Result<Value, ShellError> {
    let name = session.existing(arguments.first())?;
    let table = session.store.describe(&name)?;
    let state = if session.store.is_enabled(&name)? { "ENABLED" } else { "DISABLED" };
    screen.cell(&format!("Table {name} is {state}"))?;
    screen.cell(&format!("{name}{}", describe::table_attributes(&table)))?;
    screen.cell("COLUMN FAMILIES DESCRIPTION")?;
    for family in &table.families {
        screen.cell(&describe::family(family))?;
        screen.line("")?;
    }
    screen.footer(table.families.len())?;
    screen.line("Quota is disabled")?;
    Ok(Value::Nil)
}

fn create(session: &Session, arguments: &[Value], screen: &mut Screen<'_>) -> Result<Value, ShellError> {
    let Some((name @ Value::Text(_), rest)) = arguments.split_first() else {
        return ShellError::argument("Table name must be of type String");
    };
    let name = Session::table(Some(name))?;
    let mut table = TableDescriptor { name: name.clone(), families: Vec::new(), attributes: BTreeMap::new() };
    let mut splits = Vec::new();
    for argument in Value::flat(rest) {
        match argument {
            Value::Text(family) => {
                add_family(&mut table, Family::new(String::from_utf8_lossy(&family)), screen)?;
            }
            Value::Hash(settings) if Options(&settings).get("NAME").is_some() => {
                let mut family =
                    Family::new(Options(&settings).get("NAME").map(Value::text).unwrap_or_default());
                let unknown = describe::set_family(&mut family, &settings)?;
                ignored(&family.name, &unknown, screen)?;
                add_family(&mut table, family, screen)?;
            }
            Value::Hash(settings) => {
                if let Some(points) = split_points(&settings, &mut table)? {
                    splits = points;
                }
                let of_splits = ["SPLITS", "SPLITS_FILE", "NUMREGIONS", "SPLITALGO", "METHOD"];
                let others: Hash =
                    settings.into_iter().filter(|(key, _)| !of_splits.contains(&key.as_str())).collect();
                for key in describe::set_table(&mut table, &others)? {
                    screen.line(&format!("An argument ignored (unknown or overridden): {key}"))?;
                }
            }
            other => {
                return ShellError::argument(format!(
                    "{} of {} is not of Hash or String type",
                    other.class(),
                    other.inspect()
                ));
            }
        }
    }
    if table.families.is_empty() {
        return ShellError::argument("Table must have at least one column family");
    }
    session.store.create_table(&table, &splits)?;
    screen.line(&format!("Created table {name}"))?;
    Ok(Value::Table(name))
}

fn add_family(
    table: &mut TableDescriptor,
    family: Family,
    screen: &mut Screen<'_>,
) -> Result<(), ShellError> {
    match table.families.iter_mut().find(|known| known.name == family.name) {
        Some(known) => {
            screen.line(&format!("Family '{}' already exists, the old one will be replaced", family.name))?;
            *known = family;
        }
        None => table.families.push(family),
    }
    Ok(())
}

fn ignored(family: &str, unknown: &[String], screen: &mut Screen<'_>) -> Result<(), ShellError> {
    for key in unknown {
        screen.line(&format!("Unknown argument ignored for column family {family}: {key}"))?;
    }
    Ok(())
}

/// Where the hash of `create` cuts the table, if it says so.
fn split_points(settings: &Hash, table: &mut TableDescriptor) -> Result<Option<Vec<Vec<u8>>>, ShellError> {
    let options = Options(settings);
    let unescaped = |text: &str| {
        rowkey_core::escape::unescape(text).map_err(|error| {
            ShellError::Argument(format!("the split point `{text}` cannot be read: {error}"))
        })
    };
    if let Some(path) = options.get("SPLITS_FILE") {
        let path = path.text();
        let Ok(text) = fs::read_to_string(&path) else {
            return ShellError::argument(format!("Splits file {path} doesn't exist"));
        };
        table.attributes.insert("SPLITS_FILE".to_owned(), path);
        return text.lines().map(unescaped).collect::<Result<_, _>>().map(Some);
    }
    if let Some(points) = options.get("SPLITS") {
        let Value::List(points) = points else {
            return ShellError::argument(format!("SPLITS is {}; write a list of texts", points.inspect()));
        };
        return points.iter().map(|point| unescaped(&point.text())).collect::<Result<_, _>>().map(Some);
    }
    let (regions, algorithm) = match (options.int("NUMREGIONS")?, options.get("SPLITALGO")) {
        (None, None) => return Ok(None),
        (None, Some(_)) => return ShellError::argument("Number of regions must be specified"),
        (Some(_), None) => return ShellError::argument("Split algorithm must be specified"),
        (Some(regions), Some(algorithm)) => (regions, algorithm.text()),
    };
    let Some(regions) = u32::try_from(regions).ok().filter(|regions| *regions > 1) else {
        return ShellError::argument("Number of regions must be greater than 1");
    };
    let class = algorithm.rsplit(['.', '$']).next().unwrap_or_default();
    let Some(known) = ALGORITHMS.iter().find(|known| known.class == class) else {
        let classes = ALGORITHMS.each_ref().map(|algorithm| algorithm.class).join(", ");
        return ShellError::argument(format!("there is no split algorithm {algorithm}; there are {classes}"));
    };
    match known.points(regions) {
        Ok(points) => Ok(Some(points)),
        Err(error) => ShellError::argument(error.to_string()),
    }
}

fn alter(session: &Session, arguments: &[Value], screen: &mut Screen<'_>) -> Result<Value, ShellError> {
    let Some((name @ Value::Text(_), changes)) = arguments.split_first() else {
        return ShellError::argument("Table name must be of type String");
    };
    let name = Session::table(Some(name))?;
    if !session.store.table_exists(&name)? {
        return ShellError::argument(format!("Can't find a table: {name}"));
    }
    if changes.is_empty() {
        return ShellError::argument("There should be at least one argument but the table name");
    }
    let mut table = session.store.describe(&name)?;
    for change in Value::flat(changes) {
        match change {
            Value::Text(family) => {
                let settings = vec![("NAME".to_owned(), Value::Text(family))];
                alter_family(&mut table, &settings, screen)?;
            }
            Value::Hash(settings) => alter_by(&mut table, settings, screen)?,
            other => {
                return ShellError::argument(format!("{} changes nothing of a table", other.inspect()));
            }
        }
    }
    session.store.alter_table(&table)?;
    screen.line("Updating all regions with the new schema...")?;
    updated(session, &name, screen)
}

/// What one hash of `alter` says.
fn alter_by(
    table: &mut TableDescriptor,
    mut settings: Hash,
    screen: &mut Screen<'_>,
) -> Result<(), ShellError> {
    if let Some(family) = Options(&settings).get("delete").cloned() {
        settings = vec![("METHOD".to_owned(), Value::from("delete")), ("NAME".to_owned(), family)];
    }
    let options = Options(&settings);
    let (method, name) = (options.get("METHOD").map(Value::text), options.get("NAME").cloned());
    match (method.as_deref(), name) {
        (None, Some(_)) => alter_family(table, &settings, screen),
        (None | Some("table_att"), _) => {
            let others: Hash =
                settings.into_iter().filter(|(key, _)| !matches!(key.as_str(), "METHOD" | "NAME")).collect();
            for key in describe::set_table(table, &others)? {
                screen.line(&format!("Unknown argument ignored: {key}"))?;
            }
            Ok(())
        }
        (Some(method @ ("delete" | "table_att_unset" | "table_conf_unset")), None) => {
            ShellError::argument(format!("NAME parameter missing for {method} method"))
        }
        (Some("delete"), Some(family)) => {
            let family = family.text();
            table.families.retain(|known| known.name != family);
            Ok(())
        }
        (Some(method @ ("table_att_unset" | "table_conf_unset")), Some(names)) => {
            let what = if method == "table_att_unset" { "attribute" } else { "configuration" };
            for name in Value::flat(&[names]) {
                let name = name.text();
                if table.attributes.remove(&name).is_none() {
                    return ShellError::argument(format!("Could not find {what}: {name}"));
                }
            }
            Ok(())
        }
        (Some(method), _) => ShellError::argument(format!("Unknown method: {method}")),
    }
}

fn alter_family(
    table: &mut TableDescriptor,
    settings: &Hash,
    screen: &mut Screen<'_>,
) -> Result<(), ShellError> {
    let name = Options(settings).get("NAME").map(Value::text).unwrap_or_default();
    let at = match table.families.iter().position(|family| family.name == name) {
        Some(at) => at,
        None => {
            table.families.push(Family::new(&name));
            table.families.len() - 1
        }
    };
    let Some(family) = table.families.get_mut(at) else { return Ok(()) };
    let unknown = describe::set_family(family, settings)?;
    ignored(&name, &unknown, screen)
}

/// Says that all regions have the newest settings: an alter of a store returns when they do.
fn updated(
    session: &Session,
    table: &rowkey_store::TableName,
    screen: &mut Screen<'_>,
) -> Result<Value, ShellError> {
    let regions = session.store.regions(table)?.len();
    screen.line(&format!("{regions}/{regions} regions updated."))?;
    screen.line("Done.")?;
    Ok(Value::Nil)
}
