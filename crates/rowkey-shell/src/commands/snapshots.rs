//! Commands about snapshots.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rowkey_store::{SnapshotOptions, StoreError};

use super::{Command, matches, name};
use crate::error::ShellError;
use crate::language::{Hash, Value};
use crate::options::Options;
use crate::screen::Screen;
use crate::session::Session;

commands! {
    clone_snapshot(2 to 3) "Makes a table of a snapshot."
        ["clone_snapshot 'snapshot1', 't2'"] => clone;

    delete_snapshot(1 to 1) "Removes a snapshot. Tables that were made of it stay."
        ["delete_snapshot 'snapshot1'"] => |session, arguments, _| {
            session.store.delete_snapshot(&name(arguments.first(), "Snapshot")?)?;
            Ok(Value::Nil)
        };

    list_snapshots(0 to 1) "Lists snapshots, all or those whose names a regular expression matches."
        ["list_snapshots", "list_snapshots 'abc.*'"] => list;

    restore_snapshot(1 to 2) "Makes a table, which is disabled, what it was when the snapshot was taken."
        ["disable 't1'; restore_snapshot 'snapshot1'"] => restore;

    snapshot(2 to 3) "Keeps the rows of a table, as they are now, under a name."
        [
            "snapshot 't1', 'snapshot1'",
            "snapshot 't1', 'snapshot1', {SKIP_FLUSH => true, TTL => 86400}",
        ] => snapshot;
}

/// The options behind the other arguments; those of permissions are refused, because stores here have none.
fn options(argument: Option<&Value>) -> Result<Hash, ShellError> {
    match argument {
        None => Ok(Hash::new()),
        Some(Value::Hash(hash)) if Options(hash).is_true("RESTORE_ACL") => {
            ShellError::argument("RESTORE_ACL cannot be set here; leave it out")
        }
        Some(Value::Hash(hash)) => Ok(hash.clone()),
        Some(_) => ShellError::argument("Arguments should be a Hash"),
    }
}

fn snapshot(session: &Session, arguments: &[Value], _: &mut Screen<'_>) -> Result<Value, ShellError> {
    let (table, name) = (Session::table(arguments.first())?, name(arguments.get(1), "Snapshot")?);
    let hash = options(arguments.get(2))?;
    let options = Options(&hash);
    let number = |name: &str| Ok::<_, ShellError>(options.count(name)?.map(|number| number as u64));
    let asked = SnapshotOptions {
        // Only `true` itself: without the flush, what is in memory is not in the snapshot.
        skip_flush: options.get("SKIP_FLUSH") == Some(&Value::Bool(true)),
        ttl_seconds: number("TTL")?,
        max_file_size: number("MAX_FILESIZE")?,
    };
    session.store.snapshot(&table, &name, &asked)?;
    Ok(Value::Nil)
}

fn clone(session: &Session, arguments: &[Value], _: &mut Screen<'_>) -> Result<Value, ShellError> {
    options(arguments.get(2))?;
    let (name, table) = (name(arguments.first(), "Snapshot")?, Session::table(arguments.get(1))?);
    match session.store.clone_snapshot(&name, &table) {
        Err(StoreError::NamespaceNotFound { namespace }) => {
            ShellError::argument(format!("Unknown namespace: {namespace}!"))
        }
        cloned => Ok(cloned.map(|()| Value::Nil)?),
    }
}

fn restore(session: &Session, arguments: &[Value], _: &mut Screen<'_>) -> Result<Value, ShellError> {
    options(arguments.get(1))?;
    let name = name(arguments.first(), "Snapshot")?;
    let found = session.store.list_snapshots()?.into_iter().find(|snapshot| snapshot.name == name);
    if let Some(table) = found.map(|snapshot| snapshot.table)
        && session.store.table_exists(&table)?
        && session.store.is_enabled(&table)?
    {
        return Err(StoreError::TableNotDisabled { table }.into());
    }
    session.store.restore_snapshot(&name)?;
    Ok(Value::Nil)
}

fn list(session: &Session, arguments: &[Value], screen: &mut Screen<'_>) -> Result<Value, ShellError> {
    screen.heads("SNAPSHOT", "TABLE + CREATION TIME")?;
    let matches = matches(arguments.first())?;
    let found: Vec<_> =
        session.store.list_snapshots()?.into_iter().filter(|snapshot| matches(&snapshot.name)).collect();
    for snapshot in &found {
        let created = Timestamp::from_millisecond(snapshot.created).unwrap_or_default();
        let created = created.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S %z");
        screen.row(&snapshot.name, &format!("{} ({created})", snapshot.table))?;
    }
    screen.footer(found.len())?;
    Ok(Value::List(found.iter().map(|snapshot| Value::from(snapshot.name.as_str())).collect()))
}
