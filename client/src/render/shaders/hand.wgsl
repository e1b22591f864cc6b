// The glove: placed copies of unit shapes.

struct Placement {
    @location(2) x: vec4<f32>,
    @location(3) y: vec4<f32>,
    @location(4) z: vec4<f32>,
    @location(5) origin: vec4<f32>,
    @location(6) look: vec4<f32>,
    // The width at y = 1, for a width of 1 at y = 0.
    @location(7) taper: f32,
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

fn tapered(position: vec3<f32>, taper: f32) -> vec4<f32> {
    let width = mix(1.0, taper, saturate(position.y));
    return vec4<f32>(position.x * width, position.y, position.z * width, 1.0);
}

@vertex
fn placed(
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    placement: Placement,
) -> Corner {
    let m = world_from_shape(placement);
    let at = (m * tapered(position, placement.taper)).xyz;
    let tilted = normal + vec3<f32>(0.0, 1.0 - placement.taper, 0.0);
    // Exact for axes at right angles. Where two axes of a shape are not, its normals have no part
    // along them.
    let turned = m[0].xyz * (tilted.x / dot(m[0].xyz, m[0].xyz))
        + m[1].xyz * (tilted.y / dot(m[1].xyz, m[1].xyz))
        + m[2].xyz * (tilted.z / dot(m[2].xyz, m[2].xyz));
    return Corner(view.clip_from_world * vec4<f32>(at, 1.0), at, turned, placement.look);
}

@vertex
fn seen_from_light(
    @location(0) position: vec3<f32>,
    placement: Placement,
) -> @builtin(position) vec4<f32> {
    let at = world_from_shape(placement) * tapered(position, placement.taper);
    return key_light.light_from_world * at;
}

@fragment
fn coloured(corner: Corner) -> @location(0) vec4<f32> {
    let colour = corner.look.rgb;
    let light = shade(corner.at, corner.normal, Matter(colour, 0.62, 0.30), corner.clip.xy);
    return shown(light + colour * corner.look.a, corner.clip.xy);
}
