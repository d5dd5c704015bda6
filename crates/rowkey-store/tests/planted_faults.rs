//! Does every case notice when its behaviour breaks?
//!
//! Every case passes on the model, and fails on the model with at least one planted mistake. The table, printed with
//! `--nocapture`, says which mistakes each case notices.

#![cfg(feature = "conformance")]
#![allow(clippy::print_stdout, reason = "the table is what people run this for")]

use std::panic::{self, AssertUnwindSafe};

use rowkey_store::conformance::CASES;
use rowkey_store::conformance::model::{Model, ModelFault, all_faults};

#[test]
fn every_case_notices_a_fault_and_every_fault_is_noticed() {
    let faults = all_faults();
    let mut noticed_by_nobody: Vec<ModelFault> = faults.clone();
    let mut blind = Vec::new();
    let mut failing = Vec::new();
    panic::set_hook(Box::new(|_| {}));
    for (name, case) in CASES {
        let passes = |model: &Model| panic::catch_unwind(AssertUnwindSafe(|| case(model))).is_ok();
        if !passes(&Model::default()) {
            failing.push(*name);
            continue;
        }
        let noticed: Vec<ModelFault> =
            faults.iter().copied().filter(|fault| !passes(&Model::with_fault(*fault))).collect();
        println!("{name}: {noticed:?}");
        if noticed.is_empty() {
            blind.push(*name);
        }
        noticed_by_nobody.retain(|fault| !noticed.contains(fault));
    }
    drop(panic::take_hook());
    println!("{} cases, {} faults", CASES.len(), faults.len());
    assert!(failing.is_empty(), "cases that the model itself fails: {failing:#?}");
    assert!(blind.is_empty(), "cases that notice no fault: {blind:#?}");
    assert!(noticed_by_nobody.is_empty(), "faults that no case notices: {noticed_by_nobody:?}");
}

/// The issue asks for 150 cases, 90 of them about what reads see of deletes, versions, times, filters and regions.
#[test]
fn there_are_enough_cases() {
    let reads = [
        "deletes",
        "versions",
        "ttl",
        "time_range",
        "filters_of_rows",
        "filters_of_cells",
        "filters_of_filters",
        "regions",
    ];
    let about_reads =
        CASES.iter().filter(|(name, _)| reads.iter().any(|subject| name.starts_with(subject))).count();
    println!("{} cases, {about_reads} of them about what reads see", CASES.len());
    assert!(CASES.len() >= 150 && about_reads >= 90, "{} and {about_reads}", CASES.len());
}
