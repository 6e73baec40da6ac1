//! Sends messages over the channel, in lines that it takes. Knows nothing of what they mean.

use super::messages::{Message, OneTest};
use crate::error::Failure;
use crate::exec::channel::Connection;
use crate::runners::protocol::message as cut;
use std::time::{Duration, Instant};

/// So many tests' results are sent together, or those of so long a time.
const BATCH: usize = 128;
const DELAY: Duration = Duration::from_millis(200);

/// The channel of one process; without one, what is told is lost, and the missing end tells.
#[derive(Debug)]
pub(crate) struct Telling {
    connection: Connection,
    waiting: Vec<OneTest>,
    sent: Instant,
}

impl Telling {
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection, waiting: Vec::new(), sent: Instant::now() }
    }

    /// Sends one message now.
    pub(crate) fn tell(&mut self, message: &Message) -> Result<(), Failure> {
        let line = serde_json::to_vec(message).unwrap_or_default();
        self.connection.send(&line)
    }

    /// Sends a test's result, soon.
    pub(crate) fn test(&mut self, mut test: OneTest) -> Result<(), Failure> {
        test.message = test.message.map(|text| cut(&text));
        self.waiting.push(test);
        if self.waiting.len() >= BATCH || self.sent.elapsed() >= DELAY { self.flush() } else { Ok(()) }
    }

    /// Sends what waits.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.sent = Instant::now();
        if self.waiting.is_empty() {
            return Ok(());
        }
        let tests = std::mem::take(&mut self.waiting);
        self.tell(&Message::Tests(tests))
    }
}
