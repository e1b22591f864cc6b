// A board with panels within the scene.

struct View {
    clip_from_world: mat4x4<f32>,
    eye: vec4<f32>,
};

// Its upper left corner, and its edges from there.
struct Board {
    corner: vec4<f32>,
    right: vec4<f32>,
    down: vec4<f32>,
};

@group(0) @binding(1) var<uniform> view: View;
@group(1) @binding(0) var<uniform> board: Board;
@group(1) @binding(1) var panels: texture_2d<f32>;
@group(1) @binding(2) var panels_sampler: sampler;

// Selects whether the target stores display values as written, or encodes linear ones for the
// display.
override encode: f32 = 0.0;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec2<f32>,
};

@vertex
fn corner(@builtin(vertex_index) index: u32) -> Corner {
    let at = vec2<f32>(f32(index & 1u), f32(index >> 1u));
    let place = board.corner.xyz + board.right.xyz * at.x + board.down.xyz * at.y;
    return Corner(view.clip_from_world * vec4<f32>(place, 1.0), at);
}

// Panels are painted as a display shows them, each colour times its opacity.
@fragment
fn panel_colour(corner: Corner) -> @location(0) vec4<f32> {
    let painted = textureSample(panels, panels_sampler, corner.at);
    if encode > 0.5 {
        return painted;
    }
    let encoded = painted.rgb / max(painted.a, 1e-3);
    let dark = encoded / 12.92;
    let bright = pow((encoded + 0.055) / 1.055, vec3<f32>(2.4));
    return vec4<f32>(select(bright, dark, encoded <= vec3<f32>(0.04045)) * painted.a, painted.a);
}
