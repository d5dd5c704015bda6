//! Locks of rows.
//!
//! A change that depends on what is there (increment, append, check) has its row for itself from the read to the
//! write. Plain puts and deletes may meet each other, because the order of cells decides between them, but no change
//! of the other kind. Rows share a fixed number of locks by a hash; several locks are always taken in order.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// As many as a [`LockSet`] has bits.
const LOCKS: usize = u64::BITS as usize;

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

/// Which of the locks some rows need.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LockSet(u64);

impl LockSet {
    pub(crate) const ALL: Self = Self(u64::MAX);

    /// Those of these rows.
    pub(crate) fn of<'a>(rows: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut set = Self::default();
        for row in rows {
            set.0 |= 1 << index(row);
            if set.0 == Self::ALL.0 {
                break;
            }
        }
        set
    }

    /// Those of both.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl RowLocks {
    /// The locks of a set, in the order in which all of them are taken.
    fn chosen(&self, set: LockSet) -> impl Iterator<Item = &RwLock<()>> {
        // From set bit to set bit: most sets have one.
        let rest = move |set: &u64| Some(set & set.wrapping_sub(1)).filter(|rest| *rest != 0);
        std::iter::successors(Some(set.0).filter(|set| *set != 0), rest)
            .filter_map(|set| self.locks.get(set.trailing_zeros() as usize))
    }

    /// For puts and deletes of the rows of a set.
    pub(crate) fn share(&self, set: LockSet) -> Vec<RwLockReadGuard<'_, ()>> {
        self.chosen(set).map(|lock| lock.read().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// For a change that depends on what is in the rows of a set.
    pub(crate) fn all_alone(&self, set: LockSet) -> Vec<RwLockWriteGuard<'_, ()>> {
        self.chosen(set).map(|lock| lock.write().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    /// For a change that depends on what is in this row.
    pub(crate) fn alone(&self, row: &[u8]) -> Option<RwLockWriteGuard<'_, ()>> {
        Some(self.locks.get(index(row))?.write().unwrap_or_else(PoisonError::into_inner))
    }
}
