//! Namespaces.

use prost::Message;
use rowkey_store::{Namespace, StoreError, TableName};

use crate::admin::tables;
use crate::client::HBaseClient;
use crate::error::HBaseError;
use crate::wire::messages::common::NameStringPair;
use crate::wire::messages::master::{
    CreateNamespaceRequest, DeleteNamespaceRequest, ListNamespaceDescriptorsResponse,
    ListTableNamesByNamespaceRequest, ListTableNamesByNamespaceResponse, NamespaceDescriptor,
    ProcedureResponse,
};
use crate::wire::messages::registry::Empty;

impl HBaseClient {
    /// Creates a namespace.
    pub async fn create_namespace(&self, namespace: &Namespace) -> Result<(), HBaseError> {
        let pair =
            |(name, value): (&String, &String)| NameStringPair { name: name.clone(), value: value.clone() };
        let request = CreateNamespaceRequest {
            namespace_descriptor: NamespaceDescriptor {
                name: namespace.name.as_bytes().to_vec(),
                configuration: namespace.attributes.iter().map(pair).collect(),
            },
            nonce_group: Some(self.nonce_group()),
            nonce: Some(self.next_nonce()),
        };
        self.change_namespace("CreateNamespace", &request, &namespace.name).await
    }

    /// Removes a namespace without tables.
    pub async fn drop_namespace(&self, namespace: &str) -> Result<(), HBaseError> {
        let request = DeleteNamespaceRequest {
            namespace_name: namespace.to_owned(),
            nonce_group: Some(self.nonce_group()),
            nonce: Some(self.next_nonce()),
        };
        let dropped = self.change_namespace("DeleteNamespace", &request, namespace).await;
        match dropped {
            Err(failure) if failure.remote_words().starts_with("Only empty namespaces") => {
                let tables = self.tables_of_namespace(namespace).await?.len();
                Err(StoreError::NamespaceNotEmpty { namespace: namespace.to_owned(), tables }.into())
            }
            dropped => dropped,
        }
    }

    /// All namespaces, sorted by name.
    pub async fn list_namespaces(&self) -> Result<Vec<Namespace>, HBaseError> {
        let answer: ListNamespaceDescriptorsResponse =
            self.ask_master("ListNamespaceDescriptors", &Empty {}, &mut self.attempts()).await?;
        let namespace = |found: NamespaceDescriptor| Namespace {
            name: String::from_utf8_lossy(&found.name).into_owned(),
            attributes: found.configuration.into_iter().map(|pair| (pair.name, pair.value)).collect(),
        };
        let mut namespaces: Vec<Namespace> = answer.namespace_descriptor.into_iter().map(namespace).collect();
        namespaces.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(namespaces)
    }

    /// The tables of a namespace, HBase's own too, sorted.
    pub async fn tables_of_namespace(&self, namespace: &str) -> Result<Vec<TableName>, HBaseError> {
        let request = ListTableNamesByNamespaceRequest { namespace_name: namespace.to_owned() };
        let asked = self.ask_master("ListTableNamesByNamespace", &request, &mut self.attempts()).await;
        let answer: ListTableNamesByNamespaceResponse =
            asked.map_err(|failure| about_namespace(failure, namespace))?;
        Ok(tables::sorted_names(&answer.table_names))
    }

    async fn change_namespace(
        &self,
        method: &'static str,
        request: &impl Message,
        namespace: &str,
    ) -> Result<(), HBaseError> {
        let change = async {
            let started: ProcedureResponse = self.ask_master(method, request, &mut self.attempts()).await?;
            match started.proc_id {
                Some(proc_id) => self.end_of_procedure(method, None, proc_id).await,
                None => Ok(()),
            }
        };
        change.await.map_err(|failure| about_namespace(failure, namespace))
    }
}

/// The failure in the words of the data model, where it has some.
pub(crate) fn about_namespace(failure: HBaseError, namespace: &str) -> HBaseError {
    let namespace = namespace.to_owned();
    if failure.is_remote("NamespaceNotFoundException") {
        StoreError::NamespaceNotFound { namespace }.into()
    } else if failure.is_remote("NamespaceExistException") {
        StoreError::NamespaceExists { namespace }.into()
    } else {
        failure
    }
}
