//! Options of a session: what its frames carry.

use physics::FrameContent;

use crate::array::WireError;
use crate::v1;
use crate::v1::session_options::Content;

impl From<FrameContent> for Content {
    fn from(content: FrameContent) -> Self {
        match content {
            FrameContent::SurfacePositions => Self::SurfacePositions,
            FrameContent::DisplacementsF64 => Self::DisplacementsF64,
            FrameContent::DisplacementsF32 => Self::DisplacementsF32,
        }
    }
}

/// Reads what the frames of a session carry.
pub fn content(options: &v1::SessionOptions) -> Result<FrameContent, WireError> {
    match Content::try_from(options.content) {
        Ok(Content::Unspecified | Content::SurfacePositions) => Ok(FrameContent::SurfacePositions),
        Ok(Content::DisplacementsF64) => Ok(FrameContent::DisplacementsF64),
        Ok(Content::DisplacementsF32) => Ok(FrameContent::DisplacementsF32),
        Err(_) => Err(WireError::Unknown { field: "content", value: options.content }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_content_is_reported() {
        let options = v1::SessionOptions { content: 9, ..v1::SessionOptions::default() };
        assert_eq!(content(&options).unwrap_err().to_string(), "unknown content 9");
        assert_eq!(content(&v1::SessionOptions::default()), Ok(FrameContent::SurfacePositions));
    }
}
