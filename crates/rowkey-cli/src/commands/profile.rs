//! `rowkey profile DATA`

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::bail;
use rowkey_core::disclosure::Disclosure;
use rowkey_core::key::{Field, Fields};
use rowkey_core::{FieldId, Value};
use rowkey_lab::profile::{self, FieldProfile, Profiler};
use rowkey_lab::sample::{Guess, LiveOptions, Refusals, read_table};
use rowkey_ops::processors;
use serde_json::{Value as Json, json};

use crate::args::{OfTable, Profile};
use crate::output::{
    Bar, Output, Rows, Spinner, cell, counted, counted_rows, grouped, number, value_json_as,
};
use crate::public::public;
use crate::table_argument::{LiveTable, read_file};
use crate::{Answer, input_argument};

/// Longer values are cut where people read.
const SHOWN: usize = 24;

pub(crate) fn run(arguments: &Profile, store: &str, output: &mut Output) -> anyhow::Result<Answer> {
    if !(0.0..=1.0).contains(&arguments.share) {
        return Err(public(format!("--share {} is no share; give a number from 0 to 1", arguments.share)));
    }
    if arguments.rate == Some(0) {
        bail!("--rate 0 would read nothing; give at least one row a second, or leave it out");
    }
    let (found, sure) = match &arguments.data[..] {
        [name] if !is_data(name) && arguments.reading.format.is_none() => {
            (of_live(arguments, name, store)?, None)
        }
        data => of_data(arguments, &data.iter().map(PathBuf::from).collect::<Vec<_>>())?,
    };
    let shown = output.shown;
    output.object(|| profile_json(&found, sure.as_ref(), shown))?;
    print(&found, sure.as_ref(), output)?;
    Ok(Answer::Yes)
}

/// Whether it is a file, a folder, or a pattern; anything else is the name of a table.
fn is_data(name: &str) -> bool {
    let path = Path::new(name);
    name == "-" || path.exists() || path.extension().is_some() || name.contains(['*', '?', '/'])
}

fn of_data(arguments: &Profile, paths: &[PathBuf]) -> anyhow::Result<(profile::Profile, Option<Guess>)> {
    if arguments.share < 1.0 || arguments.rate.is_some() {
        let data = arguments.data.join(" ");
        return Err(public(format!("--share and --rate are for live tables; {data} is read whole")));
    }
    let declared = arguments.file.as_deref().map(read_file).transpose()?;
    let mut input = input_argument::data(paths, &arguments.reading)?;
    let (source, fields, only, guess) = match declared {
        Some(table) => (input.source()?, table.key.fields().clone(), None, None),
        None => {
            let (guess, source) = input_argument::guessed(&mut input)?;
            // Values that were not looked at may be empty; a profile counts them.
            let nullable = |(_, field): (FieldId, &Field)| Field { nullable: true, ..field.clone() };
            let fields = Fields::new(guess.fields.iter().map(nullable).collect());
            let readable = guess.fields.iter().map(|(id, _)| id);
            let readable = readable.filter(|id| guess.evidence.get(id.0).is_some_and(|own| own.readable));
            (source, fields, Some(readable.collect::<Vec<_>>()), Some(guess))
        }
    };
    let of = (input.format, input.label.as_str());
    let found = Bar::watching(input.bytes(), |watch| {
        profile::profile(source, of, &fields, only.as_deref(), processors(), watch)
    })?;
    Ok((found, guess))
}

fn of_live(arguments: &Profile, name: &str, store: &str) -> anyhow::Result<profile::Profile> {
    let of = OfTable { table: name.to_owned(), file: arguments.file.clone() };
    let LiveTable { store, name, table, .. } = LiveTable::open(&of, store)?;
    let mut profiler = Profiler::new(table.key.fields());
    let started = Instant::now();
    let options = LiveOptions { share: arguments.share, ..LiveOptions::default() };
    profiler.refused = Spinner::during("rows read", |spinner| {
        let mut pace = |rows: u64| {
            spinner.show(rows);
            let Some(rate) = arguments.rate else { return };
            let due = Duration::from_secs_f64(rows as f64 / rate as f64);
            std::thread::sleep(due.saturating_sub(started.elapsed()));
        };
        let mut see = |values: &[Value<'_>]| profiler.record(values);
        read_table(&*store, &name, &table, options, &mut see, &mut pace)
    })?;
    Ok(profiler.finish())
}

fn print(found: &profile::Profile, guess: Option<&Guess>, output: &mut Output) -> anyhow::Result<()> {
    let records = counted(found.records, "record");
    output.text(&format!("{records}, {} fields", found.fields.len()))?;
    let names = ["field", "type", "nulls", "distinct", "length", "order", "step", "identifies", "most often"];
    let mut rows = Rows::new(names);
    for (at, field) in found.fields.iter().enumerate() {
        let readable =
            guess.and_then(|guess| guess.evidence.get(at)).is_none_or(|evidence| evidence.readable);
        let sure = guess.and_then(|guess| guess.evidence.get(at)).map(|evidence| evidence.sure.name());
        let ty = match (readable, sure) {
            (false, _) => "nested: not read".to_owned(),
            (true, Some("likely")) => format!("{} (likely)", field.ty),
            (true, _) => field.ty.to_string(),
        };
        let length = field.lengths.map(|own| format!("{}-{}, mean {:.1}", own.min, own.max, own.mean));
        let step = field.step.filter(|step| *step > 1).map(grouped);
        rows.add([
            cell(&field.name),
            cell(ty),
            number(grouped(field.nulls)),
            number(distinct(field)),
            cell(length.unwrap_or_default()),
            cell(field.trend.name()),
            number(step.unwrap_or_default()),
            cell(field.identifies.name()),
            cell(most_often(field, output.shown)),
        ]);
    }
    output.rows(&rows)?;
    for (first, second, sure) in &found.identifying_pairs {
        if let (Some(first), Some(second)) = (found.fields.get(*first), found.fields.get(*second)) {
            output.text(&format!(
                "{} and {} together identify a record: {}",
                first.name,
                second.name,
                sure.name()
            ))?;
        }
    }
    output.text("entropy in bits of each byte, of texts as they are, of the rest as in a key:")?;
    let width = found.fields.iter().map(|field| field.name.chars().count()).max().unwrap_or(0);
    for field in &found.fields {
        let bits: Vec<String> = field.entropy.iter().map(|bits| format!("{bits:.1}")).collect();
        output.text(format!("  {:<width$}  {}", field.name, bits.join(" ")).trim_end())?;
    }
    tell_refused(&found.refused, output)
}

/// Notes about records that were left out.
fn tell_refused(refused: &Refusals, output: &Output) -> anyhow::Result<()> {
    if refused.count > 0 {
        output.note(&format!(
            "not counted above, as they could not be read: {}; the first:",
            counted_rows(refused.count)
        ));
        // A refusal quotes the value.
        let may_show = |_: &&String| !output.shown.hides();
        refused.first.iter().filter(may_show).for_each(|first| output.note(&format!("  {first}")));
    }
    Ok(())
}

/// The most frequent values with their shares.
pub(super) fn most_often(field: &FieldProfile, shown: Disclosure) -> String {
    let one = |hitter: &profile::Hitter| {
        let share = hitter.count as f64 / field.values.max(1) as f64 * 100.0;
        format!("{} {share:.1}%", shortened(&shown.value(&hitter.value)))
    };
    field.hitters.iter().take(2).map(one).collect::<Vec<_>>().join(", ")
}

/// How many different values there are; an estimate says so.
pub(super) fn distinct(field: &FieldProfile) -> String {
    let about = if field.distinct.exact { "" } else { "about " };
    format!("{about}{}", grouped(field.distinct.count))
}

fn shortened(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if clean.chars().count() <= SHOWN {
        return clean;
    }
    clean.chars().take(SHOWN - 1).chain(['…']).collect()
}

fn profile_json(found: &profile::Profile, guess: Option<&Guess>, shown: Disclosure) -> Json {
    let field = |(at, field): (usize, &FieldProfile)| {
        let evidence = guess.and_then(|guess| guess.evidence.get(at));
        json!({
            "name": field.name,
            "type": field.ty.to_string(),
            "type_is": evidence.map_or("declared", |evidence| evidence.sure.name()),
            "values": field.values,
            "nulls": field.nulls,
            "distinct": field.distinct.count,
            "distinct_is_exact": field.distinct.exact,
            "length": field.lengths.map(|own| json!({ "min": own.min, "mean": own.mean, "max": own.max })),
            "min": field.bounds.as_ref().map(|(least, _)| value_json_as(least, shown)),
            "max": field.bounds.as_ref().map(|(_, most)| value_json_as(most, shown)),
            "order": field.trend.name(),
            "step": field.step,
            // Of a single value it is the value itself.
            "multiple_of": field.multiple_of.filter(|_| !shown.hides()),
            "identifies": field.identifies.name(),
            "most_often": field.hitters.iter().map(|hitter| {
                json!({ "value": value_json_as(&hitter.value, shown), "count": hitter.count })
            }).collect::<Vec<_>>(),
            "most_often_error": field.hitters_error,
            "entropy_bits": field.entropy,
        })
    };
    let name = |at: usize| found.fields.get(at).map(|field| field.name.clone());
    let pairs = found.identifying_pairs.iter();
    json!({
        "records": found.records,
        "refused": found.refused.count,
        "refused_first": if shown.hides() { &[] } else { found.refused.first.as_slice() },
        "fields": found.fields.iter().enumerate().map(field).collect::<Vec<_>>(),
        "identifying_pairs": pairs.map(|(first, second, sure)| {
            json!({ "fields": [name(*first), name(*second)], "identify": sure.name() })
        }).collect::<Vec<_>>(),
    })
}
