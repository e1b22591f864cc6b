// Behind everything: a gradient, and the ground that fades into it.

const GROUND_REACH = 0.75;
const GROUND = vec3<f32>(0.300, 0.305, 0.315);
const LOW = vec3<f32>(0.265, 0.275, 0.290);
const HIGH = vec3<f32>(0.085, 0.092, 0.105);

// `height` in the picture, -1 to 1.
fn gradient(height: f32) -> vec3<f32> {
    return mix(LOW, HIGH, smoothstep(-1.0, 1.0, height));
}

struct Background {
    @builtin(position) clip: vec4<f32>,
    @location(0) height: f32,
};

@vertex
fn background(@builtin(vertex_index) i: u32) -> Background {
    // One triangle that covers the whole picture, at the greatest depth.
    let corner = vec2<f32>(f32((i << 1u) & 2u), f32(i & 2u)) * 2.0 - 1.0;
    return Background(vec4<f32>(corner, 1.0, 1.0), corner.y);
}

@fragment
fn background_colour(background: Background) -> @location(0) vec4<f32> {
    return shown(gradient(background.height), background.clip.xy);
}

struct Ground {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec2<f32>,
    // In the picture before division by depth.
    @location(1) height: vec2<f32>,
};

@vertex
fn ground(@builtin(vertex_index) i: u32) -> Ground {
    let corner = (vec2<f32>(f32(i & 1u), f32(i >> 1u)) * 2.0 - 1.0) * GROUND_REACH;
    let clip = view.clip_from_world * vec4<f32>(corner.x, 0.0, corner.y, 1.0);
    return Ground(clip, corner, clip.yw);
}

// How much of the pixel a grid's lines cover; vanishes where they would be too close to tell apart.
fn lines(at: vec2<f32>, at_per_pixel: vec2<f32>, spacing: f32) -> f32 {
    let cells = at / spacing;
    let per_pixel = at_per_pixel / spacing;
    let from_line = (0.5 - abs(fract(cells) - 0.5)) / per_pixel;
    let cover = clamp(1.2 - from_line, vec2<f32>(0.0), vec2<f32>(1.0));
    let apart = clamp(1.0 - 3.0 * per_pixel, vec2<f32>(0.0), vec2<f32>(1.0));
    return max(cover.x * apart.x, cover.y * apart.y);
}

@fragment
fn ground_colour(ground: Ground) -> @location(0) vec4<f32> {
    let per_pixel = fwidth(ground.at);
    let fine = lines(ground.at, per_pixel, 0.01);
    let coarse = lines(ground.at, per_pixel, 0.05);
    let grid = max(0.16 * fine, 0.42 * coarse);
    let away = length(ground.at);
    // A pool of light round the object.
    let pool = 1.0 - 0.35 * smoothstep(0.0, 0.5, away);
    let key = lit(vec3<f32>(ground.at.x, 0.0, ground.at.y), BLUR_ON_GROUND, ground.clip.xy);
    let light = GROUND * pool * (0.42 + 0.75 * key) * (1.0 + 0.35 * grid);
    let faded = mix(light, gradient(ground.height.x / ground.height.y), smoothstep(0.12, 0.62, away));
    return shown(faded, ground.clip.xy);
}
