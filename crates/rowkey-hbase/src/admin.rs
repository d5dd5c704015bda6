//! How are tables made, described and dropped?
//!
//! The master works on tables in procedures: a request returns a number, and the number is asked for until the
//! procedure has ended. Requests carry a nonce, so that one that is sent again after a broken connection does not
//! start a second procedure.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use rowkey::escape::escape;
use rowkey_store::{Region, StoreError, TableDescriptor, TableName, validate_splits};
use tokio::task::JoinSet;

use crate::client::Client;
use crate::connection::Call;
use crate::descriptor;
use crate::error::HBaseError;
use crate::regions::RegionLocation;
use crate::remote::RemoteException;
use crate::retry::{Attempts, pause};
use crate::service::Service;
use crate::url::HostPort;
use crate::wire::messages::common::TableNameProto;
use crate::wire::messages::master::{
    CreateTableRequest, GetProcedureResultRequest, GetProcedureResultResponse, GetTableDescriptorsRequest,
    GetTableDescriptorsResponse, ProcedureResponse, TableRequest,
};
use crate::wire::messages::server::{GetRegionLoadRequest, GetRegionLoadResponse, RegionLoad};

impl Client {
    /// Creates a table and waits until its regions are open.
    pub(crate) async fn create_table(
        &self,
        table: &TableDescriptor,
        splits: &[Vec<u8>],
    ) -> Result<(), HBaseError> {
        let name = &table.name;
        if table.families.is_empty() {
            return Err(StoreError::NoFamilies { table: name.clone() }.into());
        }
        let request = CreateTableRequest {
            table_schema: descriptor::to_wire(table),
            split_keys: validate_splits(splits)?,
            nonce_group: Some(random()),
            nonce: Some(random()),
        };
        self.forget_table(name);
        self.run_procedure("CreateTable", &request, name).await
    }

    /// The table as the master knows it.
    pub(crate) async fn describe(&self, table: &TableName) -> Result<TableDescriptor, HBaseError> {
        let request = GetTableDescriptorsRequest {
            table_names: vec![TableNameProto::from(table)],
            include_sys_tables: Some(true),
        };
        let asked = self.ask_master("GetTableDescriptors", &request, &mut self.attempts()).await;
        let answer: GetTableDescriptorsResponse = asked.map_err(|failure| failure.about(table))?;
        match answer.table_schema.first() {
            Some(schema) => Ok(descriptor::from_wire(table, schema)),
            None => {
                self.forget_table(table);
                Err(StoreError::TableNotFound { table: table.clone() }.into())
            }
        }
    }

    /// Disables a table, if it is not disabled yet, and deletes it.
    pub(crate) async fn drop_table(&self, table: &TableName) -> Result<(), HBaseError> {
        let request = || TableRequest {
            table_name: TableNameProto::from(table),
            nonce_group: Some(random()),
            nonce: Some(random()),
        };
        match self.run_procedure("DisableTable", &request(), table).await {
            Err(failure) if !failure.is_remote("TableNotEnabledException") => return Err(failure),
            _ => {}
        }
        let deleted = self.run_procedure("DeleteTable", &request(), table).await;
        self.forget_table(table);
        deleted
    }

    /// The table's regions in key order, with the figures of their servers where those answer.
    pub(crate) async fn regions(&self, table: &TableName) -> Result<Vec<Region>, HBaseError> {
        let mut attempts = self.attempts();
        let (state, regions) = loop {
            let read = async { Ok((self.read_table_state(table).await?, self.read_regions(table).await?)) };
            match attempts.bound(read).await {
                Ok(found) => break found,
                Err(failure) => attempts.again(failure).await?,
            }
        };
        if state.is_none() && regions.is_empty() {
            return Err(StoreError::TableNotFound { table: table.clone() }.into());
        }
        let loads = self.read_loads(table, &regions).await;
        Ok(regions.iter().map(|region| with_load(region, loads.get(&region.name))).collect())
    }

    /// What the servers say of the table's regions. Figures are a courtesy: a server that does not answer is
    /// left out.
    async fn read_loads(
        &self,
        table: &TableName,
        regions: &[Arc<RegionLocation>],
    ) -> HashMap<Vec<u8>, RegionLoad> {
        let mut servers: Vec<HostPort> = regions.iter().filter_map(|region| region.server.clone()).collect();
        servers.sort();
        servers.dedup();
        let request = Arc::new(GetRegionLoadRequest { table_name: Some(TableNameProto::from(table)) });
        let timeout = self.options().call_timeout;
        let mut asked = JoinSet::new();
        for server in servers {
            if let Ok(connection) = self.connection(&server, Service::Admin).await {
                let request = Arc::clone(&request);
                asked.spawn(async move {
                    connection
                        .call::<GetRegionLoadResponse>(Call::new("GetRegionLoad", &*request, timeout))
                        .await
                });
            }
        }
        let mut loads = HashMap::new();
        while let Some(answer) = asked.join_next().await {
            if let Ok(Ok((answer, _))) = answer {
                loads.extend(
                    answer.region_loads.into_iter().map(|load| (load.region_specifier.value.clone(), load)),
                );
            }
        }
        loads
    }

    /// Has the master do something in the background, and waits for its end.
    pub(crate) async fn run_procedure(
        &self,
        method: &'static str,
        request: &impl prost::Message,
        table: &TableName,
    ) -> Result<(), HBaseError> {
        let mut attempts = Attempts::within(self.options().procedure_timeout);
        let started = self.ask_master(method, request, &mut self.attempts()).await;
        let started: ProcedureResponse = started.map_err(|failure| failure.about(table))?;
        let Some(proc_id) = started.proc_id else {
            return Ok(());
        };
        for round in 1.. {
            let request = GetProcedureResultRequest { proc_id };
            let answer: GetProcedureResultResponse =
                self.ask_master("getProcedureResult", &request, &mut attempts).await?;
            if answer.state == GetProcedureResultResponse::RUNNING {
                if attempts.is_over() {
                    return Err(HBaseError::ProcedureRuns { method, table: table.clone(), proc_id });
                }
                tokio::time::sleep(pause(round).min(std::time::Duration::from_millis(400))).await;
                continue;
            }
            // A master that restarted may have forgotten a procedure that is done.
            let forgotten = answer.state == GetProcedureResultResponse::NOT_FOUND;
            return match answer.exception.and_then(|exception| exception.generic_exception) {
                Some(exception) if !forgotten => {
                    let class = exception.class_name.unwrap_or_default();
                    let exception = RemoteException::new(class, &exception.message.unwrap_or_default(), true);
                    Err(HBaseError::remote(&self.master().await?, None, exception).about(table))
                }
                _ => Ok(()),
            };
        }
        Ok(())
    }
}

fn with_load(region: &RegionLocation, load: Option<&RegionLoad>) -> Region {
    let megabytes = |load: &RegionLoad| {
        u64::from(load.storefile_size_mb.unwrap_or(0)) + u64::from(load.mem_store_size_mb.unwrap_or(0))
    };
    Region {
        name: escape(&region.name).to_string(),
        range: region.range(),
        server: region.server.as_ref().map(HostPort::to_string),
        size: load.map(|load| megabytes(load) << 20),
        reads: load.and_then(|load| load.read_requests_count).unwrap_or(0),
        writes: load.and_then(|load| load.write_requests_count).unwrap_or(0),
    }
}

/// A number that nobody else draws; each `RandomState` has keys of its own.
fn random() -> u64 {
    RandomState::new().hash_one(0u8).max(1)
}
