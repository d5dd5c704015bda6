//! Two writers of one row, in every order of their steps, each stopped at every step: reads through the index are right at
//! every moment, verify finds what is left, repair leaves nothing.
//!
//! The steps are the writers' own calls to the in-memory model of the store; a scheduler lets one thread make one call at
//! a time and goes through all choices, one run for each.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use crate::index_place::*;
use rowkey_core::Table;
use rowkey_ops::create::OpenTable;
use rowkey_ops::index::{BuildOptions, Clock, IndexedWriter, build};
use rowkey_store::conformance::model::Model;
use rowkey_store::{Admin, Store};

/// What a thread does.
#[derive(Debug, Clone, PartialEq, Eq)]
enum At {
    /// It computes.
    Work,
    /// It is about to make this call.
    Waits(Call),
    /// It may make it.
    Told,
    Done,
}

struct Turns {
    at: Mutex<[At; 2]>,
    changed: Condvar,
    /// Who dies, and before which of its writes.
    death: Option<(usize, usize)>,
    writes: [AtomicUsize; 2],
}

impl Turns {
    fn new(death: Option<(usize, usize)>) -> Self {
        Self {
            at: Mutex::new([At::Work, At::Work]),
            changed: Condvar::new(),
            death,
            writes: Default::default(),
        }
    }

    /// Waits until it may make its call, or dies. The dead do nothing more, so only the write before which one dies counts.
    fn ask(&self, who: usize, call: Call) -> Turn {
        let nth = self.writes[who].fetch_add(usize::from(call.writes), Ordering::Relaxed);
        if let Some((dying, before)) = self.death
            && dying == who
            && (nth > before || (call.writes && nth == before))
        {
            return Turn::Die(0);
        }
        let mut at = self.at.lock().unwrap();
        at[who] = At::Waits(call);
        self.changed.notify_all();
        while at[who] != At::Told {
            at = self.changed.wait(at).unwrap();
        }
        at[who] = At::Work;
        Turn::Go
    }

    fn done(&self, who: usize) {
        self.at.lock().unwrap()[who] = At::Done;
        self.changed.notify_all();
    }

    /// Waits until no writer runs; returns the waiting writers, each with its call.
    fn waiting(&self) -> Vec<(usize, Call)> {
        let mut at = self.at.lock().unwrap();
        while at.iter().any(|at| matches!(at, At::Work | At::Told)) {
            at = self.changed.wait(at).unwrap();
        }
        let waits = |who: usize| match &at[who] {
            At::Waits(call) => Some((who, call.clone())),
            _ => None,
        };
        (0..2).filter_map(waits).collect()
    }

    fn tell(&self, who: usize) {
        self.at.lock().unwrap()[who] = At::Told;
        self.changed.notify_all();
    }
}

/// Whether the order of two calls makes no difference, in what they see and in every state between.
fn commute(a: &Call, b: &Call) -> bool {
    (!a.writes && !b.writes) || ((!a.writes || !b.writes) && a.table != b.table)
}

/// One writer's work.
type Work = fn(&dyn Store, &Table, &OpenTable, Clock);

/// Amounts and notes of an order, one after another.
type Before = &'static [(Option<i128>, Option<&'static str>)];

/// Two writers and what is there before.
struct Scenario {
    name: &'static str,
    before: Before,
    writers: [Work; 2],
    clocks: [fn() -> Clock; 2],
    /// A build that finds its row gone, or a put of an earlier time, leaves an entry that leads nowhere.
    leaves_marks: bool,
}

/// A clock that stands still: all stamps would be the same.
fn still() -> Clock {
    Arc::new(|| 1000)
}

/// A clock that is far behind.
fn slow() -> Clock {
    let at = AtomicI64::new(10);
    Arc::new(move || at.fetch_add(1, Ordering::Relaxed))
}

/// A clock that goes back with every look.
fn backwards() -> Clock {
    let at = AtomicI64::new(5000);
    Arc::new(move || at.fetch_sub(7, Ordering::Relaxed))
}

fn put(
    store: &dyn Store,
    table: &Table,
    open: &OpenTable,
    clock: Clock,
    amount: Option<i128>,
    note: Option<&str>,
) {
    let record = order(7, "a", "s", amount, note);
    // A dead writer gets an error, and that is that.
    let _ = IndexedWriter::new(store, table, open).with_clock(clock).put(&rows(table, &[record], None));
}

fn put_1(store: &dyn Store, table: &Table, open: &OpenTable, clock: Clock) {
    put(store, table, open, clock, Some(1), Some("one"));
}

fn put_1_without_note(store: &dyn Store, table: &Table, open: &OpenTable, clock: Clock) {
    put(store, table, open, clock, Some(1), None);
}

fn put_2(store: &dyn Store, table: &Table, open: &OpenTable, clock: Clock) {
    put(store, table, open, clock, Some(2), None);
}

/// At a cell time of its own, as a load does.
fn load_2(store: &dyn Store, table: &Table, open: &OpenTable, clock: Clock) {
    let record = order(7, "a", "s", Some(2), Some("two"));
    let _ = IndexedWriter::new(store, table, open).with_clock(clock).put(&rows(table, &[record], Some(500)));
}

fn delete(store: &dyn Store, table: &Table, open: &OpenTable, clock: Clock) {
    let key = key(table, &order(7, "a", "s", None, None));
    let _ = IndexedWriter::new(store, table, open).with_clock(clock).delete(&[key]);
}

fn build_all(store: &dyn Store, table: &Table, open: &OpenTable, _clock: Clock) {
    let _ = build(store, table, open, &every(table), &BuildOptions::default(), &mut |_| {});
}

/// One run; `choices` are taken from the front, then the first option. Returns the number of options at each choice, and
/// how many writes the first writer made.
fn run(
    table: &Table,
    scenario: &Scenario,
    choices: &[usize],
    death: Option<(usize, usize)>,
) -> (Vec<usize>, [usize; 2]) {
    let model = Model::default();
    let open = create(&model, table);
    for (amount, note) in scenario.before {
        put(&model, table, &open, slow(), *amount, *note);
    }
    let turns = Turns::new(death);
    let (mut options_seen, mut story) = (Vec::new(), Vec::new());
    let mut last: Option<(usize, Call)> = None;
    let mut difference = None;
    std::thread::scope(|scope| {
        for (who, (work, clock)) in scenario.writers.into_iter().zip(scenario.clocks).enumerate() {
            let (turns, model, open) = (&turns, &model, &open);
            scope.spawn(move || {
                let store = Asking {
                    store: model,
                    ask: |call| turns.ask(who, call),
                    together: false,
                    gets_are_quick: true,
                };
                work(&store, table, open, clock());
                turns.done(who);
            });
        }
        let mut known: Vec<(usize, Call)> = Vec::new();
        loop {
            let waiting = turns.waiting();
            if difference.is_none() && last.as_ref().is_none_or(|(_, call)| call.writes) {
                difference = reads_agree(&model, table, &open).err();
            }
            // Of two neighbouring calls that commute only one order is tried.
            let tried = |(who, call): &(usize, Call)| {
                last.as_ref().is_some_and(|(before, made)| {
                    before > who && commute(made, call) && known.contains(&(*who, call.clone()))
                })
            };
            let options: Vec<(usize, Call)> =
                waiting.iter().filter(|option| !tried(option)).cloned().collect();
            // If nothing is left to try here, the run is another one's twin; it ends anyhow.
            let options = if options.is_empty() { waiting.clone() } else { options };
            let choice = choices.get(options_seen.len()).copied().unwrap_or(0);
            let Some((who, call)) = options.get(choice).cloned() else { break };
            options_seen.push(options.len());
            story.push(format!("{who} {} {}", if call.writes { "writes" } else { "reads" }, call.table));
            known = waiting;
            turns.tell(who);
            last = Some((who, call));
        }
    });
    let told = format!("{}, death {death:?}, after {story:#?}", scenario.name);
    assert_eq!(difference, None, "{told}");
    let found = verify(&model, table, &open);
    let missed = found.iter().map(|report| report.missing + report.wrong_copies).sum::<u64>();
    assert_eq!(missed, 0, "{told}: {found:?}");
    if death.is_none() && !scenario.leaves_marks {
        assert_eq!(differences(&found), 0, "{told}: {found:?}");
    }
    repair(&model, table, &open);
    let found = verify(&model, table, &open);
    assert!(is_clean(&found), "{told} and repair: {found:?}");
    // What a compaction brings to light or takes away changes nothing either.
    for name in open.indexes.iter().map(|index| &index.name).chain([&open.name]) {
        model.major_compact(name).unwrap();
        assert!(is_clean(&verify(&model, table, &open)), "{told}: {name} compacted");
    }
    (options_seen, [0, 1].map(|who| turns.writes[who].load(Ordering::Relaxed)))
}

/// All runs of a scenario with a death or without; returns how many there were and the most writes of either writer.
fn all_runs(scenario: &Scenario, death: Option<(usize, usize)>) -> (usize, [usize; 2]) {
    let table = table_with_one_index();
    let (mut choices, mut runs, mut most) = (Vec::<usize>::new(), 0, [0; 2]);
    loop {
        let (options, writes) = run(&table, scenario, &choices, death);
        runs += 1;
        most = [0, 1].map(|who| usize::max(most[who], writes[who]));
        choices.resize(options.len(), 0);
        // The next run differs at the last choice that has an option left.
        let Some(last) = (0..options.len()).rev().find(|at| choices[*at] + 1 < options[*at]) else {
            return (runs, most);
        };
        choices.truncate(last + 1);
        choices[last] += 1;
    }
}

const NOTHING: Before = &[];
const ONE: Before = &[(Some(1), Some("old"))];
/// Moved away from where writers will move it back to.
const MOVED: Before = &[(Some(1), Some("old")), (None, None)];

/// Without deaths, and with either writer dying before each of its writes.
#[expect(clippy::print_stdout, reason = "how much was tried is worth knowing")]
fn try_all(
    name: &'static str,
    before: Before,
    writers: [Work; 2],
    clocks: [fn() -> Clock; 2],
    leaves_marks: bool,
) {
    let scenario = Scenario { name, before, writers, clocks, leaves_marks };
    let (runs, most) = all_runs(&scenario, None);
    let deaths = (0..2).flat_map(|who| (0..most[who]).map(move |write| (who, write)));
    let with_deaths: usize = deaths.map(|death| all_runs(&scenario, Some(death)).0).sum();
    println!("{name}: {runs} orders, {with_deaths} with a death");
    assert!(runs > 30 && with_deaths > 30, "{name}: {runs} and {with_deaths} are too few to mean something");
}

#[test]
fn two_inserts() {
    try_all("two inserts", NOTHING, [put_1, put_2], [still; 2], false);
}

#[test]
fn two_moves() {
    try_all("two moves", MOVED, [put_1, put_2], [still, slow], false);
}

#[test]
fn other_copies_in_the_same_entry() {
    try_all("other copies", ONE, [put_1, put_1_without_note], [still; 2], false);
}

#[test]
fn a_put_and_a_load_of_an_earlier_time() {
    try_all("put and load", ONE, [put_1, load_2], [backwards, slow], true);
}

#[test]
fn a_move_and_a_delete() {
    try_all("move and delete", ONE, [put_2, delete], [still; 2], false);
}

#[test]
fn a_move_back_and_a_delete() {
    try_all("move back and delete", MOVED, [put_1, delete], [slow, still], false);
}

#[test]
fn a_move_and_a_build() {
    try_all("move and build", ONE, [put_2, build_all], [still; 2], false);
}

#[test]
fn a_delete_and_a_build() {
    try_all("delete and build", ONE, [delete, build_all], [still; 2], true);
}
