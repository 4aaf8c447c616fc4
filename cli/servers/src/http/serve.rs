//! Accepts connections, with limits that apply before a client is known: on their number, and on the time without a
//! complete request.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

/// Limits on connections.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// Concurrent connections. More wait until one ends. Each takes a file descriptor, of which a process may have 256.
    pub connections: usize,
    /// Concurrent connections of one address; `None` for all of them. More are closed.
    pub from_one: Option<usize>,
    /// Timeout for the request line and headers, including the idle time before them on a kept connection.
    pub headers: Duration,
    /// How long open connections may still send a request once the server stops.
    pub grace: Duration,
    /// Counts the open connections.
    pub open: Arc<AtomicUsize>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 160,
            from_one: None,
            headers: Duration::from_secs(15),
            grace: Duration::ZERO,
            open: Arc::default(),
        }
    }
}

/// Pause after a failed accept: the process may have no free file descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// The number of connections by address.
#[derive(Default)]
struct Crowd(Mutex<HashMap<IpAddr, usize>>);

/// A connection that is counted until it is dropped.
struct One(Arc<Crowd>, IpAddr);

impl Crowd {
    /// Counts a connection, unless its address has `most` already.
    fn enter(self: &Arc<Self>, address: IpAddr, most: Option<usize>) -> Option<One> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = known.entry(address).or_default();
        if most.is_some_and(|most| *count >= most) {
            return None;
        }
        *count += 1;
        Some(One(self.clone(), address))
    }
}

impl Drop for One {
    fn drop(&mut self) {
        let mut known = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = known.get_mut(&self.1) {
            *count -= 1;
            if *count == 0 {
                known.remove(&self.1);
            }
        }
    }
}

/// The other end of the connection that a request came on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub SocketAddr);

/// Serves until `stop`, then finishes the requests in progress.
pub(crate) async fn serve(listener: TcpListener, router: Router, limits: Limits, stop: CancellationToken) {
    serve_over(listener, router, limits, None, stop).await;
}

/// The same over TLS, if there is an acceptor.
pub(crate) async fn serve_over(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    tls: Option<TlsAcceptor>,
    stop: CancellationToken,
) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let crowd = Arc::new(Crowd::default());
    let mut open = JoinSet::new();
    let Limits { headers, grace, .. } = limits;
    loop {
        while open.try_join_next().is_some() {}
        let accepted = async {
            let place = places.clone().acquire_owned().await.ok()?;
            Some((place, listener.accept().await))
        };
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = accepted => accepted,
        };
        match accepted {
            Some((place, Ok((stream, peer)))) => {
                let Some(one) = crowd.enter(peer.ip(), limits.from_one) else { continue };
                let (router, stop, count) = (router.clone(), stop.clone(), limits.open.clone());
                let tls = tls.clone();
                open.spawn(async move {
                    count.fetch_add(1, Ordering::AcqRel);
                    match tls {
                        None => answer(stream, peer, router, headers, grace, stop).await,
                        Some(tls) => {
                            let shaken = tokio::select! {
                                () = stop.cancelled() => None,
                                shaken = tokio::time::timeout(headers, tls.accept(stream)) => shaken.ok(),
                            };
                            if let Some(Ok(stream)) = shaken {
                                answer(stream, peer, router, headers, grace, stop).await;
                            }
                        }
                    }
                    count.fetch_sub(1, Ordering::AcqRel);
                    drop((place, one));
                });
            }
            Some((_, Err(_))) => tokio::time::sleep(PAUSE).await,
            None => break,
        }
    }
    while open.join_next().await.is_some() {}
}

async fn answer(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    router: Router,
    headers: Duration,
    grace: Duration,
    stop: CancellationToken,
) {
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        router.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(headers)
        .serve_connection(TokioIo::new(stream), service)
        // A WebSocket takes over its connection.
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    // An error of a connection concerns only that client.
    tokio::select! {
        _ = connection.as_mut() => {}
        () = stop.cancelled() => {
            // A graceful shutdown closes a connection whose first request has not arrived.
            if !grace.is_zero() && tokio::time::timeout(grace, connection.as_mut()).await.is_ok() {
                return;
            }
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;

    async fn started(limits: Limits) -> (SocketAddr, CancellationToken) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
        let router = Router::new().route("/", get(|| async { "here" }));
        tokio::spawn(serve(listener, router, limits, stop.clone()));
        (address, stop)
    }

    /// The answer to `request`, read until the server closes the connection.
    async fn asked(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let read = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut answer)).await;
        assert!(read.is_ok(), "the server did not close the connection");
        String::from_utf8(answer).unwrap()
    }

    const SHORT: Duration = Duration::from_millis(200);

    #[tokio::test]
    async fn incomplete_requests_and_idle_connections_are_closed() {
        let (address, stop) = started(Limits { headers: SHORT, ..Limits::default() }).await;
        for request in ["", "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "] {
            assert!(!asked(address, request).await.contains("here"), "{request:?}");
        }
        let kept = asked(address, "GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
        assert!(kept.ends_with("here"), "{kept}");
        stop.cancel();
    }

    #[tokio::test]
    async fn idle_connections_block_other_clients_only_briefly() {
        let (address, stop) = started(Limits { connections: 4, headers: SHORT, ..Limits::default() }).await;
        let mut idle = Vec::new();
        for _ in 0..12 {
            idle.push(TcpStream::connect(address).await.unwrap());
        }
        let answer = asked(address, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
        assert!(answer.ends_with("here"), "{answer}");
        stop.cancel();
    }

    #[tokio::test]
    async fn one_address_does_not_take_all_connections() {
        let (address, stop) = started(Limits { from_one: Some(2), ..Limits::default() }).await;
        let idle = [TcpStream::connect(address).await.unwrap(), TcpStream::connect(address).await.unwrap()];
        let request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        let mut third = TcpStream::connect(address).await.unwrap();
        let _ = third.write_all(request.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = third.read_to_end(&mut answer).await;
        assert!(answer.is_empty());
        drop(idle);
        let begun = std::time::Instant::now();
        loop {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let _ = stream.write_all(request.as_bytes()).await;
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer).await;
            if answer.ends_with(b"here") {
                break;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "places are given back");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        stop.cancel();
    }

    #[tokio::test]
    async fn a_stopping_server_closes_its_connections() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
        let serving = tokio::spawn(serve(listener, Router::new(), Limits::default(), stop.clone()));
        let mut idle = TcpStream::connect(address).await.unwrap();
        idle.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        idle.read_u8().await.unwrap();
        stop.cancel();
        tokio::time::timeout(Duration::from_secs(5), serving).await.unwrap().unwrap();
    }
}
