//! Exceptions of a server, and what the client does about each.
//!
//! HBase names a Java class, a stack trace whose first line holds the message, and sometimes a flag that retrying
//! is useless. The class decides; the flag decides for classes that this table does not know.

use std::fmt;

use crate::error::Retry;
use crate::wire::messages::common::NameBytesPair;
use crate::wire::messages::rpc::ExceptionResponse;

/// An exception that a server answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RemoteException {
    pub(crate) class: String,
    pub(crate) message: String,
    pub(crate) do_not_retry: bool,
}

/// What to do, by the class's own name. Some of these are "do not retry" exceptions in Java, where the client
/// makes exceptions to its rule; classes that are and stay so stand here because single actions of a batch come
/// without the flag.
const CLASSES: &[(&str, Retry)] = &[
    // The region is elsewhere, or its server is going.
    ("NotServingRegionException", Retry::Relocate),
    ("RegionMovedException", Retry::Relocate),
    ("RegionOpeningException", Retry::Relocate),
    ("RegionServerAbortedException", Retry::Relocate),
    ("RegionServerStoppedException", Retry::Relocate),
    ("UnknownRegionException", Retry::Relocate),
    ("WrongRegionException", Retry::Relocate),
    // Another master is active, or this one is not yet.
    ("MasterNotRunningException", Retry::Reconnect),
    ("MasterStoppedException", Retry::Reconnect),
    ("ServerNotRunningYetException", Retry::Reconnect),
    // The server is busy, or the scanner is gone and a new one must be opened.
    ("CallDroppedException", Retry::RetryHere),
    ("CallQueueTooBigException", Retry::RetryHere),
    ("LeaseException", Retry::RetryHere),
    ("MultiActionResultTooLarge", Retry::RetryHere),
    ("OutOfOrderScannerNextException", Retry::RetryHere),
    ("PleaseHoldException", Retry::RetryHere),
    ("RegionTooBusyException", Retry::RetryHere),
    ("RpcThrottlingException", Retry::RetryHere),
    ("ScannerResetException", Retry::RetryHere),
    ("ServerTooBusyException", Retry::RetryHere),
    ("UnknownScannerException", Retry::RetryHere),
    // Asking again gives the same answer.
    ("AccessDeniedException", Retry::GiveUp),
    ("DoNotRetryIOException", Retry::GiveUp),
    ("FailedSanityCheckException", Retry::GiveUp),
    ("FatalConnectionException", Retry::GiveUp),
    ("IllegalArgumentException", Retry::GiveUp),
    ("InvalidMutationDurabilityException", Retry::GiveUp),
    ("NamespaceNotFoundException", Retry::GiveUp),
    ("NoSuchColumnFamilyException", Retry::GiveUp),
    ("RequestTooBigException", Retry::GiveUp),
    ("RowTooBigException", Retry::GiveUp),
    ("TableExistsException", Retry::GiveUp),
    ("TableNotDisabledException", Retry::GiveUp),
    ("TableNotEnabledException", Retry::GiveUp),
    ("TableNotFoundException", Retry::GiveUp),
    ("UnknownProtocolException", Retry::GiveUp),
];

impl RemoteException {
    pub(crate) fn new(class: String, trace: &str, do_not_retry: bool) -> Self {
        let first = trace.lines().next().unwrap_or_default();
        let message = first.strip_prefix(&class).unwrap_or(first).trim_start_matches(':').trim();
        Self { message: message.to_owned(), class, do_not_retry }
    }

    /// The class without its package.
    pub(crate) fn short_class(&self) -> &str {
        short(&self.class)
    }
}

pub(crate) fn short(class: &str) -> &str {
    class.rsplit(['.', '$']).next().unwrap_or(class)
}

pub(crate) fn retry(class: &str, do_not_retry: bool) -> Retry {
    let known = CLASSES.iter().find(|(name, _)| *name == short(class));
    match known {
        Some((_, retry)) => *retry,
        None if do_not_retry => Retry::GiveUp,
        None => Retry::RetryHere,
    }
}

/// What a right is missing for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccessScope {
    /// Everything.
    Cluster,
    /// All tables of a namespace.
    Namespace(String),
    /// A table.
    Table(String),
}

impl fmt::Display for AccessScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cluster => f.write_str("the cluster"),
            Self::Namespace(namespace) => write!(f, "namespace `{namespace}`"),
            Self::Table(table) => write!(f, "table `{table}`"),
        }
    }
}

/// A refusal of HBase's access controller, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Denied {
    pub(crate) user: String,
    pub(crate) right: String,
    pub(crate) scope: AccessScope,
}

/// What the access controller says has one of two forms:
///
/// ```text
/// Insufficient permissions for user 'anna' (table=orders, action=READ)
/// Insufficient permissions (user=anna@HERE, scope=default:orders, family=d:, params=[table=default:orders,family=d:],action=WRITE)
/// ```
pub(crate) fn denied(exception: &RemoteException) -> Option<Denied> {
    if exception.short_class() != "AccessDeniedException" {
        return None;
    }
    let after = |name: &str| {
        let (_, value) = exception.message.split_once(name)?;
        let value = value.split([',', ')', '\'', ';']).next()?.trim();
        (!value.is_empty()).then(|| value.to_owned())
    };
    let user = after("for user '").or_else(|| after("(user="))?;
    let right = after("action=")?;
    if !right.chars().all(|letter| letter.is_ascii_uppercase()) {
        return None;
    }
    let table = |name: String| AccessScope::Table(name.strip_prefix("default:").unwrap_or(&name).to_owned());
    let scope = match after("scope=").as_deref() {
        Some("GLOBAL") | None => after("table=").map_or(AccessScope::Cluster, table),
        // A table of another namespace has its name with it, and one of the default namespace has that.
        Some(name) if name.contains(':') => table(name.to_owned()),
        Some(name) if exception.message.contains("namespace=") => AccessScope::Namespace(name.to_owned()),
        Some(name) => table(name.to_owned()),
    };
    Some(Denied { user, right, scope })
}

impl From<ExceptionResponse> for RemoteException {
    fn from(response: ExceptionResponse) -> Self {
        let class = response.exception_class_name.unwrap_or_else(|| "an unnamed exception".to_owned());
        Self::new(class, &response.stack_trace.unwrap_or_default(), response.do_not_retry.unwrap_or(false))
    }
}

impl From<NameBytesPair> for RemoteException {
    fn from(pair: NameBytesPair) -> Self {
        Self::new(pair.name, &String::from_utf8_lossy(&pair.value.unwrap_or_default()), false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_is_the_first_line_without_the_class() {
        let class = "org.apache.hadoop.hbase.NotServingRegionException";
        let trace = format!("{class}: t,,1.abc. is not online\n\tat org.apache.X.y(X.java:1)\n");
        let exception = RemoteException::new(class.to_owned(), &trace, false);
        assert_eq!(
            (exception.short_class(), exception.message.as_str()),
            ("NotServingRegionException", "t,,1.abc. is not online")
        );
        assert_eq!(retry(&exception.class, exception.do_not_retry), Retry::Relocate);
    }

    #[test]
    fn a_refusal_names_user_right_and_place() {
        let refusal = |message: &str| {
            let class = "org.apache.hadoop.hbase.security.AccessDeniedException".to_owned();
            denied(&RemoteException { class, message: message.to_owned(), do_not_retry: true })
        };
        let expected = |user: &str, right: &str, scope: AccessScope| {
            Some(Denied { user: user.to_owned(), right: right.to_owned(), scope })
        };
        let orders = || AccessScope::Table("orders".to_owned());
        assert_eq!(
            refusal("Insufficient permissions for user 'anna' (table=orders, action=READ)"),
            expected("anna", "READ", orders())
        );
        assert_eq!(
            refusal(
                "Insufficient permissions (user=anna@HERE, scope=default:orders, family=d:q, \
                 params=[table=default:orders,family=d:q],action=WRITE)"
            ),
            expected("anna@HERE", "WRITE", orders())
        );
        assert_eq!(
            refusal(
                "Insufficient permissions (user=anna@HERE, scope=GLOBAL, params=[namespace=n],action=ADMIN)"
            ),
            expected("anna@HERE", "ADMIN", AccessScope::Cluster)
        );
        assert_eq!(
            refusal("Insufficient permissions (user=anna, scope=n, params=[namespace=n],action=CREATE)"),
            expected("anna", "CREATE", AccessScope::Namespace("n".to_owned()))
        );
        for other in ["Authentication is required", "", "Insufficient permissions (user=, action=)"] {
            assert_eq!(refusal(other), None, "{other}");
        }
    }

    #[test]
    fn the_class_decides_and_the_flag_decides_for_unknown_classes() {
        for (class, do_not_retry, expected) in [
            ("org.apache.hadoop.hbase.UnknownScannerException", true, Retry::RetryHere),
            ("org.apache.hadoop.hbase.TableNotFoundException", false, Retry::GiveUp),
            ("java.io.IOException", false, Retry::RetryHere),
            ("java.io.IOException", true, Retry::GiveUp),
            ("", false, Retry::RetryHere),
        ] {
            assert_eq!(retry(class, do_not_retry), expected, "{class} {do_not_retry}");
        }
    }

    #[test]
    fn every_class_has_one_meaning() {
        let mut names: Vec<&str> = CLASSES.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CLASSES.len());
    }
}
