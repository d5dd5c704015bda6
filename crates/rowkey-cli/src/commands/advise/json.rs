//! Advice for programs.

use std::path::Path;

use rowkey_core::disclosure::Disclosure;
use rowkey_lab::advise::{Advice, Study};
use rowkey_lab::profile::FieldProfile;
use serde_json::{Value, json};

use super::print::{busiest_writes, of_a_read, touched};
use crate::args::Advise;
use crate::output::value_json_as;

pub(super) fn advice_json(
    advice: &Advice,
    study: &Study,
    arguments: &Advise,
    written: Option<&Path>,
    shown: Disclosure,
) -> Value {
    let proposals: Vec<Value> = advice
        .proposals
        .iter()
        .map(|proposal| {
            let indexes: Vec<Value> = proposal
                .indexes
                .iter()
                .map(|index| {
                    json!({ "name": index.name, "key": index.key, "columns": study.names(&index.columns), "key_bytes": index.bytes })
                })
                .collect();
            let queries: Vec<Value> = proposal
                .queries
                .iter()
                .zip(&advice.queries)
                .enumerate()
                .map(|(place, (query, (name, share)))| {
                    let [one, several, all] = query.touched;
                    json!({
                        "bytes_read": proposal.known.read_bytes.get(place),
                        "touch_one_region": one,
                        "touch_several_regions": several,
                        "touch_all_regions": all,
                        "name": name,
                        "share": share,
                        "table": query.by,
                        "ranges": query.opened(),
                        "calls": query.calls(),
                        "rows_read": query.reading.rows,
                        "rows_returned": query.reading.returned,
                        "whole_table": query.reads_all(),
                        "sorted": query.sorted,
                        "cost": query.cost,
                    })
                })
                .collect();
            let lead = proposal.known.lead.as_ref().map(|lead| {
                let field = study.profile.fields.get(lead.field.0);
                json!({
                    "field": study.fields.get(lead.field).name,
                    "distinct": field.map(|field| field.distinct.count),
                    "most_frequent": field.map(|field| most_often(field, shown)),
                    "order": lead.trend.name(),
                    "key_rises": lead.rises,
                })
            });
            let regions = |[one, several, all]: [f64; 3]| {
                json!({ "one_region": one, "several": several, "all": all })
            };
            let read = of_a_read(proposal, advice);
            json!({
                "first_field": lead,
                "reads_touch": regions(touched(proposal, advice)),
                "writes_touch": regions(proposal.known.writes_touch),
                "read": { "calls": read.calls, "rows": read.rows, "bytes": read.bytes },
                "row_bytes": proposal.known.row_bytes,
                "storage_bytes": proposal.known.storage,
                "updates_in_sample": proposal.known.again,
                "updates_that_change_the_key": proposal.known.moved,
                "cost_by_seed": proposal.totals,
                "busiest_writes_per_second": busiest_writes(proposal, arguments),
                "design": proposal.name,
                "yours": proposal.given,
                "key": proposal.key,
                "indexes": indexes,
                "hot_spot": proposal.figures.hot.usual,
                "hot_spot_worst": proposal.figures.hot.worst,
                "read_cost": proposal.figures.read,
                "write_cost": proposal.cost.write,
                "key_bytes": proposal.figures.key_bytes,
                "rows_written": proposal.figures.writes,
                "cost": proposal.figures.total,
                "queries": queries,
                "families": proposal.families.groups.iter().map(|group| study.names(group)).collect::<Vec<_>>(),
                "trade_off": proposal.trade_off,
                "file": proposal.file,
            })
        })
        .collect();
    let changes: Vec<Value> = advice
        .changes
        .iter()
        .map(|change| json!({ "design": change.proposal, "share_now": change.now, "share": change.at, "text": change.text }))
        .collect();
    let rejected: Vec<Value> = advice
        .rejected
        .iter()
        .map(|other| json!({ "what": other.what, "key": other.key, "cost": other.cost, "why": other.why }))
        .collect();
    let discarded: Vec<Value> =
        advice.discarded.iter().map(|(why, count)| json!({ "why": why, "keys": count })).collect();
    json!({
        "version": 1,
        "recommended": advice.proposals.first().map(|proposal| &proposal.name),
        "designs": proposals,
        "changes": changes,
        "rejected": rejected,
        "notes": advice.notes,
        "records": study.sample.data_rows,
        "rows": advice.rows,
        "sample": advice.sample,
        "keys_tried": advice.looked_at,
        "discarded": discarded,
        "time_was_up": advice.stopped,
        "written": written,
    })
}

/// The most frequent values of a field, each with its share.
pub(super) fn most_often(field: &FieldProfile, shown: Disclosure) -> Vec<Value> {
    let one = |hitter: &rowkey_lab::profile::Hitter| {
        let share = hitter.count as f64 / field.values.max(1) as f64;
        json!({ "value": value_json_as(&hitter.value, shown), "share": share })
    };
    field.hitters.iter().map(one).collect()
}
