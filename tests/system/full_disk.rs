//! Messages of the programs about a full disk.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::keys::{CONTROL, ESCAPE, F9, F12, RETURN};
use crate::person::{Person, is_dimmed};
use crate::program::become_ours;

/// Our program in a folder that is a disk of its own, with room for 32 kB; `None` where that cannot
/// be had.
fn on_a_small_disk(folder: &Path) -> Option<Command> {
    let with_mounts = ["--user", "--map-root-user", "--mount"];
    let is_allowed = Command::new("unshare").args(with_mounts).arg("true").status();
    if !is_allowed.is_ok_and(|status| status.success()) {
        return None;
    }
    let mut command = Command::new("unshare");
    command.args(with_mounts).args(["sh", "-c"]);
    command.arg("mount -t tmpfs -o size=32k tmpfs \"$0\" && cd \"$0\" && exec \"$@\"");
    command.arg(folder);
    become_ours(&mut command, "palpate");
    Some(command)
}

#[test]
#[allow(clippy::print_stderr, reason = "skipped tests must be reported")]
fn a_full_disk_is_reported_and_leaves_the_scene_unchanged() {
    let disk = tempfile::tempdir().unwrap();
    let Some(mut command) = on_a_small_disk(disk.path()) else {
        return eprintln!("NOT RUN: this system allows no mount namespace of one's own");
    };
    command.args(["squeeze", "--hand", "mouse", "--cells", "8"]);
    let person = Person::starts(command, None, |_, _| {});
    let (screen, palpate) = (&person.screen, &person.palpate);
    let before = screen.picture();
    screen.press_with(&[CONTROL], u32::from(b's'));
    screen.wait_to_see("where to save it", |picture| is_dimmed(picture, &before));
    screen.type_text("new.obj3");
    screen.press(RETURN);
    palpate.wait_for("new.obj3 cannot be written: ");
    screen.press(ESCAPE);
    screen.wait_to_see("the cube still", |picture| {
        !is_dimmed(picture, &before) && picture.object() > 0.5 * before.object()
    });
    screen.press(F12);
    palpate.wait_for("no picture: cannot write into ");
    // Incomplete files are removed; an incomplete recording is kept and reported.
    let disk = format!("/proc/{}/root{}", palpate.id(), disk.path().display());
    assert_eq!(fs::read_dir(disk).unwrap().count(), 0);
    screen.press(F9);
    palpate.wait_for("the recording has stopped, because it cannot be written to the disk");
    screen.wait_to_see("a red line", |picture| picture.alarm() > 0.001);
    screen.press(ESCAPE);
    let (_, said) = person.palpate.wait();
    assert!(said.contains("run       stopped"), "{said}");
}
