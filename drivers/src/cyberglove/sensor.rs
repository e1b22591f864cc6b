//! The glove's sensors: their order on the wire, sets of them, and one set of their counts.

/// A bend sensor. Its number is its bit in the sensor mask: four times the group, plus the position
/// in the group.
///
/// MPJ, PIJ and DIJ are the knuckle, middle and end joints of a finger; IJ is the thumb's end
/// joint. An abduction is the angle between two neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Sensor {
    ThumbRoll = 0,
    ThumbMpj = 1,
    ThumbIj = 2,
    ThumbIndexAbduction = 3,
    IndexMpj = 4,
    IndexPij = 5,
    IndexDij = 6,
    /// Has a bit, but no 18- or 22-sensor glove has this sensor.
    IndexAbduction = 7,
    MiddleMpj = 8,
    MiddlePij = 9,
    MiddleDij = 10,
    MiddleIndexAbduction = 11,
    RingMpj = 12,
    RingPij = 13,
    RingDij = 14,
    RingMiddleAbduction = 15,
    PinkieMpj = 16,
    PinkiePij = 17,
    PinkieDij = 18,
    PinkieRingAbduction = 19,
    PalmArch = 20,
    /// Flexion of the wrist.
    WristPitch = 21,
    /// Deviation of the wrist, towards the thumb or away from it.
    WristYaw = 22,
    Spare = 23,
}

impl Sensor {
    /// Name for texts on the screen.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ThumbRoll => "thumb roll",
            Self::ThumbMpj => "thumb MPJ",
            Self::ThumbIj => "thumb IJ",
            Self::ThumbIndexAbduction => "thumb-index abduction",
            Self::IndexMpj => "index MPJ",
            Self::IndexPij => "index PIJ",
            Self::IndexDij => "index DIJ",
            Self::IndexAbduction => "index abduction",
            Self::MiddleMpj => "middle MPJ",
            Self::MiddlePij => "middle PIJ",
            Self::MiddleDij => "middle DIJ",
            Self::MiddleIndexAbduction => "middle-index abduction",
            Self::RingMpj => "ring MPJ",
            Self::RingPij => "ring PIJ",
            Self::RingDij => "ring DIJ",
            Self::RingMiddleAbduction => "ring-middle abduction",
            Self::PinkieMpj => "pinkie MPJ",
            Self::PinkiePij => "pinkie PIJ",
            Self::PinkieDij => "pinkie DIJ",
            Self::PinkieRingAbduction => "pinkie-ring abduction",
            Self::PalmArch => "palm arch",
            Self::WristPitch => "wrist pitch",
            Self::WristYaw => "wrist yaw",
            Self::Spare => "spare",
        }
    }

    /// All sensors in wire order: `ALL[bit]` is the sensor of that bit.
    pub const ALL: [Self; 24] = [
        Self::ThumbRoll,
        Self::ThumbMpj,
        Self::ThumbIj,
        Self::ThumbIndexAbduction,
        Self::IndexMpj,
        Self::IndexPij,
        Self::IndexDij,
        Self::IndexAbduction,
        Self::MiddleMpj,
        Self::MiddlePij,
        Self::MiddleDij,
        Self::MiddleIndexAbduction,
        Self::RingMpj,
        Self::RingPij,
        Self::RingDij,
        Self::RingMiddleAbduction,
        Self::PinkieMpj,
        Self::PinkiePij,
        Self::PinkieDij,
        Self::PinkieRingAbduction,
        Self::PalmArch,
        Self::WristPitch,
        Self::WristYaw,
        Self::Spare,
    ];

    /// The sensor's bit in a mask and its slot in [`SensorCounts`].
    pub const fn bit(self) -> usize {
        self as usize
    }
}

/// A set of sensors, 24 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SensorMask(u32);

impl SensorMask {
    /// The 22-sensor glove: all sensors except [`Sensor::IndexAbduction`] and [`Sensor::Spare`].
    pub const GLOVE_22: Self = Self(0x7F_FF7F);
    /// The 18-sensor glove: the sensors of the 22-sensor one without the four end joints.
    pub const GLOVE_18: Self = Self(0x7B_BB3F);

    /// The set of `sensors`.
    pub fn of(sensors: impl Iterator<Item = Sensor>) -> Self {
        Self(sensors.fold(0, |bits, sensor| bits | 1 << sensor.bit()))
    }

    /// Decodes a mask from the wire: three bytes, the least significant first.
    pub const fn from_wire(bytes: [u8; 3]) -> Self {
        Self(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]))
    }

    pub const fn to_wire(self) -> [u8; 3] {
        let [low, middle, high, _] = self.0.to_le_bytes();
        [low, middle, high]
    }

    pub const fn contains(self, sensor: Sensor) -> bool {
        self.0 >> sensor.bit() & 1 == 1
    }

    pub const fn n_sensors(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The sensors that are in both sets.
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The first `n_sensors` of this set in wire order, or all if the set has fewer.
    pub const fn first(self, n_sensors: usize) -> Self {
        let (mut first, mut rest, mut n_taken) = (0, self.0, 0);
        while n_taken < n_sensors && rest != 0 {
            first |= rest & rest.wrapping_neg();
            rest &= rest - 1;
            n_taken += 1;
        }
        Self(first)
    }

    /// The sensors of this set in the order of their values in a record.
    pub fn sensors(self) -> impl Iterator<Item = Sensor> {
        Sensor::ALL.into_iter().filter(move |sensor| self.contains(*sensor))
    }
}

/// One count per fitted sensor, before calibration.
///
/// The glove never sends 0 as a value, because a NUL ends a record. A 0 here means "not fitted".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SensorCounts([u8; Sensor::ALL.len()]);

impl SensorCounts {
    /// One slot per bit of the mask, 0 where no sensor is fitted.
    pub const fn from_slots(slots: [u8; Sensor::ALL.len()]) -> Self {
        Self(slots)
    }

    /// Counts from the values of a record, in wire order; their number must be that of the sensors
    /// in `mask`.
    pub(crate) fn from_values(mask: SensorMask, values: &[u8]) -> Self {
        debug_assert_eq!(mask.n_sensors(), values.len());
        let mut slots = [0; Sensor::ALL.len()];
        for (sensor, value) in mask.sensors().zip(values) {
            slots[sensor.bit()] = *value;
        }
        Self(slots)
    }

    /// The count of `sensor`, 1 to 255, or `None` if this glove has no such sensor.
    pub const fn get(&self, sensor: Sensor) -> Option<u8> {
        match self.0[sensor.bit()] {
            0 => None,
            count => Some(count),
        }
    }

    /// All fitted sensors with their counts, in wire order.
    pub fn iter(&self) -> impl Iterator<Item = (Sensor, u8)> {
        Sensor::ALL.into_iter().filter_map(|sensor| Some((sensor, self.get(sensor)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sensor_stands_at_its_bit() {
        for (bit, sensor) in Sensor::ALL.into_iter().enumerate() {
            assert_eq!(sensor.bit(), bit);
        }
    }

    #[test]
    fn masks_have_the_manuals_wire_bytes() {
        assert_eq!(SensorMask::GLOVE_22.to_wire(), [0x7F, 0xFF, 0x7F]);
        assert_eq!(SensorMask::GLOVE_18.to_wire(), [0x3F, 0xBB, 0x7B]);
        assert_eq!(SensorMask::GLOVE_22.n_sensors(), 22);
        assert_eq!(SensorMask::GLOVE_18.n_sensors(), 18);
    }

    #[test]
    fn the_first_sensors_are_those_with_the_lowest_bits() {
        let check = |n_sensors, want| {
            assert_eq!(SensorMask::GLOVE_18.first(n_sensors), SensorMask(want), "{n_sensors}");
        };
        check(0, 0);
        check(1, 1);
        check(7, 0x01_3F);
        check(18, 0x7B_BB3F);
        check(24, 0x7B_BB3F);
        let both = SensorMask::GLOVE_18.intersection(SensorMask(0x0F_FF40));
        assert_eq!(both, SensorMask(0x0B_BB00));
    }

    #[test]
    fn an_18_sensor_glove_has_no_end_joints() {
        let missing: Vec<_> = SensorMask::GLOVE_22
            .sensors()
            .filter(|sensor| !SensorMask::GLOVE_18.contains(*sensor))
            .collect();
        let end_joints = [Sensor::IndexDij, Sensor::MiddleDij, Sensor::RingDij, Sensor::PinkieDij];
        assert_eq!(missing, end_joints);
    }
}
