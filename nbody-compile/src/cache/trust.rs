//! Checks that only this user and the administrator can write cache entries, since entries are
//! run.

use std::fs::{DirBuilder, Metadata};
use std::io;
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;

/// The administrator of the system, who can write anywhere.
#[cfg(unix)]
const ROOT: u32 = 0;

/// Refuses a file or folder that anyone but this user and the administrator can write. The error
/// is the reason.
#[cfg(unix)]
pub(super) fn check(metadata: &Metadata) -> Result<(), String> {
    let (owner, user) = (metadata.uid(), rustix::process::geteuid().as_raw());
    if owner != user && owner != ROOT {
        return Err(format!("it belongs to user {owner}, expected {user}, who runs this"));
    }
    let mode = metadata.mode() & 0o777;
    if mode & 0o022 != 0 {
        return Err(format!(
            "its mode is {mode:o}, so that others may write to it, expected {:o}",
            mode & !0o022
        ));
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn check(_: &Metadata) -> Result<(), String> {
    Ok(())
}

/// Creates a folder that only this user can access, and its parents, unless they exist.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut options = DirBuilder::new();
    options.recursive(true);
    #[cfg(unix)]
    options.mode(0o700);
    options.create(folder)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, chown};

    use super::*;

    #[test]
    fn a_new_folder_is_for_this_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("deep/er");
        make_folder(&deep).unwrap();
        for made in [deep.parent().unwrap(), &deep] {
            let metadata = fs::metadata(made).unwrap();
            assert_eq!(metadata.mode() & 0o777, 0o700);
            check(&metadata).unwrap();
        }
        make_folder(&deep).unwrap();
    }

    #[test]
    fn a_folder_that_others_may_write_to_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let check_mode = |mode| {
            fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
            check(&fs::metadata(folder.path()).unwrap())
        };
        for mode in [0o700, 0o755, 0o1711] {
            check_mode(mode).unwrap();
        }
        for (mode, closed) in [(0o775, "755"), (0o702, "700"), (0o1777, "755")] {
            let error = check_mode(mode).unwrap_err();
            assert!(error.ends_with(&format!("expected {closed}")), "{error}");
        }
    }

    /// Only the administrator can give a folder away.
    #[test]
    fn a_folder_of_another_user_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        if chown(folder.path(), Some(12345), None).is_ok() {
            let error = check(&fs::metadata(folder.path()).unwrap()).unwrap_err();
            assert!(error.starts_with("it belongs to user 12345, expected "), "{error}");
        }
    }
}
