//! Connections, directly or through the proxy that the environment names. octocrab's own knows no proxy.

use super::host::{Api, Lookup};
use crate::error::{Failure, Kind};
use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::net::TcpStream;
use tower_service::Service;

/// The proxy of the environment, and the hosts that are asked without it. Its address may hold a password, so
/// it is never shown: people are told the variable.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    proxy: Option<(&'static str, String)>,
    without: Option<String>,
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variable = self.proxy.as_ref().map(|(variable, _)| variable);
        f.debug_struct("Proxies").field("proxy", &variable).field("without", &self.without).finish()
    }
}

impl Proxies {
    /// Takes `HTTPS_PROXY` or `ALL_PROXY`, and `NO_PROXY`, or their names in lower case. There is no
    /// `HTTP_PROXY`: plain http is for this machine alone, and a token must not leave it in the clear.
    pub fn of_environment(lookup: Lookup<'_>) -> Self {
        let find = |names: &[&'static str]| names.iter().find_map(|name| Some((*name, lookup(name)?)));
        Self {
            proxy: find(&["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]),
            without: find(&["NO_PROXY", "no_proxy"]).map(|(_, hosts)| hosts),
        }
    }

    fn matcher(&self) -> Matcher {
        let Some((_, proxy)) = &self.proxy else { return Matcher::builder().build() };
        let without = self.without.as_deref().unwrap_or_default();
        // The matcher takes it for host names alone, and not for addresses.
        if without.split(',').any(|host| host.trim() == "*") {
            return Matcher::builder().build();
        }
        Matcher::builder().https(proxy.clone()).no(without).build()
    }
}

/// Connects to a host, through a tunnel where a proxy is named for it.
#[derive(Debug, Clone)]
pub(super) struct Connector {
    http: HttpConnector,
    matcher: Arc<Matcher>,
    variable: &'static str,
}

impl Connector {
    /// Makes a connector. A proxy that cannot be used is an error rather than left out: whoever named it
    /// wants no connection beside it.
    pub(super) fn new(proxies: &Proxies, api: &Api) -> Result<Self, Failure> {
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        let matcher = proxies.matcher();
        let variable = proxies.proxy.as_ref().map_or("", |(variable, _)| *variable);
        let unusable = |why: &str| {
            Failure::new(Kind::Usage, format!("the proxy in {variable} cannot be used: {why}"))
                .next(format!("write it as http://host:port, or ask without it: export NO_PROXY={}", api.host))
        };
        if let Some((_, address)) = &proxies.proxy {
            let anywhere = Uri::from_static("https://github.com");
            if Matcher::builder().https(address.clone()).build().intercept(&anywhere).is_none() {
                return Err(unusable("it is not an address"));
            }
        }
        for address in [&api.rest, &api.graphql] {
            let proxy = address.parse().ok().and_then(|uri: Uri| matcher.intercept(&uri));
            match proxy.as_ref().and_then(|proxy| proxy.uri().scheme_str()) {
                None | Some("http") => {}
                Some(scheme) => return Err(unusable(&format!("{scheme}:// is not known here"))),
            }
        }
        Ok(Self { http, matcher: Arc::new(matcher), variable })
    }

    fn tunnel(&self, proxy: &Intercept) -> Tunnel<HttpConnector> {
        let tunnel = Tunnel::new(proxy.uri().clone(), self.http.clone());
        match proxy.basic_auth() {
            Some(auth) => tunnel.with_auth(auth.clone()),
            None => tunnel,
        }
    }
}

/// What went wrong between here and the other side of a proxy.
#[derive(Debug)]
pub(super) struct ProxyFailed {
    /// The variable that names the proxy.
    pub(super) variable: &'static str,
    source: Failed,
}

impl fmt::Display for ProxyFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "through the proxy in {}", self.variable)
    }
}

impl Error for ProxyFailed {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.source)
    }
}

type Failed = Box<dyn Error + Send + Sync>;

impl Service<Uri> for Connector {
    type Response = TokioIo<TcpStream>;
    type Error = Failed;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Failed>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Failed>> {
        self.http.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let Some(proxy) = self.matcher.intercept(&uri) else {
            let connecting = self.http.call(uri);
            return Box::pin(async move { connecting.await.map_err(Into::into) });
        };
        let connecting = self.tunnel(&proxy).call(uri);
        let variable = self.variable;
        Box::pin(async move {
            connecting.await.map_err(|source| Failed::from(ProxyFailed { variable, source: source.into() }))
        })
    }
}
