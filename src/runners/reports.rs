//! Report files of a run: taken away before it, read after it. What is read was written during the run, into a plain
//! file, and is not endless; who wrote it nobody can tell.
//! Knows nothing of what a report says.

use super::{RecordReader, Site, Transport};
use crate::error::{Failure, Kind};
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A larger report is not read, in bytes.
const LARGEST: u64 = 256 << 20;

/// More report files of one run are nobody's.
const MAX_FILES: usize = 20_000;

/// Clocks of file systems are that coarse.
const TOLERANCE: Duration = Duration::from_secs(2);

/// The report files of one run.
#[derive(Debug, Default)]
pub struct Reports {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    /// When the run began, by the clock of the file system.
    began: Option<SystemTime>,
}

impl Reports {
    /// Takes away every report that is there already, so that none can be an old one.
    ///
    /// # Errors
    /// A report cannot be taken away, or its folder is reached through a link, which could lead anywhere.
    pub fn clear(transport: &Transport, site: &Site<'_>) -> Result<Self, Failure> {
        let mut reports = match transport {
            Transport::ReportFile(file) => Self { files: vec![site.cwd.join(file)], ..Self::default() },
            Transport::ReportFolders(folders) => {
                Self { folders: folders.iter().map(|folder| site.cwd.join(folder)).collect(), ..Self::default() }
            }
            Transport::Socket | Transport::Sockets | Transport::Stdout => return Ok(Self::default()),
        };
        let parents = reports.files.iter().filter_map(|file| file.parent());
        for folder in parents.chain(reports.folders.iter().map(PathBuf::as_path)) {
            refuse_links(site.root, folder)?;
        }
        for file in reports.files.iter().cloned().chain(reports.found()) {
            match std::fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    let message = format!("the old report `{}` could not be taken away: {error}", file.display());
                    return Err(Failure::new(Kind::Io, message));
                }
                Ok(()) | Err(_) => {}
            }
        }
        reports.began = Some(now_on_disk(site.private)?);
        Ok(reports)
    }

    /// Report files in the folders, in the order of their names.
    fn found(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self
            .folders
            .iter()
            .filter_map(|folder| std::fs::read_dir(folder).ok())
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                path.extension()
                    .is_some_and(|ending| ["xml", "trx"].iter().any(|known| ending.eq_ignore_ascii_case(known)))
            })
            .take(MAX_FILES + 1)
            .collect();
        files.sort_unstable();
        files
    }

    /// Gives each report to the reader as one line of a connection of its own, once everything of the run has ended.
    ///
    /// # Errors
    /// In words, what is wrong with a report that is there. One that is not there is the reader's to tell.
    pub fn feed(&self, reader: &mut dyn RecordReader) -> Result<(), String> {
        let found = self.found();
        if found.len() > MAX_FILES {
            return Err(format!("there are more than {MAX_FILES} reports"));
        }
        for (connection, file) in self.files.iter().cloned().chain(found).enumerate() {
            if let Ok(metadata) = std::fs::symlink_metadata(&file) {
                let bytes = self.read(&file, &metadata)?;
                reader.line(connection, &bytes);
            }
        }
        Ok(())
    }

    fn read(&self, file: &Path, metadata: &Metadata) -> Result<Vec<u8>, String> {
        if !metadata.is_file() {
            return Err("the report is not a regular file".to_owned());
        }
        let is_older = |began: SystemTime| metadata.modified().is_ok_and(|changed| changed + TOLERANCE < began);
        if self.began.is_some_and(is_older) {
            return Err("the report is older than the run".to_owned());
        }
        let mut bytes = Vec::new();
        let read = File::open(file).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
        read.map_err(|error| format!("the report cannot be read: {error}"))?;
        if bytes.len() as u64 > LARGEST {
            return Err(format!("the report is larger than {} MiB", LARGEST >> 20));
        }
        Ok(bytes)
    }
}

/// Takes build output of an earlier run away.
///
/// # Errors
/// A folder is reached through a link, or cannot be taken away.
pub fn take_away(folders: &[PathBuf], root: &Path) -> Result<(), Failure> {
    for folder in folders {
        refuse_links(root, folder)?;
        if let Err(error) = std::fs::remove_dir_all(folder)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            let message = format!("`{}`, which an earlier build left, could not be taken away", folder.display());
            return Err(Failure::new(Kind::Io, message).detail("cause", error.to_string()));
        }
    }
    Ok(())
}

/// A folder below the root must be reached without links.
fn refuse_links(root: &Path, folder: &Path) -> Result<(), Failure> {
    let Ok(below) = folder.strip_prefix(root) else { return Ok(()) };
    let mut place = root.to_path_buf();
    for part in below.components() {
        let Component::Normal(name) = part else {
            let message = format!("`{}` is not a path inside the repository", folder.display());
            return Err(Failure::new(Kind::RunnerUnsupported, message));
        };
        place.push(name);
        if std::fs::symlink_metadata(&place).is_ok_and(|metadata| metadata.is_symlink()) {
            let message = format!("`{}` is a link, and reports are not looked for behind one", place.display());
            return Err(Failure::new(Kind::RunnerUnsupported, message).next("write reports into a folder of its own"));
        }
    }
    Ok(())
}

/// The time that a file gets which is written now.
fn now_on_disk(folder: &Path) -> Result<SystemTime, Failure> {
    let mark = folder.join("began");
    let written = std::fs::write(&mark, "").and_then(|()| std::fs::symlink_metadata(&mark)?.modified());
    written.map_err(|error| {
        Failure::new(Kind::Io, "failed to write into the private folder of a run").detail("cause", error.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::{Reports, refuse_links};
    use crate::facts::ProcessEnd;
    use crate::runners::{Readout, RecordReader, Site, Transport};
    use std::path::Path;

    /// Remembers what it is given.
    #[derive(Default)]
    struct Kept(Vec<(usize, String)>);

    impl RecordReader for Kept {
        fn line(&mut self, connection: usize, line: &[u8]) {
            self.0.push((connection, String::from_utf8_lossy(line).into_owned()));
        }

        fn so_far(&self) -> (usize, usize) {
            (0, 0)
        }

        fn finish(self: Box<Self>, _fault: Option<&str>, _end: &ProcessEnd) -> Readout {
            unreachable!("nobody asks for it here")
        }
    }

    fn site(root: &Path) -> Site<'_> {
        Site { root, cwd: root, private: root, checkout: root, build: root, this_program: root, search_path: None }
    }

    #[test]
    fn a_report_that_was_there_before_the_run_is_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("r.xml"), "old").unwrap();
        let reports = Reports::clear(&Transport::ReportFile("r.xml".into()), &site(folder.path())).unwrap();
        let mut kept = Kept::default();
        assert_eq!((reports.feed(&mut kept), kept.0.len()), (Ok(()), 0));
        std::fs::write(folder.path().join("r.xml"), "new").unwrap();
        assert_eq!(reports.feed(&mut kept), Ok(()));
        assert_eq!(kept.0, [(0, "new".to_owned())]);
    }

    #[test]
    fn every_report_of_a_folder_is_read_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("out");
        std::fs::create_dir(&below).unwrap();
        std::fs::write(below.join("old.xml"), "old").unwrap();
        let reports = Reports::clear(&Transport::ReportFolders(vec!["out".into()]), &site(folder.path())).unwrap();
        for (name, text) in [("b.xml", "2"), ("a.XML", "1"), ("c.txt", "3")] {
            std::fs::write(below.join(name), text).unwrap();
        }
        let mut kept = Kept::default();
        assert_eq!(reports.feed(&mut kept), Ok(()));
        assert_eq!(kept.0, [(0, "1".to_owned()), (1, "2".to_owned())]);
    }

    #[test]
    fn a_report_with_the_time_of_an_older_one_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let reports = Reports::clear(&Transport::ReportFile("r.xml".into()), &site(folder.path())).unwrap();
        let file = std::fs::File::create(folder.path().join("r.xml")).unwrap();
        file.set_modified(reports.began.unwrap() - std::time::Duration::from_mins(1)).unwrap();
        let told = reports.feed(&mut Kept::default()).unwrap_err();
        assert_eq!(told, "the report is older than the run");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_neither_followed_nor_read() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let kept_file = elsewhere.path().join("r.xml");
        std::fs::write(&kept_file, "x").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("out")).unwrap();
        let cleared = Reports::clear(&Transport::ReportFile("out/r.xml".into()), &site(folder.path()));
        assert!(cleared.is_err() && kept_file.exists());
        let reports = Reports::clear(&Transport::ReportFile("r.xml".into()), &site(folder.path())).unwrap();
        std::os::unix::fs::symlink(&kept_file, folder.path().join("r.xml")).unwrap();
        assert_eq!(reports.feed(&mut Kept::default()).unwrap_err(), "the report is not a regular file");
        assert!(refuse_links(folder.path(), &folder.path().join("a/../../b")).is_err());
    }
}
