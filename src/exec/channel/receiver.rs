//! Turns what arrives on the connections of a run into records, in bounded memory. Does no I/O but to answer and
//! to close a connection.

use super::seal::{Key, Seal};
use super::{LINE_CAP, TOTAL_CAP, hello, sealed_hello};
use std::collections::BTreeMap;

/// What happens on a channel.
pub(in crate::exec) enum Incoming {
    /// A connection was made; they are numbered from 0.
    Opened(usize, Box<dyn Peer>),
    /// A piece of its stream.
    Data(usize, Vec<u8>),
    /// Its stream ended.
    Closed(usize),
    /// Somebody connected who must not.
    Refused(String),
    /// No further connection will be made.
    NoMore,
}

/// The other end of a connection.
pub(in crate::exec) trait Peer: Send {
    /// Answers its hello.
    fn answer(&mut self, text: &[u8]);

    /// Closes it, so that nothing more is read from it.
    fn close(&mut self);
}

/// What is expected of a connection before its records.
#[derive(Debug, Clone)]
pub(in crate::exec) enum Greeting {
    /// Nothing.
    None,
    /// The hello with this nonce.
    Hello(String),
    /// The same, and it is answered.
    AnsweredHello(String),
}

struct Stream {
    peer: Box<dyn Peer>,
    has_greeted: bool,
    /// Opens its lines, where its hello said that they are sealed.
    seal: Option<Seal>,
    is_open: bool,
    /// The beginning of a line whose end has not come.
    begun: Vec<u8>,
}

/// The receiving end of a channel.
pub(in crate::exec) struct Receiver {
    greeting: Greeting,
    key: Option<Key>,
    streams: BTreeMap<usize, Stream>,
    n_bytes: u64,
    awaits_more: bool,
    fault: Option<String>,
}

impl Receiver {
    pub(in crate::exec) fn new(greeting: Greeting) -> Self {
        Self { greeting, key: None, streams: BTreeMap::new(), n_bytes: 0, awaits_more: true, fault: None }
    }

    /// Lets connections seal their lines with a key.
    pub(in crate::exec) fn with_key(mut self, key: Option<Key>) -> Self {
        self.key = key;
        self
    }

    /// Takes what happened, and hands on whole records.
    pub(in crate::exec) fn take(&mut self, incoming: Incoming, deliver: &mut dyn FnMut(usize, &[u8])) {
        match incoming {
            Incoming::Opened(id, peer) => {
                let has_greeted = matches!(self.greeting, Greeting::None);
                self.streams.insert(id, Stream { peer, has_greeted, seal: None, is_open: true, begun: Vec::new() });
            }
            Incoming::Data(id, piece) => self.data(id, &piece, deliver),
            Incoming::Closed(id) => {
                if let Some(stream) = self.streams.remove(&id)
                    && stream.is_open
                    && !stream.begun.is_empty()
                {
                    self.fault("the last record is cut off");
                }
            }
            Incoming::Refused(why) => self.fault(&why),
            Incoming::NoMore => self.awaits_more = false,
        }
    }

    fn data(&mut self, id: usize, piece: &[u8], deliver: &mut dyn FnMut(usize, &[u8])) {
        let Some(stream) = self.streams.get_mut(&id).filter(|stream| stream.is_open) else { return };
        self.n_bytes = self.n_bytes.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
        let outcome = if self.n_bytes > TOTAL_CAP {
            Err(format!("more than {} MiB of records", TOTAL_CAP >> 20))
        } else {
            stream.lines(piece, &self.greeting, self.key.as_ref(), &mut |line| deliver(id, line))
        };
        if let Err(fault) = outcome {
            stream.is_open = false;
            stream.begun = Vec::new();
            stream.peer.close();
            self.fault(&fault);
        }
    }

    /// The first fault is the one that is told; others follow from it.
    fn fault(&mut self, fault: &str) {
        self.fault.get_or_insert_with(|| fault.to_owned());
    }

    /// Returns whether nothing more can come.
    pub(in crate::exec) fn is_done(&self) -> bool {
        !self.awaits_more && self.streams.is_empty()
    }

    /// Closes what is still open, and returns what was wrong.
    pub(in crate::exec) fn finish(mut self) -> Option<String> {
        if self.streams.values().any(|stream| stream.is_open) {
            self.fault("a connection was still open when every process had ended");
        }
        for stream in self.streams.values_mut() {
            stream.peer.close();
        }
        self.fault
    }
}

impl Stream {
    fn lines(
        &mut self,
        piece: &[u8],
        greeting: &Greeting,
        key: Option<&Key>,
        deliver: &mut dyn FnMut(&[u8]),
    ) -> Result<(), String> {
        let mut rest = piece;
        while let Some(at) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = (&rest[..at], &rest[at + 1..]);
            rest = after;
            check_length(self.begun.len() + line.len())?;
            if self.begun.is_empty() {
                self.line(line, greeting, key, deliver)?;
            } else {
                let mut whole = std::mem::take(&mut self.begun);
                whole.extend_from_slice(line);
                self.line(&whole, greeting, key, deliver)?;
            }
        }
        check_length(self.begun.len() + rest.len())?;
        self.begun.extend_from_slice(rest);
        Ok(())
    }

    fn line(
        &mut self,
        line: &[u8],
        greeting: &Greeting,
        key: Option<&Key>,
        deliver: &mut dyn FnMut(&[u8]),
    ) -> Result<(), String> {
        if self.has_greeted {
            let record = match &mut self.seal {
                None => line,
                Some(seal) => seal.open(line).ok_or("a line came that the reporter did not write")?,
            };
            deliver(record);
            return Ok(());
        }
        let (Greeting::Hello(nonce) | Greeting::AnsweredHello(nonce)) = greeting else { return Ok(()) };
        if let (Some(key), true) = (key, line == sealed_hello(nonce).as_bytes()) {
            self.seal = Some(Seal::new(key.clone()));
        } else if line != hello(nonce).as_bytes() {
            return Err("a connection did not begin with the right hello".to_owned());
        }
        self.has_greeted = true;
        if matches!(greeting, Greeting::AnsweredHello(_)) {
            self.peer.answer(b"ok\n");
        }
        Ok(())
    }
}

fn check_length(length: usize) -> Result<(), String> {
    if length > LINE_CAP { Err(format!("a record is longer than {} KiB", LINE_CAP >> 10)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Sender, channel};

    struct Told(Sender<String>);

    impl Peer for Told {
        fn answer(&mut self, text: &[u8]) {
            let _ = self.0.send(String::from_utf8_lossy(text).into_owned());
        }

        fn close(&mut self) {
            let _ = self.0.send("closed".to_owned());
        }
    }

    /// Feeds pieces to one connection, closes it, and returns records, fault and what the peer was told.
    fn receive(greeting: &Greeting, pieces: &[&[u8]], is_closed: bool) -> (Vec<String>, Option<String>, Vec<String>) {
        let (sender, told) = channel();
        let mut receiver = Receiver::new(greeting.clone());
        let mut records = Vec::new();
        let mut take = |incoming| {
            receiver.take(incoming, &mut |id, line| records.push(format!("{id}:{}", String::from_utf8_lossy(line))));
        };
        take(Incoming::Opened(0, Box::new(Told(sender))));
        for piece in pieces {
            take(Incoming::Data(0, piece.to_vec()));
        }
        if is_closed {
            take(Incoming::Closed(0));
        }
        take(Incoming::NoMore);
        assert_eq!(receiver.is_done(), is_closed);
        let fault = receiver.finish();
        (records, fault, told.try_iter().collect())
    }

    fn hello_of(nonce: &str) -> Greeting {
        Greeting::Hello(nonce.to_owned())
    }

    #[test]
    fn records_are_put_together_from_any_pieces() {
        let stream = b"{\"hello\":\"n\"}\na\n\nbc\n";
        let expected = ["0:a", "0:", "0:bc"];
        for size in 1..stream.len() {
            let pieces: Vec<&[u8]> = stream.chunks(size).collect();
            let (records, fault, _) = receive(&hello_of("n"), &pieces, true);
            assert_eq!((records.as_slice(), fault), (&expected.map(String::from)[..], None), "{size}");
        }
    }

    #[test]
    fn a_wrong_first_line_ends_the_connection_before_any_record() {
        for first in [
            "{\"hello\":\"m\"}\n",
            "\n",
            "a\n",
            " {\"hello\":\"n\"}\n",
            "{\"hello\":\"n\"}\r\n",
            "{\"hello\":\"nn\"}\n",
        ] {
            let (records, fault, told) = receive(&hello_of("n"), &[first.as_bytes(), b"a\n"], true);
            assert!(records.is_empty(), "{first:?}");
            assert_eq!(fault.as_deref(), Some("a connection did not begin with the right hello"), "{first:?}");
            assert_eq!(told, ["closed"]);
        }
    }

    #[test]
    fn a_record_without_its_end_is_a_fault_and_not_delivered() {
        let (records, fault, _) = receive(&Greeting::None, &[b"a\nb"], true);
        assert_eq!(records, ["0:a"]);
        assert_eq!(fault.as_deref(), Some("the last record is cut off"));
    }

    #[test]
    fn a_hello_is_answered_where_that_is_expected() {
        let greeting = Greeting::AnsweredHello("n".to_owned());
        let (records, fault, told) = receive(&greeting, &[b"{\"hello\":\"n\"}\na\n"], true);
        assert_eq!((records, fault, told), (vec!["0:a".to_owned()], None, vec!["ok\n".to_owned()]));
    }

    #[test]
    fn lines_and_streams_over_their_caps_are_cut() {
        let piece = vec![b'x'; LINE_CAP / 4];
        let (records, fault, told) = receive(&Greeting::None, &[b"a\n"], true);
        assert_eq!((records.len(), fault, told.len()), (1, None, 0));
        let (records, fault, told) = receive(&Greeting::None, &[&piece[..]; 5], true);
        assert_eq!((records.len(), told), (0, vec!["closed".to_owned()]));
        assert_eq!(fault.as_deref(), Some("a record is longer than 1024 KiB"));
        let mut line = piece;
        line.push(b'\n');
        let n_lines = usize::try_from(TOTAL_CAP).unwrap() / line.len();
        let (records, fault, _) = receive(&Greeting::None, &vec![&line[..]; n_lines + 10], true);
        assert_eq!(records.len(), n_lines);
        assert_eq!(fault.as_deref(), Some("more than 64 MiB of records"));
    }

    #[test]
    fn a_sealed_connection_takes_no_line_without_its_seal() {
        let text = "k".repeat(64);
        let lines = crate::exec::channel::seal::tests::sealed(&text, &["a", "b"]);
        for (sent, is_whole) in [
            (vec![lines[0].as_str(), &lines[1]], true),
            (vec!["forged"], false),
            (vec![lines[0].as_str(), "forged", &lines[1]], false),
            (vec![lines[0].as_str(), &lines[0]], false),
        ] {
            let (sender, _told) = channel();
            let mut receiver =
                Receiver::new(hello_of("n")).with_key(Some(crate::exec::channel::seal::tests::key(&text)));
            let mut records = Vec::new();
            let stream = format!("{{\"hello\":\"n\",\"sealed\":true}}\n{}\n", sent.join("\n"));
            for incoming in [
                Incoming::Opened(0, Box::new(Told(sender)) as Box<dyn Peer>),
                Incoming::Data(0, stream.into_bytes()),
                Incoming::Closed(0),
                Incoming::NoMore,
            ] {
                receiver.take(incoming, &mut |_, line| records.push(String::from_utf8_lossy(line).into_owned()));
            }
            assert_eq!(receiver.finish().is_none(), is_whole, "{sent:?}");
            assert!(records.iter().all(|record| record == "a" || record == "b"), "{records:?}");
        }
    }

    #[test]
    fn a_connection_that_stays_open_is_a_fault() {
        let (_, fault, told) = receive(&Greeting::None, &[b"a\n"], false);
        assert_eq!(fault.as_deref(), Some("a connection was still open when every process had ended"));
        assert_eq!(told, ["closed"]);
    }
}
