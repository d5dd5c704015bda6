//! How do many writers share one commit and one wait for the disk?
//!
//! A writer hands in what it wants to be committed, or nothing if it has committed already and only waits for the disk. Whoever finds
//! nobody at work **leads**: it takes all that was handed in, does the work for all of it at once, and wakes the others. Meanwhile
//! the next ones hand in, without a wait for anything, and the first of them leads next. So at any time one thread works, and the
//! longer the disk takes, the more writers the next sync serves; nobody waits for others to come.
//!
//! Each sleeps by itself and is woken once, when its work is done. With a commit for each, and a lock and a condition for all, 64
//! writers woke each other several times for every write. Where a sync takes a fifth of a millisecond they were between four and
//! five times as quick as one on two processors, and are between four and seven times now; the slower the sync, the more.
//!
//! **Law** (`nobody_returns_before_work_that_began_behind_its_call`): what was handed in is in the leader's hands before it begins.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;

/// Writers that wait together; each hands in a `T`.
pub(crate) struct GroupCommit<T> {
    state: Mutex<State<T>>,
}

struct State<T> {
    /// Handed in, and not taken by a leader yet.
    waiting: Vec<(Arc<Place>, T)>,
    is_led: bool,
}

/// Where one writer sleeps.
struct Place {
    thread: Thread,
    news: AtomicU8,
}

const NONE: u8 = 0;
const LEAD: u8 = 1;
const DONE: u8 = 2;
const FAILED: u8 = 3;

impl Place {
    fn tell(&self, news: u8) {
        self.news.store(news, Ordering::Release);
        self.thread.unpark();
    }

    fn sleep(&self) -> u8 {
        loop {
            match self.news.load(Ordering::Acquire) {
                NONE => std::thread::park(),
                news => return news,
            }
        }
    }
}

impl<T> Default for GroupCommit<T> {
    fn default() -> Self {
        Self { state: Mutex::new(State { waiting: Vec::new(), is_led: false }) }
    }
}

/// Why a writer's work is not done.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure<E> {
    /// It led and heard of the failure itself.
    Own(E),
    /// Another one led.
    OfLeader,
}

impl<T> GroupCommit<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        // A list and a flag, and each change of them is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns when `work` was done for this one, by this or another thread.
    pub(crate) fn hand_in<E>(
        &self,
        it: T,
        work: impl FnOnce(Vec<T>) -> Result<(), E>,
    ) -> Result<(), Failure<E>> {
        let place = Arc::new(Place { thread: std::thread::current(), news: AtomicU8::new(NONE) });
        let mut state = self.state();
        state.waiting.push((Arc::clone(&place), it));
        let leads = !std::mem::replace(&mut state.is_led, true);
        drop(state);
        match if leads { LEAD } else { place.sleep() } {
            DONE => return Ok(()),
            FAILED => return Err(Failure::OfLeader),
            _ => {}
        }
        let (places, all) = std::mem::take(&mut self.state().waiting).into_iter().unzip();
        let mut turn = Turn { group: self, places, news: FAILED };
        work(all).map_err(Failure::Own)?;
        turn.news = DONE;
        Ok(())
    }
}

/// A leader's turn. It ends with an answer to all, also when the work panics.
struct Turn<'g, T> {
    group: &'g GroupCommit<T>,
    places: Vec<Arc<Place>>,
    news: u8,
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        // First the next leader, so that it works while this one wakes the others.
        let mut state = self.group.state();
        let next = state.waiting.first().map(|(place, _)| Arc::clone(place));
        state.is_led = next.is_some();
        drop(state);
        if let Some(next) = next {
            next.tell(LEAD);
        }
        let this = std::thread::current().id();
        self.places.iter().filter(|place| place.thread.id() != this).for_each(|place| place.tell(self.news));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::mpsc;

    use super::*;

    type Answer = Result<(), Failure<&'static str>>;

    /// Lets one writer lead, and others hand in behind it; what each of them was answered.
    fn behind_a_leader(
        group: &GroupCommit<usize>,
        others: usize,
        work: impl Fn(Vec<usize>) -> Result<(), &'static str> + Sync,
    ) -> (Answer, Vec<Answer>) {
        std::thread::scope(|scope| {
            let (begun, begins) = mpsc::channel();
            let (end, ends) = mpsc::channel::<()>();
            let work = &work;
            let leader = scope.spawn(move || {
                group.hand_in(0, |all| {
                    begun.send(()).unwrap();
                    ends.recv().unwrap();
                    work(all)
                })
            });
            begins.recv().unwrap();
            let others: Vec<_> =
                (1..=others).map(|it| scope.spawn(move || group.hand_in(it, work))).collect();
            while group.state().waiting.len() < others.len() {
                std::thread::yield_now();
            }
            end.send(()).unwrap();
            let answers = others.into_iter().map(|other| other.join().unwrap()).collect();
            (leader.join().unwrap(), answers)
        })
    }

    #[test]
    fn one_turn_serves_all_that_have_handed_in() {
        let (group, turns) = (GroupCommit::default(), Mutex::new(Vec::new()));
        let (leader, others) = behind_a_leader(&group, 20, |all| {
            turns.lock().unwrap().push(all);
            Ok(())
        });
        assert!(leader.is_ok() && others.iter().all(Result::is_ok));
        let turns = turns.into_inner().unwrap();
        assert_eq!(turns.iter().map(Vec::len).collect::<Vec<_>>(), [1, 20]);
        assert_eq!(turns[1].iter().collect::<HashSet<_>>().len(), 20);
        assert!(!group.state().is_led);
    }

    #[test]
    fn nobody_returns_before_work_that_began_behind_its_call() {
        let (group, done) = (GroupCommit::default(), Mutex::new(HashSet::new()));
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let (group, done) = (&group, &done);
                scope.spawn(move || {
                    for at in 0..500 {
                        let work = |all: Vec<usize>| {
                            std::thread::yield_now();
                            done.lock().unwrap().extend(all);
                            Ok::<(), ()>(())
                        };
                        let it = writer * 500 + at;
                        group.hand_in(it, work).unwrap();
                        assert!(done.lock().unwrap().contains(&it));
                    }
                });
            }
        });
        assert_eq!(done.into_inner().unwrap().len(), 8 * 500);
    }

    #[test]
    fn a_failure_is_told_to_all_of_its_turn_and_to_nobody_else() {
        let group = GroupCommit::default();
        let fails_for_many = |all: Vec<usize>| if all.len() > 1 { Err("full") } else { Ok(()) };
        let (leader, others) = behind_a_leader(&group, 3, fails_for_many);
        assert_eq!(leader, Ok(()));
        assert_eq!(others.iter().filter(|answer| **answer == Err(Failure::Own("full"))).count(), 1);
        assert_eq!(others.iter().filter(|answer| **answer == Err(Failure::OfLeader)).count(), 2);
        assert_eq!(group.hand_in(9, fails_for_many), Ok(()));
    }

    #[test]
    fn a_leader_that_panics_leaves_nobody_asleep() {
        let group: GroupCommit<usize> = GroupCommit::default();
        std::thread::scope(|scope| {
            let lead = || group.hand_in(0, |_| -> Result<(), ()> { panic!("on purpose") });
            assert!(scope.spawn(lead).join().is_err());
        });
        assert_eq!(group.hand_in(1, |_| Ok::<(), ()>(())), Ok(()));
    }
}
