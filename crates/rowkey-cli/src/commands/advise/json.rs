//! Advice for programs.

use std::path::Path;

use rowkey_lab::advise::{Advice, Study};
use serde_json::{Value, json};

use super::print::{busiest_writes, touched};
use crate::args::Advise;

pub(super) fn advice_json(
    advice: &Advice,
    study: &Study,
    arguments: &Advise,
    written: Option<&Path>,
) -> Value {
    let names = |fields: &[rowkey_core::FieldId]| -> Vec<&str> {
        fields.iter().map(|field| study.fields.get(*field).name.as_str()).collect()
    };
    let proposals: Vec<Value> = advice
        .proposals
        .iter()
        .map(|proposal| {
            let indexes: Vec<Value> = proposal
                .indexes
                .iter()
                .map(|index| {
                    json!({ "name": index.name, "key": index.key, "columns": names(&index.columns), "key_bytes": index.bytes })
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
                        "rows_read": query.reading.rows,
                        "rows_returned": query.reading.returned,
                        "whole_table": query.reads_all(),
                        "sorted": query.sorted,
                        "cost": query.cost,
                    })
                })
                .collect();
            let lead = proposal.known.lead.as_ref().map(|lead| {
                json!({
                    "field": study.fields.get(lead.field).name,
                    "distinct": lead.distinct,
                    "most_frequent": lead.most_frequent,
                    "order": lead.trend.name(),
                    "key_rises": lead.rises,
                })
            });
            let [one, several, all] = touched(proposal, advice);
            json!({
                "first_field": lead,
                "reads_touch": { "one_region": one, "several": several, "all": all },
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
                "families": proposal.families.groups.iter().map(|group| names(group)).collect::<Vec<_>>(),
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
        "records": advice.rows,
        "sample": advice.sample,
        "keys_tried": advice.looked_at,
        "discarded": discarded,
        "time_was_up": advice.stopped,
        "written": written,
    })
}
