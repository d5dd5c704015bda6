//! How often, and for how long, a failed operation is retried.
//!
//! A fixed, growing row of pauses, until the operation's time is over. What to do between attempts is the
//! error's own business ([`crate::HBaseError::retry`]).

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::error::{HBaseError, Retry};

/// Pauses before the second, third, … attempt, in milliseconds; the last one repeats.
const PAUSES: [u64; 8] = [20, 50, 100, 200, 400, 800, 1500, 2000];

/// The pause after so many attempts.
pub(crate) fn pause(attempts: u32) -> Duration {
    let index = (attempts.max(1) as usize - 1).min(PAUSES.len() - 1);
    Duration::from_millis(PAUSES.get(index).copied().unwrap_or(2000))
}

/// A call ends with its operation's time and can name server and region; an attempt is cut off only if it does not.
const GRACE: Duration = Duration::from_millis(100);

/// The attempts of one operation.
#[derive(Debug)]
pub(crate) struct Attempts {
    started: Instant,
    deadline: Instant,
    count: u32,
    /// What the attempt before this one met.
    last: Option<Arc<HBaseError>>,
}

impl Attempts {
    /// The first attempt starts now, and none starts after `time`.
    pub(crate) fn within(time: Duration) -> Self {
        let started = Instant::now();
        Self { started, deadline: started + time, count: 1, last: None }
    }

    /// How long a single call may take: its own limit, and no longer than the operation.
    pub(crate) fn call_timeout(&self, limit: Duration) -> Duration {
        self.deadline.saturating_duration_since(Instant::now()).min(limit).max(Duration::from_millis(1))
    }

    /// Runs an attempt, but not past the end of the operation's time.
    pub(crate) async fn bound<T>(
        &self,
        attempt: impl Future<Output = Result<T, HBaseError>>,
    ) -> Result<T, HBaseError> {
        match tokio::time::timeout_at(self.deadline + GRACE, attempt).await {
            Ok(outcome) => outcome,
            Err(_) => {
                let (attempts, waited) = (self.count, self.started.elapsed());
                Err(HBaseError::Deadline { attempts, waited, last: self.last.clone() })
            }
        }
    }

    /// Whether this is the first attempt.
    pub(crate) fn is_first(&self) -> bool {
        self.count == 1
    }

    /// Whether no attempt may start any more.
    pub(crate) fn is_over(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// After a failure: waits for the next attempt, or returns the failure because there is none.
    pub(crate) async fn again(&mut self, failure: HBaseError) -> Result<(), HBaseError> {
        if failure.retry() == Retry::GiveUp {
            return Err(failure);
        }
        if !self.wait().await {
            return Err(self.gave_up(failure));
        }
        self.remember(failure);
        Ok(())
    }

    /// Waits for the next attempt; `false`, at once, if there is none.
    pub(crate) async fn wait(&mut self) -> bool {
        self.wait_at_most(Duration::MAX).await
    }

    /// The same, but never longer than `limit`.
    pub(crate) async fn wait_at_most(&mut self, limit: Duration) -> bool {
        let next = Instant::now() + pause(self.count).min(limit);
        if next >= self.deadline {
            return false;
        }
        tokio::time::sleep_until(next).await;
        self.count += 1;
        true
    }

    /// Keeps what an attempt met, in case the next one meets nothing but the end of the time.
    pub(crate) fn remember(&mut self, failure: HBaseError) {
        self.last = Some(Arc::new(failure));
    }

    /// The failure of the last attempt, as the end of the operation.
    pub(crate) fn gave_up(&self, failure: HBaseError) -> HBaseError {
        let waited = self.started.elapsed();
        HBaseError::GaveUp { attempts: self.count, waited, source: Box::new(failure) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_then_stay() {
        assert_eq!(pause(0), Duration::from_millis(20));
        assert_eq!(pause(1), Duration::from_millis(20));
        assert_eq!(pause(8), Duration::from_secs(2));
        assert_eq!(pause(u32::MAX), Duration::from_secs(2));
    }

    fn run<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    #[test]
    fn an_operation_ends_with_the_last_failure_when_its_time_is_over() {
        let outcome = run(async {
            let mut attempts = Attempts::within(Duration::from_millis(100));
            loop {
                if let Err(end) = attempts.again(HBaseError::NotReady { what: "active master" }).await {
                    return end;
                }
            }
        });
        assert!(matches!(outcome, HBaseError::GaveUp { attempts: 2..=3, .. }), "{outcome:?}");
    }

    #[test]
    fn an_attempt_does_not_outlive_the_operation() {
        let outcome = run(async {
            let attempts = Attempts::within(Duration::from_millis(30));
            attempts.bound(std::future::pending::<Result<(), HBaseError>>()).await
        });
        assert!(matches!(outcome, Err(HBaseError::Deadline { attempts: 1, .. })), "{outcome:?}");
    }

    #[test]
    fn a_hopeless_failure_is_not_tried_again() {
        let outcome =
            run(async { Attempts::within(Duration::from_secs(60)).again(HBaseError::Closed).await });
        assert!(matches!(outcome, Err(HBaseError::Closed)));
    }
}
