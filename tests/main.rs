//! The integration tests, one binary: building and linking once is faster than once a file.
#![expect(unreachable_pub, reason = "modules of tests share helpers, and nothing is reachable from a test binary")]

mod suite {
    #[cfg(unix)]
    mod action;
    #[cfg(unix)]
    mod actions;
    mod architecture;
    mod artifacts;
    mod check;
    mod collect;
    mod contract_examples;
    #[cfg(unix)]
    mod exec_channel;
    #[cfg(target_os = "linux")]
    mod exec_faults;
    #[cfg(unix)]
    mod exec_run;
    mod faults;
    mod generated;
    mod git;
    #[cfg(feature = "github")]
    mod github;
    mod javascript;
    mod outputs;
    #[cfg(unix)]
    mod own_report;
    #[cfg(target_os = "linux")]
    mod quiet;
    mod readme;
    #[cfg(unix)]
    mod recipes;
    #[cfg(unix)]
    mod report_files;
    #[cfg(unix)]
    mod runner_cargo;
    #[cfg(unix)]
    mod runner_go;
    #[cfg(unix)]
    mod runner_gradle;
    #[cfg(unix)]
    mod runner_maven;
    #[cfg(unix)]
    mod runner_nextest;
    #[cfg(unix)]
    mod runner_phpunit;
    #[cfg(unix)]
    mod runner_pytest;
    #[cfg(unix)]
    mod runner_rspec;
    #[cfg(unix)]
    mod runner_unittest;
    mod support;
    mod workflows;
}
