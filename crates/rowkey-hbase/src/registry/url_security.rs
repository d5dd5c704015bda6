//! What a URL says about TLS and Kerberos.
//!
//! | setting | value |
//! | --- | --- |
//! | `tls` | `true` or `false`; any of the next three means `true` |
//! | `ca`, `cert`, `key` | PEM files |
//! | `auth` | `simple` or `kerberos`; any of the rest means `kerberos` |
//! | `principal`, `keytab` | who we are, and a file with our key |
//! | `cache`, `krb5conf` | a cache of tickets and a configuration other than the usual ones |
//! | `service` | the servers' principal, `_HOST` for their names |
//! | `masterservice` | the masters', where it is another |
//! | `protection` | `authentication`, `integrity`, `privacy`; several with commas, the most wanted first |
//! | `fallback` | `simple`: servers that are not secured will do |
//!
//! In a value `%20`, `%26` and their like stand for bytes.

use std::path::PathBuf;

use crate::registry::url::UrlError;
use crate::security::kerberos::{Kerberos, Protection};
use crate::security::tls::Tls;

/// The names of the settings.
pub(super) const SETTINGS: [&str; 13] = [
    "tls",
    "ca",
    "cert",
    "key",
    "auth",
    "principal",
    "keytab",
    "cache",
    "krb5conf",
    "service",
    "masterservice",
    "protection",
    "fallback",
];

/// What was said so far, in any order.
#[derive(Default)]
pub(super) struct SecuritySettings {
    tls_on: Option<bool>,
    tls: Tls,
    kerberos_on: Option<bool>,
    kerberos: Kerberos,
}

impl SecuritySettings {
    /// Takes a setting; false if it is none of these.
    pub(super) fn take(&mut self, key: &str, value: &str) -> Result<bool, UrlError> {
        let Some(key) = SETTINGS.into_iter().find(|known| *known == key) else { return Ok(false) };
        let wrong = |expected| UrlError::Value { key, value: value.to_owned(), expected };
        let text = decoded(value).ok_or_else(|| wrong("a value, with %25 for a percent sign"))?;
        let file = || PathBuf::from(&text);
        match key {
            "tls" => {
                self.tls_on = Some(match text.as_str() {
                    "true" => true,
                    "false" => false,
                    _ => return Err(wrong("true or false")),
                });
            }
            "ca" => self.tls.ca = Some(file()),
            "cert" => self.tls.cert = Some(file()),
            "key" => self.tls.key = Some(file()),
            "auth" => {
                self.kerberos_on = Some(match text.as_str() {
                    "kerberos" => true,
                    "simple" => false,
                    _ => return Err(wrong("kerberos or simple")),
                });
            }
            "principal" if text.contains("_HOST") => {
                return Err(wrong(
                    "your own name, as in principal=anna@EXAMPLE.COM; the servers' is service=",
                ));
            }
            "principal" => self.kerberos.principal = Some(text),
            "keytab" => self.kerberos.keytab = Some(file()),
            "cache" => self.kerberos.cache = Some(text),
            "krb5conf" => self.kerberos.krb5_conf = Some(file()),
            "service" => self.kerberos.service = text,
            "masterservice" => self.kerberos.master_service = Some(text),
            "protection" => {
                let list: Result<Vec<Protection>, _> =
                    text.split(',').map(|word| word.trim().parse()).collect();
                self.kerberos.protection =
                    list.map_err(|_| wrong("authentication, integrity or privacy, with commas between"))?;
            }
            _ if text == "simple" => self.kerberos.fallback_to_simple = true,
            _ => return Err(wrong("fallback=simple, or leave it out")),
        }
        Ok(true)
    }

    /// Settings of a kind mean that kind; where the URL also says not to use it, that is a contradiction.
    pub(super) fn wanted(self, names_user: bool) -> Result<(Option<Tls>, Option<Kerberos>), UrlError> {
        let contradiction =
            |key, value: &str, expected| UrlError::Value { key, value: value.to_owned(), expected };
        let (tls_said, kerberos_said) = (self.tls != Tls::default(), self.kerberos != Kerberos::default());
        if self.tls_on == Some(false) && tls_said {
            return Err(contradiction("tls", "false", "tls=true, or leave out ca, cert and key"));
        }
        if self.kerberos_on == Some(false) && kerberos_said {
            let expected = "auth=kerberos, or leave out what belongs to Kerberos";
            return Err(contradiction("auth", "simple", expected));
        }
        let kerberos = self.kerberos_on.unwrap_or(kerberos_said);
        if kerberos && names_user {
            let expected = "it with auth=simple only; under Kerberos principal= says who you are";
            return Err(contradiction("user", "…", expected));
        }
        let tls = self.tls_on.unwrap_or(tls_said).then_some(self.tls);
        Ok((tls, kerberos.then_some(self.kerberos)))
    }
}

/// A value that is not empty, with its escapes undone.
fn decoded(value: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = value.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        let mut byte = first;
        if first == b'%' {
            let (digits, after) = after.split_at_checked(2)?;
            byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
            rest = after;
        }
        bytes.push(byte);
    }
    String::from_utf8(bytes).ok().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::url::ClusterUrl;

    fn parsed(query: &str) -> Result<(Option<Tls>, Option<Kerberos>), UrlError> {
        format!("hbase://a?{query}").parse::<ClusterUrl>().map(|url| (url.tls, url.kerberos))
    }

    #[test]
    fn files_mean_tls_and_may_have_any_name() {
        let tls = |query: &str| parsed(query).map(|(tls, _)| tls);
        assert_eq!(tls("user=x"), Ok(None));
        assert_eq!(tls("tls=false"), Ok(None));
        assert_eq!(tls("tls=true"), Ok(Some(Tls::default())));
        let ca = Tls { ca: Some("/my ca&x.pem".into()), ..Tls::default() };
        assert_eq!(tls("ca=/my%20ca%26x.pem"), Ok(Some(ca)));
        let all = tls("key=k&cert=c&tls=true&ca=a").unwrap().unwrap();
        assert_eq!(all, Tls { ca: Some("a".into()), cert: Some("c".into()), key: Some("k".into()) });
        for bad in ["tls=yes", "tls=", "ca=", "ca=%2", "ca=%zz", "tls=false&ca=x", "cert=%ff"] {
            assert!(matches!(tls(bad), Err(UrlError::Value { .. })), "{bad}");
        }
    }

    #[test]
    fn any_setting_of_kerberos_means_it() {
        let kerberos = |query: &str| parsed(query).map(|(_, kerberos)| kerberos);
        assert_eq!(kerberos("auth=simple&user=anna"), Ok(None));
        assert_eq!(kerberos("auth=kerberos"), Ok(Some(Kerberos::default())));
        let keytab = Kerberos {
            principal: Some("anna@EXAMPLE.COM".to_owned()),
            keytab: Some("/etc/anna.keytab".into()),
            protection: vec![Protection::Integrity, Protection::Privacy],
            ..Kerberos::default()
        };
        let query = "principal=anna@EXAMPLE.COM&keytab=/etc/anna.keytab&protection=integrity,auth-conf";
        assert_eq!(kerberos(query), Ok(Some(keytab)));
        assert!(kerberos("fallback=simple").unwrap().unwrap().fallback_to_simple);
        for bad in ["auth=basic", "auth=simple&keytab=x", "protection=none", "fallback=true", "service="] {
            assert!(matches!(kerberos(bad), Err(UrlError::Value { .. })), "{bad}");
        }
    }

    #[test]
    fn the_names_of_people_and_servers_are_told_apart() {
        let error = |query: &str| parsed(query).unwrap_err().to_string();
        assert_eq!(
            error("principal=hbase/_HOST@EXAMPLE.COM"),
            "`hbase/_HOST@EXAMPLE.COM` does not fit `principal=`; write your own name, as in \
             principal=anna@EXAMPLE.COM; the servers' is service="
        );
        assert_eq!(
            error("auth=kerberos&user=anna"),
            "`…` does not fit `user=`; write it with auth=simple only; under Kerberos principal= says who you are"
        );
    }
}
