//! What can be wrong with Kerberos, and what to do about each.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use rowkey_core::disclosure::said;

use super::Protection;

/// What another library said about it; none of its texts holds a key or ticket.
pub(crate) type Cause = Arc<dyn Error + Send + Sync>;

/// Why a server does not know who we are, or we do not know the server.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum KerberosProblem {
    /// Nobody has logged in.
    #[error(
        "there is no ticket in {cache}; log in with `kinit`, or name a keytab with `keytab=` and yourself with `principal=`"
    )]
    NoCache {
        /// The cache.
        cache: String,
    },
    /// A kind of cache that cannot be read.
    #[error(
        "tickets in {cache} cannot be read from here, only those in FILE, DIR and KCM; `kinit -c FILE:/tmp/krb5cc_rowkey` puts \
         them into a file, which `KRB5CCNAME` or `cache=` then names"
    )]
    CacheKind {
        /// The cache.
        cache: String,
    },
    /// A cache that is damaged or denied.
    #[error("the tickets in {cache} cannot be read; `kdestroy` and `kinit` make them anew")]
    Cache {
        /// The cache.
        cache: String,
        /// Why not.
        #[source]
        source: Cause,
    },
    /// The ticket's time is over.
    #[error(
        "the ticket of {principal} in {cache} expired at {when}; get another with `kinit {principal}`, or name a keytab with `keytab=`"
    )]
    Expired {
        /// Whose it was.
        principal: String,
        /// The cache.
        cache: String,
        /// When it ended.
        when: String,
    },
    /// A cache of somebody else.
    #[error(
        "the tickets in {cache} are {found}'s, not {wanted}'s; log in with `kinit {wanted}`, or leave `principal=` out"
    )]
    OtherPrincipal {
        /// The cache.
        cache: String,
        /// Whose they are.
        found: String,
        /// Whose were asked for.
        wanted: String,
    },
    /// A keytab that cannot be read.
    #[error("keytab {} cannot be read", file.display())]
    Keytab {
        /// The file.
        file: PathBuf,
        /// Why not.
        #[source]
        source: Cause,
    },
    /// A keytab without the key that is needed.
    #[error("keytab {} has no usable key of {principal}, only of {}; `klist -kte FILE` shows them (keys of AES are usable)", file.display(), names(found))]
    KeytabLacks {
        /// The file.
        file: PathBuf,
        /// Whose key was looked for.
        principal: String,
        /// Whose keys are there.
        found: Vec<String>,
    },
    /// The configuration of Kerberos cannot be used.
    #[error("the configuration of Kerberos in {file} cannot be used")]
    Configuration {
        /// Where it is.
        file: String,
        /// Why not.
        #[source]
        source: Cause,
    },
    /// A name that is not one.
    #[error("`{name}` is not a principal; write NAME@REALM or NAME/HOST@REALM")]
    Principal {
        /// As given.
        name: String,
    },
    /// No realm is known.
    #[error("`{name}` has no realm, and {file} has no `default_realm`; write {name}@REALM")]
    NoRealm {
        /// As given.
        name: String,
        /// The configuration.
        file: String,
    },
    /// Nobody knows the KDC of the realm.
    #[error(
        "no KDC of realm {realm} is known to {file}; is the realm right? `[realms]` there names its `kdc`"
    )]
    NoKdc {
        /// The realm.
        realm: String,
        /// The configuration.
        file: String,
        /// What was looked for.
        #[source]
        source: Cause,
    },
    /// The KDC is not there.
    #[error(
        "no KDC of realm {realm} answers; is it up, and does a firewall let its port through (88, unless krb5.conf says otherwise)?"
    )]
    KdcDown {
        /// The realm.
        realm: String,
        /// What the last one met.
        #[source]
        source: Cause,
    },
    /// The KDC does not know us.
    #[error("the KDC does not know {principal}; are name and realm right? (`principal=`)")]
    UnknownClient {
        /// Who we said we are.
        principal: String,
    },
    /// The KDC knows another key.
    #[error("the KDC knows another key of {principal} than keytab {}; have the keytab exported again", file.display())]
    WrongKey {
        /// Who we said we are.
        principal: String,
        /// The file.
        file: PathBuf,
    },
    /// The clocks differ.
    #[error(
        "the clocks of this machine and of the KDC or server differ by more than it allows (5 minutes unless set); let both be set by the same time servers"
    )]
    ClockSkew,
    /// The KDC does not know the server.
    #[error(
        "the KDC does not know the server's principal {service}; the cluster's configuration says which it is (`hbase.regionserver.kerberos.principal`): set `service=`"
    )]
    UnknownService {
        /// Whom we asked for.
        service: String,
    },
    /// No common kind of key.
    #[error(
        "the KDC gives {principal} no ticket of a kind that we speak, which are the four of AES; have AES keys made for it and for the servers"
    )]
    KindOfKey {
        /// Who we are.
        principal: String,
    },
    /// Anything else that a KDC says.
    #[error("the KDC gave no ticket for {service}")]
    Kdc {
        /// Whom we asked for.
        service: String,
        /// Its words.
        #[source]
        source: Cause,
    },
    /// The server refused our token.
    #[error(
        "it refused the ticket for {service} ({message}); is that the server's principal (`service=`), is its keytab as new as the \
         KDC's key, and do the clocks agree?", message = said(message)
    )]
    TicketRefused {
        /// Whom the ticket is for.
        service: String,
        /// The server's words.
        message: String,
    },
    /// The server does not prove that it is who it should be.
    #[error(
        "it does not prove that it is {service}; something may stand between: do not go on before you know what"
    )]
    NotProven {
        /// Whom we expected.
        service: String,
        /// What was wrong.
        #[source]
        source: Cause,
    },
    /// Nothing in common.
    #[error(
        "it offers protection by {}, and we accept {}; set `protection=` to what the cluster has in `hbase.rpc.protection`",
        list(offered),
        list(accepted)
    )]
    NoCommonProtection {
        /// What the server offers.
        offered: Vec<Protection>,
        /// What we accept.
        accepted: Vec<Protection>,
    },
    /// The server wants nothing of the sort.
    #[error(
        "it is not secured: it would believe any name; leave `auth=kerberos` out if that is how the cluster is, or set `fallback=simple` to go on with such servers"
    )]
    NotSecured,
    /// Bytes that are no part of it.
    #[error("its answer to a token is not one ({what})")]
    Foreign {
        /// What was wrong.
        what: &'static str,
    },
    /// Something on this machine.
    #[error("a token could not be made")]
    Token(#[source] Cause),
}

fn list(protections: &[Protection]) -> String {
    match protections {
        [] => "nothing that we know".to_owned(),
        some => some.iter().map(Protection::to_string).collect::<Vec<_>>().join(", "),
    }
}

fn names(found: &[String]) -> String {
    if found.is_empty() { "nobody".to_owned() } else { found.join(", ") }
}

/// Why what came in a wrapped stream is not believed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WrapProblem {
    /// It is longer than anything that a server sends.
    #[error("a wrapped message of {length} bytes is over the limit of {limit}")]
    TooLong {
        /// The length that it claims.
        length: usize,
        /// What is accepted.
        limit: usize,
    },
    /// It is not what the server has sealed.
    #[error("a wrapped message was changed on the way ({what})")]
    Changed {
        /// What did not fit.
        what: String,
    },
    /// It is genuine, but not the next one.
    #[error(
        "wrapped message {got} came where {expected} should: one was left out, repeated or put elsewhere"
    )]
    Order {
        /// The number that is next.
        expected: u64,
        /// The number that came.
        got: u64,
    },
    /// The stream ended within one.
    #[error("the stream ended within a wrapped message")]
    CutOff,
}
