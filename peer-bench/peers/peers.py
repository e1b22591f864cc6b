#!/usr/bin/env python3
"""Peer direct solvers behind one line protocol: MKL PARDISO and CHOLMOD.

A benchmark starts this program once per peer and alternates requests to it with its own solver, so that
all are timed in one run on one machine. Only ratios within such a run are meaningful.

    python3 peers.py --solver pardiso --threads 2
    python3 peers.py --solver cholmod --threads 2

Each peer has an environment of its own:

    python3 -m venv venv && venv/bin/pip install -r requirements.txt
    python3 -m venv venv-cholmod && venv-cholmod/bin/pip install -r requirements-cholmod.txt

CHOLMOD comes with the wheel of pyspqr, which brings SuiteSparse and OpenBLAS along (under the GPL; this
program loads them into a process of its own). Without the wheel the system's libcholmod.so.3 is used.

On processors not made by Intel, current MKL runs generic kernels. MKL 2019.0 is the newest version on
PyPI that lets the user choose (MKL_DEBUG_CPU_TYPE, set below); it has its own environment and is a
separate peer:

    python3 -m venv venv2019 && venv2019/bin/pip install -r requirements-mkl2019.txt

One JSON object per line on stdin, one answer per line on stdout; times in seconds:

    {"do":"hello"}                       {"ok":true,"name":..,"version":..,"threads":2,"cpu":..,"notes":[..]}
    {"do":"load","matrix":"k.bin"}       {"ok":true,"n":..,"nnz":..}
    {"do":"factor"}                      {"ok":true,"analyse":..,"numeric":..,"factor_bytes":..,
                                          "memory_bytes":..,"factor_nnz":..,"flops":..}
    {"do":"solve","dofs":[0,17]}         {"ok":true,"seconds":..,"residual":..,"checksum":..}
    {"do":"quit"}                        {"ok":true}

After an error the program answers {"ok":false,"error":".."} and is ready for the next request.

A matrix file is little endian: b"PALPMAT1", u64 n, u64 nnz, u64 starts[n + 1], u32 columns[nnz] padded to
8 bytes, f64 values[nnz]: the upper triangle in compressed rows, which is the lower triangle in compressed
columns; sorted, diagonal present, counted from 0.

What is timed: "analyse" is ordering and symbolic factorisation, "numeric" the numeric factorisation, each
from scratch, and "seconds" the solve of one dense unit right-hand side per dof. Reading files, making
right-hand sides, checking residuals and releasing memory are not timed. A call from Python into the
library costs some microseconds; "call_seconds" in the answer to hello is its time on this machine.
"""

import argparse
import ctypes
import glob
import importlib.metadata
import json
import os
import platform
import sys
import time

INT_MAX = 2**31 - 1

# Idle workers must be asleep before the answer is written, else they would slow down the next solver. The
# settings below let them spin for at most about 2 ms; this waits until they sleep.
SETTLE_SECONDS = 0.006


class PeerError(Exception):
    """A request that cannot be answered; the message is sent to the benchmark."""


def set_environment(threads):
    """Sets thread counts and spinning, before any library reads them; existing variables have priority."""
    wanted = {
        "OMP_NUM_THREADS": threads,
        "MKL_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        "BLIS_NUM_THREADS": threads,
        # Otherwise MKL may use fewer threads than it was given.
        "MKL_DYNAMIC": "FALSE",
        "OMP_DYNAMIC": "FALSE",
        # Milliseconds of spinning after a parallel region. The default, 200, occupies a core for that long.
        # 0 makes PARDISO's small solves two to three times slower; 1 costs nothing.
        "KMP_BLOCKTIME": "1",
        # Two to this power cycles of spinning in OpenBLAS; the default, 26, is about 25 ms.
        "OPENBLAS_THREAD_TIMEOUT": "22",
        # The only setting that makes MKL use AVX2 kernels on a processor of another manufacturer. Versions
        # up to 2020.0 read it, later ones don't.
        "MKL_DEBUG_CPU_TYPE": "5",
    }
    for name, value in wanted.items():
        os.environ.setdefault(name, str(value))
    if has_avx512():
        # Old OpenBLAS (0.3.21 in Debian 12) does not recognise new processors and uses slow kernels.
        os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")


def cpu_line(key):
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith(key):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return ""


def has_avx512():
    return {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= set(cpu_line("flags").split())


def loaded_libraries(*parts):
    """File names of the shared libraries in this process that contain one of `parts`."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as lines:
            names = {line.rsplit("/", 1)[1].strip() for line in lines if "/" in line}
    except OSError:
        return []
    return sorted(name for name in names if ".so" in name and any(part in name for part in parts))


def address(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def timed(function, *arguments):
    start = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - start, result


class Matrix:
    """The upper triangle in compressed rows, with 32-bit indices as both solvers expect."""

    def __init__(self, path):
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            raise PeerError(f"cannot read the matrix: {error}") from error
        if len(data) < 24 or data[:8] != b"PALPMAT1":
            raise PeerError(f"{path} does not begin with PALPMAT1")
        n, nnz = (int(x) for x in np.frombuffer(data, "<u8", 2, 8))
        columns_at = 24 + 8 * (n + 1)
        values_at = columns_at + (4 * nnz + 7) // 8 * 8
        if n == 0 or max(n, nnz) > INT_MAX or len(data) != values_at + 8 * nnz:
            raise PeerError(f"{path} has {len(data)} bytes, which do not fit n = {n} and nnz = {nnz}")
        starts = np.frombuffer(data, "<u8", n + 1, 24)
        if starts[0] != 0 or starts[-1] != nnz or (starts[1:] <= starts[:-1]).any():
            raise PeerError(f"{path} has bad row starts")
        self.n, self.nnz = n, nnz
        self.starts = starts.astype(np.int32)
        self.columns = np.frombuffer(data, "<u4", nnz, columns_at).astype(np.int32)
        self.values = np.frombuffer(data, "<f8", nnz, values_at).astype(np.float64)
        ascending = np.diff(self.columns) > 0
        ascending[self.starts[1:-1] - 1] = True
        if (
            not ascending.all()
            or (self.columns[self.starts[:-1]] != np.arange(n)).any()
            or (self.columns[self.starts[1:] - 1] >= n).any()
        ):
            raise PeerError(f"{path} is not a sorted upper triangle with its diagonal")
        upper = scipy.sparse.csr_matrix((self.values, self.columns, self.starts), shape=(n, n))
        self.whole = upper + scipy.sparse.triu(upper, 1).T

    def residual(self, x, b):
        """Largest |K x - b| / |b| over the columns, which are rows of `x` and `b` here."""
        difference = self.whole @ x.T - b.T
        return float((np.linalg.norm(difference, axis=0) / np.linalg.norm(b, axis=1)).max())


class Pardiso:
    """MKL PARDISO through ctypes, real symmetric positive definite (type 2)."""

    name = "MKL PARDISO"
    # iparm(2): 0 minimum degree, 2 METIS's nested dissection, 3 its parallel form.
    orderings = {"metis": 2, "parallel": 3, "amd": 0}
    errors = {-1: "input inconsistent", -2: "not enough memory", -3: "reordering problem",
              -4: "zero pivot: the matrix is not positive definite", -7: "diagonal is zero",
              -8: "32-bit integers overflow"}

    def __init__(self, options):
        self.threads = options.threads
        self.mkl = self.library()
        version = ctypes.create_string_buffer(200)
        self.mkl.mkl_get_version_string(version, 200)
        words = version.value.decode().split("Version ")[-1].split()
        self.version = " ".join(words[:3])
        self.handle = np.zeros(64, np.int64)
        self.iparm = np.zeros(64, np.int32)
        # (1) no defaults, (18) report the size of the factor, (35) count from 0. (37) lets PARDISO find the
        # 3 x 3 blocks of the nodes, which halves the analysis; it works best with (24), two-level
        # scheduling. `--iparm 24=0 --iparm 37=0` gives the usual settings.
        self.settings = {1: 1, 2: self.orderings[options.ordering], 18: -1, 35: 1, 24: 1, 37: -80}
        self.settings.update(options.iparm)
        self.matrix = None

    @staticmethod
    def library():
        """Loads MKL; the `mkl` wheel puts its libraries into the lib folder of the environment."""
        folders = [os.path.join(sys.prefix, "lib")]
        try:
            files = importlib.metadata.files("mkl") or []
            folders += [str(f.locate().parent) for f in files if "libmkl_rt" in f.name]
        except importlib.metadata.PackageNotFoundError:
            pass
        for folder in folders:
            for path in sorted(glob.glob(os.path.join(folder, "libmkl_rt.so*"))):
                return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        raise PeerError("MKL is not installed: pip install -r requirements.txt")

    def notes(self):
        kernels = loaded_libraries("mkl_def", "mkl_avx", "mkl_mc", "mkl_intel_thread", "mkl_gnu_thread", "iomp")
        return [f"iparm {self.settings}", f"libraries {kernels}"]

    def call(self, phase, n_rhs=1, b=None, x=None):
        """Executes one phase; returns its seconds."""
        m, whole = self.matrix, ctypes.c_int
        error = whole(0)
        null = ctypes.c_void_p()
        numbers = [ctypes.byref(whole(v)) for v in (1, 1, 2, phase, m.n, n_rhs, 0)]
        maxfct, mnum, mtype, phase_, n, nrhs, quiet = numbers
        arguments = (
            address(self.handle), maxfct, mnum, mtype, phase_, n, address(m.values), address(m.starts),
            address(m.columns), null, nrhs, address(self.iparm), quiet,
            null if b is None else address(b), null if x is None else address(x), ctypes.byref(error),
        )  # fmt: skip
        seconds, _ = timed(self.mkl.pardiso, *arguments)
        if error.value != 0:
            reason = self.errors.get(error.value, "see the manual")
            raise PeerError(f"PARDISO phase {phase} failed with {error.value}: {reason}")
        return seconds

    def release(self):
        if self.matrix is not None and self.handle.any():
            self.call(-1)
            self.handle[:] = 0

    def prepare(self):
        self.release()
        self.iparm[:] = 0
        for place, value in self.settings.items():
            self.iparm[place - 1] = value

    def load(self, matrix):
        self.release()
        self.matrix = matrix
        # Counting operations makes the analysis slower, so it has a separate analysis that is not timed, and
        # without iparm(24) and (37), with which PARDISO does not count or counts blocks.
        self.prepare()
        self.iparm[[23, 36]] = 0
        self.iparm[18] = -1
        self.call(11)
        self.flops = 1e6 * float(self.iparm[18])
        self.release()

    def factor(self):
        self.prepare()
        analyse, numeric = self.call(11), self.call(22)
        # With (37) but not (24), iparm(18) counts blocks; then only the memory, iparm(17), is comparable.
        counts_blocks = self.settings[37] != 0 and self.settings[24] == 0
        nnz = None if counts_blocks else int(self.iparm[17])
        return {
            "analyse": analyse,
            "numeric": numeric,
            "factor_bytes": 1024 * int(self.iparm[16]) if counts_blocks else 8 * nnz,
            # iparm(16) and (17): kilobytes of permanent memory, and of the factor itself.
            "memory_bytes": 1024 * int(self.iparm[15] + self.iparm[16]),
            "factor_nnz": nnz,
            "flops": self.flops,
        }

    def solve(self, b):
        x = np.ones_like(b)
        return self.call(33, len(b), b, x), x

    def nothing(self):
        self.mkl.mkl_get_max_threads()


# CHOLMOD's C structures. Only the first part of each is used, so that later fields do not matter.


class Method(ctypes.Structure):
    _fields_ = [
        ("reals", ctypes.c_double * 9),
        ("sizes", ctypes.c_size_t * 5),
        ("flags", ctypes.c_int * 5),
        ("ordering", ctypes.c_int),
        ("other", ctypes.c_size_t * 4),
    ]


class Common(ctypes.Structure):
    """cholmod_common of CHOLMOD 3.0 to 5.3."""

    _fields_ = [
        ("dbound", ctypes.c_double),
        ("grow0", ctypes.c_double),
        ("grow1", ctypes.c_double),
        ("grow2", ctypes.c_size_t),
        ("maxrank", ctypes.c_size_t),
        ("supernodal_switch", ctypes.c_double),
        ("supernodal", ctypes.c_int),
        ("final", ctypes.c_int * 6),
        ("zrelax", ctypes.c_double * 3),
        ("nrelax", ctypes.c_size_t * 3),
        ("prefer", ctypes.c_int * 4),
        ("print", ctypes.c_int),
        ("precise", ctypes.c_int),
        ("try_catch", ctypes.c_int),
        ("error_handler", ctypes.c_void_p),
        ("nmethods", ctypes.c_int),
        ("current", ctypes.c_int),
        ("selected", ctypes.c_int),
        ("method", Method * 10),
        ("postorder", ctypes.c_int),
        ("default_nesdis", ctypes.c_int),
        ("metis_memory", ctypes.c_double),
        ("metis_dswitch", ctypes.c_double),
        ("metis_nswitch", ctypes.c_size_t),
        ("nrow", ctypes.c_size_t),
        ("mark", ctypes.c_long),
        ("worksizes", ctypes.c_size_t * 2),
        ("work", ctypes.c_void_p * 4),
        ("itype", ctypes.c_int),
        ("dtype", ctypes.c_int),
        ("no_workspace_reallocate", ctypes.c_int),
        ("status", ctypes.c_int),
        ("fl", ctypes.c_double),
        ("lnz", ctypes.c_double),
        ("rest", ctypes.c_char * 4096),
    ]


class Sparse(ctypes.Structure):
    _fields_ = [
        ("nrow", ctypes.c_size_t),
        ("ncol", ctypes.c_size_t),
        ("nzmax", ctypes.c_size_t),
        ("p", ctypes.c_void_p),
        ("i", ctypes.c_void_p),
        ("nz", ctypes.c_void_p),
        ("x", ctypes.c_void_p),
        ("z", ctypes.c_void_p),
        ("stype", ctypes.c_int),
        ("itype", ctypes.c_int),
        ("xtype", ctypes.c_int),
        ("dtype", ctypes.c_int),
        ("sorted", ctypes.c_int),
        ("packed", ctypes.c_int),
    ]


class Dense(ctypes.Structure):
    _fields_ = [
        ("nrow", ctypes.c_size_t),
        ("ncol", ctypes.c_size_t),
        ("nzmax", ctypes.c_size_t),
        ("d", ctypes.c_size_t),
        ("x", ctypes.c_void_p),
        ("z", ctypes.c_void_p),
        ("xtype", ctypes.c_int),
        ("dtype", ctypes.c_int),
    ]


class FactorStruct(ctypes.Structure):
    _fields_ = [
        ("n", ctypes.c_size_t),
        ("minor", ctypes.c_size_t),
        ("orders", ctypes.c_void_p * 3),
        ("nzmax", ctypes.c_size_t),
        ("simplicial", ctypes.c_void_p * 7),
        ("nsuper", ctypes.c_size_t),
        ("ssize", ctypes.c_size_t),
        ("xsize", ctypes.c_size_t),
    ]


class Cholmod:
    """CHOLMOD 3 and 5, supernodal, through ctypes: no headers and no compiler needed."""

    name = "CHOLMOD"
    orderings = {"metis": 3, "nesdis": 4, "amd": 2}
    missing = "pip install -r requirements-cholmod.txt"
    real, supernodal = 1, 2

    def __init__(self, options):
        self.threads = options.threads
        if options.blas:
            # Loaded globally before CHOLMOD, its functions are found before those of libblas.so.3.
            try:
                ctypes.CDLL(options.blas, mode=ctypes.RTLD_GLOBAL)
            except OSError as error:
                raise PeerError(f"cannot load the BLAS: {error}") from error
        self.blas = options.blas
        try:
            self.lib = ctypes.CDLL(self.library())
        except OSError as error:
            raise PeerError(f"CHOLMOD is not installed: {self.missing} ({error})") from error
        numbers = (ctypes.c_int * 3)()
        self.lib.cholmod_version(numbers)
        self.version = ".".join(map(str, numbers))
        self.lib.cholmod_analyze.restype = ctypes.c_void_p
        self.common = Common()
        self.lib.cholmod_start(ctypes.byref(self.common))
        # The defaults are read back through our structure: if one is wrong, the layout is wrong.
        c = self.common
        seen = (c.grow1, c.supernodal_switch, c.nrelax[2], c.print, c.itype, c.status)
        if numbers[0] not in (3, 5) or seen != (1.2, 40.0, 48, 3, 0, 0):
            raise PeerError(
                f"CHOLMOD {self.version} does not have the layout of 3.0 to 5.3: {seen}"
            )
        c.print = 0
        c.supernodal = self.supernodal
        c.nmethods = 1
        c.method[0].ordering = self.orderings[options.ordering]
        self.matrix = None
        self.factor_ = ctypes.c_void_p()
        self.work = [ctypes.c_void_p() for _ in range(3)]

    @staticmethod
    def library():
        """The library of the wheel if there is one, else that of the system."""
        try:
            files = importlib.metadata.files("pyspqr") or []
        except importlib.metadata.PackageNotFoundError:
            files = []
        bundled = [str(f.locate()) for f in files if f.name.startswith("libcholmod")]
        return bundled[0] if bundled else "libcholmod.so.3"

    def notes(self):
        notes = [f"BLAS libraries {loaded_libraries('blas', 'mkl_rt', 'blis', 'mkl_def', 'mkl_avx', 'omp')}"]
        if not self.blas and self.library() == "libcholmod.so.3":
            try:
                openblas = ctypes.CDLL("libopenblas.so.0")
                for function in (openblas.openblas_get_config, openblas.openblas_get_corename):
                    function.restype = ctypes.c_char_p
                    notes.append(function().decode())
            except (OSError, AttributeError):
                # The reference BLAS is many times slower, so the comparison would be unfair.
                notes.append(f"libblas.so.3 is not OpenBLAS: {self.missing}")
        return notes

    def check(self, what):
        if self.common.status != 0:
            reason = {-2: "out of memory", -4: "invalid input", 1: "not positive definite"}
            raise PeerError(f"CHOLMOD {what} failed: {reason.get(self.common.status, self.common.status)}")

    def release(self):
        common = ctypes.byref(self.common)
        if self.factor_:
            self.lib.cholmod_free_factor(ctypes.byref(self.factor_), common)
        for work in self.work:
            if work:
                self.lib.cholmod_free_dense(ctypes.byref(work), common)

    def load(self, matrix):
        self.release()
        self.matrix = matrix
        # Rows of the upper triangle are columns of the lower one: stype -1.
        self.sparse = Sparse(
            matrix.n, matrix.n, matrix.nnz,
            matrix.starts.ctypes.data, matrix.columns.ctypes.data, None, matrix.values.ctypes.data, None,
            -1, 0, self.real, 0, 1, 1,
        )  # fmt: skip

    def factor(self):
        self.release()
        common, sparse = ctypes.byref(self.common), ctypes.byref(self.sparse)
        analyse, factor = timed(self.lib.cholmod_analyze, sparse, common)
        self.check("analysis")
        self.factor_ = ctypes.c_void_p(factor)
        numeric, _ = timed(self.lib.cholmod_factorize, sparse, self.factor_, common)
        self.check("factorisation")
        stored = ctypes.cast(self.factor_, ctypes.POINTER(FactorStruct)).contents
        return {
            "analyse": analyse,
            "numeric": numeric,
            # Supernodes are stored as rectangles, so this is more than the entries of the factor.
            "factor_bytes": 8 * stored.xsize,
            "memory_bytes": 8 * stored.xsize + 4 * (stored.ssize + 3 * stored.nsuper + 2 * stored.n),
            "factor_nnz": int(self.common.lnz),
            "flops": self.common.fl,
        }

    def solve(self, b):
        common = ctypes.byref(self.common)
        rhs = Dense(b.shape[1], len(b), b.size, b.shape[1], b.ctypes.data, None, self.real, 0)
        # CHOLMOD reuses answer and workspace if their size fits, so only a first solve allocates.
        x, y, e = (ctypes.byref(work) for work in self.work)
        arguments = (0, self.factor_, ctypes.byref(rhs), None, x, None, y, e, common)
        seconds, _ = timed(self.lib.cholmod_solve2, *arguments)
        self.check("solve")
        answer = ctypes.cast(self.work[0], ctypes.POINTER(Dense)).contents
        values = (ctypes.c_double * b.size).from_address(answer.x)
        return seconds, np.frombuffer(values).reshape(b.shape).copy()

    def nothing(self):
        self.lib.cholmod_version(None)


def call_seconds(peer):
    """Shortest time of a call from Python into the library and back."""
    return min(timed(peer.nothing)[0] for _ in range(50))


class Session:
    """Answers requests, and refuses those that are not possible yet."""

    def __init__(self, options):
        self.options = options
        self.peer = None
        self.is_factored = False

    def ready_peer(self):
        if self.peer is None:
            self.peer = (Pardiso if self.options.solver == "pardiso" else Cholmod)(self.options)
        return self.peer

    def hello(self, _request):
        peer = self.ready_peer()
        return {
            "name": peer.name,
            "version": peer.version,
            "threads": peer.threads,
            "cpu": cpu_line("model name") or platform.processor(),
            "ordering": self.options.ordering,
            "call_seconds": call_seconds(peer),
            "notes": peer.notes(),
        }

    def load(self, request):
        self.is_factored = False
        matrix = Matrix(str(request.get("matrix")))
        self.ready_peer().load(matrix)
        return {"n": matrix.n, "nnz": matrix.nnz}

    def factor(self, _request):
        peer = self.ready_peer()
        if peer.matrix is None:
            raise PeerError("no matrix is loaded")
        self.is_factored = False
        answer = peer.factor()
        self.is_factored = True
        return answer

    def solve(self, request):
        if not self.is_factored:
            raise PeerError("no matrix is factorised")
        matrix = self.peer.matrix
        dofs = request.get("dofs")
        if not isinstance(dofs, list) or not dofs:
            raise PeerError("solve needs a list of dofs")
        if not all(isinstance(dof, int) and 0 <= dof < matrix.n for dof in dofs):
            raise PeerError(f"dofs must be numbers from 0 to {matrix.n - 1}")
        # `full` and not `zeros`: the memory pages exist before the clock starts.
        b = np.full((len(dofs), matrix.n), 0.0)
        b[np.arange(len(dofs)), dofs] = 1.0
        seconds, x = self.peer.solve(b)
        return {"seconds": seconds, "residual": matrix.residual(x, b), "checksum": float(x.sum())}

    def answer(self, request):
        if not isinstance(request, dict):
            raise PeerError("a request is a JSON object")
        actions = {"hello": self.hello, "load": self.load, "factor": self.factor, "solve": self.solve}
        action = actions.get(request.get("do"))
        if action is None:
            raise PeerError(f"unknown request {request.get('do')!r}")
        return action(request)


def serve(session, requests, answers):
    for line in requests:
        if not line.strip():
            continue
        leaving = False
        try:
            request = json.loads(line)
            leaving = isinstance(request, dict) and request.get("do") == "quit"
            answer = {"ok": True} if leaving else {"ok": True, **session.answer(request)}
        except PeerError as error:
            answer = {"ok": False, "error": str(error)}
        except (ValueError, MemoryError, OSError, AttributeError) as error:
            answer = {"ok": False, "error": f"{type(error).__name__}: {error}"}
        time.sleep(SETTLE_SECONDS)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
        if leaving:
            return


def iparm(text):
    place, value = text.split("=")
    return int(place), int(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--solver", choices=["pardiso", "cholmod"], required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--ordering", choices=["metis", "parallel", "nesdis", "amd"], default="metis")
    parser.add_argument("--iparm", type=iparm, action="append", default=[], metavar="PLACE=VALUE",
                        help="set an iparm of PARDISO, counted from 1 as in its manual")  # fmt: skip
    parser.add_argument("--blas", help="shared library that CHOLMOD uses instead of libblas.so.3")
    options = parser.parse_args()
    known = (Pardiso if options.solver == "pardiso" else Cholmod).orderings
    if options.threads < 1 or options.ordering not in known:
        parser.error(f"expected at least one thread, and an ordering out of {sorted(known)}")
    set_environment(options.threads)

    # Libraries print warnings on stdout, so the protocol uses a private copy of it.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    # Imported after the environment is set, because both load a BLAS that reads it.
    global np, scipy
    try:
        import numpy as np
        import scipy.sparse
    except ImportError as error:
        message = f"{error.name} is not installed: pip install -r requirements.txt"
        answers.write(json.dumps({"ok": False, "error": message}) + "\n")
        sys.exit(1)
    serve(Session(options), sys.stdin, answers)


if __name__ == "__main__":
    main()
