// Light, shadow and tone shared by everything that is drawn. Colours are linear until `shown`.

struct KeyLight {
    light_from_world: mat4x4<f32>,
    // Towards the key light.
    to_light: vec3<f32>,
    // Brightness of the surroundings, 0 to 1.
    surroundings: vec4<f32>,
    // Least and largest x and y of shadow casters, in the light's view.
    casters: vec4<f32>,
};

struct View {
    clip_from_world: mat4x4<f32>,
    world_from_clip: mat4x4<f32>,
    eye: vec3<f32>,
    // 1 if the backdrop stays fixed in the picture, 0 if it stays fixed in the world.
    is_flat: f32,
};

@group(0) @binding(0) var<uniform> key_light: KeyLight;
@group(0) @binding(1) var<uniform> view: View;
@group(1) @binding(0) var shadow_map: texture_depth_2d;
@group(1) @binding(1) var shadow_sampler: sampler_comparison;

// Selects whether the colour target expects display values; sRGB targets expect linear ones.
override encode: bool = true;

const KEY = vec3<f32>(2.55, 2.42, 2.25);
const SKY = vec3<f32>(0.62, 0.67, 0.74);
const BOUNCE = vec3<f32>(0.34, 0.30, 0.28);

struct Matter {
    colour: vec3<f32>,
    roughness: f32,
    // Light that comes back at grazing angles, as from cloth.
    sheen: f32,
};

// Share of the key light that arrives at `at`, 0 to 1. The lamp is large: the farther away the
// shadow caster, the softer the edge of its shadow. `softness` is 1 for the real softness, less for
// solid objects, which would darken themselves. `pixel` is the position in the picture.
fn lit(at: vec3<f32>, softness: f32, pixel: vec2<f32>) -> f32 {
    let p = key_light.light_from_world * vec4<f32>(at, 1.0);
    // The map spans -1 to 1. Most of the ground is far from every caster and needs no sample.
    let edge = vec2<f32>(2.0 * SEEK);
    let is_beside = (p.xy < key_light.casters.xy - edge) | (p.xy > key_light.casters.zw + edge);
    if (any(is_beside) || any(abs(p.xy) > vec2<f32>(1.0)) || p.z > 1.0) {
        return 1.0;
    }
    // Samples on a spiral that is turned from pixel to pixel: fine grain instead of steps.
    let uv = p.xy * vec2<f32>(0.5, -0.5) + 0.5;
    let turn = 6.2832 * grain(pixel);
    let first = vec2<f32>(cos(turn), sin(turn));
    // First search for shadow casters and their distance.
    let last = vec2<f32>(textureDimensions(shadow_map)) - 1.0;
    var offset = first * SEEK * softness;
    var away = 0.0;
    var n_found = 0.0;
    for (var i = 0; i < N_SEEK; i++) {
        let beside = uv + offset * sqrt((f32(i) + 0.5) / f32(N_SEEK));
        let texel = vec2<i32>(clamp(beside, vec2<f32>(0.0), vec2<f32>(1.0)) * last);
        let gap = p.z - textureLoad(shadow_map, texel, 0);
        let is_found = f32(gap > 0.002);
        away += gap * is_found;
        n_found += is_found;
        offset = GOLDEN_TURN * offset;
    }
    if (n_found == 0.0) {
        return 1.0;
    }
    let blur = clamp(LAMP * away / n_found, SHARPEST, SEEK) * softness;
    offset = first * blur;
    var sum = 0.0;
    for (var i = 0; i < N_SPIRAL; i++) {
        let beside = uv + offset * sqrt((f32(i) + 0.5) / f32(N_SPIRAL));
        sum += textureSampleCompareLevel(shadow_map, shadow_sampler, beside, p.z);
        offset = GOLDEN_TURN * offset;
    }
    return sum / f32(N_SPIRAL);
}

const N_SEEK = 8;
const N_SPIRAL = 12;
// Width of a shadow's edge as a share of the map, which is half a metre wide and deep: a sixth of
// the distance to the shadow caster, at least 1.5 mm and at most 2 cm.
const LAMP = 0.17;
const SHARPEST = 0.003;
const SEEK = 0.038;
// By the golden angle, which spreads any number of samples evenly.
const GOLDEN_TURN = mat2x2<f32>(-0.73737, 0.67549, -0.67549, -0.73737);

// Noise without clumps, 0 to 1, different for neighbouring pixels.
fn grain(pixel: vec2<f32>) -> f32 {
    return fract(52.9829 * fract(dot(pixel, vec2<f32>(0.06711, 0.00584))));
}

// Linear light that leaves `at` towards the eye.
fn shade(at: vec3<f32>, facing: vec3<f32>, matter: Matter, pixel: vec2<f32>) -> vec3<f32> {
    let to_eye = normalize(view.eye - at);
    let n = normalize(facing);
    let n_l = max(dot(n, key_light.to_light), 0.0);
    // Start a little off the surface, so that it does not shadow itself.
    var key = n_l;
    if (n_l > 0.0) {
        key *= lit(at + n * 0.0025 + key_light.to_light * 0.0006, 0.25, pixel);
    }
    // Less of the sky and of the room is seen from close to the ground.
    let open = mix(0.45, 1.0, smoothstep(-0.01, 0.05, at.y + 0.03 * n.y));
    let ambient = mix(BOUNCE, SKY, 0.5 + 0.5 * n.y) * open;
    let halfway = normalize(key_light.to_light + to_eye);
    let a = matter.roughness * matter.roughness;
    let n_h = max(dot(n, halfway), 0.0);
    let spread = n_h * n_h * (a * a - 1.0) + 1.0;
    let highlight = 0.04 * a * a / (4.0 * spread * spread * max(dot(halfway, to_eye), 0.1));
    let grazing = pow(1.0 - max(dot(n, to_eye), 0.0), 4.0);
    return matter.colour * (KEY * key / 1.6 + ambient)
        + KEY * key * min(highlight, 1.0)
        + ambient * grazing * matter.sheen * (0.3 + matter.colour);
}

// Compresses highlights only and keeps hues, then encodes for the display.
fn shown(light: vec3<f32>, pixel: vec2<f32>) -> vec4<f32> {
    let start = 0.76;
    let peak = max(light.r, max(light.g, light.b));
    var colour = light;
    if (peak > start) {
        let room = 1.0 - start;
        let compressed = 1.0 - room * room / (peak + room - start);
        let to_white = 1.0 - 1.0 / (0.15 * (peak - compressed) + 1.0);
        colour = mix(light * compressed / peak, vec3<f32>(compressed), to_white);
    }
    // Grain of half a display step hides the steps of slow gradients.
    let displayed = select(colour, encoded(colour), encode) + (grain(pixel) - 0.5) / 255.0;
    return vec4<f32>(displayed, 1.0);
}

fn decoded(displayed: vec3<f32>) -> vec3<f32> {
    let low = displayed / 12.92;
    let high = pow((displayed + 0.055) / 1.055, vec3<f32>(2.4));
    return select(high, low, displayed <= vec3<f32>(0.04045));
}

fn encoded(linear: vec3<f32>) -> vec3<f32> {
    let low = linear * 12.92;
    let high = 1.055 * pow(max(linear, vec3<f32>(0.0)), vec3<f32>(1.0 / 2.4)) - 0.055;
    return select(high, low, linear <= vec3<f32>(0.0031308));
}
