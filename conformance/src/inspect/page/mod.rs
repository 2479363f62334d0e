//! The answers to the page: a path for each question of an inspector. The server of `picaflor view` and the page's own
//! library in a browser give the same.

mod request;

pub use request::{Request, checksum, draws, number, rectangle};

use crate::image::Image;
use crate::inspect::{Action, BufferView, Draw, Inspector, NoAnswer};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};

/// Draws that are kept.
const KEPT: usize = 6;
/// Vertices and primitives that a page gets at once.
const MOST_VERTICES: usize = 512;
const MOST_PRIMITIVES: usize = 20_000;

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// An object.
    Json(Value),
    /// Numbers.
    Bytes(Vec<u8>),
    /// A question without an answer: why.
    Refused(String),
}

impl Answer {
    /// The answer as bytes; a reason as an object with the field `error`.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Json(value) => value.to_string().into_bytes(),
            Self::Bytes(bytes) => bytes,
            Self::Refused(why) => json!({ "error": why }).to_string().into_bytes(),
        }
    }
}

/// A capture with its name, and the draws that were asked for last.
pub struct Held {
    name: String,
    inspector: Box<dyn Inspector>,
    drawn: Vec<((u64, usize), Arc<Draw>)>,
}

impl Held {
    /// A capture of which nothing was asked yet.
    #[must_use]
    pub fn new(name: &str, inspector: Box<dyn Inspector>) -> Self {
        Self { name: name.into(), inspector, drawn: Vec::new() }
    }

    /// A draw, from those that are kept if it is among them.
    fn draw(&mut self, draw: u64, vertex: usize) -> Result<Arc<Draw>, NoAnswer> {
        if let Some((_, found)) = self.drawn.iter().find(|(key, _)| *key == (draw, vertex)) {
            return Ok(found.clone());
        }
        let found = Arc::new(self.inspector.draw(draw, vertex)?);
        self.drawn.insert(0, ((draw, vertex), found.clone()));
        self.drawn.truncate(KEPT);
        Ok(found)
    }
}

/// The captures of a page: one, or two to compare.
#[derive(Default)]
pub struct Captures(Vec<Mutex<Held>>);

impl Captures {
    /// Puts a capture at a place: 0 for the first one, or 1 for the one that is compared with it. Draws of two machines
    /// cannot be compared: a first capture of another machine takes the place of both.
    ///
    /// # Errors
    /// The second capture is of another machine than the first.
    pub fn put(&mut self, place: usize, held: Held) -> Result<(), NoAnswer> {
        let title = held.inspector.title();
        let first = self
            .0
            .first_mut()
            .map(|first| first.get_mut().unwrap_or_else(PoisonError::into_inner).inspector.title());
        match first {
            Some(first) if first != title && place > 0 => {
                return Err(NoAnswer::new(format!("the captures are of {first} and of {title}")));
            }
            Some(first) if first != title => self.0.clear(),
            _ => {}
        }
        match self.0.get_mut(place) {
            Some(known) => *known = Mutex::new(held),
            None => self.0.push(Mutex::new(held)),
        }
        Ok(())
    }

    /// The answer to a request.
    pub fn answer(&self, request: &Request) -> Answer {
        let which = request.number("capture").unwrap_or(0_usize);
        let Some(held) = self.0.get(which) else { return Answer::Refused("there is no such capture".into()) };
        let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = match request.path.as_str() {
            "/api/capture" => self.capture(&mut held),
            "/api/thumbnails" => thumbnails(&mut held),
            "/api/screen" => screen(&mut held, request),
            "/api/draw" => draw(&mut held, request),
            "/api/pixels" => pixels(&mut held, request),
            "/api/texture" => texture(&mut held, request),
            "/api/history" => history(&mut held, request),
            "/api/program" => program(&mut held, request),
            "/api/search" => search(&mut held, request),
            "/api/differ" => differ(&mut held, request),
            "/api/maps" => maps(&mut held, request),
            "/api/costs" => costs(&mut held),
            "/api/states" => states(&mut held),
            _ => Err(NoAnswer::new("there is no such file")),
        };
        answer.unwrap_or_else(|why| Answer::Refused(why.to_string()))
    }

    fn capture(&self, held: &mut Held) -> Result<Answer, NoAnswer> {
        let (title, frames, events) =
            (held.inspector.title(), held.inspector.frames(), held.inspector.events());
        let actions: Vec<Value> = held.inspector.actions()?.iter().map(short).collect();
        let (notes, note_count) = (held.inspector.notes()?.to_vec(), held.inspector.note_count()?);
        Ok(Answer::Json(json!({
            "name": held.name,
            "captures": self.0.len(),
            "machine": title,
            "manual": held.inspector.manual().as_json(),
            "frames": frames,
            "events": events,
            "actions": actions,
            "notes": notes,
            "note_count": note_count,
        })))
    }
}

/// An action as the list of the page needs it.
fn short(action: &Action) -> Value {
    let mut value = action.as_json();
    if let Some(object) = value.as_object_mut() {
        object.remove("key");
        object.remove("event");
    }
    value
}

fn missing(name: &str) -> NoAnswer {
    NoAnswer::new(format!("the request has no number `{name}`"))
}

fn asked_draw(request: &Request) -> Result<u64, NoAnswer> {
    request.number("draw").ok_or_else(|| missing("draw"))
}

fn word(bytes: &mut Vec<u8>, value: u32) {
    bytes.extend(value.to_le_bytes());
}

/// Width and height as words, then red, green, blue, alpha of each pixel.
fn picture(width: u32, height: u32, pixels: impl Iterator<Item = [u8; 4]>) -> Answer {
    let mut bytes = Vec::new();
    word(&mut bytes, width);
    word(&mut bytes, height);
    pixels.for_each(|pixel| bytes.extend(pixel));
    Answer::Bytes(bytes)
}

/// For each picture: number of its draw, width, height, 1 if rows count upward, as words; then its colours.
fn thumbnails(held: &mut Held) -> Result<Answer, NoAnswer> {
    let mut bytes = Vec::new();
    for (draw, view) in held.inspector.thumbnails()? {
        let number = u32::try_from(*draw).unwrap_or(u32::MAX);
        [number, view.width, view.height, view.is_upward.into()]
            .into_iter()
            .for_each(|of| word(&mut bytes, of));
        bytes.extend(view.colour.as_flattened());
    }
    Ok(Answer::Bytes(bytes))
}

fn screen(held: &mut Held, request: &Request) -> Result<Answer, NoAnswer> {
    let image: Image = held.inspector.screen(request.number("frame"))?;
    let (width, height) = (image.width(), image.height());
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let pixels = places.map(|(x, y)| {
        let [r, g, b] = image.pixel(x, y);
        [r, g, b, 255]
    });
    Ok(picture(width, height, pixels))
}

fn draw(held: &mut Held, request: &Request) -> Result<Answer, NoAnswer> {
    let number = asked_draw(request)?;
    let drawn = held.draw(number, 0)?;
    let state = held.inspector.state_as_json(number)?;
    let changed = match number.checked_sub(1) {
        Some(before) => held.inspector.state_changes([before, number])?,
        None => Vec::new(),
    };
    let mut mesh = drawn.mesh.clone();
    let primitives = mesh.primitives.len();
    mesh.omitted += mesh.vertices.len().saturating_sub(MOST_VERTICES) as u64;
    mesh.vertices.truncate(MOST_VERTICES);
    mesh.primitives.truncate(MOST_PRIMITIVES);
    let texture = |of: &crate::inspect::TextureView| {
        json!({
            "unit": of.unit,
            "level": of.level,
            "address": format!("{:#010x}", of.address),
            "size": of.size,
            "format": of.format,
        })
    };
    Ok(Answer::Json(json!({
        "draw": number,
        "view": view(&drawn.after),
        "state": state,
        "changed": changed,
        "textures": drawn.textures.iter().map(texture).collect::<Vec<_>>(),
        "palette": drawn.palette,
        "tables": drawn.tables.iter().map(|of| json!({ "name": of.name, "values": of.values })).collect::<Vec<_>>(),
        "mesh": mesh.as_json(),
        "primitives": primitives,
        "has_program": drawn.program.is_some(),
        "geometry_runs": drawn.geometry_runs,
        "pixels_changed": drawn.after.different(&drawn.before),
    })))
}

fn view(of: &BufferView) -> Value {
    json!({
        "address": format!("{:#010x}", of.address),
        "width": of.width,
        "height": of.height,
        "upward": of.is_upward,
        "depth": !of.depth.is_empty(),
        "stencil": !of.stencil.is_empty(),
    })
}

/// Width, height and flags (1: depth, 2: stencil) as words; colours; depth values as words; stencil values.
fn pixels(held: &mut Held, request: &Request) -> Result<Answer, NoAnswer> {
    let drawn = held.draw(asked_draw(request)?, 0)?;
    let view = if request.get("when") == Some("before") { &drawn.before } else { &drawn.after };
    let mut bytes = Vec::new();
    let flags = u32::from(!view.depth.is_empty()) | u32::from(!view.stencil.is_empty()) << 1;
    [view.width, view.height, flags].into_iter().for_each(|value| word(&mut bytes, value));
    bytes.extend(view.colour.as_flattened());
    view.depth.iter().for_each(|&value| word(&mut bytes, value));
    bytes.extend(&view.stencil);
    Ok(Answer::Bytes(bytes))
}

fn texture(held: &mut Held, request: &Request) -> Result<Answer, NoAnswer> {
    let drawn = held.draw(asked_draw(request)?, 0)?;
    let wanted = (request.number("unit").unwrap_or(0), request.number("level").unwrap_or(0));
    let found = drawn.textures.iter().find(|of| (of.unit, of.level) == wanted);
    let found = found.ok_or_else(|| NoAnswer::new("the draw has no such texture"))?;
    Ok(picture(found.size[0], found.size[1], found.texels.iter().copied()))
}

fn history(held: &mut Held, request: &Request) -> Result<Answer, NoAnswer> {
    let x = request.number("x").ok_or_else(|| missing("x"))?;
    let y = request.number("y").ok_or_else(|| missing("y"))?;
    let (spot, until) = match request.number("draw") {
        Some(draw) => (held.inspector.spot_of_draw(draw, x, y)?, usize::MAX),
        None => held.inspector.spot_of_screen(request.number("frame"), x, y)?,
    };
    let history = held.inspector.history(spot)?.up_to(|entry| entry.action.index < until);
    let mut answer = json!({ "address": format!("{:#010x}", spot.address), "bytes": spot.bytes });
    history.put_into(&mut answer);
    Ok(Answer::Json(answer))
}

fn program(held: &mut Held, request: &Request) -> Result<Answer, NoAnswer> {
    let vertex = request.number("vertex").unwrap_or(0);
    if request.get("stage") == Some("geometry") {
        return Ok(Answer::Json(held.inspector.geometry(asked_draw(request)?, vertex)?.as_json()));
    }
    let drawn = held.draw(asked_draw(request)?, vertex)?;
    let program =
        drawn.program.as_ref().ok_or_else(|| NoAnswer::new("the draw has no such vertex with a program"))?;
    Ok(Answer::Json(program.as_json()))
}

fn search(held: &mut Held, request: &Request) -> Result<Answer, NoAnswer> {
    let found: Vec<u64> = if let Some(text) = request.get("rectangle") {
        held.inspector.touching(rectangle(text).map_err(NoAnswer::new)?)?
    } else if let Some((name, value)) = request.get("register").and_then(|text| text.split_once('=')) {
        let register = held.inspector.register_number(name.trim());
        let register = register.ok_or_else(|| NoAnswer::new(format!("there is no register `{name}`")))?;
        held.inspector.with_register(register, number(value.trim()).map_err(NoAnswer::new)?)?
    } else if let Some(text) = request.get("texture") {
        let address = number(text)
            .map_err(|_| NoAnswer::new(format!("`{text}` is no address of a texture: write 0x08a00000")))?;
        draws_with(held, |action| action.textures.iter().any(|of| of.address == address))?
    } else if let Some(text) = request.get("program") {
        let sum = checksum(text).map_err(NoAnswer::new)?;
        draws_with(held, |action| action.program == Some(sum))?
    } else if request.get("empty").is_some() {
        let maps = held.inspector.maps(0..u64::MAX, false)?;
        draws_with(held, |action| action.draw.is_some_and(|draw| maps.is_empty(draw)))?
    } else {
        return Err(NoAnswer::new("the request names nothing to search for"));
    };
    Ok(Answer::Json(json!({ "draws": found })))
}

/// Numbers of the draws whose actions are wanted.
fn draws_with(held: &mut Held, is_wanted: impl Fn(&Action) -> bool) -> Result<Vec<u64>, NoAnswer> {
    let wanted = held.inspector.actions()?.iter().filter(|action| is_wanted(action));
    Ok(wanted.filter_map(|action| action.draw).collect())
}

fn differ(held: &mut Held, request: &Request) -> Result<Answer, NoAnswer> {
    let number = |name: &str| request.number(name).ok_or_else(|| missing(name));
    let changes = held.inspector.state_changes([number("a")?, number("b")?])?;
    Ok(Answer::Json(json!({ "registers": changes })))
}

/// Times of all draws in compiled code, or null, and in the interpreter, in nanoseconds.
fn costs(held: &mut Held) -> Result<Answer, NoAnswer> {
    let costs = held.inspector.costs(u64::MAX)?;
    let compiled: Option<Vec<u64>> = costs.iter().map(|cost| cost.compiled).collect();
    let interpreted: Vec<u64> = costs.iter().map(|cost| cost.interpreted).collect();
    Ok(Answer::Json(json!({ "compiled": compiled, "interpreted": interpreted })))
}

/// For each draw the first one in the same state.
fn states(held: &mut Held) -> Result<Answer, NoAnswer> {
    Ok(Answer::Json(json!({ "firsts": held.inspector.same_states()? })))
}

/// For each buffer address, width, height, and 1 if rows count upward; then for each pixel the fragments that covered it,
/// those that were stored, and nanoseconds as binary32. All are words.
fn maps(held: &mut Held, request: &Request) -> Result<Answer, NoAnswer> {
    let range = request.get("draws").map_or(Ok(0..u64::MAX), draws).map_err(NoAnswer::new)?;
    let maps = held.inspector.maps(range, true)?;
    let mut bytes = Vec::new();
    for map in &maps.buffers {
        [map.address, map.width, map.height, map.is_upward.into()]
            .into_iter()
            .for_each(|value| word(&mut bytes, value));
        for pixel in &map.pixels {
            [pixel.covered, pixel.stored, pixel.nanoseconds.to_bits()]
                .into_iter()
                .for_each(|value| word(&mut bytes, value));
        }
    }
    Ok(Answer::Bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::open_scene;

    fn held(scene: &str) -> Held {
        Held::new(scene, open_scene(scene).expect("a scene"))
    }

    fn asked(captures: &Captures, question: &str) -> Answer {
        captures.answer(&Request::parse(question).expect("a question"))
    }

    /// Two captures are of one machine; the first one may be replaced by any.
    #[test]
    fn captures_of_two_machines() {
        let mut captures = Captures::default();
        captures.put(0, held("ge:game")).expect("the first one");
        let why = captures.put(1, held("scene:transforms")).expect_err("of another machine").to_string();
        assert!(why.starts_with("the captures are of ") && captures.0.len() == 1, "{why}");
        captures.put(1, held("ge:lists")).expect("of the same machine");
        assert_eq!(captures.0.len(), 2);
        captures.put(0, held("scene:transforms")).expect("the first one");
        assert_eq!(captures.0.len(), 1);
    }

    /// Searches are refused where they are wrong: an answer without draws would be one, too.
    #[test]
    fn searches() {
        let mut captures = Captures::default();
        captures.put(0, held("ge:tests")).expect("the first one");
        for wrong in
            ["texture=zz", "texture=", "program=xyz", "program=", "rectangle=1,x,2,3,4", "register=", ""]
        {
            let answer = asked(&captures, &format!("/api/search?{wrong}"));
            assert!(matches!(answer, Answer::Refused(_)), "{wrong}: {answer:?}");
        }
        let found = |question: &str| match asked(&captures, &format!("/api/search?{question}")) {
            Answer::Json(value) => value["draws"].as_array().expect("draws").len(),
            other => panic!("{question}: {other:?}"),
        };
        assert_eq!((found("texture=0x1"), found("program=0E81E2FA")), (0, 0));
        // Some of its draws cover pixels, and a test rejects all of them.
        let mut held = held("ge:tests");
        let without_pixels = held
            .inspector
            .actions()
            .expect("it plays")
            .iter()
            .filter(|of| of.draw.is_some() && of.counts[2] == 0);
        assert!(found("empty=1") > without_pixels.count());
    }
}
