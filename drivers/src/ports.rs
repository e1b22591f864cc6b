//! Lists the serial ports, and identifies a USB adapter that has got another port name.

use serialport::SerialPortType;

/// One serial port of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortInfo {
    /// Path to open: `/dev/ttyUSB0`, `COM3`.
    pub path: String,
    /// Maker and product of a USB adapter, if it gives them; else the kind of port, or empty.
    pub description: String,
    /// Identity of the adapter, which stays the same when it is plugged in elsewhere.
    pub adapter: Option<Adapter>,
}

/// Identity of a USB adapter, as the adapter reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adapter {
    pub vendor: u16,
    pub product: u16,
    pub serial_number: String,
}

/// A list of ports. It is a trait so that a test can plug adapters in and out.
pub trait Ports: Send {
    fn list(&self) -> Vec<PortInfo>;
}

/// The ports of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemPorts;

impl Ports for SystemPorts {
    /// The ports sorted by path, so that ports without hardware (`ttyS0` to `ttyS31` on many
    /// machines) are in order too. Empty if the machine cannot list its ports.
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
