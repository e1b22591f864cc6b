use std::fs;
use std::path::Path;

use super::super::thing_files::tests::{cube, to_read, to_save};
use super::file_jobs::write_under_free_name;
use super::*;
use crate::settings::ReadOptions;

fn open(jobs: &mut BackgroundJobs, path: PathBuf, like: &Arc<ObjectSpec>) {
    jobs.read_file(path, to_read(like, ReadOptions::default())).unwrap();
}

fn wait(jobs: &mut BackgroundJobs) -> JobResult {
    let patience = std::time::Duration::from_secs(60);
    jobs.results.recv_timeout(patience).expect("a job has a result")
}

#[test]
fn a_shape_comes_back_as_it_was_saved_and_is_not_replaced_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cube.obj3");
    let spec = Arc::new(cube());
    let mut jobs = BackgroundJobs::default();
    jobs.save_shape(path.clone(), to_save(&spec), WhenFileExists::Ask).unwrap();
    assert!(matches!(wait(&mut jobs), JobResult::Saved(_, Ok(_))));
    jobs.save_shape(path.clone(), to_save(&spec), WhenFileExists::Ask).unwrap();
    assert!(matches!(wait(&mut jobs), JobResult::WouldReplace(_)));
    jobs.save_shape(path.clone(), to_save(&spec), WhenFileExists::Replace).unwrap();
    assert!(matches!(wait(&mut jobs), JobResult::Saved(_, Ok(_))));

    open(&mut jobs, path, &spec);
    let JobResult::Read(_, Ok((parts, found))) = wait(&mut jobs) else {
        panic!("it cannot be read")
    };
    assert!(found.words.contains("27 nodes, 48 tetrahedra") && !found.is_remarkable);
    assert_eq!((parts.name.as_str(), &parts.spec), ("cube", &spec));
    let lowest = |parts: &ThingParts| parts.spec.bounds(&parts.home).low.y;
    assert!(lowest(&parts).abs() < 1e-12, "it stands on the table");

    open(&mut jobs, folder.path().to_owned(), &spec);
    let JobResult::IsFolder(listing) = wait(&mut jobs) else { panic!("it is a folder") };
    let name = "cube.obj3".to_owned();
    assert_eq!(listing.entries, Ok(vec![FolderEntry { is_file: true, name }]));
}

#[test]
fn a_name_that_two_want_is_only_one_recordings() {
    let folder = tempfile::tempdir().unwrap();
    let begin = |path: &Path| crate::wiring::recorder(path, drivers::recording::Existing::Keep);
    // Another program takes the name between the check and the beginning of the recording.
    let is_late = std::cell::Cell::new(true);
    let late = |path: &Path| {
        if is_late.replace(false) {
            fs::write(path, "theirs").unwrap();
        }
        begin(path)
    };
    let (recorder, path) = begin_recording(folder.path(), late).unwrap();
    assert!(path.ends_with("palpate-0002.palpate"), "{}", path.display());
    assert_eq!(fs::read(folder.path().join("palpate-0001.palpate")).unwrap(), b"theirs");
    recorder.finish().unwrap();
    let nowhere = folder.path().join("no");
    assert!(begin_recording(&nowhere, begin).is_err());
}

#[test]
fn a_new_solver_is_tried_first() {
    let mut jobs = BackgroundJobs::default();
    jobs.open_solvers(SolverChoice { threads: Some(1), ..SolverChoice::default() }).unwrap();
    assert!(matches!(wait(&mut jobs), JobResult::Solvers(_, Ok(_))));
    // No server listens there.
    let server = Some("http://127.0.0.1:1".to_owned());
    jobs.open_solvers(SolverChoice { server, ..SolverChoice::default() }).unwrap();
    let JobResult::Solvers(_, Err(why)) = wait(&mut jobs) else { panic!("no server is there") };
    assert!(!why.is_empty());
}

#[test]
fn pictures_are_numbered_and_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let first = write_under_free_name(folder.path(), b"one").unwrap();
    let second = write_under_free_name(folder.path(), b"two").unwrap();
    assert!(first.ends_with("palpate-0001.png") && second.ends_with("palpate-0002.png"));
    assert_eq!(fs::read(first).unwrap(), b"one");
}

#[test]
fn a_recording_is_ended_however_much_is_being_done() {
    let folder = tempfile::tempdir().unwrap();
    let mut jobs = BackgroundJobs::default();
    let (go_on, waiting) = sync_channel::<()>(0);
    let waiting = Arc::new(std::sync::Mutex::new(waiting));
    for _ in 0..MOST_AT_ONCE {
        let waiting = Arc::clone(&waiting);
        let job = move || {
            let _ = waiting.lock().map(|waiting| waiting.recv());
            JobResult::SettingsSaved(Ok(()))
        };
        jobs.start(JobResult::SettingsSaved(broken()), job).unwrap();
    }
    assert!(jobs.list_folder(folder.path().to_owned()).is_err(), "there is enough to do");
    let begin = |path: &Path| crate::wiring::recorder(path, drivers::recording::Existing::Keep);
    let (recorder, path) = begin_recording(folder.path(), begin).unwrap();
    jobs.finish_recording(recorder, path.clone()).unwrap();
    let JobResult::Recorded(of, Ok(())) = wait(&mut jobs) else {
        panic!("the recording is not whole")
    };
    assert_eq!(of, path);
    drop(go_on);
}

#[test]
fn a_job_that_panics_has_a_result_with_the_reason() {
    let mut jobs = BackgroundJobs::default();
    jobs.start(JobResult::People(broken()), || panic!("this is expected")).unwrap();
    let JobResult::People(Err(why)) = wait(&mut jobs) else { panic!("the error is lost") };
    assert!(why.contains("internal error"), "{why}");
}
