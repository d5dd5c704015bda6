//! Checks the free space on the disk of the store's folder.
//!
//! A major compaction writes a table anew before the old files go, so a store also needs about as much room as it takes.

use std::path::{Path, PathBuf};

use indicatif::BinaryBytes;

use super::verdict::Verdicts;

/// Below this, the next write may fail.
const FAULT: u64 = 64 << 20;

pub(crate) fn examine(folder: &Path, min_free: f64, verdicts: &mut Verdicts) {
    let place = existing(folder);
    let room = match rustix::fs::statvfs(&place) {
        // What a user without special rights may still write.
        Ok(disk) => Room {
            free: disk.f_bavail * disk.f_frsize,
            all: disk.f_blocks * disk.f_frsize,
            used: size_of(folder),
        },
        Err(error) => {
            let seen = format!("cannot ask how much space is free at {}: {error}", place.display());
            return verdicts.warn("space", seen, "look with `df`");
        }
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size above 0, as read")]
    room.judge(min_free as u64, verdicts);
}

/// Figures in bytes.
struct Room {
    free: u64,
    all: u64,
    used: u64,
}

impl Room {
    fn judge(&self, min_free: u64, verdicts: &mut Verdicts) {
        let Self { free, all, used } = *self;
        let show = |bytes| BinaryBytes(bytes).to_string();
        let seen = format!("{} free of {}, the store takes {}", show(free), show(all), show(used));
        if free < FAULT {
            let seen = format!("{seen}: below {}, so that writes may fail", show(FAULT));
            verdicts.bad("space", seen, "make room, or move the folder to a larger disk");
        } else if free < min_free {
            let seen = format!("{seen}: below {}", show(min_free));
            verdicts.warn("space", seen, "make room, or set another limit with --min-free");
        } else if free < used {
            let seen = format!("{seen}: less free than a major compaction of everything needs");
            verdicts.warn("space", seen, "make room before you compact or load in bulk");
        } else {
            verdicts.ok("space", seen);
        }
    }
}

/// The folder, or what there is of its path.
fn existing(folder: &Path) -> PathBuf {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    absolute.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/")).to_owned()
}

/// What the files in a folder take; what cannot be read is not counted.
fn size_of(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size_of(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::super::verdict::State;
    use super::*;

    #[test]
    fn limits_are_named() {
        const GB: u64 = 1 << 30;
        let judged = |free, used| {
            let mut verdicts = Verdicts::default();
            Room { free, all: 100 * GB, used }.judge(GB, &mut verdicts);
            let verdict = verdicts.list.remove(0);
            (verdict.state, verdict.seen)
        };
        assert_eq!(
            judged(50 * GB, GB),
            (State::Ok, "50.00 GiB free of 100.00 GiB, the store takes 1.00 GiB".to_owned())
        );
        assert_eq!(judged(GB / 2, 0).0, State::Warning);
        assert!(judged(GB / 2, 0).1.ends_with("below 1.00 GiB"));
        assert_eq!(judged(40 * GB, 50 * GB).0, State::Warning);
        assert_eq!(judged(1 << 20, 0).0, State::Fault);
    }
}
