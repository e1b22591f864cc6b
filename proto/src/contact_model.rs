//! Conversions of contact models.

use physics::ContactModel;

use crate::array::{WireError, packed, unpacked};
use crate::touch::{packed_proxy, proxy_id};
use crate::v1;

impl From<&ContactModel> for v1::ContactModel {
    fn from(model: &ContactModel) -> Self {
        Self {
            proxy: packed_proxy(model.proxy),
            place: packed(model.place),
            force: packed(model.force),
            normal: packed(model.normal),
            stiffness: packed(model.stiffness),
            friction: model.friction,
            radius: model.radius,
            slip_speed: model.slip_speed,
        }
    }
}

impl TryFrom<v1::ContactModel> for ContactModel {
    type Error = WireError;

    fn try_from(model: v1::ContactModel) -> Result<Self, WireError> {
        let model = Self {
            proxy: proxy_id(model.proxy)?,
            place: one("place", &model.place)?,
            force: one("force", &model.force)?,
            normal: one("normal", &model.normal)?,
            stiffness: one("stiffness", &model.stiffness)?,
            friction: model.friction,
            radius: model.radius,
            slip_speed: model.slip_speed,
        };
        if model.is_valid() { Ok(model) } else { Err(WireError::NoContactModel) }
    }
}

/// Reads the contact models of a frame, and checks their number.
pub(crate) fn contact_models(
    models: Vec<v1::ContactModel>,
) -> Result<Vec<ContactModel>, WireError> {
    if models.len() > ContactModel::MOST {
        let index = u32::try_from(models.len()).unwrap_or(u32::MAX);
        let limit = ContactModel::MOST + 1;
        return Err(WireError::Index { field: "contact_models", index, limit });
    }
    models.into_iter().map(ContactModel::try_from).collect()
}

/// Reads one group of numbers.
fn one<const K: usize>(field: &'static str, bytes: &[u8]) -> Result<[f32; K], WireError> {
    match unpacked::<f32, 4, K>(field, bytes)?[..] {
        [numbers] => Ok(numbers),
        _ => Err(WireError::Length { field, got: bytes.len(), want: (4 * K).to_string() }),
    }
}
