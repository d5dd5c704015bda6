//! The conformance suite: does a store answer as HBase does?
//!
//! One list of cases, each named after what HBase does, run on every store: the model, the embedded one, a real HBase.
//! A store's test file is two lines:
//!
//! ```ignore
//! rowkey_store::conformance_suite!(my_store);
//! ```
//!
//! Most cases use rows under a prefix of their own in one table that they share, so that the suite is quick on a
//! cluster, where making a table takes a second; cases about tables and regions make their own and drop it.
//!
//! A case counts only if it notices when its behaviour breaks. `cargo test -p rowkey-store --all-features --test
//! planted_faults -- --nocapture` shows it: each case is run on the [`model`] with one mistake after the other.

/// Fails unless a call was refused with this error.
macro_rules! refused {
    ($answer:expr, $error:ident) => {{
        let answer = $answer;
        assert!(matches!(answer, Err(crate::StoreError::$error { .. })), "{answer:?}");
    }};
}

mod byte_rows;
pub mod model;
mod rows;

mod atomic;
mod compaction;
mod deletes;
mod filters_of_cells;
mod filters_of_filters;
mod filters_of_rows;
mod puts;
mod regions;
mod scans;
mod tables;
mod time_range;
mod ttl;
mod versions;

use self::rows::Rows;
use crate::Store;

/// A case takes the store, or rows of its own in the table that cases share.
trait Case<Given: ?Sized> {
    fn run_on(&self, store: &dyn Store);
}

impl<F: Fn(&dyn Store)> Case<dyn Store> for F {
    fn run_on(&self, store: &dyn Store) {
        self(store);
    }
}

impl<F: Fn(&Rows<'_>)> Case<Rows<'static>> for F {
    fn run_on(&self, store: &dyn Store) {
        self(&Rows::shared(store));
    }
}

/// The list of cases, by subject, given to another macro.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_cases {
    ($then:path, $($with:tt)*) => {
        $then! { $($with)*
            tables:
                create_keeps_families_and_attributes, creating_an_existing_table_is_refused,
                a_table_needs_a_family, a_dropped_table_is_gone_and_can_be_made_again,
                every_call_on_an_unknown_table_is_refused, families_that_cannot_be_are_refused,
                tables_are_listed_by_name, a_table_is_in_the_namespace_of_its_name, a_disabled_table_takes_no_reads_and_writes,
                a_table_is_not_enabled_or_disabled_twice, a_disabled_table_can_be_described_and_dropped,
                a_truncated_table_is_empty_and_keeps_its_splits, a_truncated_table_can_lose_its_splits,
                a_disabled_table_is_enabled_after_a_truncation,
                an_altered_table_has_new_settings_and_keeps_its_rows, a_family_can_be_added_and_removed,
                a_table_cannot_be_altered_into_one_that_cannot_be;
            puts:
                a_row_comes_back_with_its_cells_in_order, a_missing_row_is_not_an_error,
                a_get_returns_only_the_columns_asked_for, an_unknown_family_is_refused_and_nothing_is_written,
                row_keys_have_1_to_32767_bytes, a_row_without_cells_is_refused, a_negative_timestamp_is_refused,
                the_latest_timestamp_becomes_the_time_of_the_write, values_may_be_empty_or_large,
                every_kind_of_mutation_keeps_the_rules, markers_are_not_put,
                rows_of_a_batch_may_delete_columns,
                one_row_key_in_two_families_holds_independent_cells, a_put_of_several_cells_writes_them_all,
                many_gets_at_once_answer_in_order, sorted_rows_are_loaded_in_bulk,
                rows_loaded_in_bulk_join_those_that_are_there, unsorted_rows_are_not_loaded_in_bulk;
            versions:
                the_newest_version_wins_whatever_the_order_of_writes, the_last_write_wins_at_the_same_timestamp,
                versions_come_from_the_newest_to_the_oldest, a_read_returns_as_many_versions_as_asked_for,
                a_family_limits_the_versions_of_every_read, versions_are_counted_column_by_column,
                hidden_versions_do_not_count, a_deleted_version_lets_one_appear_that_the_family_no_longer_kept,
                versions_of_named_columns_are_those_of_all_columns, versions_are_returned_by_a_scan_too,
                versions_keep_their_order_in_a_reverse_scan, a_value_filter_may_return_an_older_version,
                a_filter_sees_only_the_versions_that_the_family_keeps,
                the_versions_asked_for_are_counted_after_the_filter, zero_versions_are_refused;
            deletes:
                a_column_marker_hides_all_versions_up_to_its_time, a_version_marker_hides_exactly_its_time,
                a_version_marker_of_the_newest_lets_the_one_before_appear,
                a_family_marker_hides_all_columns_up_to_its_time,
                a_family_version_marker_hides_exactly_its_time_in_every_column, a_row_delete_hides_every_family,
                a_row_delete_at_a_time_keeps_newer_cells,
                a_row_delete_without_a_time_hides_what_was_written_before,
                a_marker_hides_a_put_that_comes_after_it,
                a_put_with_the_markers_time_stays_hidden_whatever_came_first,
                a_family_marker_leaves_other_families_alone, a_column_marker_leaves_other_columns_alone,
                markers_leave_rows_alone_whose_keys_begin_alike,
                the_newest_version_is_looked_up_when_a_version_delete_has_no_time,
                the_same_column_twice_deletes_the_two_newest_versions,
                a_version_delete_of_nothing_hides_nothing_older_or_later,
                a_marker_of_the_empty_qualifier_is_not_one_of_the_family,
                a_family_marker_hides_the_empty_qualifier_too, several_markers_hide_what_any_of_them_hides,
                an_older_marker_beside_a_newer_one_changes_nothing,
                a_deleted_column_asked_for_by_name_is_hidden_by_a_family_marker,
                one_row_in_two_families_has_independent_deletes, a_row_is_renamed_by_put_and_delete,
                a_delete_changes_nothing_of_a_row_that_is_not_there,
                a_raw_scan_shows_markers_and_what_they_hide, a_raw_scan_counts_versions_of_puts_only,
                a_row_of_markers_alone_is_no_row, a_put_without_a_time_after_a_delete_of_the_past_is_seen;
            ttl:
                cells_past_their_time_to_live_are_hidden, a_family_has_its_own_time_to_live,
                expired_versions_do_not_come_back_when_the_newest_is_deleted,
                of_several_versions_the_unexpired_are_seen, min_versions_outlive_their_time,
                min_versions_add_nothing_to_versions_that_live,
                named_columns_return_one_expired_version_behind_those_that_live,
                a_deleted_version_is_not_among_the_min_versions,
                a_time_range_in_the_past_does_not_bring_expired_cells_back, a_filter_does_not_see_expired_cells,
                a_reverse_scan_hides_expired_cells_too, a_raw_scan_shows_expired_cells,
                a_write_without_a_time_lives_from_now_on, a_limit_counts_rows_that_live;
            time_range:
                a_time_range_includes_its_start_and_excludes_its_end,
                a_time_range_is_looked_at_before_versions_are_counted, several_versions_of_a_time_range,
                a_marker_after_the_time_range_still_hides, a_time_range_applies_to_named_columns,
                a_scan_skips_rows_without_a_cell_in_the_time_range, a_single_timestamp_is_a_time_range,
                a_filter_sees_only_the_time_range, a_raw_scan_of_a_time_range_shows_its_markers_only,
                an_empty_time_range_holds_nothing, a_version_delete_and_a_time_range_meet;
            filters_of_rows:
                a_prefix_filter_returns_rows_with_the_prefix, a_prefix_filter_works_backwards_and_over_regions,
                a_row_filter_compares_keys_by_every_operator, a_row_filter_with_a_prefix_comparator,
                a_row_filter_with_a_substring_or_a_regex, an_inclusive_stop_filter_ends_after_its_row,
                an_inclusive_stop_filter_works_backwards, a_page_filter_ends_after_its_number_of_rows,
                a_page_filter_does_not_count_rows_that_others_leave_out,
                a_fuzzy_row_filter_matches_the_middle_of_keys,
                a_multi_row_range_filter_returns_the_rows_of_its_ranges,
                a_multi_row_range_filter_without_a_range_is_refused, a_random_row_filter_keeps_none_all_or_some,
                a_while_filter_ends_the_scan_with_the_first_row_left_out, a_key_filter_and_a_range_meet,
                a_limit_counts_rows_that_the_filter_lets_through;
            filters_of_cells:
                a_family_filter_leaves_families_out, a_qualifier_filter_compares_columns,
                a_value_filter_compares_values_by_every_operator, values_compare_as_text_bits_or_numbers,
                a_regex_that_is_none_is_refused, a_single_column_value_filter_returns_whole_rows,
                rows_without_the_column_pass_unless_told_otherwise,
                older_versions_of_the_single_column_count_if_asked_for, a_single_column_must_be_read_to_be_seen,
                a_deleted_single_column_is_a_missing_one, an_exclude_filter_leaves_the_column_itself_out,
                a_column_value_filter_returns_only_the_column,
                a_column_prefix_filter_returns_columns_with_the_prefix, several_column_prefixes_at_once,
                a_column_range_filter_has_bounds_of_either_kind,
                a_column_page_starts_at_an_offset_and_counts_columns, a_column_page_starts_at_a_qualifier,
                a_column_count_filter_cuts_a_get, a_first_key_only_filter_returns_one_cell_of_each_row,
                a_key_only_filter_returns_no_values,
                a_timestamps_filter_returns_versions_with_exactly_these_times,
                a_timestamps_filter_sees_no_deleted_version, next_row_in_one_family_does_not_end_the_other,
                a_filter_begins_every_row_afresh;
            filters_of_filters:
                all_of_a_list_must_let_a_cell_through, one_of_a_list_is_enough, all_of_two_columns,
                one_of_two_columns, an_empty_list_lets_everything_through, lists_inside_lists,
                a_list_of_row_and_cell_filters, key_only_applies_to_what_its_own_filter_includes,
                two_key_only_filters_apply_one_after_the_other,
                a_page_of_columns_in_a_list_counts_what_hints_let_it_see,
                a_page_of_columns_behind_another_filter_counts_what_that_leaves,
                a_page_of_columns_in_a_reverse_scan_counts_cells_that_no_hint_jumps_over,
                a_skip_filter_leaves_out_rows_of_which_one_cell_is_left_out,
                a_while_filter_ends_the_scan_with_the_first_cell_left_out, a_while_filter_works_backwards,
                a_filter_that_judges_rows_refuses_pieces, a_filter_and_columns_meet,
                a_filter_on_values_sees_no_hidden_cells, a_filter_leaves_a_row_out_of_a_get;
            scans:
                rows_sort_as_unsigned_bytes_across_regions, scan_bounds_are_inclusive_or_exclusive_as_asked,
                reverse_scan_is_the_forward_scan_backwards, a_limit_stops_a_scan_in_both_directions,
                a_scan_skips_rows_without_the_columns_asked_for, small_batches_lose_and_double_nothing,
                many_scans_at_once_read_their_own_ranges, an_empty_range_holds_no_rows,
                a_row_is_cut_into_pieces_of_so_many_cells, pieces_of_a_row_count_as_one_row,
                pieces_come_in_a_reverse_scan_too, pieces_and_a_filter_on_cells, pieces_of_no_cell_are_refused,
                a_prefix_is_a_range_of_rows, a_raw_scan_takes_families_but_no_columns,
                a_raw_scan_works_backwards, a_raw_scan_with_a_filter_shows_what_the_filter_leaves,
                a_scan_skips_hidden_rows_in_both_directions;
            regions:
                unsorted_split_points_make_sorted_regions, a_region_is_split_at_a_key,
                the_daughters_of_a_split_have_names_of_their_own, a_region_is_split_in_the_middle_of_its_keys,
                a_split_point_must_lie_inside_its_region, neighbours_are_merged,
                regions_that_are_no_neighbours_are_not_merged, splits_and_merges_keep_markers_and_versions,
                writes_and_reads_go_on_after_a_split, requests_are_counted_by_region,
                work_goes_to_every_region_and_comes_back_in_order, a_filter_starts_afresh_in_every_region,
                deletes_over_regions_are_seen_in_both_directions,
                a_reverse_scan_starts_at_the_border_of_a_region, columns_versions_and_time_ranges_over_regions,
                a_filter_on_a_column_over_regions_in_both_directions,
                an_expired_cell_in_one_region_and_a_living_one_in_another,
                many_gets_over_regions_keep_their_order, split_points_that_cannot_be_leave_no_table,
                a_scan_that_is_open_reads_on_over_a_split;
            atomic:
                an_increment_starts_at_zero_and_adds_up, an_increment_answers_with_the_new_values,
                an_increment_answers_in_the_order_of_columns, an_append_answers_in_the_order_of_columns,
                changes_of_one_row_answer_mutation_by_mutation,
                an_increment_changes_several_columns_at_once,
                an_increment_of_something_that_is_no_counter_is_refused,
                an_increment_of_a_deleted_counter_starts_again, an_increment_looks_only_at_its_time_range,
                an_incremented_value_is_newer_than_the_one_before,
                a_counter_with_a_value_takes_no_time_that_is_given,
                a_text_with_a_value_takes_no_time_that_is_given, an_append_adds_to_the_end,
                an_append_changes_several_columns_at_once,
                a_check_compares_its_value_with_the_cells_by_every_operator,
                a_check_of_a_missing_column_never_holds,
                a_check_for_absence_holds_without_a_cell_and_for_an_empty_one, a_check_sees_no_deleted_cell,
                a_check_looks_only_at_its_time_range, a_check_by_a_filter_holds_if_a_cell_is_found,
                a_check_makes_several_changes_at_once, a_check_may_delete, changes_of_one_row_are_made_together,
                changes_of_one_row_are_refused_together, a_delete_among_changes_hides_by_time_and_not_by_place,
                a_batch_answers_item_by_item, a_batch_of_checks_and_changes_of_many_rows;
            compaction:
                a_compaction_removes_markers_and_what_they_hide,
                a_compaction_removes_versions_that_the_family_does_not_keep,
                after_a_compaction_an_old_time_can_be_written_again,
                a_compaction_removes_expired_cells_but_the_min_versions,
                a_compaction_changes_no_answer_of_a_plain_read,
                a_compaction_ends_what_a_time_range_could_still_see, a_flush_changes_nothing;
        }
    };
}

/// Makes one `#[test]` for each case. The argument is a function that returns something that derefs to a store.
#[macro_export]
macro_rules! conformance_suite {
    ($store:ident) => {
        $crate::conformance_cases! { $crate::conformance_tests, $store; }
    };
}

/// One `#[test]` for each case.
#[doc(hidden)]
#[macro_export]
macro_rules! conformance_tests {
    ($store:ident; $($subject:ident: $($case:ident),+;)+) => {
        $(mod $subject {
            $(#[test]
            fn $case() {
                let store = super::$store();
                $crate::conformance::run(concat!(stringify!($subject), "::", stringify!($case)), &*store);
            })+
        })+
    };
}

macro_rules! list {
    ($($subject:ident: $($case:ident),+;)+) => {
        /// Every case with its name.
        pub const CASES: &[(&str, fn(&dyn Store))] =
            &[$($((concat!(stringify!($subject), "::", stringify!($case)), |store| $subject::$case.run_on(store))),+),+];
    };
}

conformance_cases! { list, }

/// Runs one case by its name.
///
/// # Panics
/// If the store does not answer as HBase does, or there is no such case.
pub fn run(name: &str, store: &dyn Store) {
    let (_, case) = CASES.iter().find(|(known, _)| *known == name).expect("there is such a case");
    case(store);
}
