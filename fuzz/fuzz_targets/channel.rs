//! Any bytes on the channel are read without a panic, and nothing is passed that was not told whole.

#![no_main]

use agent_acceptance::facts::{Completeness, ProcessEnd, Status, TestId};
use agent_acceptance::runners::protocol::Reader;
use agent_acceptance::runners::{RecordReader as _, Site};
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeSet;
use std::path::Path;

fuzz_target!(|stream: &[u8]| {
    let root = Path::new("/root-of-the-tree");
    let site = Site {
        root,
        cwd: root,
        private: root,
        checkout: root,
        build: root,
        this_program: root,
        search_path: None,
    };
    let mut reader = Box::new(Reader::new(&site));
    for line in stream.split(|&byte| byte == b'\n') {
        reader.line(0, line);
    }
    let (passed, failed) = reader.so_far();
    let readout = reader.finish(None, &ProcessEnd::default());
    let ids: BTreeSet<&TestId> = readout.records.iter().map(|record| &record.id).collect();
    assert_eq!(ids.len(), readout.records.len(), "two records have one id");
    if readout.completeness == Completeness::NoReport {
        assert!(readout.records.iter().all(|record| record.status != Status::Passed));
    }
    assert!(passed + failed <= stream.len());
});
