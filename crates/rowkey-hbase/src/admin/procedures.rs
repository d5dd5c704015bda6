//! Procedures of the master: starting one and waiting for its end.
//!
//! The master works in procedures: a request returns a number, and the number is asked for until the
//! procedure has ended. Requests carry a nonce, so that one that is sent again after a broken connection does not
//! start a second procedure.

use std::time::Duration;

use rowkey_store::TableName;

use crate::admin::watcher::Procedure;
use crate::client::HBaseClient;
use crate::error::HBaseError;
use crate::remote::RemoteException;
use crate::request::retry::{Attempts, pause};
use crate::wire::messages::master::{
    GetProcedureResultRequest, GetProcedureResultResponse, ProcedureResponse,
};

/// The longest pause between two questions: a table is made in half a second.
const LONGEST_PAUSE: Duration = Duration::from_millis(400);

impl HBaseClient {
    /// Has the master do something with a table in the background, and waits for its end.
    pub(crate) async fn run_procedure(
        &self,
        method: &'static str,
        request: &impl prost::Message,
        table: &TableName,
    ) -> Result<(), HBaseError> {
        let started: ProcedureResponse = self.ask_about(table, method, request).await?;
        match started.proc_id {
            Some(proc_id) => self.end_of_procedure(method, Some(table), proc_id).await,
            None => Ok(()),
        }
    }

    /// Asks the master something about a table.
    pub(crate) async fn ask_about<R: prost::Message + Default>(
        &self,
        table: &TableName,
        method: &'static str,
        request: &impl prost::Message,
    ) -> Result<R, HBaseError> {
        let asked = self.ask_master(method, request, &mut self.attempts()).await;
        asked.map_err(|failure| failure.about(table))
    }

    /// Waits until the master has done what it has begun.
    pub(crate) async fn end_of_procedure(
        &self,
        method: &'static str,
        table: Option<&TableName>,
        proc_id: u64,
    ) -> Result<(), HBaseError> {
        let mut attempts = Attempts::within(self.options().procedure_timeout);
        let mut seen = Procedure {
            method,
            table: table.cloned(),
            number: Some(proc_id),
            waits_for: None,
            regions: None,
            ended: false,
        };
        let ended = self.await_procedure(proc_id, &mut seen, &mut attempts).await;
        seen.ended = true;
        self.options().watcher.tell(&seen);
        ended
    }

    async fn await_procedure(
        &self,
        proc_id: u64,
        seen: &mut Procedure,
        attempts: &mut Attempts,
    ) -> Result<(), HBaseError> {
        let watcher = &self.options().watcher;
        let (method, table) = (seen.method, seen.table.clone());
        watcher.tell(seen);
        for round in 1.. {
            let request = GetProcedureResultRequest { proc_id };
            let answer: GetProcedureResultResponse =
                self.ask_master("getProcedureResult", &request, attempts).await?;
            if answer.state == GetProcedureResultResponse::RUNNING {
                if attempts.is_over() {
                    return Err(HBaseError::ProcedureRuns { method, table, proc_id: Some(proc_id) });
                }
                if watcher.is_there() {
                    seen.regions = match &table {
                        Some(table) => self.count_open(table).await,
                        None => None,
                    };
                    watcher.tell(seen);
                }
                tokio::time::sleep(pause(round).min(LONGEST_PAUSE)).await;
                continue;
            }
            // A master that restarted may have forgotten a procedure that is done.
            let forgotten = answer.state == GetProcedureResultResponse::NOT_FOUND;
            return match answer.exception.and_then(|exception| exception.generic_exception) {
                Some(exception) if !forgotten => {
                    let class = exception.class_name.unwrap_or_default();
                    let exception = RemoteException::new(class, &exception.message.unwrap_or_default(), true);
                    let failure = HBaseError::remote(&self.master().await?, None, exception);
                    Err(match &table {
                        Some(table) => failure.about(table),
                        None => failure,
                    })
                }
                _ => Ok(()),
            };
        }
        Ok(())
    }

    /// Regions that have a server, and all; `None` if they cannot be read, which is no failure of the procedure.
    async fn count_open(&self, table: &TableName) -> Option<(usize, usize)> {
        let regions = self.read_regions(table).await.ok()?;
        let open = regions.iter().filter(|region| region.server.is_some()).count();
        Some((open, regions.len()))
    }
}
