//! The runners of JavaScript, as they really behave.

use super::support;

mod attacks;
mod jest;
mod mocha;
mod node_test;
mod playwright;
mod vitest;
