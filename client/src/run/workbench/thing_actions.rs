//! Actions on things: selects, turns and replaces them, and knows which shapes would be lost.

use std::sync::Arc;

use interaction::scene::ThingOnTable;
use interaction::tabletop::Order;
use interaction::thing::ThingParts;
use objects::generate::GeneratedKind;
use physics::ObjectSpec;

use super::Workbench;
use super::question::Question;
use super::thing_rotation::ThingRotation;
use super::things_panel::ThingPlace;
use crate::window::{EventUse, MouseAction, MouseEvent, PictureCamera};
use crate::wiring::beside;

/// Rest shapes that can be had again: the original ones and the saved ones.
#[derive(Debug, Default)]
pub(super) struct RecoverableShapes {
    /// Original shape of each thing on the table.
    originals: Vec<Option<Arc<ObjectSpec>>>,
    saved: Vec<Arc<ObjectSpec>>,
}

/// Largest number of saved shapes that are remembered. For an older one the user is asked
/// needlessly.
const MOST_SAVED: usize = 16;

impl RecoverableShapes {
    /// Remembers the original shapes of things without kept shapes.
    pub(super) fn see(&mut self, things: &[ThingOnTable]) {
        self.originals.resize(things.len(), None);
        for (original, thing) in self.originals.iter_mut().zip(things) {
            if thing.n_kept == 0 {
                *original = Some(Arc::clone(&thing.spec));
            }
        }
    }

    /// Remembers a shape that was saved completely.
    pub(super) fn save(&mut self, shape: Option<Arc<ObjectSpec>>) {
        self.saved.extend(shape);
        let n_old = self.saved.len().saturating_sub(MOST_SAVED);
        self.saved.drain(..n_old);
    }

    /// Names of things whose shapes would be lost with them.
    pub(super) fn unsaved(&self, things: &[ThingOnTable]) -> Vec<String> {
        let things = things.iter().enumerate().filter(|(i, thing)| self.is_unsaved(*i, thing));
        things.map(|(_, thing)| thing.name.clone()).collect()
    }

    fn is_unsaved(&self, i: usize, thing: &ThingOnTable) -> bool {
        // Compares shapes, not materials: a thing of another material may have its original shape.
        let original = self.originals.get(i).into_iter().flatten();
        let is_known = self.saved.iter().chain(original).any(|known| has_shape(known, &thing.spec));
        thing.n_kept > 0 && !is_known
    }
}

/// True if two things have the same nodes in the same places.
fn has_shape(one: &Arc<ObjectSpec>, other: &Arc<ObjectSpec>) -> bool {
    Arc::ptr_eq(one, other) || one.rest_points() == other.rest_points()
}

impl Workbench<'_> {
    /// Starts, continues or ends the turn of a thing by dragging.
    pub(super) fn drag_thing(
        &mut self,
        mouse: &MouseEvent,
        picture_camera: &PictureCamera,
    ) -> EventUse {
        match mouse.action {
            MouseAction::Press => {
                self.rotation = ThingRotation::begin(&self.scene_view.scene, mouse, picture_camera);
                let Some(thing) = self.rotation.as_ref().map(|rotation| rotation.thing) else {
                    return EventUse::ForView;
                };
                self.select_thing(thing);
            }
            MouseAction::Move => match &mut self.rotation {
                Some(rotation) => rotation.drag(mouse, picture_camera),
                None => return EventUse::ForView,
            },
            MouseAction::Release => {
                self.turn_thing();
                if self.rotation.take().is_none() {
                    return EventUse::ForView;
                }
            }
            MouseAction::Scroll(_) => return EventUse::ForView,
        }
        EventUse::ForContent
    }

    /// Sends the order to place the thing as it was turned since the last call.
    pub(super) fn turn_thing(&mut self) {
        let Some(rotation) = &mut self.rotation else { return };
        if let Some(home) = rotation.take_home() {
            let thing = rotation.thing;
            self.order(Order::Place { thing, home });
        }
    }

    /// Selects the thing for all following orders.
    pub(super) fn select_thing(&mut self, thing: usize) {
        if self.scene_view.scene.selected.as_ref().is_some_and(|chosen| chosen.thing != thing) {
            self.scene_view.forget_squeezes();
            self.order(Order::Select(thing));
        }
    }

    /// Starts to generate a thing.
    pub(super) fn make_thing(&mut self, kind: GeneratedKind, place: ThingPlace) {
        let Some(spec) = self.spec() else { return };
        let begun = self.jobs.make_thing(kind, spec, place);
        self.show_failure(begun);
    }

    pub(super) fn put_on_table(&mut self, mut parts: ThingParts, place: ThingPlace) {
        match place {
            ThingPlace::Beside(n_others) => {
                parts.home.translation.vector += beside(n_others);
                self.order(Order::Add(Box::new(parts)));
            }
            ThingPlace::Instead if self.would_lose_chosen() => {
                self.panels.question = Some(Question::LoseShape(parts));
            }
            ThingPlace::Instead => self.replace(parts),
        }
    }

    /// True if a kept shape of the selected thing would be lost with it.
    fn would_lose_chosen(&self) -> bool {
        let Some(chosen) = self.scene_view.scene.selected.as_ref().map(|chosen| chosen.thing)
        else {
            return false;
        };
        let thing = self.scene_view.scene.things.get(chosen);
        thing.is_some_and(|thing| self.files.shapes.is_unsaved(chosen, thing))
    }

    pub(super) fn replace(&mut self, parts: ThingParts) {
        self.scene_view.forget_squeezes();
        self.order(Order::Replace(Box::new(parts)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::thing_files::tests::cube;
    use super::*;
    use nalgebra::Isometry3;

    fn larger(spec: &ObjectSpec, by: f64) -> Arc<ObjectSpec> {
        let displacements: Vec<_> =
            spec.rest_points().iter().map(|x| x.coords * (by - 1.0)).collect();
        Arc::new(spec.with_rest(&displacements).unwrap().spec)
    }

    fn on_table(name: &str, spec: &Arc<ObjectSpec>, n_kept: usize) -> ThingOnTable {
        let (name, spec, home) = (name.to_owned(), Arc::clone(spec), Isometry3::identity());
        ThingOnTable { name, spec, n_kept, home }
    }

    #[test]
    fn shapes_of_all_things_are_known_to_be_unsaved() {
        let first = Arc::new(cube());
        let [dented, pressed] = [1.1, 1.2].map(|by| larger(&first, by));
        let mut shapes = RecoverableShapes::default();
        let table = |one: &Arc<ObjectSpec>, n_one, other: &Arc<ObjectSpec>, n_other| {
            vec![on_table("one", one, n_one), on_table("other", other, n_other)]
        };
        shapes.see(&table(&first, 0, &first, 0));
        assert!(shapes.unsaved(&table(&first, 0, &first, 0)).is_empty());
        // Unsaved shapes count for things that are not selected too.
        let both = table(&dented, 1, &pressed, 1);
        shapes.see(&both);
        assert_eq!(shapes.unsaved(&both), ["one", "other"]);
        shapes.save(Some(Arc::clone(&dented)));
        assert_eq!(shapes.unsaved(&both), ["other"]);
        // A shape that is back to the original is not lost; nor is a shape in a file, even if
        // another was saved since.
        shapes.save(Some(Arc::clone(&pressed)));
        assert!(shapes.unsaved(&both).is_empty());
        assert!(shapes.unsaved(&table(&first, 2, &dented, 3)).is_empty());
        assert_eq!(shapes.unsaved(&table(&larger(&first, 1.3), 1, &first, 0)), ["one"]);
    }
}
