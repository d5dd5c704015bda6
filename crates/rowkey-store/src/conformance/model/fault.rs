//! Faults that can be planted in the model, to see whether the suite notices.

use crate::filter::Filter;

macro_rules! faults {
    ($($fault:ident),+ $(,)?) => {
        /// One mistake. The model with a mistake answers as a store would that has it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the names say what is wrong")]
        pub enum ModelFault {
            $($fault,)+
            FilterIgnored(&'static str),
        }

        /// Those that are of no single filter.
        const ALONE: &[ModelFault] = &[$(ModelFault::$fault),+];
    };
}

faults! {
    // Delete markers.
    FamilyMarkersIgnored, FamilyVersionMarkersIgnored, ColumnMarkersIgnored, VersionMarkersIgnored,
    FamilyMarkerHidesNewer, ColumnMarkerHidesNewer, ColumnMarkerHidesOnlyItsTime,
    FamilyMarkerHidesOnlyItsTime, VersionMarkerHidesOlder, FamilyVersionMarkerHidesOlder,
    FamilyMarkerHidesOtherFamilies, ColumnMarkerHidesOtherColumns, MarkerHidesOtherRows,
    MarkersHideOnlyEarlierWrites, MarkersOutsideTimeRangeIgnored, HiddenCellsCountAsVersions,
    NewestVersionNotLookedUp, NewestVersionLookedUpOnce, RowDeleteTakesOneFamily, DeleteRemovesCellsAtOnce,
    // Raw scans.
    RawHidesMarkers, RawHidesDeletedCells, RawIgnoresVersions, RawHidesExpired, MarkersReturned,
    // Versions.
    OnlyNewestVersion, FamilyVersionsIgnored, ReadVersionsIgnored, OldestVersionFirst, LaterWriteWins,
    FirstWriteWinsAtOneTime, VersionsCountedOverColumns, VersionsBeforeFilter, VersionsAfterFilterIgnored,
    // Time to live.
    TtlIgnored, TtlOfFirstFamilyForAll, MinVersionsIgnored, NamedColumnsHideOneMore,
    // Time ranges.
    TimeRangeIgnored, TimeRangeEndIncluded, TimeRangeStartExcluded, TimeRangeAfterVersions,
    TimeRangeOfNewestOnly,
    // Puts and cells.
    EmptyValuesLost, LargeValuesCut, LatestTimestampKept, LastCellOfPutLost, CellsInOrderOfWriting,
    RowsSortSigned, LongRowsCut, BulkLoadUnsorted,
    // Reads.
    ColumnsIgnored, FamilyAskedForIsFirstColumn, UnknownRowIsError, MultiGetSkipsRepeats, MultiGetSorted,
    // Scans.
    StartExcluded, StartIncluded, EndExcluded, EndIncluded, ReverseIsForward, ReverseTurnsCells,
    LimitIgnored, LimitPerRegion, LimitCountsEmptyRows, PiecesIgnored, PiecesCountAsRows, PiecesDropRest,
    EmptyRowsReturned, LastRegionMissed, BorderRowTwice, OneScanForAll,
    // Filters.
    FilterKeepsState, FilterOverAllRegions, NextRowEndsRow, FilterSeesHiddenCells, FilterRowIgnored,
    KeyOnlyAppliedOnce, HintsAskedInTurnOnly, HintsFollowedBackwards,
    // Atomic operations.
    IncrementFromZero, IncrementAnswersOldValue, IncrementTakesAnyLength, IncrementIgnoresMarkers,
    IncrementIgnoresTimeRange, AppendReplaces, AppendInFront, SecondAmountLost, AnswersInOrderOfMutation,
    AnswersOfRowSorted, GivenTimeTaken, CheckAlwaysHolds, CheckNeverHolds, CheckSwapsSides,
    EmptyIsNotAbsent, CheckIgnoresTimeRange, CheckSeesHiddenCells, CheckDoesFirstOnly,
    RowMutationsFirstOnly, RowMutationsNotWhole, BatchEndsAtFirstFailure, BatchAllOrNothing,
    BatchGetAnswersNothing,
    // Tables.
    RulesNotChecked, AttributesForgotten, AlterIgnored, AlterDropsRows, DroppedFamilyKeepsCells,
    SplitsNotSorted, ExistingTableReplaced, DropKeepsRows, ListIncomplete, DisabledTableReads,
    DisabledTableWrites, EnableTwice, TruncateKeepsRows, TruncateAlwaysDropsSplits,
    TruncateNeverDropsSplits, TruncateStaysDisabled, UnknownTableIsEmpty,
    // Regions.
    SplitIgnored, SplitLosesRows, SplitAnywhere, SplitAtFirstRow, RegionNamesStay, MergeIgnored,
    MergeLosesRows, MergeAnything, RequestsNotCounted,
    // Compaction.
    CompactionIgnored, CompactionKeepsMarkers, CompactionKeepsOneVersion, CompactionKeepsAllVersions,
    CompactionIgnoresTtl, CompactionDropsMinVersions,
}

/// Every mistake.
pub fn all_faults() -> Vec<ModelFault> {
    let of_filters = Filter::NAMES.iter().copied().map(ModelFault::FilterIgnored);
    ALONE.iter().copied().chain(of_filters).collect()
}
