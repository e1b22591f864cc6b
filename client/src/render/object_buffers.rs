//! An object's surface on the graphics device: uploaded once for each new shape, split into
//! vertices once for each topology.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use interaction::scene::{Colouring, ObjectView};
use physics::{SurfaceFrame, Topology};
use wgpu::util::DeviceExt;
use wgpu::{Buffer, BufferUsages, RenderPass};

use super::growing_buffer::{GrowingBuffer, Upload};
use super::light::Casters;
use super::surface_vertices::{FULL_STRETCH, Quantity, SurfaceVertex, SurfaceVertices, Values};

/// Pose of an object and scale of its values, as its shader reads them.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ObjectInstance {
    world_from_object: [[f32; 4]; 4],
    /// 1 if the ramp gives the colour, else 0; and the factor from a value to a share of the full
    /// colour.
    meaning: [f32; 4],
}

/// An object's surface on the device.
#[derive(Debug)]
pub(super) struct ObjectBuffers {
    topology: Arc<Topology>,
    skin: SurfaceVertices,
    indices: Buffer,
    vertices: GrowingBuffer,
    values: GrowingBuffer,
    colours: GrowingBuffer,
    place: GrowingBuffer,
    /// Lowest and highest corner of its bounding box.
    bounds: [[f32; 3]; 2],
    /// State that the buffers hold.
    sent: Option<Sent>,
    /// Reused for every shape.
    new_vertices: Vec<SurfaceVertex>,
    new_values: Values,
}

#[derive(Debug)]
struct Sent {
    frame: Arc<SurfaceFrame>,
    quantity: Quantity,
    colours: Option<Arc<Vec<[f32; 3]>>>,
    place: ObjectInstance,
}

impl ObjectBuffers {
    pub(super) fn new(to: &mut Upload<'_>, object: &ObjectView) -> Self {
        let topology = Arc::clone(&object.frame.topology);
        let skin = SurfaceVertices::new(&topology.triangles, &topology.rest_positions);
        let contents: &[u8] = bytemuck::cast_slice(&skin.triangles);
        to.uploads.topologies += 1;
        to.uploads.bytes += contents.len() as u64;
        let indices = to.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("object indices"),
            contents,
            usage: BufferUsages::INDEX,
        });
        Self {
            topology,
            skin,
            indices,
            vertices: GrowingBuffer::new("object vertices"),
            values: GrowingBuffer::new("object values"),
            colours: GrowingBuffer::new("object colours"),
            place: GrowingBuffer::new("object place"),
            bounds: [[0.0; 3]; 2],
            sent: None,
            new_vertices: Vec::new(),
            new_values: Values::default(),
        }
    }

    /// True if the object still has the topology of these buffers.
    pub(super) fn fit(&self, object: &ObjectView) -> bool {
        let topology = &object.frame.topology;
        // Frames from a server may hold an equal copy.
        Arc::ptr_eq(&self.topology, topology) || self.topology == *topology
    }

    /// Sends the changes since the last call.
    pub(super) fn update(
        &mut self,
        to: &mut Upload<'_>,
        object: &ObjectView,
        colouring: &Colouring,
    ) {
        let (quantity, place) = meaning(object, colouring);
        let frame = &object.frame;
        let sent = self.sent.take();
        let is_sent = |is_same: &dyn Fn(&Sent) -> bool| sent.as_ref().is_some_and(is_same);
        let has_shape = is_sent(&|sent| Arc::ptr_eq(&sent.frame, frame));
        if !has_shape {
            let _span = tracing::trace_span!("upload", sample = frame.sample.0).entered();
            self.skin.vertices(&frame.positions, &mut self.new_vertices);
            self.vertices.write(to, &self.new_vertices);
            self.bounds = bounds(&frame.positions);
            to.uploads.shapes += 1;
        }
        if !(has_shape && is_sent(&|sent| sent.quantity == quantity)) {
            self.skin.values(frame, quantity, &mut self.new_values);
            self.values.write(to, &self.new_values.of_vertices);
            to.uploads.values += 1;
        }
        let address = |colours: &Option<Arc<_>>| colours.as_ref().map(Arc::as_ptr);
        if !is_sent(&|sent| address(&sent.colours) == address(&object.colours)) {
            let colours = object.colours.as_deref().map(Vec::as_slice);
            self.colours.write(to, &self.skin.colours(colours));
        }
        if !is_sent(&|sent| sent.place == place) {
            self.place.write(to, &[place]);
        }
        let (frame, colours) = (Arc::clone(frame), object.colours.clone());
        self.sent = Some(Sent { frame, quantity, colours, place });
    }

    /// Adds the object's bounds to those of the shadow casters.
    pub(super) fn cast(&self, casters: &mut Casters) {
        if let Some(sent) = &self.sent {
            let [low, high] = self.bounds;
            casters.add_box(low, high, &sent.place.world_from_object.into());
        }
    }

    pub(super) fn draw(&self, pass: &mut RenderPass<'_>) {
        let buffers = [&self.vertices, &self.values, &self.colours, &self.place];
        if buffers.iter().any(|buffer| buffer.buffer.is_none()) {
            return;
        }
        for (slot, buffer) in (0..).zip(buffers.iter().filter_map(|b| b.buffer.as_ref())) {
            pass.set_vertex_buffer(slot, buffer.slice(..));
        }
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..3 * self.skin.triangles.len() as u32, 0, 0..1);
    }
}

fn bounds(positions: &[[f32; 3]]) -> [[f32; 3]; 2] {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for x in positions {
        for axis in 0..3 {
            low[axis] = low[axis].min(x[axis]);
            high[axis] = high[axis].max(x[axis]);
        }
    }
    [low, high]
}

/// Returns the numbers behind an object's colours, and how the shader reads them. If a frame lacks
/// the field, the object keeps its own colours until a frame with it arrives.
fn meaning(object: &ObjectView, colouring: &Colouring) -> (Quantity, ObjectInstance) {
    let natural = (Quantity::Stretch, [0.0, 1.0 / FULL_STRETCH, 0.0, 0.0]);
    let ramp = |quantity, full: f64| (quantity, [1.0, 1.0 / full as f32, 0.0, 0.0]);
    let (quantity, meaning) = match colouring {
        Colouring::Natural => natural,
        Colouring::Displacement { full } => ramp(Quantity::Displacement, *full),
        Colouring::Strain { full } => ramp(Quantity::Stretch, *full),
        Colouring::Field { name, low, high } => match place_of_field(&object.frame, name) {
            Some(place) => {
                (Quantity::Field(place), [1.0, 1.0 / (high - low) as f32, *low as f32, 0.0])
            }
            None => natural,
        },
    };
    let world_from_object = object.world_from_object.to_homogeneous().cast().into();
    (quantity, ObjectInstance { world_from_object, meaning })
}

/// Index of the field with this name in the object's list, if the frame has its values.
fn place_of_field(frame: &SurfaceFrame, name: &str) -> Option<usize> {
    frame.field(name)?;
    frame.topology.fields.iter().position(|field| field.name == name)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use nalgebra::Isometry3;
    use physics::{FieldKind, FieldValues, Grip};

    use super::*;

    const SPEED: FieldKind = FieldKind { name: Cow::Borrowed("speed"), unit: Cow::Borrowed("m/s") };

    /// A triangle that offers these fields.
    fn object(kinds: &[FieldKind]) -> ObjectView {
        let rest_positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let triangle = vec![[0, 1, 2]];
        let topology = Topology::of_points(Grip::Contact, rest_positions.clone(), triangle);
        let topology = Topology { fields: kinds.to_vec(), ..topology };
        let fields = kinds.iter().map(|_| FieldValues::from_zero(vec![1.0; 3], 0.1)).collect();
        let frame = SurfaceFrame::at_rest(Arc::new(topology), Arc::new(rest_positions));
        let frame = Arc::new(SurfaceFrame { fields, ..frame });
        ObjectView { thing: 0, frame, world_from_object: Isometry3::identity(), colours: None }
    }

    #[test]
    fn each_thing_shows_the_field_by_its_name_or_its_own_colours() {
        let speed = Colouring::Field { name: "speed".into(), low: 1.0, high: 5.0 };
        let shown = |object: &ObjectView| {
            let (quantity, place) = meaning(object, &speed);
            (quantity, place.meaning)
        };
        let on_scale = [1.0, 0.25, 1.0, 0.0];
        assert_eq!(shown(&object(&[SPEED])), (Quantity::Field(0), on_scale));
        let second = object(&[FieldKind::VON_MISES, SPEED]);
        assert_eq!(shown(&second), (Quantity::Field(1), on_scale));
        // One without this field, and one whose frame has no values yet.
        let (_, natural) = meaning(&second, &Colouring::Natural);
        let own = (Quantity::Stretch, natural.meaning);
        assert_eq!(shown(&object(&[FieldKind::VON_MISES])), own);
        let mut silent = object(&[SPEED]);
        Arc::make_mut(&mut silent.frame).fields.clear();
        assert_eq!(shown(&silent), own);
    }
}
