//! The runners of JavaScript, as they really behave.

use super::support;

mod jest;
mod node_test;
mod vitest;
