//! NCCL, which connects the GPUs of ranks. It is loaded at run time, as NVRTC is: a GPU alone does
//! not need it.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use nbody_compile::variable;
use nbody_core::untyped::Communicator;

use super::Gpu;
use crate::backend::{Link, Memory, Transfer};
use crate::error::{Error, reason};

/// The file name of the library in NVIDIA's packages.
const LIBRARY: &str = "libnccl.so.2";
/// The value of `NBODY_NCCL` that keeps NCCL away.
const NONE: &str = "none";
/// `ncclUint8`.
const UINT8: c_int = 1;
/// `ncclUint64`.
const UINT64: c_int = 5;

/// An `ncclComm_t`.
type Handle = *mut c_void;
/// An `ncclResult_t`.
type Status = c_int;

/// An `ncclUniqueId`.
#[derive(Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct UniqueId([u8; 128]);

/// The functions of NCCL.
#[derive(Debug)]
struct Nccl {
    version: unsafe extern "C" fn(*mut c_int) -> Status,
    unique_id: unsafe extern "C" fn(*mut UniqueId) -> Status,
    init: unsafe extern "C" fn(*mut Handle, c_int, UniqueId, c_int) -> Status,
    all_gather: unsafe extern "C" fn(
        *const c_void,
        *mut c_void,
        usize,
        c_int,
        Handle,
        *mut c_void,
    ) -> Status,
    begin: unsafe extern "C" fn() -> Status,
    end: unsafe extern "C" fn() -> Status,
    send: unsafe extern "C" fn(*const c_void, usize, c_int, c_int, Handle, *mut c_void) -> Status,
    receive: unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, Handle, *mut c_void) -> Status,
    destroy: unsafe extern "C" fn(Handle) -> Status,
    error_string: unsafe extern "C" fn(Status) -> *const c_char,
}

impl Nccl {
    /// Returns the library; `None` if there is none or the user wants none.
    fn find() -> Result<Option<&'static Self>, Error> {
        static FOUND: OnceLock<Option<Nccl>> = OnceLock::new();
        if let Some(found) = FOUND.get() {
            return Ok(found.as_ref());
        }
        let named = variable("NBODY_NCCL");
        if named.as_deref().is_some_and(|name| name == NONE) {
            return Ok(None);
        }
        let path = named.clone().unwrap_or_else(|| LIBRARY.into());
        match Self::load(path.as_ref()) {
            Ok(nccl) => Ok(FOUND.get_or_init(|| Some(nccl)).as_ref()),
            // A library that was named must load.
            Err(error) if named.is_some() => {
                Err(Error::Nccl { call: "loading the library", message: reason(&error) })
            }
            Err(_) => Ok(FOUND.get_or_init(|| None).as_ref()),
        }
    }

    fn load(path: &std::ffi::OsStr) -> Result<Self, libloading::Error> {
        // SAFETY: loading NCCL runs only its own initialisers. The types are the types of nccl.h,
        // unchanged since NCCL 2.0. The library is never unloaded, so that functions stay valid.
        unsafe {
            let library = libloading::Library::new(path)?;
            let nccl = Self {
                version: *library.get(b"ncclGetVersion")?,
                unique_id: *library.get(b"ncclGetUniqueId")?,
                init: *library.get(b"ncclCommInitRank")?,
                all_gather: *library.get(b"ncclAllGather")?,
                begin: *library.get(b"ncclGroupStart")?,
                end: *library.get(b"ncclGroupEnd")?,
                send: *library.get(b"ncclSend")?,
                receive: *library.get(b"ncclRecv")?,
                destroy: *library.get(b"ncclCommDestroy")?,
                error_string: *library.get(b"ncclGetErrorString")?,
            };
            std::mem::forget(library);
            Ok(nccl)
        }
    }

    fn check(&self, call: &'static str, status: Status) -> Result<(), Error> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: the function returns a static string for any status.
        let message = unsafe { CStr::from_ptr((self.error_string)(status)) };
        Err(Error::Nccl { call, message: message.to_string_lossy().into_owned() })
    }

    fn version(&self) -> Result<i32, Error> {
        let mut version = 0;
        // SAFETY: the address points to an integer.
        self.check("ncclGetVersion", unsafe { (self.version)(&raw mut version) })?;
        Ok(version)
    }

    fn unique_id(&self) -> Result<UniqueId, Error> {
        let mut id = UniqueId([0; 128]);
        // SAFETY: the address points to an `ncclUniqueId`.
        self.check("ncclGetUniqueId", unsafe { (self.unique_id)(&raw mut id) })?;
        Ok(id)
    }
}

/// The connection of a GPU to the GPUs of other ranks.
#[derive(Debug)]
pub(super) struct NcclLink {
    nccl: &'static Nccl,
    gpu: Gpu,
    handle: Mutex<Handle>,
    rank: usize,
    ranks: usize,
    name: String,
}

// SAFETY: NCCL allows calls for one communicator from any thread, one at a time, as the lock of the
// handle has them.
unsafe impl Send for NcclLink {}
// SAFETY: as above.
unsafe impl Sync for NcclLink {}

/// The facts about a rank that decide whether NCCL connects all of them.
#[derive(Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Facts {
    /// The version of NCCL, 0 without it, or [`FAILED`](Self::FAILED).
    version: i32,
    /// The identity of the GPU.
    uuid: [u8; 16],
}

impl Facts {
    const FAILED: i32 = -1;
}

impl NcclLink {
    /// Connects the GPUs of all ranks; `None` if a rank has no NCCL or another version, or if two
    /// ranks have one GPU, which NCCL refuses.
    pub fn connect(gpu: &Gpu, communicator: &dyn Communicator) -> Result<Option<Self>, Error> {
        let (rank, ranks) = (communicator.rank(), communicator.size());
        let found = if ranks > 1 { Nccl::find() } else { Ok(None) };
        // A rank that fails takes part in the exchange, so that all return.
        let found = found.and_then(|nccl| {
            let version = nccl.map_or(Ok(0), Nccl::version)?;
            let uuid = gpu.stream.context().uuid();
            let uuid = uuid.map_err(|e| gpu.failed("cuDeviceGetUuid", e))?;
            Ok((nccl, Facts { version, uuid: bytemuck::cast(uuid.bytes) }))
        });
        let failed = Facts { version: Facts::FAILED, uuid: [0; 16] };
        let mine = found.as_ref().map_or(failed, |(_, facts)| *facts);
        let all = communicator.gather_equal(bytemuck::bytes_of(&mine))?;
        let all: Vec<Facts> =
            all.chunks(size_of::<Facts>()).map(bytemuck::pod_read_unaligned).collect();
        let (nccl, Facts { version, .. }) = found?;
        if let Some(rank) = all.iter().position(|it| it.version == Facts::FAILED) {
            let message = format!("rank {rank} has failed");
            return Err(Error::Nccl { call: "connecting the ranks", message });
        }
        let Some(nccl) = nccl else { return Ok(None) };
        let is_shared = (1..ranks).any(|k| all[..k].iter().any(|it| it.uuid == all[k].uuid));
        if is_shared || all.iter().any(|it| it.version != version) {
            return Ok(None);
        }
        let id = if rank == 0 { nccl.unique_id() } else { Ok(UniqueId([0; 128])) };
        let mut sizes = vec![0; ranks];
        sizes[0] = size_of::<UniqueId>();
        let mut shared = UniqueId([0; 128]);
        let mine = *id.as_ref().unwrap_or(&shared);
        let mine = if rank == 0 { bytemuck::bytes_of(&mine) } else { &[] };
        communicator.gather(mine, &sizes, bytemuck::bytes_of_mut(&mut shared))?;
        id?;
        if shared == UniqueId([0; 128]) {
            let message = "rank 0 has none".to_owned();
            return Err(Error::Nccl { call: "ncclGetUniqueId", message });
        }
        gpu.bind()?;
        let [count, place] =
            [ranks, rank].map(|number| c_int::try_from(number).unwrap_or(c_int::MAX));
        let mut handle = std::ptr::null_mut();
        // SAFETY: the address points to an `ncclComm_t`, and the context of the GPU is current.
        let status = unsafe { (nccl.init)(&raw mut handle, count, shared, place) };
        nccl.check("ncclCommInitRank", status)?;
        let name = format!("NCCL {}.{}", version / 10_000, version / 100 % 100);
        let (gpu, handle) = (gpu.clone(), Mutex::new(handle));
        Ok(Some(Self { nccl, gpu, handle, rank, ranks, name }))
    }

    fn handle(&self) -> MutexGuard<'_, Handle> {
        self.handle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Link for NcclLink {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn gather(&self, memory: &dyn Memory, bytes: usize) -> Result<(), Error> {
        assert!(memory.words() * size_of::<u64>() >= self.ranks * bytes, "a piece for each rank");
        self.gpu.bind()?;
        let all = memory.address();
        let mine = all + (self.rank * bytes) as u64;
        let stream = self.gpu.stream.cu_stream().cast();
        let words = bytes / size_of::<u64>();
        // SAFETY: the memory is on the GPU of this communicator and has a piece for each rank;
        // `mine` is the piece of this one. Other work on it is ordered by the same stream.
        let status = unsafe {
            (self.nccl.all_gather)(
                mine as *const c_void,
                all as *mut c_void,
                words,
                UINT64,
                *self.handle(),
                stream,
            )
        };
        self.nccl.check("ncclAllGather", status)
    }

    fn exchange(
        &self,
        from: &dyn Memory,
        to: &dyn Memory,
        transfers: &[Transfer],
    ) -> Result<(), Error> {
        self.gpu.bind()?;
        let (nccl, stream, handle) = (self.nccl, self.gpu.stream.cu_stream().cast(), self.handle());
        let each = transfers.iter().map(|it| (it.rank, it.addresses(from, to)));
        let each: Vec<_> = each.collect();
        // SAFETY: a group of calls begins, and ends below.
        nccl.check("ncclGroupStart", unsafe { (nccl.begin)() })?;
        let mut done = Ok(());
        for (rank, [sent, received]) in each {
            let rank = c_int::try_from(rank).unwrap_or(c_int::MAX);
            if !sent.is_empty() {
                let (from, count) = (sent.start as *const c_void, (sent.end - sent.start) as usize);
                // SAFETY: the memory is on this GPU and has these bytes; the stream orders its use.
                let status = unsafe { (nccl.send)(from, count, UINT8, rank, *handle, stream) };
                done = done.and(nccl.check("ncclSend", status));
            }
            if !received.is_empty() {
                let (to, count) =
                    (received.start as *mut c_void, (received.end - received.start) as usize);
                // SAFETY: as above; nothing else uses these bytes meanwhile.
                let status = unsafe { (nccl.receive)(to, count, UINT8, rank, *handle, stream) };
                done = done.and(nccl.check("ncclRecv", status));
            }
        }
        // SAFETY: the group was begun above.
        nccl.check("ncclGroupEnd", unsafe { (nccl.end)() })?;
        done
    }
}

impl Drop for NcclLink {
    fn drop(&mut self) {
        // A destructor cannot report an error.
        if self.gpu.bind().is_ok() {
            // SAFETY: nobody else has the handle.
            let _ = unsafe { (self.nccl.destroy)(*self.handle()) };
        }
    }
}
