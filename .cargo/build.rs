//! Makes the released program smaller where the linker can. Nothing that the program does depends on it.

#![expect(clippy::disallowed_methods, reason = "Cargo tells build scripts everything by environment")]

use std::path::Path;
use std::process::{Command, Stdio};

/// A released program ends at a panic, so that the tables for unwinding its stack are never read: an eighth of it.
const NO_TABLES: &str = "SECTIONS { /DISCARD/ : { *(.eh_frame) *(.eh_frame_hdr) } } INSERT AFTER .text;\n";

fn main() {
    println!("cargo::rerun-if-changed=.cargo/build.rs");
    let is = |name, value| std::env::var_os(name).is_some_and(|found| found == value);
    let Some(folder) = std::env::var_os("OUT_DIR") else { return };
    let folder = Path::new(&folder);
    let script = folder.join("no-tables.ld");
    if !is("PROFILE", "release") || !is("CARGO_CFG_TARGET_OS", "linux") || std::fs::write(&script, NO_TABLES).is_err() {
        return;
    }
    let without_tables = ["-Wl,--no-eh-frame-hdr".to_owned(), format!("-Wl,-T,{}", script.display())];
    for args in [["-Wl,--icf=all".to_owned()].as_slice(), &without_tables] {
        if links(folder, args).unwrap_or(false) {
            for arg in args {
                println!("cargo::rustc-link-arg-bins={arg}");
            }
        }
    }
}

/// Tries the arguments on a small program: linkers differ in what they know.
fn links(folder: &Path, args: &[String]) -> std::io::Result<bool> {
    let var = |name| std::env::var(name).unwrap_or_default();
    let source = folder.join("probe.rs");
    std::fs::write(&source, "fn main() {}\n")?;
    let mut rustc = Command::new(var("RUSTC"));
    rustc.arg(source).arg("-o").arg(folder.join("probe")).args(["--target", &var("TARGET"), "-Cpanic=abort"]);
    rustc.args(var("CARGO_ENCODED_RUSTFLAGS").split('\x1f').filter(|flag| !flag.is_empty()));
    if let Ok(linker) = std::env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    rustc.args(args.iter().map(|arg| format!("-Clink-arg={arg}")));
    Ok(rustc.stdout(Stdio::null()).stderr(Stdio::null()).status()?.success())
}
