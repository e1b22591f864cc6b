use egui::{Pos2, Rect, pos2, vec2};

use super::*;

const FREE: PanelClaim = PanelClaim { pointer: false, keys: false };
const PANELS: PanelClaim = PanelClaim { pointer: true, keys: false };

/// Checks the command of a drag from (100, 100) to (130, 90) with `button`, with `claim` at its
/// beginning.
fn check_drag(button: MouseButton, claim: PanelClaim, expected: Option<ViewCommand>) {
    let mut controls = ViewControls::default();
    controls.moved(PhysicalPosition::new(100.0, 100.0));
    controls.button(ElementState::Pressed, button, claim);
    let command = controls.moved(PhysicalPosition::new(130.0, 90.0));
    assert_eq!(command, expected);
    // The release of the button ends the drag, even over a panel.
    controls.button(ElementState::Released, button, PANELS);
    assert_eq!(controls.moved(PhysicalPosition::new(0.0, 0.0)), None);
}

#[test]
fn what_is_dragged_follows_the_pointer() {
    let turn =
        ViewCommand::Turn { yaw: -30.0 * RADIANS_PER_PIXEL, pitch: -10.0 * RADIANS_PER_PIXEL };
    check_drag(MouseButton::Left, FREE, Some(turn));
    check_drag(MouseButton::Right, FREE, Some(ViewCommand::Move { right: -30.0, up: -10.0 }));
    check_drag(MouseButton::Middle, FREE, Some(ViewCommand::Move { right: -30.0, up: -10.0 }));
    check_drag(MouseButton::Back, FREE, None);
}

#[test]
fn what_begins_on_a_panel_does_not_move_the_view() {
    check_drag(MouseButton::Left, PANELS, None);
    check_drag(MouseButton::Right, PANELS, None);
    let wheel = WindowEvent::MouseWheel {
        device_id: winit::event::DeviceId::dummy(),
        delta: MouseScrollDelta::LineDelta(0.0, 1.0),
        phase: winit::event::TouchPhase::Moved,
    };
    assert_eq!(ViewControls::default().command(&wheel, PANELS), None);
    assert_eq!(
        ViewControls::default().command(&wheel, FREE),
        Some(ViewCommand::Zoom(ZOOM_PER_NOTCH))
    );
}

/// Checks whether panels claim the pointer at a position, with a panel of 200 points at the left
/// and a card of 100 x 100 at (400, 300).
fn check_claim(at: Pos2, expected: bool) {
    let context = egui::Context::default();
    let input = egui::RawInput {
        screen_rect: Some(Rect::from_min_size(Pos2::ZERO, vec2(800.0, 600.0))),
        ..Default::default()
    };
    let mut free = Rect::NOTHING;
    // The size of a card is known after its first pass.
    for _ in 0..2 {
        let mut output = context.run_ui(input.clone(), |ui| {
            let panel = egui::Panel::left("panel").resizable(false).exact_size(200.0);
            panel.show(ui, |ui| ui.label("panel"));
            free = ui.available_rect_before_wrap();
            let card = egui::Area::new(egui::Id::unique("card")).fixed_pos(pos2(400.0, 300.0));
            card.show(ui.ctx(), |ui| ui.allocate_space(vec2(100.0, 100.0)));
        });
        output.textures_delta.clear();
    }
    assert_eq!(PanelClaim::of(&context, free, Some(at)).pointer, expected, "{at:?}");
    assert!(!PanelClaim::of(&context, free, None).pointer);
}

#[test]
fn the_pointer_is_the_panels_where_they_are() {
    check_claim(pos2(50.0, 300.0), true);
    check_claim(pos2(250.0, 300.0), false);
    check_claim(pos2(450.0, 350.0), true);
    check_claim(pos2(550.0, 350.0), false);
}

#[test]
fn wheel_and_touchpad_zoom_alike() {
    let touchpad = MouseScrollDelta::PixelDelta(PhysicalPosition::new(0.0, PIXELS_PER_NOTCH));
    assert_eq!(zoom(MouseScrollDelta::LineDelta(0.0, 1.0)), ZOOM_PER_NOTCH);
    assert_eq!(zoom(touchpad), ZOOM_PER_NOTCH);
    assert!(zoom(MouseScrollDelta::LineDelta(0.0, -1.0)) > 1.0);
}

#[test]
fn keys_with_control_do_to_the_view_what_the_mouse_does() {
    let q = Key::Character("q".into());
    let mut controls = ViewControls::default();
    let named = [NamedKey::ArrowLeft, NamedKey::PageUp, NamedKey::Home].map(Key::Named);
    assert!(named.iter().chain([&q]).all(|key| controls.key(key).is_none()));
    controls.modifiers = ModifiersState::CONTROL;
    assert_eq!(controls.key(&q), Some(ViewCommand::Quit));
    assert_eq!(controls.key(&Key::Named(NamedKey::Escape)), None);
    // A step to the left, by key and by mouse.
    let left = dragged(MouseButton::Left, -PIXELS_PER_PRESS, 0.0);
    assert!(matches!(left, Some(ViewCommand::Turn { yaw, pitch: 0.0 }) if yaw > 0.0));
    let [by_key, nearer, first] = named.map(|key| controls.key(&key));
    assert_eq!((by_key, nearer), (left, Some(ViewCommand::Zoom(ZOOM_PER_NOTCH))));
    assert_eq!(first, Some(ViewCommand::LookAsAtFirst));
    controls.modifiers |= ModifiersState::SHIFT;
    let up = dragged(MouseButton::Right, 0.0, -PIXELS_PER_PRESS);
    assert_eq!(controls.key(&Key::Named(NamedKey::ArrowUp)), up);
}
