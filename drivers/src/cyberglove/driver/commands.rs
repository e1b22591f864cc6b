//! Commands and questions to an open glove.

use super::CyberGlove;
use super::exchange::{RequestError, RetryPolicy, ask, query};
use super::options::{BaudCommand, Model, PeriodForm};
use crate::cyberglove::protocol::{
    ACTUATORS, Actuator, Feature, Flag, Flags, GloveState, Query, Reply, Request, SamplePeriod,
    StoredCalibration, Switch,
};
use crate::serial::DeviceError;

impl CyberGlove {
    /// Carries out any request and returns its reply.
    ///
    /// A stream is stopped before and started again afterwards, even if the request fails; the
    /// samples of about 0.1 s are lost. If the request changes the shape of records, the decoder is
    /// changed too. After a restart all settings are sent again. A setting that gets no answer may
    /// be in effect or not; [`Self::set_up`] then restores a known state.
    ///
    /// Does not return records: use [`Self::sample`] and [`Self::start_stream`].
    pub fn request(&mut self, request: &Request) -> Result<Reply, RequestError> {
        self.check(request)?;
        if *request == Request::Abort {
            self.stop_stream()?;
            return Ok(Reply::Done);
        }
        let stream = self.pause_stream()?;
        let reply = self.converse(request);
        self.resume_stream(stream)?;
        reply
    }

    pub fn state(&mut self) -> Result<GloveState, RequestError> {
        self.query(Query::State)
    }

    pub fn flags(&mut self) -> Result<Flags, RequestError> {
        self.query(Query::Flags)
    }

    pub fn sample_period(&mut self) -> Result<SamplePeriod, RequestError> {
        self.query(Query::Period)
    }

    /// Sets the time between the records of a stream, in the form that the options select.
    pub fn set_sample_period(&mut self, period: SamplePeriod) -> Result<(), RequestError> {
        self.send_command(&match self.options.period_form {
            PeriodForm::Ascii => Request::SetPeriodInAscii(period),
            PeriodForm::Binary => Request::SetPeriod(period),
        })?;
        self.options.sample_period = Some(period);
        Ok(())
    }

    pub fn is_on(&mut self, feature: Feature) -> Result<bool, RequestError> {
        Ok(self.query::<Switch>(Query::Feature(feature))? == Switch::On)
    }

    pub fn turn(&mut self, feature: Feature, switch: Switch) -> Result<(), RequestError> {
        self.send_command(&Request::Turn(feature, switch))
    }

    /// Switches the light at the wrist; from now on it does not follow the wrist switch.
    pub fn set_light(&mut self, switch: Switch) -> Result<(), RequestError> {
        self.turn(Feature::Light, switch)
    }

    /// Calibration that the unit stores for the sensors of a record, in the order of the record.
    pub fn stored_calibration(&mut self) -> Result<StoredCalibration, RequestError> {
        self.query(Query::Calibration)
    }

    /// Lets one actuator of a CyberTouch vibrate; 255 is full strength, 0 is off.
    pub fn touch(&mut self, actuator: Actuator, strength: u8) -> Result<(), RequestError> {
        self.send_command(&Request::touch_one(actuator, strength))
    }

    /// Sets all actuators of a CyberTouch.
    pub fn touch_all(&mut self, strengths: [u8; ACTUATORS]) -> Result<(), RequestError> {
        self.send_command(&Request::TouchAll(strengths))
    }

    fn send_command(&mut self, request: &Request) -> Result<(), RequestError> {
        self.request(request).map(|_| ())
    }

    fn query<T: TryFrom<Reply, Error = Reply>>(
        &mut self,
        question: Query,
    ) -> Result<T, RequestError> {
        let stream = self.pause_stream()?;
        let (n_values, patience) = (self.n_values(), RetryPolicy::with(&Request::Ask(question)));
        let answer = query(self.line.serial(), question, n_values, patience);
        self.resume_stream(stream)?;
        answer
    }

    /// Returns an error if the request must not be sent to this glove.
    pub(super) fn check(&self, request: &Request) -> Result<(), RequestError> {
        let reason = match request {
            Request::OneRecord | Request::Stream => "records are read as samples, not as replies",
            Request::SetBaudDivisor(_) if self.options.baud_command == BaudCommand::Refused => {
                "the options do not allow changing the unit's baud rate"
            }
            Request::ModelThree(_) if self.options.model != Model::Three => {
                "only a CyberGlove III understands it"
            }
            Request::StoreCalibration(stored)
                if stored.offsets.len() != self.n_values()
                    || stored.gains.len() != self.n_values() =>
            {
                "there must be one offset and one gain for each value of a record"
            }
            _ => return Ok(()),
        };
        let path = self.line.path().to_owned();
        Err(RequestError::Unsuitable { path, request: format!("{request:?}"), reason })
    }

    /// Sends the request on the silent line, and updates the state that it changes.
    fn converse(&mut self, request: &Request) -> Result<Reply, RequestError> {
        // Set before the request is sent: a request that fails may have reached the unit.
        self.has_touched |= match request {
            Request::TouchSome(strengths) => {
                strengths.iter().flatten().any(|strength| *strength > 0)
            }
            Request::TouchAll(strengths) => strengths.iter().any(|strength| *strength > 0),
            _ => false,
        };
        let n_values = self.n_values();
        let reply = ask(self.line.serial(), request, n_values, RetryPolicy::with(request))?;
        self.follow(request)?;
        Ok(reply)
    }

    /// Updates the shape of records after `request` has been carried out.
    fn follow(&mut self, request: &Request) -> Result<(), DeviceError> {
        let on = |is_on| if is_on { Switch::On } else { Switch::Off };
        match request {
            Request::SetSoftwareMask(mask) => {
                self.enabled = self.info.hardware_mask.intersection(*mask);
            }
            Request::SetValueCount(n_values) => self.n_values_at_most = usize::from(*n_values),
            Request::Turn(Feature::TimeStamp, switch) => self.shape.time_stamp = *switch,
            Request::Turn(Feature::StatusByte, switch) => self.shape.status_byte = *switch,
            Request::SetFlags(flags) => {
                self.shape.time_stamp = on(flags.contains(Flag::TimeStamp));
                self.shape.status_byte = on(flags.contains(Flag::StatusByte));
            }
            Request::Restart | Request::Reinitialise => return self.set_up(),
            _ => return Ok(()),
        }
        self.shape.sensors = self.enabled.first(self.n_values_at_most);
        self.info.mask = self.shape.sensors;
        self.line.decoder().records.set_shape(self.shape);
        Ok(())
    }

    fn n_values(&self) -> usize {
        self.shape.sensors.n_sensors()
    }
}
