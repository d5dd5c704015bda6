//! What happens to the cluster during the run?
//!
//! One step after another, by a client beside the proxies, so that the one under test has to find out.

use std::fmt;
use std::ops::Bound;

use rowkey_store::{Admin, Region};

use crate::load::border;
use crate::pace::Pace;
use crate::scene::Scene;

/// Regions by the part of the key space where they start: the first ones are split, the last ones merged by pairs (HBase
/// does not merge fresh halves), and those between are moved.
const SPLIT: std::ops::Range<usize> = 0..4;
const MERGED: std::ops::Range<usize> = 10..16;
const MOVED: std::ops::Range<usize> = 4..10;

#[derive(Debug, Default)]
pub(crate) struct Disturbed {
    moves: usize,
    splits: usize,
    merges: usize,
    stopped: Vec<String>,
    started: Vec<String>,
}

impl fmt::Display for Disturbed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { moves, splits, merges, stopped, started } = self;
        write!(f, "{moves} moves, {splits} splits, {merges} merges, stopped {stopped:?}, started {started:?}")
    }
}

pub(crate) fn run(scene: &Scene, pace: &Pace, steps: usize) -> Disturbed {
    let _alarm = pace.alarm();
    let mut disturbed = Disturbed::default();
    for step in 0..steps {
        pace.begin_step(step);
        if step == steps / 2 {
            disturbed.stop_server(scene);
        } else if steps > 10 && step == steps / 2 + 3 {
            disturbed.started.push(scene.cluster.start_region_server().expect("a server starts"));
        } else {
            match step % 4 {
                1 if disturbed.splits < SPLIT.len() => disturbed.split(scene),
                3 if disturbed.merges < MERGED.len() / 2 => disturbed.merge(scene),
                _ => disturbed.move_on(scene),
            }
        }
        pace.end_step();
    }
    disturbed
}

/// The region that starts so many regions into the key space.
fn region(scene: &Scene, at: usize) -> Region {
    let start = if at == 0 { Bound::Unbounded } else { Bound::Included(border(at as f64)) };
    let regions = scene.admin.regions(&scene.rows).expect("the table is there");
    let found = regions.into_iter().find(|region| region.range.start == start);
    found.unwrap_or_else(|| panic!("no region starts at {at}"))
}

impl Disturbed {
    fn move_on(&mut self, scene: &Scene) {
        let region = region(scene, MOVED.start + self.moves % MOVED.len());
        let servers = scene.servers().into_iter().map(|server| server.to_string());
        let elsewhere: Vec<String> =
            servers.filter(|server| region.server.as_ref() != Some(server)).collect();
        let to = elsewhere.get(self.moves % elsewhere.len().max(1)).expect("several servers");
        scene.admin.move_region(&scene.rows, &region.name, Some(to)).expect("a good move");
        self.moves += 1;
    }

    fn split(&mut self, scene: &Scene) {
        let at = SPLIT.start + self.splits;
        let middle = border(at as f64 + 0.5);
        scene.admin.split_region(&scene.rows, &region(scene, at).name, Some(&middle)).expect("a good split");
        self.splits += 1;
    }

    fn merge(&mut self, scene: &Scene) {
        let at = MERGED.start + 2 * self.merges;
        let pair = [region(scene, at).name, region(scene, at + 1).name];
        scene.admin.merge_regions(&scene.rows, &pair).expect("a good merge");
        self.merges += 1;
    }

    /// Any server but those with the counters, whose nonces must survive, and with the slow reader's scanner.
    fn stop_server(&mut self, scene: &Scene) {
        let server_of = |table| {
            scene.admin.regions(table).expect("the table is there").remove(0).server.expect("a server")
        };
        let spared = [server_of(&scene.counters), server_of(&scene.still)];
        let others = scene.servers().into_iter().map(|server| server.to_string());
        let victim = others.into_iter().find(|server| !spared.contains(server)).expect("three servers");
        scene.cluster.stop_region_server(&victim).expect("a server stops");
        self.stopped.push(victim);
    }
}
