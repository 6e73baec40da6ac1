//! Takes connections and reads each in a thread of its own; the same on every system.

use super::receiver::{Incoming, Peer};
use super::system::{Stream, vouch};
use super::{Admission, CONNECTIONS_CAP, pump};
use std::io::{ErrorKind, Result, Write as _};
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Takes the connections of one channel.
pub(super) struct Accepting<S> {
    admission: Admission,
    send: S,
    n_open: Arc<AtomicUsize>,
    next_id: usize,
}

impl<S: Fn(Incoming) -> bool + Clone + Send + 'static> Accepting<S> {
    pub(super) fn new(admission: Admission, send: S) -> Self {
        Self { admission, send, n_open: Arc::default(), next_id: 0 }
    }

    /// Takes every connection that waits, and returns whether more may be taken.
    ///
    /// One that is not admitted is closed unread but still taken, so that it is known that somebody tried: also
    /// a true reporter that came second, after a forger.
    pub(super) fn take_waiting(&mut self, accept: &dyn Fn() -> Result<Stream>) -> bool {
        loop {
            let stream = match accept() {
                Ok(stream) => stream,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionAborted) => continue,
                Err(error) => {
                    (self.send)(Incoming::Refused(format!("the channel could not take a connection: {error}")));
                    return false;
                }
            };
            let is_going_on = match self.admit(&stream) {
                Ok(()) => self.serve(stream),
                Err(why) => (self.send)(Incoming::Refused(why)),
            };
            if !is_going_on {
                return false;
            }
        }
    }

    /// Tells that no connection is taken any more.
    pub(super) fn end(self) {
        (self.send)(Incoming::NoMore);
    }

    fn admit(&self, stream: &Stream) -> std::result::Result<(), String> {
        match &self.admission {
            Admission::First if self.next_id > 0 => return Err("a second connection was tried".to_owned()),
            Admission::First => {}
            Admission::Executable(executable) => vouch(stream, executable)?,
        }
        if self.n_open.load(Ordering::SeqCst) >= CONNECTIONS_CAP {
            return Err(format!("more than {CONNECTIONS_CAP} connections at a time"));
        }
        Ok(())
    }

    fn serve(&mut self, stream: Stream) -> bool {
        // On some systems an accepted socket does not block, as the listening one.
        let (Ok(()), Ok(peer)) = (stream.set_nonblocking(false), stream.try_clone()) else {
            return (self.send)(Incoming::Refused("the channel could not take a connection".to_owned()));
        };
        let id = self.next_id;
        self.next_id += 1;
        if !(self.send)(Incoming::Opened(id, Box::new(peer))) {
            return false;
        }
        self.n_open.fetch_add(1, Ordering::SeqCst);
        let (n_open, send) = (Arc::clone(&self.n_open), self.send.clone());
        std::thread::spawn(move || {
            pump(&mut &stream, &mut |piece| send(Incoming::Data(id, piece)));
            n_open.fetch_sub(1, Ordering::SeqCst);
            send(Incoming::Closed(id));
        });
        true
    }
}

impl Peer for Stream {
    fn answer(&mut self, text: &[u8]) {
        // Whoever does not wait for the answer does not get one.
        let _ = self.write_all(text);
    }

    fn close(&mut self) {
        let _ = self.shutdown(Shutdown::Both);
    }
}
