//! `rowkey size FILE --rows N`

use std::path::PathBuf;

use rowkey_core::Table;
use rowkey_lab::size::index::BlockIndex;
use rowkey_lab::size::lengths::Measure;
use rowkey_lab::size::{Cluster, FlushPolicy, Lengths, RowSize, Rules, flush};
use rowkey_ops::input::Records;
use serde_json::{Value, json};

use crate::args::Size;
use crate::output::{Bar, Output, Rows, cell, counted, grouped, number};
use crate::{Answer, input_argument, table_argument};

/// The block size of a family that names none.
const BLOCK: u64 = 64 << 10;
const BLOCKS: [u64; 3] = [16 << 10, BLOCK, 256 << 10];

pub(crate) fn run(arguments: &Size, output: &mut Output) -> anyhow::Result<Answer> {
    let table = table_argument::read_file(&arguments.file)?;
    let lengths = match input_argument::some(&arguments.data) {
        Some(paths) => measured(&table, paths, arguments)?,
        None => Lengths::typical(&table),
    };
    let rules = Rules {
        region: arguments.region_size,
        memstore: arguments.memstore,
        replication: arguments.replication,
        memstore_fraction: arguments.memstore_fraction,
        heap: arguments.heap,
    };
    let row = RowSize::of(&table, &lengths, arguments.versions);
    let cells = row.bytes() * arguments.rows as f64;
    let index = BlockIndex::of(cells, BLOCK, row.key);
    let stored = (cells + index.headers) / arguments.compression + index.bytes;
    let sized = Sized {
        arguments,
        table: &table,
        lengths: &lengths,
        row: &row,
        rules,
        cells,
        cluster: Cluster::of(stored, &rules),
    };
    output.object(|| sized.json())?;
    sized.print(output)?;
    Ok(Answer::Yes)
}

fn measured(table: &Table, paths: &[PathBuf], arguments: &Size) -> anyhow::Result<Lengths> {
    let input = input_argument::data(paths, &arguments.reading)?;
    let mut records = Records::open(input.source()?, input.format, table.key.fields(), &input.label)?;
    let mut measure = Measure::new(table);
    Bar::during(input.bytes(), |bar| {
        loop {
            match records.next(|_, record| {
                measure.add(record);
                Ok(())
            }) {
                Ok(true) if measure.records().is_multiple_of(10_000) => bar.show(records.position()),
                Ok(true) => {}
                end => break end,
            }
        }
    })?;
    Ok(measure.finish())
}

struct Sized<'s> {
    arguments: &'s Size,
    table: &'s Table,
    lengths: &'s Lengths,
    row: &'s RowSize,
    rules: Rules,
    /// All cells, not compressed.
    cells: f64,
    cluster: Cluster,
}

impl Sized<'_> {
    fn rows(&self) -> f64 {
        self.arguments.rows as f64
    }

    fn rows_per_memstore(&self) -> f64 {
        (self.rules.memstore / self.row.in_memory()).floor()
    }

    fn print(&self, output: &mut Output) -> anyhow::Result<()> {
        let source = match self.lengths.records {
            0 => "by their types, texts of ten bytes".to_owned(),
            records => format!("measured on {} records", grouped(records)),
        };
        output.text(&format!(
            "{}: {} rows, key of {} bytes, lengths {source}\n",
            self.table.name,
            grouped(self.arguments.rows),
            round(self.row.key)
        ))?;
        self.print_cells(output)?;
        self.print_letters(output)?;
        self.print_disk(output)?;
        self.print_index(output)?;
        self.print_memory(output)?;
        self.print_flushes(output)?;
        self.print_servers(output)
    }

    fn print_cells(&self, output: &mut Output) -> anyhow::Result<()> {
        let mut cells = Rows::new([
            "cell",
            "row key",
            "names",
            "time, type, lengths",
            "value",
            "bytes",
            "in rows",
            "value is",
        ]);
        for own in &self.row.cells {
            cells.add([
                cell(format!("{}:{}", own.family, own.qualifier)),
                number(round(own.key)),
                number(own.family.len() + own.qualifier.len()),
                number("20"),
                number(round(own.value)),
                number(round(own.bytes())),
                number(percent(own.present)),
                number(percent(own.value / own.bytes())),
            ]);
        }
        output.rows(&cells)?;
        output.text(&format!(
            "a row: {} cells, {} bytes; {} of them row key, {} values\n",
            round(self.row.cell_count()),
            round(self.row.bytes()),
            percent(self.row.keys() / self.row.bytes()),
            percent(self.row.values() / self.row.bytes())
        ))?;
        Ok(())
    }

    /// What one letter less saves, before compression and copies.
    fn print_letters(&self, output: &mut Output) -> anyhow::Result<()> {
        let saved = |per_row: f64| bytes(per_row * self.rows());
        let families = self.row.in_memory_by_family().into_iter().map(|(family, _)| {
            format!(
                "one letter less of the family `{family}` saves {}",
                saved(self.row.family_letter(family))
            )
        });
        let mut lines: Vec<String> = families.collect();
        lines.push(format!("one byte less of the row key saves {}", saved(self.row.cell_count())));
        if let Some(longest) = self
            .row
            .cells
            .iter()
            .max_by_key(|cell| cell.qualifier.len())
            .filter(|cell| cell.qualifier.len() > 1)
        {
            let more = (longest.qualifier.len() - 1) as f64;
            lines.push(format!(
                "`{}` with a qualifier of one letter saves {}",
                longest.qualifier,
                saved(more * longest.weight())
            ));
        }
        Ok(output.text(&format!("{}\n", lines.join("\n")))?)
    }

    fn print_disk(&self, output: &mut Output) -> anyhow::Result<()> {
        let compressed = match self.arguments.compression {
            1.0 => "not compressed".to_owned(),
            times => format!("compressed {} times", round(times)),
        };
        let mut text = format!(
            "cells {}; files {} ({compressed}, with block headers and index); {} copies {}",
            bytes(self.cells),
            bytes(self.cluster.stored),
            round(self.rules.replication),
            bytes(self.cluster.disk)
        );
        for family in &self.table.families {
            for setting in ["COMPRESSION", "DATA_BLOCK_ENCODING"] {
                if let Some(value) = family.attributes.get(setting).filter(|value| *value != "NONE") {
                    text.push_str(&format!(
                        "\n`{}` has {setting} {value}: how much that saves depends on the data; say so with --compression",
                        family.name
                    ));
                }
            }
        }
        Ok(output.text(&format!("{text}\n"))?)
    }

    fn print_index(&self, output: &mut Output) -> anyhow::Result<()> {
        let mut rows = Rows::new(["block size", "blocks", "index at most", "of the cells"]);
        for block in BLOCKS {
            let index = BlockIndex::of(self.cells, block, self.row.key);
            rows.add([
                number(bytes(block as f64)),
                number(grouped(index.entries as u64)),
                number(bytes(index.bytes)),
                number(percent(index.bytes / self.cells)),
            ]);
        }
        output.rows(&rows)?;
        Ok(output.text("")?)
    }

    fn print_memory(&self, output: &mut Output) -> anyhow::Result<()> {
        let mut text = format!(
            "a row takes {} bytes of memory; {} rows fill a memstore of {}",
            round(self.row.in_memory()),
            grouped(self.rows_per_memstore() as u64),
            bytes(self.rules.memstore)
        );
        if let Some(rate) = self.arguments.rate {
            let seconds = self.rows() / rate as f64;
            let flushes = rate as f64 * 3600.0 / self.rows_per_memstore();
            text.push_str(&format!(
                "\n{} rows a second are {} a second of cells, {} flushes an hour in all, and {} for all rows",
                grouped(rate),
                bytes(rate as f64 * self.row.bytes()),
                round(flushes),
                duration(seconds)
            ));
            for (family, seconds) in
                self.table.families.iter().filter_map(|family| Some((family, family.ttl_seconds?)))
            {
                text.push_str(&format!(
                    "\n`{}` forgets after {}: at that rate never more than {} rows",
                    family.name,
                    duration(seconds.into()),
                    grouped(rate.saturating_mul(seconds.into()))
                ));
            }
        }
        Ok(output.text(&format!("{text}\n"))?)
    }

    fn print_flushes(&self, output: &mut Output) -> anyhow::Result<()> {
        let families = self.row.in_memory_by_family();
        if families.len() < 2 {
            return Ok(());
        }
        let mut rows = Rows::new(["policy", "family", "in flushes", "flushed at a time"]);
        for policy in [FlushPolicy::AllStores, FlushPolicy::AllLargeStores] {
            for found in flush::flushes(&families, self.rules.memstore, policy) {
                rows.add([
                    cell(policy.name()),
                    cell(&found.family),
                    number(percent(found.share)),
                    number(bytes(found.bytes)),
                ]);
            }
        }
        output.rows(&rows)?;
        Ok(output.text("")?)
    }

    fn print_servers(&self, output: &mut Output) -> anyhow::Result<()> {
        let rules = &self.rules;
        Ok(output.text(&format!(
            "{} of {}; a server with {} of heap writes to {} of them at most\n\
             disk / heap = {} / {} x {} x {} = {}, so a server serves {}: {}",
            counted(self.cluster.regions as u64, "region"),
            bytes(rules.region),
            bytes(rules.heap),
            rules.regions_per_server().floor(),
            bytes(rules.region),
            bytes(rules.memstore),
            round(rules.replication),
            round(rules.memstore_fraction),
            round(rules.disk_to_heap()),
            bytes(rules.disk_per_server()),
            counted(self.cluster.servers as u64, "server")
        ))?)
    }

    fn json(&self) -> Value {
        let cells: Vec<Value> = self
            .row
            .cells
            .iter()
            .map(|cell| {
                json!({
                    "family": cell.family, "qualifier": cell.qualifier, "key": cell.key, "value": cell.value,
                    "bytes": cell.bytes(), "present": cell.present,
                })
            })
            .collect();
        let index: Vec<Value> = BLOCKS
            .iter()
            .map(|block| {
                let index = BlockIndex::of(self.cells, *block, self.row.key);
                json!({ "block": block, "entries": index.entries, "bytes_at_most": index.bytes })
            })
            .collect();
        let families = self.row.in_memory_by_family();
        let flushes: Vec<Value> = [FlushPolicy::AllStores, FlushPolicy::AllLargeStores].into_iter().flat_map(|policy| {
            flush::flushes(&families, self.rules.memstore, policy).into_iter().map(move |found| {
                json!({ "policy": policy.name(), "family": found.family, "share": found.share, "bytes": found.bytes })
            })
        }).collect();
        json!({
            "table": self.table.name,
            "rows": self.arguments.rows,
            "measured_on": self.lengths.records,
            "cells": cells,
            "row_bytes": self.row.bytes(),
            "cell_bytes": self.cells,
            "stored_bytes": self.cluster.stored,
            "disk_bytes": self.cluster.disk,
            "key_byte_costs": self.row.cell_count() * self.rows(),
            "index": index,
            "row_bytes_in_memory": self.row.in_memory(),
            "rows_per_memstore": self.rows_per_memstore(),
            "flushes": flushes,
            "regions": self.cluster.regions,
            "regions_per_server": self.rules.regions_per_server(),
            "disk_to_heap": self.rules.disk_to_heap(),
            "disk_per_server": self.rules.disk_per_server(),
            "servers": self.cluster.servers,
        })
    }
}

/// At most one digit behind the point.
fn round(number: f64) -> String {
    format!("{}", (number * 10.0).round() / 10.0)
}

fn percent(share: f64) -> String {
    format!("{}%", round(share * 100.0))
}

/// `27.9 GB`, by powers of 1024 as HBase counts.
fn bytes(bytes: f64) -> String {
    const UNITS: [&str; 6] = ["bytes", "KB", "MB", "GB", "TB", "PB"];
    let mut value = bytes;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{} {}", round(value), UNITS.get(unit).unwrap_or(&"PB"))
}

/// `3.5 days`
fn duration(seconds: f64) -> String {
    let (number, unit) = match seconds {
        s if s >= 172_800.0 => (s / 86_400.0, "days"),
        s if s >= 7_200.0 => (s / 3_600.0, "hours"),
        s if s >= 120.0 => (s / 60.0, "minutes"),
        s => (s, "seconds"),
    };
    format!("{} {unit}", round(number))
}
