//! Description of this machine, for clients that show or compare servers.

use std::collections::BTreeSet;
use std::fs;

use proto::v1::Machine;

/// Describes this machine. Unknown values are empty or zero.
pub(crate) fn this() -> Machine {
    let cpu_info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    Machine { name: host_name(), ..processor(&cpu_info) }
}

/// Host name of this machine.
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Memory that this program may use, in bytes: the machine's, or less in a container. `None` if the
/// system does not tell.
pub fn memory() -> Option<usize> {
    let read = |path: &str| fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| total_memory(&text));
    let group = read("/proc/self/cgroup").and_then(|text| {
        let path = text.lines().find_map(|line| line.strip_prefix("0::"))?.trim().to_owned();
        Some(path)
    });
    let limits = [Some(String::new()), group].into_iter().flatten().filter_map(|path| {
        // "max" is no limit.
        read(&format!("/sys/fs/cgroup{path}/memory.max"))?.trim().parse().ok()
    });
    machine.into_iter().chain(limits).min()
}

/// Reads the machine's memory from the text of `/proc/meminfo`.
fn total_memory(mem_info: &str) -> Option<usize> {
    let total = mem_info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    total.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
}

/// Reads the processor from the text of `/proc/cpuinfo`, which has a paragraph per hyper-thread.
fn processor(cpu_info: &str) -> Machine {
    let hyper_threads: Vec<&str> = cpu_info.split("\n\n").filter(|it| !it.is_empty()).collect();
    let value = |paragraph: &str, name: &str| {
        let pairs = paragraph.lines().filter_map(|line| line.split_once(':'));
        let mut values = pairs.filter(|(key, _)| key.trim() == name);
        values.next().map(|(_, value)| value.trim().to_owned())
    };
    // Processors without these lines have one thread per core.
    let core = |(i, it): (usize, &&str)| match (value(it, "physical id"), value(it, "core id")) {
        (Some(package), Some(core)) => (package, core),
        _ => (String::new(), i.to_string()),
    };
    let cores: BTreeSet<(String, String)> = hyper_threads.iter().enumerate().map(core).collect();
    Machine {
        name: String::new(),
        processor: hyper_threads.first().and_then(|it| value(it, "model name")).unwrap_or_default(),
        cores: cores.len() as u32,
        hyper_threads: hyper_threads.len() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_counted_apart_from_their_hyper_threads() {
        let hyper_thread = |package: u32, core: u32| {
            format!("model name\t: A 1: 2 GHz\nphysical id\t: {package}\ncore id\t\t: {core}\n\n")
        };
        let text: String =
            [(0, 0), (0, 1), (0, 0), (0, 1), (1, 0)].map(|(p, c)| hyper_thread(p, c)).concat();
        let it = processor(&text);
        assert_eq!((it.processor.as_str(), it.cores, it.hyper_threads), ("A 1: 2 GHz", 3, 5));
        // As on ARM.
        let it = processor("processor\t: 0\nBogoMIPS\t: 50\n\nprocessor\t: 1\n");
        assert_eq!((it.processor.as_str(), it.cores, it.hyper_threads), ("", 2, 2));
        assert_eq!(processor(""), Machine::default());
    }

    #[test]
    fn the_memory_of_the_machine_is_read() {
        let text = "MemTotal:       16384 kB\nMemFree: 1 kB\n";
        assert_eq!(total_memory(text), Some(16 << 20));
        assert_eq!(total_memory("MemFree: 1 kB\n"), None);
        assert!(memory().is_none_or(|bytes| bytes > 64 << 20));
    }
}
