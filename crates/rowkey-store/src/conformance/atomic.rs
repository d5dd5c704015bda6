//! Increments, appends, checks and batches.

use super::rows::{Rows, only, time, without_times};
use crate::filter::{Comparator, CompareOp};
use crate::{
    Append, CheckAndMutate, Condition, Filter, Get, Increment, Mutation, Operation, RowMutations, Store,
    StoreError, TimeRange,
};

fn number(t: &Rows<'_>, row: &str, column: &str) -> i64 {
    let mut batch = crate::RowBatch::new();
    let get = Get { columns: only(column), ..Get::new(t.key(row)) };
    assert!(t.store.get(&t.table, &get, &mut batch).expect("a good get"), "{column} is there");
    let row = batch.row(0).expect("one row");
    let cell = row.cells().next().expect("one cell");
    i64::from_be_bytes(cell.value.try_into().expect("eight bytes"))
}

pub(crate) fn an_increment_starts_at_zero_and_adds_up(t: &Rows<'_>) {
    for (amount, sum) in [(5, 5), (-7, -2), (0, -2), (i64::MAX, i64::MAX - 2)] {
        t.run(Increment::new(t.key("r")).add("d", "n", amount)).expect("a good increment");
        assert_eq!(number(t, "r", "d:n"), sum);
    }
}

pub(crate) fn an_increment_answers_with_the_new_values(t: &Rows<'_>) {
    t.run(Increment::new(t.key("r")).add("d", "n", 5)).expect("a good increment");
    let increment = Increment::new(t.key("r")).add("d", "n", 2).add("a", "m", 1);
    let outcome = t.run(increment).expect("a good increment");
    let mut found = without_times(&outcome.rows);
    if found.starts_with("d:") {
        // The order of families in the answer is HBase's own business.
        found = found.split(' ').rev().collect::<Vec<_>>().join(" ");
    }
    let (one, seven) = (r"\x00\x00\x00\x00\x00\x00\x00\x01", r"\x00\x00\x00\x00\x00\x00\x00\x07");
    assert_eq!(found, format!("a:m={one} d:n={seven}"));
}

pub(crate) fn an_increment_answers_in_the_order_of_columns(t: &Rows<'_>) {
    let increment = || Increment::new(t.key("r")).add("d", "q", 2).add("d", "p", 1).add("a", "z", 3);
    let number = |number: u8| format!(r"\x00\x00\x00\x00\x00\x00\x00\x0{number}");
    for times in [1, 2] {
        let outcome = t.run(increment()).expect("a good increment");
        let expected = format!("a:z={} d:p={} d:q={}", number(3 * times), number(times), number(2 * times));
        assert_eq!(without_times(&outcome.rows), expected);
    }
}

pub(crate) fn an_append_answers_in_the_order_of_columns(t: &Rows<'_>) {
    let append = Append::new(t.key("r")).add("d", "q", "2").add("d", "p", "1").add("a", "z", "3");
    let outcome = t.run(append).expect("a good append");
    assert_eq!(without_times(&outcome.rows), "a:z=3 d:p=1 d:q=2");
}

pub(crate) fn changes_of_one_row_answer_mutation_by_mutation(t: &Rows<'_>) {
    let mutations = vec![
        Append::new(t.key("r")).add("d", "q", "2").add("d", "p", "1").into(),
        Append::new(t.key("r")).add("d", "b", "4").add("a", "z", "3").into(),
    ];
    let outcome = t.run(RowMutations { row: t.key("r"), mutations }).expect("a good change");
    assert_eq!(without_times(&outcome.rows), "d:p=1 d:q=2 a:z=3 d:b=4");
}

pub(crate) fn an_increment_changes_several_columns_at_once(t: &Rows<'_>) {
    t.run(Increment::new(t.key("r")).add("a", "n", 1).add("d", "m", 2).add("d", "n", 3)).expect("good");
    t.run(Increment::new(t.key("r")).add("a", "n", 1).add("d", "m", 2).add("d", "n", 3)).expect("good");
    assert_eq!([number(t, "r", "a:n"), number(t, "r", "d:m"), number(t, "r", "d:n")], [2, 4, 6]);
}

pub(crate) fn an_increment_of_something_that_is_no_counter_is_refused(t: &Rows<'_>) {
    t.put("r", "d:q@5=text");
    refused!(t.run(Increment::new(t.key("r")).add("d", "n", 1).add("d", "q", 1)), NotACounter);
    assert_eq!(t.get("r"), "d:q@5=text");
}

pub(crate) fn an_increment_of_a_deleted_counter_starts_again(t: &Rows<'_>) {
    t.put("r", "d:other@5=x");
    let put = crate::Put::new(t.key("r")).cell_at("d", "n", 5, 40i64.to_be_bytes());
    t.run(put).expect("a good put");
    t.delete("r", "d:n@9/DeleteColumn");
    t.run(Increment::new(t.key("r")).add("d", "n", 2)).expect("a good increment");
    assert_eq!(number(t, "r", "d:n"), 2);
}

pub(crate) fn an_increment_looks_only_at_its_time_range(t: &Rows<'_>) {
    t.run(crate::Put::new(t.key("r")).cell_at("d", "n", 5, 40i64.to_be_bytes())).expect("a good put");
    let later = TimeRange::new(6, i64::MAX).expect("a good range");
    t.run(Increment { time_range: later, ..Increment::new(t.key("r")).add("d", "n", 2) }).expect("good");
    assert_eq!(number(t, "r", "d:n"), 2);
}

pub(crate) fn an_incremented_value_is_newer_than_the_one_before(t: &Rows<'_>) {
    let future = 9_000_000_000_000;
    t.run(crate::Put::new(t.key("r")).cell_at("d", "n", future, 40i64.to_be_bytes())).expect("a good put");
    t.run(Increment::new(t.key("r")).add("d", "n", 2)).expect("a good increment");
    assert_eq!(number(t, "r", "d:n"), 42);
}

/// The times of a column, from the newest on.
fn times(t: &Rows<'_>, row: &str, column: &str) -> Vec<i64> {
    let mut batch = crate::RowBatch::new();
    let get = Get { columns: only(column), versions: crate::ALL_VERSIONS, ..Get::new(t.key(row)) };
    t.store.get(&t.table, &get, &mut batch).expect("a good get");
    batch.rows().flat_map(|row| row.cells()).map(|cell| cell.timestamp).collect()
}

pub(crate) fn a_counter_with_a_value_takes_no_time_that_is_given(t: &Rows<'_>) {
    let at = |timestamp| Increment { timestamp, ..Increment::new(t.key("r")).add("d", "n", 2) };
    t.run(at(7)).expect("a good increment");
    assert_eq!(times(t, "r", "d:n"), [7], "a new counter takes it");
    // Neither one before nor one after the value that is there: the clock's, which is later than both.
    for (timestamp, sum) in [(5, 4), (9, 6)] {
        t.run(at(timestamp)).expect("a good increment");
        assert_eq!(number(t, "r", "d:n"), sum);
        let newest = times(t, "r", "d:n")[0];
        assert!(newest > 1_000_000, "{newest} given {timestamp}");
    }
    let future = 9_000_000_000_000;
    t.run(crate::Put::new(t.key("r")).cell_at("d", "n", future, 40i64.to_be_bytes())).expect("a good put");
    t.run(at(future + 50)).expect("a good increment");
    assert_eq!(times(t, "r", "d:n")[0], future + 1, "one more than that of the value that was there");
}

pub(crate) fn a_text_with_a_value_takes_no_time_that_is_given(t: &Rows<'_>) {
    let at = |timestamp| Append { timestamp, ..Append::new(t.key("r")).add("d", "q", "x") };
    t.run(at(7)).expect("a good append");
    assert_eq!(t.get("r"), "d:q@7=x");
    t.run(at(9)).expect("a good append");
    assert_eq!(t.values("r"), "d:q=xx");
    assert!(times(t, "r", "d:q")[0] > 1_000_000);
    t.put("s", "d:q@9000000000000=y");
    t.run(Append { timestamp: 3, ..Append::new(t.key("s")).add("d", "q", "x") }).expect("a good append");
    assert_eq!(t.get("s"), "d:q@9000000000001=yx");
}

pub(crate) fn an_append_adds_to_the_end(t: &Rows<'_>) {
    for (more, whole) in [("ab", "ab"), ("", "ab"), ("cd", "abcd")] {
        let outcome = t.run(Append::new(t.key("r")).add("d", "q", more)).expect("a good append");
        assert_eq!(without_times(&outcome.rows), format!("d:q={whole}"));
        assert_eq!(t.values("r"), format!("d:q={whole}"));
    }
}

pub(crate) fn an_append_changes_several_columns_at_once(t: &Rows<'_>) {
    t.put("r", "a:q@5=x d:p@5=y");
    t.run(Append::new(t.key("r")).add("a", "q", "1").add("d", "p", "2").add("d", "q", "3")).expect("good");
    assert_eq!(t.values("r"), "a:q=x1 d:p=y2 d:q=3");
}

fn check(t: &Rows<'_>, condition: Condition) -> bool {
    let put = t.put_of("r", "d:done=yes");
    let matched =
        t.store.check_and_mutate(&t.table, CheckAndMutate::new(condition, put)).expect("a good check");
    let done = t.get_with("r", |get| Get { columns: only("d:done"), ..get });
    assert_eq!(!done.is_empty(), matched, "the change is made exactly if the check holds");
    if matched {
        t.delete("r", "d:done/DeleteColumn");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    matched
}

fn value(op: CompareOp, text: &str) -> Condition {
    let comparator = Comparator::Binary(text.as_bytes().to_vec());
    Condition::Value { family: b"d".to_vec(), qualifier: b"q".to_vec(), op, comparator }
}

pub(crate) fn a_check_compares_its_value_with_the_cells_by_every_operator(store: &dyn Store) {
    for (op, expected) in [
        (CompareOp::Less, [true, false, false]),
        (CompareOp::LessOrEqual, [true, true, false]),
        (CompareOp::Equal, [false, true, false]),
        (CompareOp::NotEqual, [true, false, true]),
        (CompareOp::GreaterOrEqual, [false, true, true]),
        (CompareOp::Greater, [false, false, true]),
    ] {
        let t = Rows::shared(store);
        t.put("r", "d:q@5=m");
        // The value of the check stands on the left: `Less` holds if it is less than the cell's.
        assert_eq!(["a", "m", "z"].map(|text| check(&t, value(op, text))), expected, "{op:?}");
    }
}

pub(crate) fn a_check_of_a_missing_column_never_holds(t: &Rows<'_>) {
    t.put("r", "d:other@5=x");
    for op in [CompareOp::Equal, CompareOp::NotEqual, CompareOp::Less, CompareOp::Greater] {
        assert!(!check(t, value(op, "m")), "{op:?}");
    }
}

pub(crate) fn a_check_for_absence_holds_without_a_cell_and_for_an_empty_one(t: &Rows<'_>) {
    let absent = |qualifier: &str| Condition::Absent { family: b"d".to_vec(), qualifier: qualifier.into() };
    t.put("r", "d:empty@5= d:full@5=x");
    assert!(check(t, absent("none")));
    assert!(check(t, absent("empty")));
    assert!(!check(t, absent("full")));
}

pub(crate) fn a_check_sees_no_deleted_cell(t: &Rows<'_>) {
    t.put("r", "d:q@5=m");
    t.delete("r", "d:q@5/DeleteColumn");
    assert!(!check(t, value(CompareOp::Equal, "m")));
    assert!(check(t, Condition::Absent { family: b"d".to_vec(), qualifier: b"q".to_vec() }));
}

pub(crate) fn a_check_looks_only_at_its_time_range(t: &Rows<'_>) {
    t.put("r", "d:q@3=old d:q@7=new");
    let put = t.put_of("r", "d:done@9=yes");
    let condition = value(CompareOp::Equal, "old");
    let at =
        |range| CheckAndMutate { time_range: range, ..CheckAndMutate::new(condition.clone(), put.clone()) };
    assert!(!t.store.check_and_mutate(&t.table, at(TimeRange::ALL)).expect("a good check"));
    assert!(t.store.check_and_mutate(&t.table, at(time(0, 5))).expect("a good check"));
}

pub(crate) fn a_check_by_a_filter_holds_if_a_cell_is_found(t: &Rows<'_>) {
    t.put("r", "d:p@5=1 d:q@5=2");
    let with = |text: &str| {
        Condition::Filter(Filter::Value(CompareOp::Equal, Comparator::Binary(text.as_bytes().to_vec())))
    };
    assert!(check(t, with("2")));
    assert!(!check(t, with("3")));
}

pub(crate) fn a_check_makes_several_changes_at_once(t: &Rows<'_>) {
    t.put("r", "a:q@5=x d:q@5=m");
    let change = CheckAndMutate {
        mutations: vec![
            t.put_of("r", "d:new@6=y").into(),
            Mutation::Delete(t.delete_of("r", "a:q@5/DeleteColumn")),
        ],
        ..CheckAndMutate::new(value(CompareOp::Equal, "m"), t.put_of("r", "d:new@6=y"))
    };
    assert!(t.store.check_and_mutate(&t.table, change).expect("a good check"));
    assert_eq!(t.get("r"), "d:new@6=y d:q@5=m");
}

pub(crate) fn a_check_may_delete(t: &Rows<'_>) {
    t.put("r", "a:q@5=x d:q@5=m");
    let delete = t.delete_of("r", "d:q@5/DeleteColumn");
    let checked = CheckAndMutate::new(value(CompareOp::Equal, "other"), delete.clone());
    assert!(!t.store.check_and_mutate(&t.table, checked).expect("a good check"));
    assert_eq!(t.get("r"), "a:q@5=x d:q@5=m");
    let checked = CheckAndMutate::new(value(CompareOp::Equal, "m"), delete);
    assert!(t.store.check_and_mutate(&t.table, checked).expect("a good check"));
    assert_eq!(t.get("r"), "a:q@5=x");
}

pub(crate) fn changes_of_one_row_are_made_together(t: &Rows<'_>) {
    t.put("r", "d:old@5=x");
    let mutations =
        vec![t.put_of("r", "a:new@6=y d:new@6=z").into(), t.delete_of("r", "d:old@5/DeleteColumn").into()];
    t.store.mutate_row(&t.table, RowMutations { row: t.key("r"), mutations }).expect("a good change");
    assert_eq!(t.get("r"), "a:new@6=y d:new@6=z");
}

pub(crate) fn changes_of_one_row_are_refused_together(t: &Rows<'_>) {
    let good: Mutation = t.put_of("r", "d:q@6=y").into();
    for (bad, other_row) in
        [(Mutation::from(t.put_of("s", "d:q@6=z")), true), (t.put_of("r", "none:q@6=z").into(), false)]
    {
        let mutations = vec![good.clone(), bad];
        let refused = t.store.mutate_row(&t.table, RowMutations { row: t.key("r"), mutations });
        match refused {
            Err(StoreError::OtherRow { .. }) => assert!(other_row),
            Err(StoreError::UnknownFamily { .. }) => assert!(!other_row),
            other => panic!("not refused: {other:?}"),
        }
    }
    assert_eq!(t.scan(), "");
}

pub(crate) fn a_delete_among_changes_hides_by_time_and_not_by_place(t: &Rows<'_>) {
    let put: Mutation = t.put_of("r", "d:p@5=x d:q@7=y").into();
    let delete: Mutation = t.delete_of("r", "d:@6/DeleteFamily").into();
    for mutations in [vec![put.clone(), delete.clone()], vec![delete, put]] {
        t.store.mutate_row(&t.table, RowMutations { row: t.key("r"), mutations }).expect("a good change");
        assert_eq!(t.get("r"), "d:q@7=y");
    }
}

pub(crate) fn a_batch_answers_item_by_item(t: &Rows<'_>) {
    t.put("a", "d:q@5=old");
    let operations: Vec<Operation> = vec![
        Get::new(t.key("a")).into(),
        t.put_of("b", "none:q@5=x").into(),
        t.put_of("c", "d:q@5=new").into(),
        Increment::new(t.key("d")).add("d", "n", 3).into(),
        Get::new(t.key("nobody")).into(),
    ];
    let results = t.store.batch(&t.table, &operations).expect("a good batch");
    assert_eq!(results.len(), 5);
    let printed = |at: usize| match &results[at] {
        Ok(outcome) => without_times(&outcome.rows),
        Err(error) => error.to_string(),
    };
    assert_eq!(printed(0), "d:q=old");
    assert!(matches!(&results[1], Err(StoreError::UnknownFamily { .. })), "{}", printed(1));
    assert_eq!(printed(2), "");
    assert_eq!(printed(3), r"d:n=\x00\x00\x00\x00\x00\x00\x00\x03");
    assert_eq!(printed(4), "");
    assert_eq!(t.get("c"), "d:q@5=new");
}

pub(crate) fn a_batch_of_checks_and_changes_of_many_rows(store: &dyn Store) {
    let t = Rows::own(store, &["d"], &["m"]);
    t.put("a", "d:q@5=yes");
    t.put("z", "d:q@5=no");
    let check = |row: &str| -> Operation {
        CheckAndMutate::new(value(CompareOp::Equal, "yes"), t.put_of(row, "d:done@6=1")).into()
    };
    let row = RowMutations { row: t.key("p"), mutations: vec![t.put_of("p", "d:q@5=both").into()] };
    let operations = [check("a"), check("z"), row.into(), t.delete_of("z", "d:q@5/Delete").into()];
    let results = store.batch(&t.table, &operations).expect("a good batch");
    let matched: Vec<Option<bool>> =
        results.into_iter().map(|result| result.expect("good").matched).collect();
    assert_eq!(matched, [Some(true), Some(false), None, None]);
    assert_eq!(t.scan(), "a d:done@6=1 d:q@5=yes | p d:q@5=both");
}
