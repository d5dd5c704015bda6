//! How do changes of one row keep out of each other's way?
//!
//! A change that depends on what is there (increment, append, check) has its row for itself from the read to the
//! write. Plain puts and deletes may meet each other, because the order of cells decides between them, but no change
//! of the other kind. Rows share a fixed number of locks by a hash; whoever takes several takes them in order.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

const LOCKS: usize = 64;

/// The locks of one table's rows.
pub(crate) struct RowLocks {
    locks: [RwLock<()>; LOCKS],
}

impl Default for RowLocks {
    fn default() -> Self {
        Self { locks: std::array::from_fn(|_| RwLock::new(())) }
    }
}

fn index(row: &[u8]) -> usize {
    let mut hasher = DefaultHasher::new();
    row.hash(&mut hasher);
    usize::try_from(hasher.finish() % LOCKS as u64).unwrap_or(0)
}

impl RowLocks {
    /// For puts and deletes of these rows.
    pub(crate) fn share<'a>(&self, rows: impl IntoIterator<Item = &'a [u8]>) -> Vec<RwLockReadGuard<'_, ()>> {
        let mut wanted = [false; LOCKS];
        let mut missing = LOCKS;
        for row in rows {
            if let Some(wanted) = wanted.get_mut(index(row)).filter(|wanted| !**wanted) {
                *wanted = true;
                missing -= 1;
                if missing == 0 {
                    break;
                }
            }
        }
        let chosen = self.locks.iter().zip(wanted).filter(|(_, wanted)| *wanted);
        chosen.map(|(lock, _)| lock.read().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// For a change that depends on what is in this row.
    pub(crate) fn alone(&self, row: &[u8]) -> Option<RwLockWriteGuard<'_, ()>> {
        Some(self.locks.get(index(row))?.write().unwrap_or_else(PoisonError::into_inner))
    }
}
