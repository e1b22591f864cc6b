// The glove: placed copies of unit shapes.

struct Placement {
    @location(2) x: vec4<f32>,
    @location(3) y: vec4<f32>,
    @location(4) z: vec4<f32>,
    @location(5) origin: vec4<f32>,
    @location(6) look: vec4<f32>,
};

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) look: vec4<f32>,
};

fn world_from_shape(p: Placement) -> mat4x4<f32> {
    return mat4x4<f32>(p.x, p.y, p.z, p.origin);
}

@vertex
fn placed(
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    placement: Placement,
) -> Corner {
    let m = world_from_shape(placement);
    let at = (m * vec4<f32>(position, 1.0)).xyz;
    // Shapes are stretched only along or across their normals, which then keep their direction.
    let turned = (m * vec4<f32>(normal, 0.0)).xyz;
    return Corner(view.clip_from_world * vec4<f32>(at, 1.0), at, turned, placement.look);
}

@vertex
fn seen_from_light(
    @location(0) position: vec3<f32>,
    placement: Placement,
) -> @builtin(position) vec4<f32> {
    return stage.light_from_world * world_from_shape(placement) * vec4<f32>(position, 1.0);
}

@fragment
fn coloured(corner: Corner) -> @location(0) vec4<f32> {
    let colour = corner.look.rgb;
    let light = shade(corner.at, corner.normal, Matter(colour, 0.55, 0.16), corner.clip.xy);
    return shown(light + colour * corner.look.a, corner.clip.xy);
}
