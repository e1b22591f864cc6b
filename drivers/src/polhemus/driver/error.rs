//! Why a tracker could not be opened or asked.

use crate::polhemus::answer::Complaint;
use crate::polhemus::output::ListError;
use crate::polhemus::protocol::RequestError;
use crate::serial::DeviceError;

/// Why a tracker could not be opened or asked.
#[derive(Debug, thiserror::Error)]
pub enum TrackerError {
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error("{path} refused {request}: {complaint}")]
    Refused { path: String, request: String, complaint: Complaint },
    #[error("{path} was not asked: {source}")]
    Unsendable { path: String, source: RequestError },
    #[error("{path} cannot be read: {source}")]
    Unreadable { path: String, source: ListError },
}

/// For callers who treat all devices alike.
impl From<TrackerError> for DeviceError {
    fn from(error: TrackerError) -> Self {
        match error {
            TrackerError::Device(error) => error,
            TrackerError::Refused { path, request, complaint } => {
                let got = complaint.to_string();
                Self::UnexpectedAnswer { path, request, got, want: "no complaint" }
            }
            TrackerError::Unsendable { path, source } => {
                let reason = match source {
                    RequestError::Number(_) => "a number in a request is too large or none",
                    RequestError::Name(_) => "the name in a request is not 1 to 32 characters",
                    RequestError::Baud(_) => "no tracker has this baud rate",
                    RequestError::ChangesRecords => "a request would change its records",
                };
                Self::NotReady { path, reason }
            }
            TrackerError::Unreadable { path, source: _ } => {
                let reason = "the output list that was asked for makes no records with poses";
                Self::NotReady { path, reason }
            }
        }
    }
}
