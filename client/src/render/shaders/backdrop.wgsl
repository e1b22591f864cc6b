// The background: a gradient, and the ground that fades into it.

const GROUND_REACH = 0.75;
// Colours of dark and light surroundings.
const GROUND = array<vec3<f32>, 2>(vec3<f32>(0.205, 0.212, 0.228), vec3<f32>(0.640, 0.640, 0.640));
const LOW = array<vec3<f32>, 2>(vec3<f32>(0.140, 0.150, 0.172), vec3<f32>(0.600, 0.625, 0.650));
const HIGH = array<vec3<f32>, 2>(vec3<f32>(0.036, 0.041, 0.052), vec3<f32>(0.400, 0.455, 0.520));
// Lines shine in the dark and are drawn in grey in the light.
const GRID = array<f32, 2>(0.42, -0.16);

// `height` of a pixel, from -1 to 1: see below.
fn gradient(height: f32) -> vec3<f32> {
    let bright = key_light.surroundings.x;
    return mix(
        mix(LOW[0], LOW[1], bright),
        mix(HIGH[0], HIGH[1], bright),
        smoothstep(-1.0, 1.0, height),
    );
}

// Height of a pixel: its position in the picture, or the slope of its line of sight.
fn height(in_picture: f32, at: vec3<f32>) -> f32 {
    return mix(normalize(at - view.eye).y, in_picture, view.is_flat);
}

struct Background {
    @builtin(position) clip: vec4<f32>,
    @location(0) height: f32,
    // In the world before division by depth.
    @location(1) at: vec4<f32>,
};

@vertex
fn background(@builtin(vertex_index) i: u32) -> Background {
    // One triangle that covers the whole picture, at the greatest depth.
    let corner = vec2<f32>(f32((i << 1u) & 2u), f32(i & 2u)) * 2.0 - 1.0;
    let clip = vec4<f32>(corner, 1.0, 1.0);
    return Background(clip, corner.y, view.world_from_clip * clip);
}

@fragment
fn background_colour(background: Background) -> @location(0) vec4<f32> {
    let at = background.at.xyz / background.at.w;
    return shown(gradient(height(background.height, at)), background.clip.xy);
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

// Share of the pixel that the grid's lines cover; fades out where they are too close together.
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
    let bright = key_light.surroundings.x;
    let pool = 1.0 - mix(0.45, 0.15, bright) * smoothstep(0.0, 0.5, away);
    let key = lit(vec3<f32>(ground.at.x, 0.0, ground.at.y), 1.0, ground.clip.xy);
    let matter = mix(GROUND[0], GROUND[1], bright) * (1.0 + mix(GRID[0], GRID[1], bright) * grid);
    let light = matter * pool * (mix(0.34, 0.50, bright) + mix(0.90, 0.70, bright) * key);
    let in_picture = ground.height.x / ground.height.y;
    let behind = gradient(height(in_picture, vec3<f32>(ground.at.x, 0.0, ground.at.y)));
    let faded = mix(light, behind, smoothstep(0.12, 0.62, away));
    return shown(faded, ground.clip.xy);
}
