//! Any bytes are read as a contract without a panic, and what is said of them is true of them.

#![no_main]

use agent_acceptance::contract::{Reading, read, shown_text};
use agent_acceptance::facts::Facts;
use agent_acceptance::verdict::{VerdictStatus, judge};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    match read(text) {
        Reading::Absent => {}
        Reading::Invalid(problems) => {
            assert!(!problems.is_empty(), "invalid without a reason");
            let shown = shown_text(text);
            for problem in problems {
                assert!(shown.get(problem.span.clone()).is_some(), "{problem:?} does not lie in the text");
                assert!(problem.line >= 1 && problem.column >= 1);
            }
        }
        Reading::Valid(contract) => {
            assert!(!contract.clauses.is_empty(), "a contract that asks for nothing");
            contract.plan();
            let verdict = judge(&contract, &Facts::none());
            assert_ne!(verdict.status, VerdictStatus::Passed, "nothing is known");
            // CR CR LF becomes CR LF, which would become LF when read again.
            let normalized = contract.normalized().to_string();
            if !normalized.contains("\\r") {
                match read(normalized.as_bytes()) {
                    Reading::Valid(again) => assert_eq!(again.digest, contract.digest),
                    other => panic!("{normalized} is no contract: {other:?}"),
                }
            }
        }
    }
});
