//! The MPI library: its functions, and the constants of its binary interface.
//!
//! Libraries differ in the types of handles and in the values of constants. A handle is passed as
//! a word: an address in Open MPI and in the standard interface; in MPICH an integer of 32 bits: a
//! function reads the lower half of the register.

use std::error::Error as _;
use std::ffi::{c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

use libloading::os::unix::{Library as Loaded, RTLD_GLOBAL, RTLD_NOW};

use super::launcher::{Launcher, candidates};
use crate::error::Error;

/// Declares the functions: a field for each, loaded from the library by its C name.
macro_rules! functions {
    ($($field:ident $name:literal ($($argument:ty),*);)*) => {
        #[derive(Debug)]
        struct Functions { $($field: unsafe extern "C" fn($($argument),*) -> c_int),* }

        impl Functions {
            /// # Safety
            /// The library is an MPI library, and outlives the functions.
            unsafe fn load(library: &Loaded) -> Result<Self, libloading::Error> {
                // SAFETY: mpi.h has these types, with handles in place of words.
                unsafe { Ok(Self { $($field: *library.get($name)?),* }) }
            }
        }
    };
}

functions! {
    initialised b"MPI_Initialized" (*mut c_int);
    finalised b"MPI_Finalized" (*mut c_int);
    initialise b"MPI_Init_thread" (*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int);
    level b"MPI_Query_thread" (*mut c_int);
    finalise b"MPI_Finalize" ();
    abort b"MPI_Abort" (usize, c_int);
    rank b"MPI_Comm_rank" (usize, *mut c_int);
    size b"MPI_Comm_size" (usize, *mut c_int);
    duplicate b"MPI_Comm_dup" (usize, *mut usize);
    free b"MPI_Comm_free" (*mut usize);
    barrier b"MPI_Barrier" (usize);
    gather b"MPI_Allgatherv" (
        *const c_void, c_int, usize, *mut c_void, *const c_int, *const c_int, usize, usize
    );
    broadcast b"MPI_Bcast" (*mut c_void, c_int, usize, c_int, usize);
    send b"MPI_Send" (*const c_void, c_int, usize, c_int, c_int, usize);
    receive b"MPI_Irecv" (*mut c_void, c_int, usize, c_int, c_int, usize, *mut u64);
    wait b"MPI_Wait" (*mut u64, *mut u64);
    version b"MPI_Get_library_version" (*mut c_char, *mut c_int);
}

/// The binary interface of a library.
#[derive(Clone, Copy, Debug)]
struct Interface {
    world: usize,
    byte: usize,
    /// `MPI_THREAD_SERIALIZED`: calls of any thread, one at a time.
    serialized: c_int,
    /// `MPI_Comm_f2c` or `MPI_Comm_fromint`; `None` where both handles are one integer.
    of_fortran: Option<unsafe extern "C" fn(c_int) -> usize>,
}

/// An MPI library, loaded for as long as the process runs.
#[derive(Debug)]
pub(super) struct Library {
    functions: Functions,
    interface: Interface,
    /// `MPIX_Query_cuda_support`, an extension of Open MPI and MPICH.
    takes_gpus: Option<unsafe extern "C" fn() -> c_int>,
}

impl Library {
    /// Returns the library of this process.
    pub fn get() -> Result<&'static Self, Error> {
        static FOUND: OnceLock<Library> = OnceLock::new();
        static LOADING: Mutex<()> = Mutex::new(());
        let _loading = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = FOUND.get() {
            return Ok(found);
        }
        let found = Self::find()?;
        Ok(FOUND.get_or_init(|| found))
    }

    fn find() -> Result<Self, Error> {
        let own = Loaded::this();
        // SAFETY: the symbol is only looked for.
        if unsafe { own.get::<*const c_void>(b"MPI_Initialized") }.is_ok() {
            return Self::of(&own, Path::new("of the program"));
        }
        if let Some(named) = std::env::var_os("NBODY_MPI").filter(|name| !name.is_empty()) {
            let path = PathBuf::from(named);
            return Self::open(&path)?.ok_or(Error::NoMpi { tried: vec![path] });
        }
        let tried = candidates(Launcher::find());
        for path in &tried {
            if let Some(found) = Self::open(path)? {
                return Ok(found);
            }
        }
        Err(Error::NoMpi { tried })
    }

    /// Loads a library; `None` if there is no such file.
    fn open(path: &Path) -> Result<Option<Self>, Error> {
        // The plugins of Open MPI find its symbols only if they are global.
        // SAFETY: loading an MPI library runs only its own initialisers.
        match unsafe { Loaded::open(Some(path), RTLD_NOW | RTLD_GLOBAL) } {
            Ok(loaded) => {
                let found = Self::of(&loaded, path)?;
                // It is never unloaded, so that functions stay valid.
                std::mem::forget(loaded);
                Ok(Some(found))
            }
            Err(error) => {
                let message = reason(&error);
                if message.contains("No such file") && !path.is_file() {
                    return Ok(None);
                }
                Err(Error::MpiBroken { path: path.to_owned(), message })
            }
        }
    }

    fn of(library: &Loaded, path: &Path) -> Result<Self, Error> {
        let broken = |error: libloading::Error| Error::MpiBroken {
            path: path.to_owned(),
            message: reason(&error),
        };
        // SAFETY: the library has the names of MPI and is never unloaded; a library that lacks a
        // function is refused.
        let functions = unsafe { Functions::load(library) }.map_err(broken)?;
        let interface = Interface::of(library).map_err(broken)?;
        // SAFETY: the function has this type in all libraries that have it.
        let takes_gpus = unsafe { library.get(b"MPIX_Query_cuda_support") };
        Ok(Self { functions, interface, takes_gpus: takes_gpus.ok().map(|it| *it) })
    }

    fn check(&self, call: &'static str, status: c_int) -> Result<(), Error> {
        if status == 0 {
            return Ok(());
        }
        Err(Error::Mpi { call, status, library: self.version() })
    }

    /// Returns the first line of the version.
    pub fn version(&self) -> String {
        // More than MPI_MAX_LIBRARY_VERSION_STRING of any library.
        let mut text = vec![0_u8; 1 << 14];
        let mut length = 0;
        // SAFETY: there is room for the longest version.
        unsafe { (self.functions.version)(text.as_mut_ptr().cast(), &raw mut length) };
        let end = text.iter().position(|byte| [0, b'\n', b','].contains(byte)).unwrap_or(0);
        String::from_utf8_lossy(&text[..end]).trim().to_owned()
    }

    pub fn world(&self) -> usize {
        self.interface.world
    }

    /// Returns the communicator of a handle of Fortran.
    pub fn of_fortran(&self, communicator: i32) -> usize {
        match self.interface.of_fortran {
            // SAFETY: the function takes any integer.
            Some(convert) => unsafe { convert(communicator) },
            None => communicator.cast_unsigned() as usize,
        }
    }

    /// Initialises MPI if it is not; returns whether it did.
    pub fn initialise(&self) -> Result<bool, Error> {
        let [begun, ended] = self.state()?;
        if ended {
            return Err(Error::NotNow { reason: "the program has finalised it; connect before" });
        }
        if begun {
            return Ok(false);
        }
        let (initialise, wanted, mut level) =
            (self.functions.initialise, self.interface.serialized, 0);
        // SAFETY: null stands for the arguments of the program, since MPI-2.
        let status =
            unsafe { initialise(ptr::null_mut(), ptr::null_mut(), wanted, &raw mut level) };
        self.check("MPI_Init_thread", status)?;
        Ok(true)
    }

    /// Refuses to use MPI before it is initialised and after it is finalised.
    pub fn check_running(&self) -> Result<(), Error> {
        match self.state()? {
            [true, false] => Ok(()),
            [false, _] => {
                Err(Error::NotNow { reason: "it is not initialised; call MPI_Init before" })
            }
            [true, true] => {
                Err(Error::NotNow { reason: "the program has finalised it; connect before" })
            }
        }
    }

    /// Returns whether MPI was initialised, and whether it was finalised.
    fn state(&self) -> Result<[bool; 2], Error> {
        let mut flags = [0; 2];
        // SAFETY: the addresses point to integers.
        let [begun, ended] = unsafe {
            [
                (self.functions.initialised)(&raw mut flags[0]),
                (self.functions.finalised)(&raw mut flags[1]),
            ]
        };
        self.check("MPI_Initialized", begun)?;
        self.check("MPI_Finalized", ended)?;
        Ok(flags.map(|flag| flag != 0))
    }

    /// Returns whether any thread may call MPI, one at a time.
    pub fn takes_any_thread(&self) -> Result<bool, Error> {
        let mut level = 0;
        // SAFETY: the address points to an integer.
        self.check("MPI_Query_thread", unsafe { (self.functions.level)(&raw mut level) })?;
        Ok(level >= self.interface.serialized)
    }

    pub fn duplicate(&self, communicator: usize) -> Result<usize, Error> {
        // MPICH writes an integer; the upper half stays zero.
        let mut handle = 0;
        // SAFETY: the address has room for a handle.
        let status = unsafe { (self.functions.duplicate)(communicator, &raw mut handle) };
        self.check("MPI_Comm_dup", status)?;
        Ok(handle)
    }

    pub fn rank_and_size(&self, handle: usize) -> Result<[usize; 2], Error> {
        let [mut rank, mut size] = [0; 2];
        // SAFETY: the addresses point to integers, and the handle is a communicator.
        let statuses = unsafe {
            [
                (self.functions.rank)(handle, &raw mut rank),
                (self.functions.size)(handle, &raw mut size),
            ]
        };
        self.check("MPI_Comm_rank", statuses[0])?;
        self.check("MPI_Comm_size", statuses[1])?;
        Ok([rank, size].map(|number| usize::try_from(number).unwrap_or(0)))
    }

    /// Gathers messages of at most 2³¹ - 1 bytes in total; sizes are checked.
    pub fn gather(
        &self,
        handle: usize,
        mine: &[u8],
        sizes: &[usize],
        all: &mut [u8],
    ) -> Result<(), Error> {
        let counts: Vec<_> = sizes.iter().map(|size| int(*size)).collect();
        let begin = |begin: &mut c_int, count: &c_int| {
            let this = *begin;
            *begin += count;
            Some(this)
        };
        let begins: Vec<_> = counts.iter().scan(0, begin).collect();
        let byte = self.interface.byte;
        // The address of an empty slice may be MPI_IN_PLACE, which is 1 in Open MPI.
        let (empty, mut nowhere) = ([0], [0]);
        let mine = if mine.is_empty() { &empty[..0] } else { mine };
        let all = if all.is_empty() { &mut nowhere[..0] } else { all };
        // SAFETY: `all` has room for a message of these counts from each rank, and `mine` is the
        // message of this one.
        let status = unsafe {
            (self.functions.gather)(
                mine.as_ptr().cast(),
                int(mine.len()),
                byte,
                all.as_mut_ptr().cast(),
                counts.as_ptr(),
                begins.as_ptr(),
                byte,
                handle,
            )
        };
        self.check("MPI_Allgatherv", status)
    }

    /// Sends bytes, at most 2³¹ - 1, from a rank to all others.
    pub fn broadcast(&self, handle: usize, bytes: &mut [u8], from: usize) -> Result<(), Error> {
        let (count, byte) = (int(bytes.len()), self.interface.byte);
        // SAFETY: the bytes are writable.
        let status = unsafe {
            (self.functions.broadcast)(bytes.as_mut_ptr().cast(), count, byte, int(from), handle)
        };
        self.check("MPI_Bcast", status)
    }

    /// Returns whether the library takes addresses of the memory of GPUs.
    pub fn takes_gpus(&self) -> bool {
        // SAFETY: the extension has this function without arguments.
        self.takes_gpus.is_some_and(|takes| unsafe { takes() } == 1)
    }

    /// Sends bytes to a rank, and receives bytes of another one, at most 2³¹ - 1 each, given by their
    /// address and count. Without bytes there is no message.
    ///
    /// # Safety
    ///
    /// The sent bytes can be read, and nothing else reads or writes the received bytes.
    pub unsafe fn pass(
        &self,
        handle: usize,
        ((sent, sends), to): ((*const c_void, usize), usize),
        ((received, receives), from): ((*mut c_void, usize), usize),
    ) -> Result<(), Error> {
        let (byte, functions) = (self.interface.byte, &self.functions);
        // An integer or an address, and a struct of at most 64 bytes.
        let (mut request, mut status) = (0, [0; 8]);
        if receives > 0 {
            let count = int(receives);
            // SAFETY: the bytes are writable, and nothing else uses them before the wait.
            let begun = unsafe {
                (functions.receive)(received, count, byte, int(from), 0, handle, &raw mut request)
            };
            self.check("MPI_Irecv", begun)?;
        }
        let mut done = Ok(());
        if sends > 0 {
            // SAFETY: the bytes are readable.
            let sent = unsafe { (functions.send)(sent, int(sends), byte, int(to), 0, handle) };
            done = self.check("MPI_Send", sent);
        }
        if receives > 0 {
            // SAFETY: the request was begun above, and there is room for a status.
            let waited = unsafe { (functions.wait)(&raw mut request, status.as_mut_ptr()) };
            self.check("MPI_Wait", waited)?;
        }
        done
    }

    pub fn barrier(&self, handle: usize) -> Result<(), Error> {
        // SAFETY: the handle is a communicator.
        self.check("MPI_Barrier", unsafe { (self.functions.barrier)(handle) })
    }

    pub fn free(&self, mut handle: usize) -> Result<(), Error> {
        // SAFETY: the handle is a communicator that nobody uses from then on.
        self.check("MPI_Comm_free", unsafe { (self.functions.free)(&raw mut handle) })
    }

    pub fn finalise(&self) -> Result<(), Error> {
        // SAFETY: MPI was initialised here, and no call follows.
        self.check("MPI_Finalize", unsafe { (self.functions.finalise)() })
    }

    /// Ends all ranks, if MPI still runs.
    pub fn abort(&self, handle: usize, code: c_int) {
        if self.check_running().is_ok() {
            // SAFETY: the handle is a communicator.
            unsafe { (self.functions.abort)(handle, code) };
        }
    }
}

/// Returns a count, which the caller has limited, as MPI takes it.
fn int(number: usize) -> c_int {
    c_int::try_from(number).expect("at most 2^31 - 1")
}

/// Returns the reason of the dynamic loader, which the error only has as its source.
fn reason(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

impl Interface {
    /// Finds the interface of a library by its symbols.
    fn of(library: &Loaded) -> Result<Self, libloading::Error> {
        type OfFortran = unsafe extern "C" fn(c_int) -> usize;
        // SAFETY: the symbols are functions of these types, or data, whose address alone is taken.
        unsafe {
            if let Ok(world) = library.get::<*mut c_void>(b"ompi_mpi_comm_world") {
                let byte = library.get::<*mut c_void>(b"ompi_mpi_byte")?;
                return Ok(Self {
                    world: world.into_raw() as usize,
                    byte: byte.into_raw() as usize,
                    serialized: 2,
                    of_fortran: Some(*library.get::<OfFortran>(b"MPI_Comm_f2c")?),
                });
            }
            if library.get::<OfFortran>(b"MPI_Comm_f2c").is_ok() {
                return Ok(Self {
                    world: 0x4400_0000,
                    byte: 0x4c00_010d,
                    serialized: 2,
                    of_fortran: None,
                });
            }
            // The standard interface of MPI-5 has no conversion of this name.
            let of_fortran = Some(*library.get::<OfFortran>(b"MPI_Comm_fromint")?);
            Ok(Self { world: 0x101, byte: 0x247, serialized: 2048, of_fortran })
        }
    }
}
