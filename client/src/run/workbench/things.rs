//! What the window does with things: chooses them, turns them, puts others on the table, and knows
//! which shapes of them would be lost.

use std::sync::Arc;

use interaction::scene::ThingOnTable;
use interaction::tabletop::Order;
use interaction::thing::ThingParts;
use objects::generate::Kind;
use physics::ObjectSpec;

use super::Bench;
use super::objects::Place;
use super::question::Question;
use super::turning::Turning;
use crate::window::{Meant, Mouse, MouseDoes, Sight};
use crate::wiring::beside;

/// Rest shapes that can be had again: those that things began with, and those that were saved.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    /// Of each thing on the table.
    originals: Vec<Option<Arc<ObjectSpec>>>,
    saved: Vec<Arc<ObjectSpec>>,
}

/// More saved shapes are not remembered: whoever goes back to an older one is asked once too often.
const MOST_SAVED: usize = 16;

impl Shapes {
    /// Takes note of shapes that nobody has changed.
    pub(super) fn see(&mut self, things: &[ThingOnTable]) {
        self.originals.resize(things.len(), None);
        for (original, thing) in self.originals.iter_mut().zip(things) {
            if thing.n_kept == 0 {
                *original = Some(Arc::clone(&thing.spec));
            }
        }
    }

    /// A whole shape is in a file.
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
        // Whatever it is made of by now, it may have the shape that it had at first.
        let original = self.originals.get(i).into_iter().flatten();
        let is_known = self.saved.iter().chain(original).any(|known| has_shape(known, &thing.spec));
        thing.n_kept > 0 && !is_known
    }
}

/// Whether two things have the same nodes in the same places.
fn has_shape(one: &Arc<ObjectSpec>, other: &Arc<ObjectSpec>) -> bool {
    Arc::ptr_eq(one, other) || one.rest_points() == other.rest_points()
}

impl Bench<'_> {
    /// Begins to turn a thing, goes on, or has done.
    pub(super) fn drag_thing(&mut self, mouse: &Mouse, sight: &Sight) -> Meant {
        match mouse.does {
            MouseDoes::Presses => {
                self.turning = Turning::begin(&self.picture.scene, mouse, sight);
                let Some(thing) = self.turning.as_ref().map(|turning| turning.thing) else {
                    return Meant::ForView;
                };
                self.select(thing);
            }
            MouseDoes::Moves => match &mut self.turning {
                Some(turning) => turning.drag(mouse, sight),
                None => return Meant::ForView,
            },
            MouseDoes::LetsGo => {
                self.turn_thing();
                if self.turning.take().is_none() {
                    return Meant::ForView;
                }
            }
            MouseDoes::Rolls(_) => return Meant::ForView,
        }
        Meant::ForShow
    }

    /// Places the thing that is being turned as it was turned since the last time.
    pub(super) fn turn_thing(&mut self) {
        let Some(turning) = &mut self.turning else { return };
        if let Some(home) = turning.take_home() {
            let thing = turning.thing;
            self.order(Order::Place { thing, home });
        }
    }

    /// Orders are about this thing from now on.
    pub(super) fn select(&mut self, thing: usize) {
        if self.picture.scene.chosen.as_ref().is_some_and(|chosen| chosen.thing != thing) {
            self.picture.forget_squeezes();
            self.order(Order::Select(thing));
        }
    }

    /// Begins to make something by formula.
    pub(super) fn make(&mut self, kind: Kind, place: Place) {
        let Some(spec) = self.spec() else { return };
        let begun = self.clerk.make(kind, spec, place);
        self.complain(begun);
    }

    pub(super) fn put_on_table(&mut self, mut parts: ThingParts, place: Place) {
        match place {
            Place::Beside(n_others) => {
                parts.home.translation.vector += beside(n_others);
                self.order(Order::Add(Box::new(parts)));
            }
            Place::Instead if self.would_lose_chosen() => {
                self.panels.question = Some(Question::LoseShape(parts));
            }
            Place::Instead => self.replace(parts),
        }
    }

    /// Whether a shape that was kept would be lost with the chosen thing.
    fn would_lose_chosen(&self) -> bool {
        let Some(chosen) = self.picture.scene.chosen.as_ref().map(|chosen| chosen.thing) else {
            return false;
        };
        let thing = self.picture.scene.things.get(chosen);
        thing.is_some_and(|thing| self.files.shapes.is_unsaved(chosen, thing))
    }

    pub(super) fn replace(&mut self, parts: ThingParts) {
        self.picture.forget_squeezes();
        self.order(Order::Replace(Box::new(parts)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::shelf::tests::cube;
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
        let mut shapes = Shapes::default();
        let table = |one: &Arc<ObjectSpec>, n_one, other: &Arc<ObjectSpec>, n_other| {
            vec![on_table("one", one, n_one), on_table("other", other, n_other)]
        };
        shapes.see(&table(&first, 0, &first, 0));
        assert!(shapes.unsaved(&table(&first, 0, &first, 0)).is_empty());
        // Neither has to be the chosen one.
        let both = table(&dented, 1, &pressed, 1);
        shapes.see(&both);
        assert_eq!(shapes.unsaved(&both), ["one", "other"]);
        shapes.save(Some(Arc::clone(&dented)));
        assert_eq!(shapes.unsaved(&both), ["other"]);
        // What has come back to what it was is not lost; nor is what a file holds, though another
        // was saved since.
        shapes.save(Some(Arc::clone(&pressed)));
        assert!(shapes.unsaved(&both).is_empty());
        assert!(shapes.unsaved(&table(&first, 2, &dented, 3)).is_empty());
        assert_eq!(shapes.unsaved(&table(&larger(&first, 1.3), 1, &first, 0)), ["one"]);
    }
}
