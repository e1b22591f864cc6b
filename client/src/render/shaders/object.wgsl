// A deformable object: its own colour at rest, towards light yellow where it is stretched or pressed.

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) stretch: f32,
    @location(3) colour: vec3<f32>,
};

struct Place {
    @location(4) x: vec4<f32>,
    @location(5) y: vec4<f32>,
    @location(6) z: vec4<f32>,
    @location(7) origin: vec4<f32>,
};

fn world_from_object(p: Place) -> mat4x4<f32> {
    return mat4x4<f32>(p.x, p.y, p.z, p.origin);
}

const STRETCHED = vec3<f32>(0.98, 0.68, 0.28);

@vertex
fn placed(
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) stretch: f32,
    @location(3) colour: vec3<f32>,
    place: Place,
) -> Corner {
    let m = world_from_object(place);
    let at = (m * vec4<f32>(position, 1.0)).xyz;
    let turned = (m * vec4<f32>(normal, 0.0)).xyz;
    return Corner(view.clip_from_world * vec4<f32>(at, 1.0), at, turned, stretch, colour);
}

@vertex
fn seen_from_light(
    @location(0) position: vec3<f32>,
    place: Place,
) -> @builtin(position) vec4<f32> {
    return stage.light_from_world * world_from_object(place) * vec4<f32>(position, 1.0);
}

@fragment
fn coloured(corner: Corner) -> @location(0) vec4<f32> {
    let colour = mix(corner.colour, STRETCHED, smoothstep(0.0, 1.0, corner.stretch));
    let light = shade(corner.at, corner.normal, Matter(colour, 0.42, 0.10), corner.clip.xy);
    return shown(light, corner.clip.xy);
}
