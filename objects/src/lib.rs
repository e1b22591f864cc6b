//! Things to squeeze. Generators now; file formats and a material library belong here too.

pub mod generate;
