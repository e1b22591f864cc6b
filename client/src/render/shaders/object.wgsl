// A deformable object: its own colour, towards light yellow where it is stretched or pressed; or a number as a colour.

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec3<f32>,
    @location(1) normal: vec3<f32>,
    // Of the full colour.
    @location(2) share: f32,
    @location(3) colour: vec3<f32>,
    @location(4) @interpolate(flat) is_ramp: f32,
};

struct Place {
    @location(4) x: vec4<f32>,
    @location(5) y: vec4<f32>,
    @location(6) z: vec4<f32>,
    @location(7) origin: vec4<f32>,
    // 1 if the ramp gives the colour, else 0; factor from a value to a share of the full colour;
    // value of the first colour.
    @location(8) meaning: vec4<f32>,
};

fn world_from_object(p: Place) -> mat4x4<f32> {
    return mat4x4<f32>(p.x, p.y, p.z, p.origin);
}

const STRETCHED = vec3<f32>(0.98, 0.68, 0.28);

@vertex
fn placed(
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) value: f32,
    @location(3) colour: vec3<f32>,
    place: Place,
) -> Corner {
    let m = world_from_object(place);
    let at = (m * vec4<f32>(position, 1.0)).xyz;
    let turned = (m * vec4<f32>(normal, 0.0)).xyz;
    let clip = view.clip_from_world * vec4<f32>(at, 1.0);
    let share = (value - place.meaning.z) * place.meaning.y;
    return Corner(clip, at, turned, share, colour, place.meaning.x);
}

@vertex
fn seen_from_light(
    @location(0) position: vec3<f32>,
    place: Place,
) -> @builtin(position) vec4<f32> {
    return key_light.light_from_world * world_from_object(place) * vec4<f32>(position, 1.0);
}

@fragment
fn coloured(corner: Corner, @builtin(front_facing) is_front: bool) -> @location(0) vec4<f32> {
    let natural = mix(corner.colour, STRETCHED, smoothstep(0.0, 1.0, corner.share));
    let colour = mix(natural, ramp(corner.share), corner.is_ramp);
    // Both sides of an open surface are lit alike.
    let normal = select(-corner.normal, corner.normal, is_front);
    let light = shade(corner.at, normal, Matter(colour, 0.42, 0.10), corner.clip.xy);
    return shown(light, corner.clip.xy);
}
