//! Counts the allocations of a piece of code.
//!
//! Counting is off while anything is timed: an atomic addition would be a price that only those pay who allocate.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

static COUNTING: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicU64 = AtomicU64::new(0);

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system's allocator unchanged; counting touches no memory of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn count() {
    if COUNTING.load(Relaxed) {
        COUNT.fetch_add(1, Relaxed);
    }
}

/// How many allocations `work` makes, growing ones included.
pub fn counted(work: impl FnOnce()) -> u64 {
    let before = COUNT.load(Relaxed);
    COUNTING.store(true, Relaxed);
    work();
    COUNTING.store(false, Relaxed);
    COUNT.load(Relaxed) - before
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    #[test]
    fn allocations_are_counted_and_nothing_else() {
        let mut reused = Vec::with_capacity(10);
        assert_eq!(counted(|| black_box(&mut reused).push(1)), 0);
        assert_eq!(counted(|| drop(black_box(vec![1_u8; 10]))), 1);
        drop(black_box(vec![1]));
        assert_eq!(counted(|| ()), 0);
    }
}
