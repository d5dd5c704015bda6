//! The program, end to end: all tests that run it side by side.
//!
//! The pages and the stories are programs of their own: they have a cluster to themselves, and write what they find with `ROWKEY_BLESS=1`.
//!
//! One program for all of them, which is made quicker than one for each: `cargo test -p rowkey-cli --test it NAME::`
//! runs the tests of a file.

mod advising;
mod altering;
mod calibrating;
mod check_command;
mod clear_errors;
mod data_files;
mod deep_inputs;
mod demo;
mod doctor_command;
mod explaining;
mod exporting;
mod generated_programs;
mod generating;
mod hostile_data;
mod index_commands;
mod interrupted;
mod keys_on_the_command_line;
mod killed_loads;
mod live_regions;
mod loading;
mod one_table_two_stores;
mod output_files;
mod parquet_files;
mod profiling;
mod program;
mod public_flights;
mod recording;
mod redacting;
mod regions_of_a_table;
mod remembered_files;
mod rows_of_a_table;
mod secured_clusters;
mod shell_command;
mod simulate_command;
mod sizing;
mod splitting;
mod tables_of_a_store;
mod terminal;
mod wide_results;
