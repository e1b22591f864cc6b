//! Which serial ports there are, and how an adapter is known again under another name.

use serialport::SerialPortType;

/// One serial port of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortInfo {
    /// What to open: `/dev/ttyUSB0`, `COM3`.
    pub path: String,
    /// What the port belongs to, if it says so: maker and product of a USB adapter.
    pub description: String,
    /// What stays the same when the adapter is plugged in elsewhere.
    pub adapter: Option<Adapter>,
}

/// A USB adapter as it names itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adapter {
    pub vendor: u16,
    pub product: u16,
    pub serial_number: String,
}

/// Where ports are listed. A trait so that a test can plug things in and out.
pub trait Ports: Send {
    fn list(&self) -> Vec<PortInfo>;
}

/// The ports of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemPorts;

impl Ports for SystemPorts {
    /// By path, so that ports which no line is behind (`ttyS0` to `ttyS31` on many machines) come in
    /// order too. A machine that cannot list its ports has none.
    fn list(&self) -> Vec<PortInfo> {
        let found = serialport::available_ports().unwrap_or_else(|error| {
            tracing::warn!(%error, "cannot list serial ports");
            Vec::new()
        });
        let mut ports: Vec<PortInfo> = found.into_iter().map(PortInfo::from).collect();
        ports.sort_by(|a, b| a.path.cmp(&b.path));
        ports.dedup_by(|a, b| a.path == b.path);
        ports
    }
}

impl From<serialport::SerialPortInfo> for PortInfo {
    fn from(port: serialport::SerialPortInfo) -> Self {
        let path = port.port_name;
        match port.port_type {
            SerialPortType::UsbPort(usb) => {
                let names = [usb.manufacturer, usb.product];
                let names: Vec<String> = names.into_iter().flatten().collect();
                let (vendor, product) = (usb.vid, usb.pid);
                let description = match names.as_slice() {
                    [] => format!("USB {vendor:04x}:{product:04x}"),
                    names => names.join(" "),
                };
                let adapter = usb.serial_number.map(|serial_number| Adapter {
                    vendor,
                    product,
                    serial_number,
                });
                Self { path, description, adapter }
            }
            SerialPortType::BluetoothPort => Self::plain(path, "Bluetooth"),
            SerialPortType::PciPort => Self::plain(path, "built in"),
            SerialPortType::Unknown => Self::plain(path, ""),
        }
    }
}

impl PortInfo {
    fn plain(path: String, description: &str) -> Self {
        Self { path, description: description.to_owned(), adapter: None }
    }
}
