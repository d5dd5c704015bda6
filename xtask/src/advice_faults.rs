//! Mistakes in the evidence engine and in advice, for `cargo xtask faults advice`.

use crate::faults::{Fault, fault};

pub(crate) const ADVICE_FAULTS: [Fault; 26] = [
    fault(
        "luck identifies records",
        "advise/identity.rs",
        "count * count / (2.0 * span) >= MEETINGS",
        "count * count / (2.0 * span) >= 0.0",
    ),
    fault(
        "whatever counts up identifies records",
        "advise/identity.rs",
        "return numbers.len() >= FEW_RECORDS && self.is_named_id(field);",
        "return numbers.len() >= FEW_RECORDS;",
    ),
    fault(
        "numbers that look like times identify records",
        "advise/identity.rs",
        "if looks_like_a_time(&numbers) {",
        "if looks_like_a_time(&numbers) && numbers.is_empty() {",
    ),
    fault(
        "duplicates are not looked for",
        "advise/gather.rs",
        "filter(|hash| !seen.insert(*hash))",
        "filter(|hash| seen.is_empty() && !seen.insert(*hash))",
    ),
    fault("what rises is narrowed", "advise/facts.rs", "self.rising > RISES", "self.rising > RISES + 1.0"),
    fault(
        "no room for larger numbers",
        "advise/facts.rs",
        "const ROOM: i128 = 256;",
        "const ROOM: i128 = 1;",
    ),
    fault(
        "any texts of one length get a fixed width",
        "advise/facts.rs",
        "width.filter(|_| self.closed || self.is_digest)",
        "width",
    ),
    fault(
        "codes for sets that are not closed",
        "advise/facts.rs",
        "filter(|few| self.closed && (2..=CODES)",
        "filter(|few| (2..=CODES)",
    ),
    fault(
        "keys that lose rows are candidates",
        "advise/measure.rs",
        "if duplicates > self.repeated && !given {",
        "if duplicates > self.repeated + usize::MAX / 2 && !given {",
    ),
    fault(
        "figures of another number of servers",
        "advise/proposal.rs",
        "            servers: self.options.servers.max(1),\n            records",
        "            servers: self.options.servers.max(1) + 1,\n            records",
    ),
    fault(
        "reads are priced without their table",
        "advise/proposal.rs",
        "by: queries.iter().map(|query| query.by).collect(),",
        "by: queries.iter().map(|_| 0).collect(),",
    ),
    fault(
        "entries of index tables cost nothing",
        "advise/price.rs",
        "const ENTRY_PUTS: f64 = 2.0;",
        "const ENTRY_PUTS: f64 = 0.0;",
    ),
    fault(
        "designs with a warning are recommended",
        "advise/recommend.rs",
        "made.retain(|one| Some(wrong(one)) == fewest);",
        "made.retain(|one| Some(wrong(one)) >= fewest);",
    ),
    fault(
        "designs are checked without their records",
        "advise/recommend.rs",
        "check_table_over(table, facts_of(table, data.columns).as_ref())",
        "check_table_over(table, facts_of(table, &[]).as_ref())",
    ),
    fault(
        "forms are made from the records that test them",
        "advise/study.rs",
        "known::profile(fields, sample.before())",
        "known::profile(fields, &sample.records)",
    ),
    fault(
        "small tables are cut",
        "advise/study.rs",
        "if self.bytes() <= ONE_REGION { 1 }",
        "if self.bytes() <= ONE_REGION / 1e6 { 1 }",
    ),
    fault(
        "the lot of a record is that of its batch",
        "sample/lots.rs",
        "wrapping_add(self.first + row as u64)",
        "wrapping_add(self.first + row as u64 / 8)",
    ),
    fault(
        "the sample is in the order of its lots",
        "sample/lots.rs",
        "self.kept.sort_unstable_by_key(|kept| kept.order);",
        "self.kept.sort_unstable_by_key(|kept| kept.lot);",
    ),
    fault(
        "rows of a value are not scaled",
        "model/mod.rs",
        "found => 1.0 + (found - 1) as f64 * self.rows_per_record,",
        "found => found as f64,",
    ),
    fault("nothing grows with the table", "model/read.rs", ".clamp(0.0, 1.0)", ".clamp(0.0, 0.0)"),
    fault(
        "a range reaches into the next region",
        "model/paper.rs",
        "{ region - 1 } else { region }",
        "{ region } else { region }",
    ),
    fault(
        "a limit is not heeded",
        "model/read.rs",
        "Some(wanted) if exact => rows.min(of_a_limit(wanted, count, prices)),",
        "Some(_) if exact => rows,",
    ),
    fault(
        "windows of queries are ignored",
        "workload/draw.rs",
        "(true, _) => own.saturating_add(window),",
        "(true, _) => own.saturating_add(window / 64 + 1),",
    ),
    fault(
        "a log has no narrow windows",
        "advise/log.rs",
        ".filter(|width| *width > 0))",
        ".filter(|width| *width > 60_000))",
    ),
    fault(
        "falling values are taken for rising ones",
        "profile/order.rs",
        "(self.ups + self.equal) as f64 / followed as f64",
        "(self.downs + self.equal) as f64 / followed as f64",
    ),
    fault(
        "a rising edge is split",
        "rebalance.rs",
        "true => Change::Keep { region, because },",
        "true => Change::Split { region, because },",
    ),
];
