// The deformable object: coral at rest, towards light yellow where it is stretched or pressed.

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) stretch: f32,
};

const AT_REST = vec3<f32>(0.68, 0.085, 0.065);
const STRETCHED = vec3<f32>(0.98, 0.68, 0.28);

@vertex
fn placed(
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) stretch: f32,
) -> Corner {
    let at = (stage.world_from_object * vec4<f32>(position, 1.0)).xyz;
    let turned = (stage.world_from_object * vec4<f32>(normal, 0.0)).xyz;
    return Corner(view.clip_from_world * vec4<f32>(at, 1.0), at, turned, stretch);
}

@vertex
fn seen_from_light(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> {
    return stage.light_from_world * stage.world_from_object * vec4<f32>(position, 1.0);
}

@fragment
fn coloured(corner: Corner) -> @location(0) vec4<f32> {
    let colour = mix(AT_REST, STRETCHED, smoothstep(0.0, 1.0, corner.stretch));
    let light = shade(corner.at, corner.normal, Matter(colour, 0.42, 0.10), corner.clip.xy);
    return shown(light, corner.clip.xy);
}
