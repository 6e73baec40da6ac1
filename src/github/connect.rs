//! Connections, directly or through the proxy that the environment names. octocrab's own knows no proxy.

use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::net::TcpStream;
use tower_service::Service;

/// The proxies of the environment, as most programs read them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    /// `HTTPS_PROXY`
    pub https: Option<String>,
    /// `HTTP_PROXY`; not read where a web server could have set it.
    pub http: Option<String>,
    /// `ALL_PROXY`
    pub all: Option<String>,
    /// `NO_PROXY`
    pub no: Option<String>,
}

/// Connects to a host, through a tunnel where a proxy is named for it.
#[derive(Debug, Clone)]
pub(super) struct Connector {
    http: HttpConnector,
    proxies: Arc<Matcher>,
}

impl Connector {
    pub(super) fn new(proxies: &Proxies) -> Self {
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        let mut matcher = Matcher::builder();
        if let Some(all) = &proxies.all {
            matcher = matcher.all(all.clone());
        }
        if let Some(http) = &proxies.http {
            matcher = matcher.http(http.clone());
        }
        if let Some(https) = &proxies.https {
            matcher = matcher.https(https.clone());
        }
        if let Some(no) = &proxies.no {
            matcher = matcher.no(no.clone());
        }
        Self { http, proxies: Arc::new(matcher.build()) }
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
        let Some(proxy) = self.proxies.intercept(&uri) else {
            let connecting = self.http.call(uri);
            return Box::pin(async move { connecting.await.map_err(Into::into) });
        };
        let mut tunnel = Tunnel::new(proxy.uri().clone(), self.http.clone());
        if let Some(auth) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(auth.clone());
        }
        let connecting = tunnel.call(uri);
        Box::pin(async move { connecting.await.map_err(|error| format!("through the proxy: {error}").into()) })
    }
}
