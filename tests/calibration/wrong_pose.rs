//! A pose that was mistaken for another one is found, named and done again.

use calibration::{GloveModel, Plan, PoseId, Procedure};

use crate::wearer::{Wearer, at_once};

const MISTAKES: [(PoseId, PoseId); 7] = [
    (PoseId::Fist, PoseId::TableTop),
    (PoseId::Hook, PoseId::Fist),
    (PoseId::IndexBent, PoseId::MiddleBent),
    (PoseId::Spread, PoseId::Flat),
    (PoseId::ThumbDown, PoseId::ThumbOut),
    (PoseId::WristUp, PoseId::WristDown),
    (PoseId::Cup, PoseId::Hook),
];

#[test]
fn a_wrong_pose_is_named_and_done_again() {
    at_once(0..MISTAKES.len() as u64, |seed| {
        let mistake = MISTAKES[seed as usize];
        let mut person = Wearer::new(100 + seed);
        person.mistake = Some(mistake);
        let mut procedure = Procedure::new(Plan::full());
        person.follow(&mut procedure);
        let spoilt = procedure.fit(&GloveModel::uncalibrated());
        let named: Vec<_> = spoilt.outliers.iter().map(|outlier| outlier.pose).collect();
        assert_eq!(named, [mistake.0], "{:?}", spoilt.outliers);
        procedure.retake(&spoilt.outliers);
        assert_eq!(procedure.view().name, mistake.0.pose().name);
        person.follow(&mut procedure);
        let good = procedure.fit(&GloveModel::uncalibrated());
        assert_eq!(good.outliers, [], "{mistake:?}");
    });
}
