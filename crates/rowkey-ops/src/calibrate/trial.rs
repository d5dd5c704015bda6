//! The plans that are timed: one for the row of a scan, one for each price of reading.

use rowkey_core::query::{Access, Plan, Prices};

use super::list::Price;
use super::scratch::{GROUP, Rows};

/// A plan with what it is run for.
pub(super) struct Trial<'a> {
    pub(super) price: Option<&'static Price>,
    pub(super) rows: &'a Rows,
    pub(super) plan: Plan,
    /// Rows that it returns.
    pub(super) returns: usize,
    /// What the price is for: ranges, gets, jumps, or hundreds of rows.
    pub(super) per: f64,
}

/// The plain scan, by which the others are measured, and a plan for each price that reading has.
#[expect(clippy::cast_precision_loss, reason = "far from the limits")]
pub(super) fn trials<'a>(fixed: &'a Rows, text: &'a Rows, built_in: &Prices) -> Vec<Trial<'a>> {
    let groups = fixed.groups;
    let listed: Vec<String> = (0..groups).map(|group| group.to_string()).collect();
    let listed = listed.join(", ");
    let sorted = groups.min(SORTED_GROUPS);
    let trial =
        |name: &str, rows: &'a Rows, condition: &str, is: fn(&Plan) -> bool, returns: usize, per: usize| {
            let plan = rows.plan(condition, is);
            Trial { price: Price::named(name), rows, plan, returns, per: per as f64 }
        };
    let all = groups * GROUP;
    let mut trials = vec![
        trial("row", fixed, "a >= 0", is_plain, all, 1),
        trial("range", fixed, &format!("a in ({listed}) and b < 3"), is_many_ranges, 3 * groups, groups),
        trial("get", fixed, &format!("a in ({listed}) and b = 5"), is_gets, groups, groups),
        trial("jump", text, "a >= 'group' and b = 1000", is_skip, groups, groups),
    ];
    if built_in.server_jump.is_some() {
        let condition = format!("a < {groups} and b = 1000");
        trials.push(trial("server_jump", fixed, &condition, is_skip, groups, groups));
    }
    let sort = format!("a < {sorted} order by b");
    // In hundredths: a hundred rows are the unit.
    trials.push(trial("sort_percent", fixed, &sort, is_sorted, sorted * GROUP, sorted * GROUP));
    trials.push(trial("backwards_percent", fixed, "a >= 0 order by a desc, b desc", is_backwards, all, all));
    for trial in &mut trials {
        if trial.price.is_some_and(|price| price.name.ends_with("_percent")) {
            trial.per /= 100.0;
        }
    }
    trials
}

/// So many groups are sorted: they fit into the memory of a sort.
const SORTED_GROUPS: usize = 50;

fn ranges(plan: &Plan, is: impl Fn(usize, bool) -> bool) -> bool {
    let Access::Ranges(fan_outs) = &plan.access else { return false };
    is(plan.access.len(), fan_outs.iter().any(|fan_out| fan_out.seek.is_some()))
}

fn is_plain(plan: &Plan) -> bool {
    ranges(plan, |_, skips| !skips) && plan.sort.is_empty()
}

fn is_many_ranges(plan: &Plan) -> bool {
    ranges(plan, |ranges, skips| ranges > 1 && !skips)
}

fn is_gets(plan: &Plan) -> bool {
    matches!(plan.access, Access::Gets(_))
}

fn is_skip(plan: &Plan) -> bool {
    ranges(plan, |ranges, skips| ranges == 1 && skips)
}

fn is_sorted(plan: &Plan) -> bool {
    ranges(plan, |_, skips| !skips) && !plan.sort.is_empty()
}

fn is_backwards(plan: &Plan) -> bool {
    is_plain(plan) && plan.direction == rowkey_core::types::Order::Descending
}

#[cfg(test)]
mod tests {
    use super::super::LIST;
    use super::*;

    /// For every price there is a plan, and it reads what it is meant to.
    #[test]
    fn there_is_a_plan_for_every_price() {
        let (fixed, text) = (Rows::fixed(10), Rows::behind_a_text(10));
        for built_in in [Prices::EMBEDDED, Prices::HBASE] {
            let trials = trials(&fixed, &text, &built_in);
            let counts: Vec<usize> = trials.iter().map(|trial| trial.plan.access.len()).take(4).collect();
            assert_eq!(counts, [1, 10, 10, 1], "a scan, ranges, gets, a skip scan");
            let named: Vec<&str> =
                trials.iter().filter_map(|trial| trial.price.map(|price| price.name)).collect();
            let listed: Vec<&str> = LIST
                .iter()
                .filter(|price| (price.get)(&built_in).is_some() && !["put", "entry"].contains(&price.name))
                .map(|price| price.name)
                .collect();
            assert_eq!(named, listed);
        }
    }
}
