//! Tickets: from a keytab, renewed as long as the client lives, or from a cache that is only read.
//!
//! All of it blocks, on files and on the KDC, so it runs beside the tasks of the connections. One caller at a time asks; the others
//! find what it got.

use std::collections::HashMap;
use std::error::Error;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use krb5::config::ConfigError;
use krb5::{CCache, CacheError, CacheName, ClientError, Credentials, KdcClient, Keytab, Krb5Conf, Principal};
use rowkey_core::Value;

use super::Kerberos;
use super::problem::{Cause, KerberosProblem};

/// How long one KDC may take to answer; there may be others.
const KDC_PATIENCE: Duration = Duration::from_secs(5);
/// A ticket that ends sooner (seconds) is not used any more: it must still be good when it arrives.
const LEAST_LEFT: i64 = 5;

/// Who we are to a cluster, and the tickets that show it.
pub(crate) struct Login {
    settings: Kerberos,
    kept: Mutex<Kept>,
}

/// Tickets that we have; they are never printed.
#[derive(Default)]
struct Kept {
    own: Option<Credentials>,
    services: HashMap<String, Arc<Credentials>>,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// What `krb5.conf` says, and where it is.
struct Configuration {
    conf: Krb5Conf,
    file: String,
}

impl Login {
    pub(crate) fn new(settings: &Kerberos) -> Self {
        Self { settings: settings.clone(), kept: Mutex::default() }
    }

    pub(crate) fn settings(&self) -> &Kerberos {
        &self.settings
    }

    /// A ticket for a server by its principal, in which `_HOST` stands for `host`. It blocks.
    pub(crate) fn ticket(&self, service: &str, host: &str) -> Result<Arc<Credentials>, KerberosProblem> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let now = now();
        let name = service.replace("_HOST", &host.to_ascii_lowercase());
        if let Some(ticket) = kept.services.get(&name).filter(|ticket| is_good(ticket, now)) {
            return Ok(Arc::clone(ticket));
        }
        let configuration = Configuration::read(self.settings.krb5_conf.as_deref())?;
        let ticket = match &self.settings.keytab {
            Some(keytab) => self.by_keytab(keytab, &mut kept, &configuration, &name, host, now)?,
            None => self.by_cache(&configuration, &name, host, now)?,
        };
        let ticket = Arc::new(ticket);
        kept.services.insert(name, Arc::clone(&ticket));
        Ok(ticket)
    }

    fn by_keytab(
        &self,
        file: &Path,
        kept: &mut Kept,
        configuration: &Configuration,
        service: &str,
        host: &str,
        now: i64,
    ) -> Result<Credentials, KerberosProblem> {
        let keytab = read_keytab(file)?;
        let us = match &self.settings.principal {
            Some(name) => configuration.principal(name)?,
            None => match keytab.keys().first() {
                Some(key) => configuration.principal(&format!("{}@{}", key.principal, key.realm))?,
                None => return Err(lacks(file, "anybody", &keytab)),
            },
        };
        let service = configuration.service(service, host, &us.realm)?;
        let attempted = Attempted { us: &us, service: &service, keytab: Some(file), configuration };
        if !keytab.keys().iter().any(|key| key.principal == us.name() && key.realm == us.realm) {
            return Err(lacks(file, &us.to_string(), &keytab));
        }
        let kdc = configuration.kdc(&us.realm)?;
        let own = match kept.own.take().filter(|own| is_good(own, now)) {
            Some(own) => own,
            None => kdc.login_with_keytab(&us, &keytab).map_err(|error| attempted.failed(error))?,
        };
        let ticket = kdc.service_ticket(&own, &service).map_err(|error| attempted.failed(error));
        kept.own = Some(own);
        ticket
    }

    fn by_cache(
        &self,
        configuration: &Configuration,
        service: &str,
        host: &str,
        now: i64,
    ) -> Result<Credentials, KerberosProblem> {
        let (name, cache) = self.cache(configuration)?;
        let us = &cache.principal;
        if let Some(wanted) = &self.settings.principal {
            let wanted = configuration.principal(wanted)?;
            if !krb5::ccache::same_principal(us, &wanted) {
                let (found, wanted) = (us.to_string(), wanted.to_string());
                return Err(KerberosProblem::OtherPrincipal { cache: name, found, wanted });
            }
        }
        let service = configuration.service(service, host, &us.realm)?;
        if let Some(ticket) = cache.find(&service, now + LEAST_LEFT) {
            return Ok(ticket);
        }
        let Some(own) = cache.tgt(now + LEAST_LEFT) else {
            let tickets = cache.entries.iter().filter(|entry| !entry.is_config() && !entry.is_removed());
            let principal = us.to_string();
            return Err(match tickets.map(|ticket| i64::from(ticket.endtime)).max() {
                // A good ticket that was passed over is of a kind that we do not speak.
                Some(ends) if ends > now + LEAST_LEFT => KerberosProblem::KindOfKey { principal },
                Some(ended) => KerberosProblem::Expired { principal, cache: name, when: time(ended) },
                None => KerberosProblem::NoCache { cache: name },
            });
        };
        let attempted = Attempted { us, service: &service, keytab: None, configuration };
        let kdc = configuration.kdc(&us.realm)?;
        kdc.service_ticket(&own, &service).map_err(|error| attempted.failed(error))
    }

    fn cache(&self, configuration: &Configuration) -> Result<(String, CCache), KerberosProblem> {
        let name = match &self.settings.cache {
            Some(name) => name.clone(),
            None => CacheName::default_name(&configuration.conf).map_err(|error| KerberosProblem::Cache {
                cache: "the default cache".to_owned(),
                source: cause(error),
            })?,
        };
        let read = CacheName::parse_with(&name, &configuration.conf).and_then(|cache| cache.read());
        match read {
            Ok(cache) => Ok((name, cache)),
            Err(CacheError::UnsupportedType(_)) => Err(KerberosProblem::CacheKind { cache: name }),
            Err(CacheError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Err(KerberosProblem::NoCache { cache: name })
            }
            Err(error) => Err(KerberosProblem::Cache { cache: name, source: cause(error) }),
        }
    }
}

fn cause(error: impl Error + Send + Sync + 'static) -> Cause {
    Arc::new(error)
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// A tenth of a ticket's life before its end, and at most a minute, it is time for the next.
fn is_good(ticket: &Credentials, now: i64) -> bool {
    let begin = ticket.starttime.unwrap_or(ticket.authtime);
    let margin = (ticket.endtime.saturating_sub(begin) / 10).clamp(LEAST_LEFT, 60);
    now.saturating_add(margin) < ticket.endtime
}

fn time(seconds: i64) -> String {
    Value::Time(seconds.saturating_mul(1000)).to_string()
}

fn read_keytab(file: &Path) -> Result<Keytab, KerberosProblem> {
    let unreadable = |source: Cause| KerberosProblem::Keytab { file: file.to_owned(), source };
    // The reader's own error holds no more than this, but in its own words.
    let bytes = std::fs::read(file).map_err(|error| unreadable(cause(error)))?;
    if !is_well_formed(&bytes) {
        return Err(unreadable(cause(io::Error::new(io::ErrorKind::InvalidData, "it is not a keytab"))));
    }
    Keytab::load(file).map_err(|error| unreadable(cause(error)))
}

/// Whether entries follow each other to the end: version 5.2, then each with its length, negative for a hole.
fn is_well_formed(bytes: &[u8]) -> bool {
    let Some(mut rest) = bytes.strip_prefix(&[5, 2]) else { return false };
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = i32::from_be_bytes(*length).unsigned_abs() as usize;
        if length == 0 {
            return true;
        }
        match after.get(length..) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    true
}

fn lacks(file: &Path, principal: &str, keytab: &Keytab) -> KerberosProblem {
    let mut found: Vec<_> =
        keytab.keys().iter().map(|key| format!("{}@{}", key.principal, key.realm)).collect();
    found.dedup();
    KerberosProblem::KeytabLacks { file: file.to_owned(), principal: principal.to_owned(), found }
}

impl Configuration {
    fn read(file: Option<&Path>) -> Result<Self, KerberosProblem> {
        let (conf, file) = match file {
            Some(file) => {
                // One that is named must be there; of the usual ones none need be.
                let readable = std::fs::File::open(file).map(drop);
                let conf = readable
                    .map_err(|source| ConfigError::Io { path: file.to_owned(), source })
                    .and_then(|()| Krb5Conf::load([file]));
                (conf, file.display().to_string())
            }
            None => {
                let file = std::env::var("KRB5_CONFIG").unwrap_or_else(|_| "/etc/krb5.conf".to_owned());
                (Krb5Conf::load_default(), file)
            }
        };
        match conf {
            Ok(conf) => Ok(Self { conf, file }),
            Err(error) => Err(KerberosProblem::Configuration { file, source: cause(error) }),
        }
    }

    fn principal(&self, name: &str) -> Result<Principal, KerberosProblem> {
        let wrong = |_| KerberosProblem::Principal { name: name.to_owned() };
        if name.contains('@') {
            return Principal::parse(name).map_err(wrong);
        }
        match self.conf.default_realm() {
            Some(realm) => Principal::parse_in_realm(name, realm).map_err(wrong),
            None => Err(KerberosProblem::NoRealm { name: name.to_owned(), file: self.file.clone() }),
        }
    }

    fn service(&self, name: &str, host: &str, own_realm: &str) -> Result<Principal, KerberosProblem> {
        let parsed = if name.contains('@') {
            Principal::parse(name)
        } else {
            Principal::parse_in_realm(name, self.conf.host_realm(host).unwrap_or(own_realm))
        };
        parsed.map_err(|_| KerberosProblem::Principal { name: name.to_owned() })
    }

    fn kdc(&self, realm: &str) -> Result<KdcClient, KerberosProblem> {
        match KdcClient::from_config(&self.conf, realm) {
            Ok(kdc) => Ok(kdc.with_timeout(KDC_PATIENCE)),
            Err(error) => Err(self.unusable(error, realm)),
        }
    }

    fn unusable(&self, error: ConfigError, realm: &str) -> KerberosProblem {
        let file = self.file.clone();
        match error {
            ConfigError::NoKdcs { .. } | ConfigError::NoKdcFound { .. } | ConfigError::Dns { .. } => {
                KerberosProblem::NoKdc { realm: realm.to_owned(), file, source: cause(error) }
            }
            other => KerberosProblem::Configuration { file, source: cause(other) },
        }
    }
}

/// What was asked of a KDC, for the error.
struct Attempted<'a> {
    us: &'a Principal,
    service: &'a Principal,
    keytab: Option<&'a Path>,
    configuration: &'a Configuration,
}

impl Attempted<'_> {
    /// A KDC's refusal in words; the numbers are those of RFC 4120.
    fn failed(&self, error: ClientError) -> KerberosProblem {
        let (principal, service) = (self.us.to_string(), self.service.to_string());
        let wrong_key =
            |file: &Path| KerberosProblem::WrongKey { principal: principal.clone(), file: file.to_owned() };
        match (error, self.keytab) {
            (ClientError::Unreachable { realm, last }, _) => {
                KerberosProblem::KdcDown { realm, source: cause(last) }
            }
            (ClientError::Config(error), _) => self.configuration.unusable(error, &self.service.realm),
            (ClientError::Kdc { code: 6, .. }, _) => KerberosProblem::UnknownClient { principal },
            (ClientError::Kdc { code: 7, .. }, _) => KerberosProblem::UnknownService { service },
            (ClientError::Kdc { code: 14, .. }, _) => KerberosProblem::KindOfKey { principal },
            (ClientError::Kdc { code: 24 | 31, .. } | ClientError::Crypto(_), Some(file)) => wrong_key(file),
            (ClientError::Kdc { code: 37, .. }, _) => KerberosProblem::ClockSkew,
            (error, _) => KerberosProblem::Kdc { service, source: cause(error) },
        }
    }
}

#[cfg(test)]
mod tests;
