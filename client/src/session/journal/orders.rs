//! Orders of the person in a journal.

use interaction::grasp::GraspRules;
use interaction::shape_history::HistoryStep;
use interaction::tabletop::Order;
use interaction::thing::NamedMaterial;
use serde::{Deserialize, Serialize};

use super::JournalError;
use super::contact::{ContactFile, GripFile};
use super::lines::SideFile;
use super::person::SizeFile;
use super::pose_numbers::{placed, pose};
use super::thing::{self, ThingFile};

/// One order.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::session) enum OrderFile {
    KeepShape,
    Undo,
    Redo,
    Reset,
    Rules(Vec<String>),
    Replace(ThingFile),
    Material {
        name: String,
        young: f64,
        poisson: f64,
        /// In kg/m³; absent in journals before version 3.
        #[serde(default = "thing::usual_density")]
        density: f64,
        #[serde(default)]
        contact: ContactFile,
    },
    Grip(GripFile),
    Add(ThingFile),
    Select(usize),
    Place {
        thing: usize,
        home: [f64; 7],
    },
    Size {
        hand: SideFile,
        size: SizeFile,
    },
}

impl From<&Order> for OrderFile {
    fn from(order: &Order) -> Self {
        match order {
            Order::KeepShape => Self::KeepShape,
            Order::History(HistoryStep::Undo) => Self::Undo,
            Order::History(HistoryStep::Redo) => Self::Redo,
            Order::History(HistoryStep::Reset) => Self::Reset,
            Order::Rules(rules) => Self::Rules(rules.in_words()),
            Order::Replace(parts) => Self::Replace((&**parts).into()),
            Order::Grip(grip) => Self::Grip((*grip).into()),
            Order::Material(NamedMaterial { name, material, contact }) => Self::Material {
                name: name.clone(),
                young: material.young(),
                poisson: material.poisson(),
                density: material.density(),
                contact: contact.into(),
            },
            Order::Add(parts) => Self::Add((&**parts).into()),
            Order::Select(thing) => Self::Select(*thing),
            Order::Place { thing, home } => Self::Place { thing: *thing, home: placed(home) },
            Order::Size { hand, size } => {
                Self::Size { hand: (*hand).into(), size: (&**size).into() }
            }
        }
    }
}

impl OrderFile {
    pub(in crate::session) fn order(self) -> Result<Order, JournalError> {
        Ok(match self {
            Self::KeepShape => Order::KeepShape,
            Self::Undo => Order::History(HistoryStep::Undo),
            Self::Redo => Order::History(HistoryStep::Redo),
            Self::Reset => Order::History(HistoryStep::Reset),
            Self::Rules(words) => Order::Rules(GraspRules::with(&words)?),
            Self::Replace(thing) => Order::Replace(Box::new(thing.thing()?)),
            Self::Grip(grip) => Order::Grip(grip.into()),
            Self::Material { name, young, poisson, density, contact } => {
                let material = thing::material(young, poisson, density);
                let material = material
                    .map_err(|e| JournalError::Thing { name: name.clone(), why: e.to_string() })?;
                Order::Material(NamedMaterial { name, material, contact: contact.into() })
            }
            Self::Add(thing) => Order::Add(Box::new(thing.thing()?)),
            Self::Select(thing) => Order::Select(thing),
            Self::Place { thing, home } => Order::Place { thing, home: pose(&home)? },
            Self::Size { hand, size } => Order::of_size(hand.into(), size.size()?),
        })
    }
}
