// Thin lines over everything.

// Opacity of a line.
override opacity: f32 = 1.0;

struct LineEnd {
    @builtin(position) clip: vec4<f32>,
    @location(0) colour: vec3<f32>,
};

@vertex
fn line(@location(0) position: vec3<f32>, @location(1) colour: vec3<f32>) -> LineEnd {
    var clip = view.clip_from_world * vec4<f32>(position, 1.0);
    // Drawn a millimetre nearer, so that lines on a skin lie over it.
    clip.z -= 4e-5 * clip.w;
    return LineEnd(clip, colour);
}

@fragment
fn line_colour(end: LineEnd) -> @location(0) vec4<f32> {
    return vec4<f32>(shown(end.colour, end.clip.xy).rgb, opacity);
}
