//! Description of this computer: processor, caches, memory, load. Unknown values are left out.

mod date;
mod other_programs;

use std::fs;
use std::path::Path;

pub use date::utc_now;
pub(crate) use other_programs::OtherPrograms;

/// The computer of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Machine {
    /// Name of the computer.
    pub name: String,
    /// Name of the processor.
    pub processor: String,
    /// Number of threads that can run at the same time.
    pub n_cores: usize,
    /// Caches, for example "L2 1 MB".
    pub caches: Vec<String>,
    /// Vector instructions that matter for the solver.
    pub vectors: Vec<String>,
    /// Size of the memory in bytes; 0 if unknown.
    pub memory: u64,
    /// Operating system, for example "linux 6.1.0, x86_64".
    pub system: String,
    /// Load averages of the last minute: number of runnable threads, before the run and at its end.
    pub load: Vec<f64>,
    /// Number of cores that other programs kept busy during the run, on average; `None` if unknown.
    pub others: Option<f64>,
    /// Numbers of threads, each with the bandwidth of a triad over large arrays in bytes per
    /// second.
    pub triad: Vec<(usize, f64)>,
}

impl Machine {
    /// Describes this computer, before a run.
    pub fn this() -> Self {
        let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        Self {
            name: name.trim().to_owned(),
            processor: field(&cpu, "model name").unwrap_or("unknown processor").to_owned(),
            n_cores: std::thread::available_parallelism().map_or(1, usize::from),
            caches: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
            vectors: vectors(field(&cpu, "flags").unwrap_or_default()),
            memory: kibibytes(field(&memory, "MemTotal").unwrap_or_default()),
            system: format!(
                "{} {}, {}",
                std::env::consts::OS,
                kernel.trim(),
                std::env::consts::ARCH
            ),
            load: load().into_iter().collect(),
            others: None,
            triad: Vec::new(),
        }
    }

    /// Size of the largest cache in bytes; 32 MiB if unknown.
    pub fn largest_cache(&self) -> usize {
        let size = |cache: &String| {
            let mut words = cache.split(' ').skip(1);
            let number: f64 = words.next()?.parse().ok()?;
            let unit = if words.next()? == "MB" { 1 << 20 } else { 1 << 10 };
            Some((number * f64::from(unit)) as usize)
        };
        self.caches.iter().filter_map(size).max().unwrap_or(32 << 20)
    }
}

/// Load of other programs during a run, as text.
pub(crate) fn others_shown(machine: &Machine) -> Option<String> {
    machine
        .others
        .map(|busy| format!("other programs kept {busy:.1} of {} cores busy", machine.n_cores))
}

/// Load average of the last minute: number of runnable threads.
pub fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// Value of the first line `name : value`.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim())
}

fn kibibytes(text: &str) -> u64 {
    let number = text.split(' ').next().and_then(|number| number.parse::<u64>().ok());
    number.unwrap_or(0).saturating_mul(1024)
}

fn caches(folder: &Path) -> Vec<String> {
    let read = |index: usize, name: &str| {
        let text = fs::read_to_string(folder.join(format!("index{index}")).join(name)).ok()?;
        Some(text.trim().to_owned())
    };
    let cache = |index: usize| {
        let (level, kind) = (read(index, "level")?, read(index, "type")?);
        let kibibytes: u32 = read(index, "size")?.strip_suffix('K')?.parse().ok()?;
        let suffix = if kind == "Data" { "d" } else { "" };
        let size = match kibibytes {
            large if large >= 1024 => format!("{} MB", large / 1024),
            small => format!("{small} kB"),
        };
        (kind != "Instruction").then(|| format!("L{level}{suffix} {size}"))
    };
    (0..8).filter_map(cache).collect()
}

fn vectors(flags: &str) -> Vec<String> {
    let has = |flag: &str| flags.split(' ').any(|it| it == flag);
    let known = [("avx2", "AVX2"), ("fma", "FMA"), ("avx512f", "AVX-512"), ("asimd", "NEON")];
    known.iter().filter(|(flag, _)| has(flag)).map(|(_, name)| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_name() {
        let text = "processor\t: 0\nmodel name\t: A <fast> one\nflags\t\t: fpu avx2 fma avx512f\n";
        assert_eq!(field(text, "model name"), Some("A <fast> one"));
        assert_eq!(field(text, "cache"), None);
        assert_eq!(vectors(field(text, "flags").unwrap()), ["AVX2", "FMA", "AVX-512"]);
        assert_eq!(kibibytes("2048 kB"), 2 << 20);
        assert_eq!(kibibytes("nonsense"), 0);
    }

    #[test]
    fn the_largest_cache_counts() {
        let caches = ["L1d 32 kB", "L2 1 MB", "L3 32 MB"].map(str::to_owned).to_vec();
        assert_eq!(Machine { caches, ..Machine::default() }.largest_cache(), 32 << 20);
        let small = Machine { caches: vec!["L2 512 kB".to_owned()], ..Machine::default() };
        assert_eq!(small.largest_cache(), 512 << 10);
        assert_eq!(Machine::default().largest_cache(), 32 << 20);
    }

    #[test]
    fn this_machine_has_a_core() {
        assert!(Machine::this().n_cores > 0);
    }
}
