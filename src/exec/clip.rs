//! Keeps the head and the tail of what a process prints, in bounded memory.

use std::collections::VecDeque;

/// The first and the last bytes of a stream, half of the cap each.
#[derive(Debug, Clone, Default)]
pub(super) struct Clip {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    n_left_out: u64,
}

impl Clip {
    pub(super) fn new(cap: usize) -> Self {
        Self { half: cap / 2, ..Self::default() }
    }

    /// Takes the next piece of the stream.
    pub(super) fn push(&mut self, piece: &[u8]) {
        let n_head = piece.len().min(self.half - self.head.len());
        let (head, rest) = piece.split_at(n_head);
        self.head.extend_from_slice(head);
        // Of a piece longer than the tail only its end can stay.
        let (skipped, kept) = rest.split_at(rest.len().saturating_sub(self.half));
        let n_over = (self.tail.len() + kept.len()).saturating_sub(self.half);
        self.tail.drain(..n_over);
        self.tail.extend(kept);
        self.n_left_out += u64::try_from(skipped.len() + n_over).unwrap_or(u64::MAX);
    }

    /// Returns what was kept as text, with a line that tells how much is left out.
    pub(super) fn into_text(self) -> String {
        let tail: Vec<u8> = self.tail.into();
        if self.n_left_out == 0 {
            return String::from_utf8_lossy(&[self.head, tail].concat()).into_owned();
        }
        let (head, tail) = (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(&tail));
        format!("{head}\n[... {} bytes left out ...]\n{tail}", self.n_left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clipped(cap: usize, pieces: &[&str]) -> String {
        let mut clip = Clip::new(cap);
        for piece in pieces {
            clip.push(piece.as_bytes());
        }
        clip.into_text()
    }

    #[test]
    fn a_stream_within_the_cap_is_kept_whole() {
        assert_eq!(clipped(8, &["ab", "cd", "efgh"]), "abcdefgh");
        assert_eq!(clipped(8, &[]), "");
    }

    #[test]
    fn a_longer_stream_keeps_head_and_tail_however_it_is_cut() {
        let expected = "abc\n[... 4 bytes left out ...]\nhij";
        for pieces in
            [&["abcdefghij"][..], &["ab", "cdefg", "hij"], &["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]]
        {
            assert_eq!(clipped(6, pieces), expected, "{pieces:?}");
        }
    }

    #[test]
    fn a_cap_of_nothing_keeps_nothing() {
        assert_eq!(clipped(0, &["abc"]), "\n[... 3 bytes left out ...]\n");
    }
}
