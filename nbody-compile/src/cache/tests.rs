use std::time::Duration;

use super::*;

fn cache() -> (tempfile::TempDir, Cache) {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path().join("deep/er"));
    (folder, cache)
}

#[test]
fn stored_entries_are_found() {
    let (_folder, cache) = cache();
    assert!(matches!(cache.load("k", "x"), Entry::Missing));
    cache.store("k", "x", b"payload").unwrap();
    assert!(matches!(cache.load("k", "x"), Entry::Found(found) if found == b"payload"));
    assert!(matches!(cache.load("k", "y"), Entry::Missing));
}

#[test]
fn every_damaged_byte_is_noticed() {
    let (_folder, cache) = cache();
    cache.store("k", "x", b"payload").unwrap();
    let path = cache.path("k", "x").unwrap();
    let whole = fs::read(&path).unwrap();
    for k in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[k] ^= 1;
        fs::write(&path, damaged).unwrap();
        assert!(matches!(cache.load("k", "x"), Entry::Corrupt), "byte {k}");
        fs::write(&path, &whole[..k]).unwrap();
        assert!(matches!(cache.load("k", "x"), Entry::Corrupt), "length {k}");
    }
}

#[test]
fn writers_at_once_leave_one_whole_entry_and_no_other_file() {
    let (_folder, cache) = cache();
    let payload = vec![7; 100_000];
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| cache.store("k", "x", &payload).unwrap());
        }
    });
    assert!(matches!(cache.load("k", "x"), Entry::Found(found) if found == payload));
    let folder = cache.path("k", "x").unwrap();
    assert_eq!(fs::read_dir(folder.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn a_folder_that_cannot_be_written_is_reported() {
    let (folder, _) = cache();
    let file = folder.path().join("file");
    fs::write(&file, b"").unwrap();
    let error = Cache::at(file.join("cache")).store("k", "x", b"").unwrap_err();
    assert!(error.contains("file/cache"), "{error}");
}

#[test]
fn keys_keep_their_parts_apart() {
    assert_ne!(Cache::key(&[b"ab", b"c"]), Cache::key(&[b"a", b"bc"]));
    assert_eq!(Cache::key(&[b"ab"]), Cache::key(&[b"ab"]));
}

/// Stores an entry of `bytes` bytes and a text of four, last used `minutes` minutes ago. Returns
/// the key.
fn store(cache: &Cache, name: &str, bytes: usize, minutes: u64) -> String {
    let key = Cache::key(&[name.as_bytes()]);
    let text = cache.store_text(&key, "cu", "text").unwrap();
    cache.store(&key, "so", &vec![7; bytes]).unwrap();
    for path in [text, cache.path(&key, "so").unwrap()] {
        let time = SystemTime::now() - Duration::from_mins(minutes);
        File::open(path).unwrap().set_modified(time).unwrap();
    }
    key
}

fn has(cache: &Cache, key: &str) -> bool {
    cache.path(key, "so").unwrap().exists()
}

#[test]
fn the_least_recently_used_entries_are_removed_first() {
    let (_folder, cache) = cache();
    let cache = Cache { limit: Ok(4000), ..cache };
    let [a, b, c] =
        [("a", 30), ("b", 20), ("c", 10)].map(|(name, ago)| store(&cache, name, 1000, ago));
    // Reading counts as use.
    assert!(matches!(cache.load(&a, "so"), Entry::Found(_)));
    let d = store(&cache, "d", 1000, 0);
    assert_eq!([&a, &b, &c, &d].map(|key| has(&cache, key)), [true, false, true, true]);
    assert!(!cache.path(&b, "cu").unwrap().exists());
    // The newest entry stays, whatever its size.
    let large = store(&cache, "large", 9000, 0);
    assert_eq!(cache.contents().unwrap().entries, 1);
    assert!(has(&cache, &large));
}

#[test]
fn measurements_and_files_being_written_stay() {
    let (_folder, cache) = cache();
    let cache = Cache { limit: Ok(0), ..cache };
    let tuned = Cache::key(&[b"tuned"]);
    cache.store(&tuned, "tuned", b"measured").unwrap();
    let [fresh, stale] = [".nbody-0123456789abcdef", ".nbody-fedcba9876543210"]
        .map(|name| cache.folder().unwrap().join(name));
    for path in [&fresh, &stale] {
        fs::write(path, b"half").unwrap();
    }
    let day = SystemTime::now() - Duration::from_hours(24);
    File::options().write(true).open(&stale).unwrap().set_modified(day).unwrap();
    store(&cache, "a", 10, 0);
    assert!(matches!(cache.load(&tuned, "tuned"), Entry::Found(_)));
    assert_eq!([fresh, stale].map(|path| path.exists()), [true, false]);
}

#[test]
fn contents_are_counted_and_cleared_and_other_files_are_left_alone() {
    let (_folder, cache) = cache();
    assert_eq!(cache.contents().unwrap(), CacheContents::default());
    assert_eq!(cache.clear().unwrap(), CacheContents::default());
    store(&cache, "a", 1000, 0);
    let empty = cache.contents().unwrap().bytes - 1000;
    store(&cache, "b", 10, 0);
    let others = ["other.so", "other", "0123456789abcdef0123456789abcdef.txt"]
        .map(|name| cache.folder().unwrap().join(name));
    for path in &others {
        fs::write(path, b"mine").unwrap();
    }
    let expected = CacheContents { entries: 2, bytes: 1010 + 2 * empty };
    assert_eq!(cache.contents().unwrap(), expected);
    assert_eq!(cache.clear().unwrap(), expected);
    assert_eq!(cache.contents().unwrap(), CacheContents::default());
    assert!(others.iter().all(|path| path.exists()));
}

#[test]
fn writers_that_make_room_at_once_do_not_disturb_each_other() {
    let (_folder, cache) = cache();
    let cache = Cache { limit: Ok(3000), ..cache };
    std::thread::scope(|scope| {
        for thread in 0..8_u8 {
            let cache = &cache;
            scope.spawn(move || {
                for k in 0..20 {
                    let key = Cache::key(&[&[thread, k]]);
                    cache.store(&key, "so", &[k; 1000]).unwrap();
                    // Other processes may have removed the entry; it is never incomplete.
                    match cache.load(&key, "so") {
                        Entry::Found(found) => assert_eq!(found, [k; 1000]),
                        Entry::Missing => {}
                        Entry::Corrupt => panic!("an incomplete entry"),
                    }
                }
            });
        }
    });
    let cache = Cache { limit: Ok(0), ..cache };
    store(&cache, "last", 1000, 0);
    assert_eq!(cache.contents().unwrap().entries, 1);
}

#[test]
fn an_invalid_limit_is_reported_and_nothing_is_stored() {
    let (_folder, cache) = cache();
    let cache = Cache { limit: Err("lots".to_owned()), ..cache };
    let error = cache.store("k", "so", b"").unwrap_err();
    assert_eq!(error, "NBODY_CACHE_LIMIT is `lots`, expected a whole number of MiB");
    assert!(matches!(cache.load("k", "so"), Entry::Missing));
}

#[cfg(unix)]
#[test]
fn a_folder_that_others_may_write_to_is_not_used() {
    use std::os::unix::fs::PermissionsExt as _;

    let (_folder, cache) = cache();
    let key = store(&cache, "a", 10, 0);
    let set_mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode(cache.folder().unwrap(), 0o777);
    assert!(matches!(cache.load(&key, "so"), Entry::Missing));
    let error = cache.store(&key, "so", b"").unwrap_err();
    assert!(error.contains("its mode is 777") && error.contains("NBODY_CACHE_DIR"), "{error}");
    assert!(cache.store_text(&key, "cu", "text").is_none());
    set_mode(cache.folder().unwrap(), 0o755);
    assert!(matches!(cache.load(&key, "so"), Entry::Found(_)));
    // A file that others could write counts as damaged.
    set_mode(&cache.path(&key, "so").unwrap(), 0o666);
    assert!(matches!(cache.load(&key, "so"), Entry::Corrupt));
}
