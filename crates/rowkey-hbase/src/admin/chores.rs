//! The master's balancer and normalizer.

use prost::Message;
use rowkey_store::{Chore, TableName};

use crate::client::HBaseClient;
use crate::error::HBaseError;
use crate::wire::messages::common::TableNameProto;
use crate::wire::messages::master::{BalanceRequest, NormalizeRequest, SwitchRequest, SwitchResponse};
use crate::wire::messages::registry::Empty;

impl HBaseClient {
    /// Switches a chore; returns how it was. Moves of the balancer that are under way end first.
    pub async fn switch(&self, chore: Chore, on: bool) -> Result<bool, HBaseError> {
        let (method, synchronous) = match chore {
            Chore::Normalizer => ("SetNormalizerRunning", None),
            _ => ("SetBalancerRunning", Some(true)),
        };
        self.ask_chore(method, &SwitchRequest { on, synchronous }).await
    }

    /// Whether a chore is on.
    pub async fn is_on(&self, chore: Chore) -> Result<bool, HBaseError> {
        let method = match chore {
            Chore::Normalizer => "IsNormalizerEnabled",
            _ => "IsBalancerEnabled",
        };
        self.ask_chore(method, &Empty {}).await
    }

    /// Runs the balancer; returns whether it ran.
    pub async fn balance(&self, force: bool) -> Result<bool, HBaseError> {
        self.ask_chore("Balance", &BalanceRequest { ignore_rit: Some(force) }).await
    }

    /// Runs the normalizer; returns whether it ran.
    pub async fn normalize(&self, tables: &[TableName]) -> Result<bool, HBaseError> {
        let table_names = tables.iter().map(TableNameProto::from).collect();
        self.ask_chore("Normalize", &NormalizeRequest { table_names }).await
    }

    async fn ask_chore(&self, method: &'static str, request: &impl Message) -> Result<bool, HBaseError> {
        let answer: SwitchResponse = self.ask_master(method, request, &mut self.attempts()).await?;
        Ok(answer.on.unwrap_or(false))
    }
}
