//! Random changes of one row.
//!
//! Counters and growing texts live in a family of their own, because their cells carry the clock's time, which no
//! two stores have in common: there, nothing is deleted by the clock's time, so that only the order of cells counts.

//!
//! No qualifier is empty: HBase's filters that seek by a hint jump from such a column over a family's markers behind
//! it, and "next column" is only the next cell there.

use rowkey_store::filter::{Comparator, CompareOp};
use rowkey_store::{
    Append, CheckAndMutate, Condition, Delete, Filter, Increment, LATEST_TIMESTAMP, Mutation, Operation, Put,
    RowMutations,
};

use crate::random::Random;
use crate::words::{self, COUNTERS, TEXTS};
use crate::{filters, reads};

pub(crate) fn operation(random: &mut Random, row: &[u8], rows: &[Vec<u8>]) -> Operation {
    match random.below(20) {
        0..=8 => put(random, row).into(),
        9..=11 => delete(random, row).into(),
        12 | 13 => increment(random, row).into(),
        14 => append(random, row).into(),
        15 => RowMutations { row: row.to_vec(), mutations: mutations(random, row) }.into(),
        16 | 17 => check(random, row, rows).into(),
        _ => reads::get(random, row.to_vec(), rows).into(),
    }
}

fn put(random: &mut Random, row: &[u8]) -> Put {
    let mut put = Put::new(row);
    for _ in 0..=random.below(3) {
        let (family, qualifier) = (words::family(random), words::qualifier(random));
        put = put.cell_at(family, qualifier, words::time(random), words::value(random));
    }
    if random.one_in(12) {
        let columns = if random.one_in(2) { &COUNTERS } else { &TEXTS };
        let qualifier = *random.pick(columns);
        put = put.cell_at("n", qualifier, words::time(random), words::value(random));
    }
    put
}

fn delete(random: &mut Random, row: &[u8]) -> Delete {
    if random.one_in(12) {
        return Delete::row_at(row, words::time(random));
    }
    let mut delete = Delete::row(row);
    for _ in 0..=random.below(2) {
        let (family, qualifier) = (words::family(random), words::qualifier(random));
        let mut time = words::time(random);
        delete = match random.below(9) {
            0 => delete.family_at(family, time),
            1 => delete.family_version(family, time),
            2..=4 => delete.column_at(family, qualifier, time),
            _ => {
                if random.one_in(3) {
                    // The newest there is.
                    time = LATEST_TIMESTAMP;
                }
                delete.version(family, qualifier, time)
            }
        };
    }
    if random.one_in(10) {
        let time = words::time(random);
        delete = delete.column_at("n", random.pick(&COUNTERS).to_vec(), time);
    }
    delete
}

fn increment(random: &mut Random, row: &[u8]) -> Increment {
    let mut increment = Increment::new(row);
    let count = one_or_two(random);
    for counter in random.distinct(&COUNTERS, count) {
        let amount = i64::try_from(random.below(7)).expect("a small number") - 3;
        increment = increment.add("n", counter, amount);
    }
    increment
}

fn append(random: &mut Random, row: &[u8]) -> Append {
    let mut append = Append::new(row);
    let count = one_or_two(random);
    for text in random.distinct(&TEXTS, count) {
        append = append.add("n", text, words::value(random));
    }
    append
}

fn one_or_two(random: &mut Random) -> usize {
    1 + usize::from(random.one_in(3))
}

/// Puts and deletes of explicit times, and at most one increment and one append, so that none meets another's column.
fn mutations(random: &mut Random, row: &[u8]) -> Vec<Mutation> {
    let mut mutations: Vec<Mutation> = vec![put(random, row).into()];
    if random.one_in(2) {
        mutations.push(
            Delete::row(row)
                .column_at(words::family(random), words::qualifier(random), words::time(random))
                .into(),
        );
    }
    if random.one_in(4) {
        mutations.push(increment(random, row).into());
    }
    if random.one_in(4) {
        mutations.push(append(random, row).into());
    }
    if random.one_in(2) {
        mutations.reverse();
    }
    // A cell of the family with the clock's times would meet the increment's own.
    for mutation in &mut mutations {
        if let Mutation::Put(put) = mutation {
            put.cells.retain(|cell| cell.family != b"n");
        }
    }
    mutations
}

/// A filter for a condition. HBase asks an excluding filter wrongly there, and a condition cannot tell it not to.
fn condition(random: &mut Random, rows: &[Vec<u8>]) -> Filter {
    loop {
        let filter = filters::filter(random, rows, 1);
        if !format!("{filter:?}").contains("Exclude") {
            return filter;
        }
    }
}

fn check(random: &mut Random, row: &[u8], rows: &[Vec<u8>]) -> CheckAndMutate {
    let (family, qualifier) = (words::family(random), words::qualifier(random));
    let condition = match random.below(5) {
        0 => Condition::Absent { family, qualifier },
        1 => Condition::Filter(condition(random, rows)),
        _ => {
            // HBase knows no answer to the seventh operator.
            let op = *random.pick(&CompareOp::ALL[..6]);
            Condition::Value { family, qualifier, op, comparator: Comparator::Binary(words::value(random)) }
        }
    };
    let mutations = if random.one_in(3) { mutations(random, row) } else { vec![put(random, row).into()] };
    CheckAndMutate { row: row.to_vec(), condition, time_range: reads::time_range(random), mutations }
}
