//! Decides whether a load can go on where an earlier one stopped.
//!
//! Only if the table still has what that one wrote and the data is what it read. Where the table has not, the load begins
//! anew: it writes the same rows. Where the data is not, the caller decides: rows of lines that are gone stay in the table.

use std::fmt;

use rowkey_store::{Store, TableName};

use super::checkpoint::{Checkpoint, Kept};
use super::data_file::DataFile;
use super::error::LoadError;
use crate::contents::Recalled;

/// Why a load did not go on where an earlier one had stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BegunAnew {
    /// The table was truncated, or lost a family.
    ContentsGone,
    /// Rows of the earlier load were deleted.
    RowsGone,
    /// The data changed while it was loaded.
    DataChangedMeanwhile,
    /// The data is read in another way.
    ReadOtherwise,
    /// The checkpoint says too little.
    OlderCheckpoint,
    /// The checkpoint cannot be read.
    NewerCheckpoint,
}

impl fmt::Display for BegunAnew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ContentsGone => "the table was truncated or lost a family since the load was interrupted",
            Self::RowsGone => "rows that the interrupted load had written are no longer in the table",
            Self::DataChangedMeanwhile => "the data was changed while the interrupted load was reading it",
            Self::ReadOtherwise => {
                "the data is read with other options than by the interrupted load; rows that these make differently stay in the table"
            }
            Self::OlderCheckpoint => {
                "the checkpoint of the interrupted load is of an older rowkey, and does not tell whether its rows are still there"
            }
            Self::NewerCheckpoint => "the checkpoint of the interrupted load is of a newer rowkey",
        })
    }
}

/// What an earlier load has left to go on with.
pub(super) enum Earlier {
    Nothing,
    /// Its checkpoint, which holds.
    Checkpoint(Box<Checkpoint>),
    /// A checkpoint that does not hold. Random parts of keys are drawn as before, so that rows that are there are written again
    /// and not beside themselves.
    Seed {
        seed: Option<u64>,
        reason: Option<BegunAnew>,
    },
}

impl Earlier {
    /// Looks for a checkpoint of an earlier load; `own` is that of a load that has not begun.
    pub(super) fn find(
        store: &dyn Store,
        table: &TableName,
        file: &mut DataFile,
        own: &Checkpoint,
        restart: bool,
    ) -> Result<Self, LoadError> {
        let found = match own.find(file.path())? {
            None => return Ok(Self::Nothing),
            Some(Kept::Newer) => {
                return Ok(Self::anew(None, (!restart).then_some(BegunAnew::NewerCheckpoint)));
            }
            Some(Kept::Older { seed }) => {
                return Ok(Self::anew(seed, (!restart).then_some(BegunAnew::OlderCheckpoint)));
            }
            Some(Kept::Own(found)) => found,
        };
        let seed = Some(found.seed);
        if restart {
            found.contents.forget(store, table)?;
            return Ok(Self::anew(seed, None));
        }
        let begun = found.has_begun();
        let gone = |reason| Ok(Self::anew(seed, begun.then_some(reason)));
        let found = match found.contents.recall(store, table)? {
            Recalled::Gone => return gone(BegunAnew::ContentsGone),
            Recalled::Same => found,
            Recalled::Noted(note) => match serde_json::from_slice(&note).ok().and_then(|json| own.read(json))
            {
                Some(Kept::Own(noted)) => noted,
                _ => return gone(BegunAnew::ContentsGone),
            },
        };
        let doubt = match &found.data {
            _ if !found.has_begun() => None,
            _ if found.reading != own.reading => Some(BegunAnew::ReadOtherwise),
            None => Some(BegunAnew::DataChangedMeanwhile),
            Some(_) if !found.probes.all_there(store, table)? => Some(BegunAnew::RowsGone),
            Some(marks) => {
                file.verify(&found, marks)?;
                None
            }
        };
        match doubt {
            None => Ok(Self::Checkpoint(found)),
            Some(reason) => {
                found.contents.forget(store, table)?;
                Ok(Self::anew(seed, Some(reason)))
            }
        }
    }

    fn anew(seed: Option<u64>, reason: Option<BegunAnew>) -> Self {
        Self::Seed { seed, reason }
    }
}
