'use strict';
// The page of `picaflor view`, and the static site. All text goes through `textContent`. Questions go to the server, or to
// the library in a worker; nothing else is loaded.

const $ = id => document.getElementById(id);
const ROW = 40;

const state = {
  capture: null, other: null, rows: [], shown: null, draw: null, detail: null, pixels: null, otherPixels: null,
  view: 'colour', when: 'after', stored: false, tab: 'pixel', px: null, history: null, entry: null,
  zoom: 1, at: [0, 0], fitted: true, screen: null, map: null, maps: null, costs: null, firsts: null, order: 'none', bars: 'fragments', program: null, step: 0, vertex: 0, turn: [0, 0],
};

function element(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function say(text, isBad) {
  $('status').textContent = text;
  $('status').className = isBad ? 'bad' : '';
}

// A colour of the style sheet as the scheme, light or dark, has it.
function colourOf(name) {
  const probe = $('colours');
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

async function ask(path, parameters, kind) {
  const query = new URLSearchParams(parameters).toString(), asked = `/api/${path}${query ? '?' + query : ''}`;
  if (site.worker) {
    const bytes = await site.ask({ path: asked });
    return kind === 'bytes' ? bytes : JSON.parse(new TextDecoder().decode(bytes));
  }
  const answer = await fetch(asked);
  if (!answer.ok) {
    const why = await answer.json().catch(() => ({ error: answer.statusText }));
    throw new Error(why.error);
  }
  return kind === 'bytes' ? answer.arrayBuffer() : answer.json();
}

// ---- the static site: a worker with the library, and files that are dropped

// Starts of the library without an answer in between.
const MOST_RESTARTS = 2;
const OVER = 'the inspector\'s library cannot run here: it failed three times in a row; load the page again';
const SCENES = ['ge:game', 'ge:formats', 'scene:game_frame', 'scene:wrap_modes', 'scene:spot_light'];

const site = {
  worker: null, waiting: new Map(), next: 0, files: [], failures: 0,

  start() {
    this.worker = new Worker(document.documentElement.dataset.worker);
    this.worker.onmessage = ({ data }) => {
      const { resolve, reject } = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (data.error === undefined) resolve(data.bytes);
      else reject(new Error(data.error));
      if (data.isDead) this.restart();
      else this.failures = 0;
    };
    this.worker.onerror = event => say(`the inspector's library cannot run here: ${event.message || 'no worker'}`, true);
  },

  // After a failure: another instance, with the same captures. One that fails again and again is given up.
  restart() {
    this.worker.terminate();
    this.failures += 1;
    const why = this.failures > MOST_RESTARTS ? OVER : 'the library was started again';
    for (const { reject } of this.waiting.values()) reject(new Error(why));
    this.waiting.clear();
    if (why === OVER) return;
    this.start();
    this.files.forEach((file, place) => this.ask({ open: { place, ...file } }).catch(() => {}));
  },

  ask(question) {
    if (this.failures > MOST_RESTARTS) return Promise.reject(new Error(OVER));
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, ...question });
    });
  },

  async open(place, name, bytes) {
    await this.ask({ open: { place, name, bytes } });
    this.files[place] = { name, bytes };
  },
};

const openFile = guard(async (place, name, bytes) => {
  say(`opening ${name} …`);
  await site.open(place, name, bytes);
  $('drop').hidden = true;
  document.body.classList.remove('empty');
  if (place === 0) {
    Object.assign(state, { shown: null, draw: null, detail: null, px: null, history: null, fitted: true });
    if (state.capture) history.replaceState(null, '', location.pathname);
  }
  await openCapture();
});

function wireSite() {
  const input = $('file');
  let place = 0;
  const choose = to => () => { place = to; input.click(); };
  const take = async file => { if (file) await openFile(place, file.name, await file.arrayBuffer()); };
  for (const [id, to] of [['open', 0], ['open-other', 1], ['choose', 0]]) $(id).addEventListener('click', choose(to));
  $('open').hidden = false;
  input.addEventListener('change', () => { take(input.files[0]); input.value = ''; });
  addEventListener('dragover', event => event.preventDefault());
  addEventListener('drop', event => {
    event.preventDefault();
    place = event.shiftKey && state.capture ? 1 : 0;
    take(event.dataTransfer.files[0]);
  });
  for (const name of SCENES) {
    const one = element('button', name);
    one.addEventListener('click', () => openFile(0, name));
    $('scenes').append(one, ' ');
  }
}

const startSite = guard(async () => {
  // A browser starts no worker of a file.
  if (location.protocol === 'file:') throw new Error('this page needs a web server, for example: python3 -m http.server -d FOLDER, then open http://localhost:8000/');
  wireSite();
  site.start();
  const captures = JSON.parse(document.documentElement.dataset.captures || '[]');
  if (!captures.length) {
    $('drop').hidden = false;
    document.body.classList.add('empty');
    say('');
    return;
  }
  for (const [place, of] of captures.entries()) {
    say(`opening ${of.name} …`);
    await site.open(place, of.name, of.file ? await (await fetch(of.file)).arrayBuffer() : undefined);
  }
  // The site may have been written for a place in its capture.
  const { place } = document.documentElement.dataset;
  if (place && !location.hash) history.replaceState(null, '', place);
  await openCapture();
});

function guard(work) {
  return async (...all) => {
    try {
      return await work(...all);
    } catch (why) {
      say(why.message, true);
    }
  };
}

// ---- draws

// What a link, a search or a key asks for, and the capture lacks.
function noDraw(asked) {
  const draws = state.capture.actions.filter(of => of.draw !== null).length;
  return new Error(`there is no draw ${asked}; the capture has ${draws}, counted from 0`);
}

// The number of a draw that the list is sorted by, or the bars of the timeline are as high as.
function amount(of, kind) {
  if (kind === 'fragments') return of.fragments;
  const { compiled, interpreted } = state.costs;
  return (kind === 'time' && compiled || interpreted)[of.draw] ?? 0;
}

function rows() {
  const { actions } = state.capture;
  const shown = state.shown === null ? actions : actions.filter(of => state.shown.has(of.draw));
  if (state.order === 'none') return shown;
  const draws = shown.filter(of => of.draw !== null);
  return draws.sort((a, b) => amount(b, state.order) - amount(a, state.order));
}

// The times of all draws: measured when they are asked for first.
async function needCosts() {
  if (state.costs) return;
  say('measuring: the capture is played again …');
  state.costs = await ask('costs', {});
  for (const one of document.querySelectorAll('#search [value=interpreted]')) one.hidden = !state.costs.compiled;
  say('');
}

function duration(nanoseconds) {
  if (nanoseconds >= 1e6) return `${(nanoseconds / 1e6).toFixed(1)} ms`;
  if (nanoseconds < 1e3) return `${Math.round(nanoseconds)} ns`;
  return `${(nanoseconds / 1e3).toFixed(nanoseconds < 1e4 ? 1 : 0)} µs`;
}

function costOf(draw) {
  if (!state.costs) return '';
  const { compiled, interpreted } = state.costs;
  const first = compiled ? `${duration(compiled[draw])} compiled, ` : '';
  return `${first}${duration(interpreted[draw])} interpreted`;
}

function paintRows() {
  state.rows = rows();
  const box = $('actions'), holder = $('rows');
  holder.style.height = `${state.rows.length * ROW}px`;
  const first = Math.max(0, Math.floor(box.scrollTop / ROW) - 4);
  const last = Math.min(state.rows.length, first + Math.ceil(box.clientHeight / ROW) + 8);
  const made = [];
  for (let n = first; n < last; n++) {
    const of = state.rows[n], isDraw = of.draw !== null;
    const row = element('div', null, `row${isDraw ? '' : ' other'}${isDraw && of.fragments === 0 ? ' idle' : ''}`);
    if (isDraw && of.draw === state.draw) row.classList.add('on');
    row.style.top = `${n * ROW}px`;
    row.setAttribute('role', 'option');
    const what = element('div');
    what.append(element('b', isDraw ? `draw ${of.draw}` : of.kind), ` ${of.what}`);
    what.title = of.what;
    row.append(what);
    const counts = [`${of.fragments} pixels`, `${of.vertices} vertices`, of.textures.map(t => t.address).join(' ')];
    if (state.costs && isDraw) counts.unshift(costOf(of.draw));
    row.append(element('span', isDraw ? counts.filter(text => text).join(', ') : `frame ${of.frame}`));
    if (isDraw) row.addEventListener('click', () => go(of.draw));
    made.push(row);
  }
  holder.replaceChildren(...made);
}

function reveal() {
  const n = state.rows.findIndex(of => of.draw === state.draw), box = $('actions');
  if (n < 0) return;
  if (n * ROW < box.scrollTop || (n + 1) * ROW > box.scrollTop + box.clientHeight) {
    box.scrollTop = n * ROW - box.clientHeight / 2;
  }
}

function timeline() {
  const canvas = $('timeline'), draws = state.capture.actions.filter(of => of.draw !== null);
  const width = canvas.width = canvas.clientWidth * devicePixelRatio, height = canvas.height = 44 * devicePixelRatio;
  const paint = canvas.getContext('2d');
  if (!draws.length) return;
  // Pixels, or microseconds.
  const value = of => state.bars === 'fragments' ? of.fragments : amount(of, state.bars) / 1000;
  const most = Math.log2(2 + draws.reduce((most, of) => Math.max(most, value(of)), 0));
  const column = of => Math.floor(of * width / draws.length);
  // Draws that share a column of the screen are one bar: the highest.
  for (const [isShown, colour] of [[false, '#8886'], [true, colourOf('--accent')]]) {
    paint.fillStyle = colour;
    for (let n = 0; n < draws.length;) {
      const x = column(n), wide = Math.max(1, width / draws.length - (draws.length < width / 4 ? 1 : 0));
      let high = -1;
      for (; n < draws.length && column(n) === x; n++) {
        if (isShown === (!state.shown || state.shown.has(draws[n].draw))) high = Math.max(high, value(draws[n]));
      }
      if (high < 0) continue;
      const tall = Math.log2(1 + high) / most * (height - 4) + 2;
      paint.fillRect(x, height - tall, wide, tall);
    }
  }
  const now = draws.findIndex(of => of.draw === state.draw);
  paint.fillStyle = colourOf('--bad');
  if (now >= 0) paint.fillRect(column(now), 0, Math.max(2 * devicePixelRatio, width / draws.length), height);
}

function drawNumbers() {
  return rows().filter(of => of.draw !== null).map(of => of.draw);
}

function step(by) {
  const all = drawNumbers();
  if (!all.length) return;
  const now = all.indexOf(state.draw);
  const next = now < 0 ? 0 : Math.min(all.length - 1, Math.max(0, now + by));
  go(all[next]);
}

let asked = 0;
const go = guard(async draw => {
  if (!state.capture.actions.some(of => of.draw === draw)) throw noDraw(draw);
  const turn = ++asked, start = performance.now();
  mark(draw);
  const detail = await ask('draw', { draw }).catch(why => {
    // The draw that is shown stays the current one.
    if (turn === asked) mark(state.detail ? state.detail.draw : null);
    throw why;
  });
  if (turn !== asked) return;
  state.detail = detail;
  if (state.view === 'screen' || isMap(state.view)) setView('colour');
  await loadPixels();
  if (turn !== asked) return;
  state.program = null;
  state.vertex = 0;
  state.stage = 'vertex';
  // The buffer of this draw may have no such pixel.
  const why = state.px && await loadHistory().then(() => null, why => why.message);
  if (turn !== asked) return;
  showTab();
  say(`draw ${draw}: ${Math.round(performance.now() - start)} ms, ${detail.pixels_changed} pixels changed${why ? `; ${why}` : ''}`, why);
});

// Makes a draw the current one, in list, timeline and address.
function mark(draw) {
  state.draw = draw;
  paintRows();
  reveal();
  timeline();
  if (draw !== null) link();
}

function link() {
  const at = state.px ? `&px=${state.px[0]},${state.px[1]}` : '';
  history.replaceState(null, '', `#draw=${state.draw}${at}`);
}

// ---- picture

function unpack(buffer) {
  const words = new DataView(buffer), width = words.getUint32(0, true), height = words.getUint32(4, true);
  const flags = words.getUint32(8, true), count = width * height;
  const colour = new Uint8ClampedArray(buffer, 12, 4 * count);
  let at = 12 + 4 * count;
  const depth = flags & 1 ? new Uint32Array(buffer, at, count) : null;
  if (depth) at += 4 * count;
  const stencil = flags & 2 ? new Uint8Array(buffer, at, count) : null;
  return { width, height, colour, depth, stencil };
}

function unpackPicture(buffer) {
  const words = new DataView(buffer);
  return { width: words.getUint32(0, true), height: words.getUint32(4, true), colour: new Uint8ClampedArray(buffer, 8) };
}

async function loadPixels() {
  const of = when => ask('pixels', { draw: state.draw, when }, 'bytes').then(unpack);
  [state.pixels, state.previous] = await Promise.all([of('after'), of('before')]);
  state.otherPixels = null;
  $('slide').hidden = state.capture.captures < 2;
  if (state.capture.captures > 1) {
    let lacks = '';
    const other = await ask('pixels', { draw: state.draw, when: 'after', capture: 1 }, 'bytes').catch(why => {
      lacks = `nothing to compare: ${why.message}`;
      return null;
    });
    state.otherPixels = other && unpack(other);
    $('slide-why').textContent = lacks;
    $('slider').disabled = !other;
  }
  compose();
  if (state.fitted) fit();
  paint();
}

function current() {
  if (state.view === 'screen') return state.screen;
  if (isMap(state.view)) return state.map;
  return state.when === 'before' ? state.previous : state.pixels;
}


// Values as colours; pixels that are the same in the other picture are dark where the changed ones are asked for.
function shade(of, view, other) {
  const count = of.width * of.height, out = new Uint8ClampedArray(4 * count);
  const grey = (n, value) => { out[4 * n] = out[4 * n + 1] = out[4 * n + 2] = value; out[4 * n + 3] = 255; };
  let low = Infinity, high = 0;
  if (view === 'depth' && of.depth) for (const z of of.depth) { low = Math.min(low, z); high = Math.max(high, z); }
  for (let n = 0; n < count; n++) {
    if (view === 'alpha') grey(n, of.colour[4 * n + 3]);
    else if (view === 'depth') grey(n, of.depth ? (of.depth[n] - low) / Math.max(1, high - low) * 255 : 0);
    else if (view === 'stencil') grey(n, of.stencil ? of.stencil[n] : 0);
    else {
      const isSame = view === 'changed' && [0, 1, 2, 3].every(c => of.colour[4 * n + c] === other.colour[4 * n + c]);
      for (let c = 0; c < 3; c++) out[4 * n + c] = isSame ? of.colour[4 * n + c] / 5 : of.colour[4 * n + c];
      out[4 * n + 3] = 255;
    }
  }
  return new ImageData(out, of.width, of.height);
}

function onto(image) {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext('2d').putImageData(image, 0, 0);
  return canvas;
}

function compose() {
  const of = current();
  const other = state.when === 'before' ? state.pixels : state.previous;
  state.image = of && of.width ? onto(shade(of, state.view, other)) : null;
  state.otherImage = state.otherPixels && state.view !== 'screen' && !isMap(state.view)
    ? onto(shade(state.otherPixels, state.view === 'changed' ? 'colour' : state.view)) : null;
}

// Buffers whose rows count upward belong to screens that stand on their side: they are shown turned, right way up.
function isUpward() {
  return !!state.detail && state.detail.view.upward && state.view !== 'screen';
}

function isTurned() {
  return isUpward() && !state.stored;
}

// Columns and rows of the picture as it is shown.
function extent(of) {
  return isTurned() ? [of.height, of.width] : [of.width, of.height];
}

// Place in the shown picture, from its top left, of a pixel in the machine's coordinates, and the way back.
function placeOf([x, y]) {
  const of = current(), row = isUpward() ? of.height - 1 - y : y;
  return isTurned() ? [row, of.width - 1 - x] : [x, row];
}

function pixelOf([column, row]) {
  const of = current(), [x, from] = isTurned() ? [of.width - 1 - row, column] : [column, row];
  return [x, isUpward() ? of.height - 1 - from : from];
}

function paint() {
  const canvas = $('canvas'), ratio = devicePixelRatio, box = canvas.getBoundingClientRect();
  [canvas.width, canvas.height] = [box.width * ratio, box.height * ratio];
  const to = canvas.getContext('2d'), image = state.image;
  if (!image) return;
  const z = state.zoom * ratio, [left, top] = state.at.map(side => side * ratio);
  to.imageSmoothingEnabled = false;
  const place = picture => {
    to.save();
    to.translate(left, top + (isTurned() ? picture.width * z : 0));
    if (isTurned()) to.rotate(-Math.PI / 2);
    to.drawImage(picture, 0, 0, picture.width * z, picture.height * z);
    to.restore();
  };
  place(image);
  const [columns, rows] = extent(image);
  const share = $('slider').value / 100;
  if (state.otherImage && share < 1) {
    to.save();
    to.beginPath();
    to.rect(left + columns * z * share, 0, canvas.width, canvas.height);
    to.clip();
    // It may be smaller.
    to.clearRect(0, 0, canvas.width, canvas.height);
    place(state.otherImage);
    to.restore();
    to.fillStyle = '#f0f';
    to.fillRect(left + columns * z * share - 1, top, 2, rows * z);
  }
  if (z >= 8) {
    to.strokeStyle = '#8884';
    to.lineWidth = 1;
    to.beginPath();
    const x0 = Math.max(0, Math.floor(-left / z)), x1 = Math.min(columns, Math.ceil((canvas.width - left) / z));
    const y0 = Math.max(0, Math.floor(-top / z)), y1 = Math.min(rows, Math.ceil((canvas.height - top) / z));
    for (let x = x0; x <= x1; x++) { to.moveTo(left + x * z, top + y0 * z); to.lineTo(left + x * z, top + y1 * z); }
    for (let y = y0; y <= y1; y++) { to.moveTo(left + x0 * z, top + y * z); to.lineTo(left + x1 * z, top + y * z); }
    to.stroke();
  }
  if (state.px && state.view !== 'screen') {
    const [x, y] = placeOf(state.px);
    for (const [colour, wide] of [['#000', 3], ['#fff', 1]]) {
      to.strokeStyle = colour;
      to.lineWidth = wide * ratio;
      to.strokeRect(left + x * z - ratio, top + y * z - ratio, z + 2 * ratio, z + 2 * ratio);
    }
  }
  $('zoom').textContent = `${Math.round(state.zoom * 100)} %`;
}

function fit() {
  const of = current(), box = $('stage').getBoundingClientRect();
  if (!of || !of.width) return;
  const [columns, rows] = extent(of), most = Math.min(box.width / columns, box.height / rows) * .98;
  state.zoom = most >= 2 ? Math.floor(most) : most;
  state.at = [(box.width - columns * state.zoom) / 2, (box.height - rows * state.zoom) / 2];
  state.fitted = true;
}

function zoomBy(factor, x, y) {
  const box = $('stage').getBoundingClientRect();
  [x, y] = [x ?? box.width / 2, y ?? box.height / 2];
  const zoom = Math.min(64, Math.max(.1, state.zoom * factor)), by = zoom / state.zoom;
  state.at = [x - (x - state.at[0]) * by, y - (y - state.at[1]) * by];
  state.zoom = zoom;
  state.fitted = false;
  paint();
}

function pixelAt(event) {
  const of = current(), box = $('canvas').getBoundingClientRect();
  if (!of) return null;
  const x = Math.floor((event.clientX - box.left - state.at[0]) / state.zoom);
  const y = Math.floor((event.clientY - box.top - state.at[1]) / state.zoom);
  const [columns, rows] = extent(of);
  return x >= 0 && y >= 0 && x < columns && y < rows ? pixelOf([x, y]) : null;
}

const hex = (value, digits) => value.toString(16).padStart(digits, '0');

function under(at) {
  const of = current();
  if (!at || !of) { $('under').textContent = ''; return; }
  const n = (isUpward() ? of.height - 1 - at[1] : at[1]) * of.width + at[0];
  let text = `(${at[0]}, ${at[1]})`;
  if (of.covered) {
    text += `  covered ${of.covered[n]} times, stored ${of.stored[n]}`;
    text += `\n${duration(of.cost[n])} of the draws' time`;
  }
  else {
    const rgba = [0, 1, 2, 3].map(c => of.colour[4 * n + c]);
    text += `  rgba ${rgba.join(' ')}  #${rgba.map(v => hex(v, 2)).join('')}`;
    if (of.depth) text += `\ndepth ${of.depth[n]} (0x${hex(of.depth[n], 4)})`;
    if (of.stencil) text += `  stencil ${of.stencil[n]}`;
  }
  $('under').textContent = text;
}

// ---- maps, as `picaflor draws --map` has them

const RAMP = [[0, 0, 0], [20, 40, 140], [20, 140, 160], [60, 180, 60], [230, 200, 40], [230, 80, 40], [255, 255, 255]];
const LAST = RAMP.length - 1;
const FATES = [['never covered', [0, 0, 0]], ['covered, never stored', [214, 60, 50]], ['stored, some rejected', [222, 170, 50]], ['stored, none rejected', [40, 120, 170]]];
const MAPS = ['overdraw', 'cost', 'coverage'];
const isMap = view => MAPS.includes(view);

// What all draws did to each pixel of each buffer; rows from the top.
function unpackMaps(buffer) {
  const words = new Uint32Array(buffer), floats = new Float32Array(buffer), maps = new Map();
  for (let at = 0; at < words.length;) {
    const [address, width, height, upward] = words.slice(at, at + 4), count = width * height;
    const of = { width, height, covered: new Uint32Array(count), stored: new Uint32Array(count), cost: new Float32Array(count) };
    at += 4;
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++, at += 3) {
      const to = (upward ? height - 1 - y : y) * width + x;
      [of.covered[to], of.stored[to], of.cost[to]] = [words[at], words[at + 1], floats[at + 2]];
    }
    maps.set(address, of);
  }
  return maps;
}

function fate(of, n) {
  if (!of.covered[n]) return 0;
  return of.stored[n] === 0 ? 1 : of.stored[n] < of.covered[n] ? 2 : 3;
}

// The steps of the ramp below the last one are for 995 of 1000 covered pixels.
function scaleOf(of, view) {
  const numbers = (view === 'cost' ? of.cost : of.covered).filter((_, n) => of.covered[n]).sort();
  const most = numbers[numbers.length - 1] || 0, top = numbers[Math.min(numbers.length - 1, Math.floor(numbers.length * .995))] || 0;
  const end = step => step === LAST ? most : top / 2 ** (LAST - 1 - step);
  const ofCount = count => most <= LAST ? count : count > top ? LAST : Math.min(LAST - 1, Math.max(1, Math.ceil(count * (LAST - 1) / top)));
  const ofTime = time => { for (let step = 1; step < LAST; step++) if (time <= end(step)) return step; return LAST; };
  return { most, end, ofCount, ofTime };
}

function legendOf(of, view, scale) {
  const parts = [[`${view}, all draws:`]];
  if (view === 'coverage') {
    const counts = [0, 0, 0, 0];
    for (let n = 0; n < of.covered.length; n++) counts[fate(of, n)]++;
    FATES.forEach(([name, colour], n) => parts.push([`${name}: ${counts[n]}`, colour]));
  } else {
    parts.push(['never', RAMP[0]]);
    for (let step = 1; step <= LAST; step++) {
      if (view === 'cost') { parts.push([`${step === LAST ? 'up to' : '≤'} ${duration(scale.end(step))}`, RAMP[step]]); continue; }
      let first = 0, last = 0;
      for (let count = 1; count <= scale.most; count++) if (scale.ofCount(count) === step) { first = first || count; last = count; }
      if (first) parts.push([first === last ? `${first}` : `${first}–${last}`, RAMP[step]]);
    }
    parts.push([view === 'cost' ? 'in a pixel' : 'fragments']);
  }
  return parts.map(([text, colour]) => {
    const part = element('span');
    if (colour) part.append(swatch(colour));
    part.append(text);
    return part;
  });
}

async function showMap(view) {
  if (!state.maps) {
    say('the interpreter draws every draw …');
    state.maps = unpackMaps(await ask('maps', {}, 'bytes'));
    say('');
  }
  const of = state.maps.get(parseInt(state.detail.view.address, 16));
  state.map = null;
  if (!of) throw new Error('no draw has covered a pixel of this buffer');
  const scale = scaleOf(of, view), colour = new Uint8ClampedArray(4 * of.covered.length);
  const rgb = n => {
    if (view === 'coverage') return FATES[fate(of, n)][1];
    if (!of.covered[n]) return RAMP[0];
    return RAMP[view === 'cost' ? scale.ofTime(of.cost[n]) : scale.ofCount(of.covered[n])];
  };
  for (let n = 0; n < of.covered.length; n++) {
    const [r, g, b] = rgb(n);
    [colour[4 * n], colour[4 * n + 1], colour[4 * n + 2], colour[4 * n + 3]] = [r, g, b, 255];
  }
  state.map = { ...of, colour };
  $('legend').replaceChildren(...legendOf(of, view, scale));
}

const setView = guard(async view => {
  state.view = view;
  $('legend').hidden = !isMap(view);
  for (const button of $('views').querySelectorAll('[data-view]')) button.classList.toggle('on', button.dataset.view === view);
  if (view === 'screen') {
    const of = state.capture.actions.find(of => of.draw === state.draw);
    state.screen = unpackPicture(await ask('screen', of && state.capture.frames > of.frame ? { frame: of.frame } : {}, 'bytes'));
  }
  if (isMap(view)) await showMap(view);
  compose();
  if (state.fitted) fit();
  paint();
});

// ---- pixel

// The history of the current pixel in the buffer of the current draw. It keeps of which pixel it is.
async function loadHistory() {
  const { draw, px } = state, [x, y] = px;
  const found = await ask('history', { draw, x, y }).catch(why => {
    if (state.px === px) state.history = null;
    throw why;
  });
  if (state.draw !== draw || state.px !== px) return;
  state.history = { ...found, x, y, of: 'buffer' };
  const entries = state.history.history;
  const ofDraw = entries.findIndex(of => of.action.draw === state.draw);
  const until = entries.filter(of => of.action.draw === null || of.action.draw <= state.draw).length - 1;
  state.entry = ofDraw >= 0 ? ofDraw : Math.max(0, until);
}

const pick = guard(async at => {
  if (state.view === 'screen') {
    const of = state.capture.actions.find(of => of.draw === state.draw), [x, y] = at;
    state.history = { ...await ask('history', { frame: of ? of.frame : 0, x, y }), x, y, of: 'screen' };
    const made = state.history.history.findLastIndex(of => of.outcome === 'written');
    state.entry = Math.max(0, made);
    setTab('pixel');
    return;
  }
  await showPixel(at);
});

// Shows the history of a pixel in the buffer of the current draw.
async function showPixel(at) {
  state.px = at;
  link();
  paint();
  say('playing the capture for this pixel …');
  try {
    await loadHistory();
    if (state.history) say(`${state.history.history.length} entries`);
  } finally {
    setTab('pixel');
  }
}

// An element that is pressed by mouse, or by Enter or space when it has the focus.
function press(one, work) {
  one.tabIndex = 0;
  one.setAttribute('role', 'button');
  one.addEventListener('click', work);
  one.addEventListener('keydown', event => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    const place = [...one.parentNode.children].indexOf(one);
    work();
    // The same place in what is shown now keeps the focus.
    const next = $('panel').children[place];
    if (next && next.tabIndex === 0) next.focus();
  });
}

function swatch(rgba) {
  const made = element('span', null, 'swatch');
  made.style.background = `rgb(${rgba[0]} ${rgba[1]} ${rgba[2]})`;
  return made;
}

function bytesOf(bytes) {
  return bytes.map(v => hex(v, 2)).join('');
}

function pixelPanel() {
  if (!state.history) return [element('p', 'Click a pixel, or move with Shift and the arrow keys: everything that touched it, and how its value was made.', 'dim')];
  const { x, y, of: place } = state.history;
  const made = [element('h2', `Pixel (${x}, ${y})${place === 'screen' ? ' of the screens,' : ''} at ${state.history.address}`)];
  state.history.history.forEach((of, n) => {
    const entry = element('div', null, `entry${n === state.entry ? ' on' : ''}`);
    const isOut = of.outcome.startsWith('rejected');
    entry.append(element('b', of.action.draw === null ? of.action.kind : `draw ${of.action.draw}`), ' ',
      element('span', of.outcome, isOut ? 'bad' : 'good'), element('br'),
      element('code', `${bytesOf(of.before)} → ${bytesOf(of.after)}`));
    const without = of.fragments_left_out || 0, fragments = of.traces.length + without;
    if (fragments > 1) entry.append(element('span', `  ${fragments} fragments${without ? `, ${without} without a trace` : ''}`, 'dim'));
    press(entry, () => { state.entry = n; showTab(); });
    if (of.action.draw !== null && of.action.draw !== state.draw) {
      entry.addEventListener('dblclick', () => go(of.action.draw));
      entry.title = 'Double click: go to this draw';
    }
    made.push(entry);
  });
  if (!state.history.history.length) made.push(element('p', 'Nothing touched it.', 'dim'));
  if (state.history.entries_left_out) made.push(element('p', `${state.history.entries_left_out} later entries are left out.`, 'dim'));
  const entry = state.history.history[state.entry];
  if (entry) made.push(...entry.traces.flatMap(trace => traceOf(entry, trace)));
  if (entry && entry.fragments_left_out) made.push(element('p', `Draw ${entry.action.draw}: traces of ${entry.fragments_left_out} fragments are left out.`, 'dim'));
  return made;
}

function traceOf(entry, trace) {
  const made = [element('h2', `Draw ${entry.action.draw}, primitive ${trace.primitive}: ${trace.rejected_by ? 'rejected by ' + trace.rejected_by : 'stored'}`)];
  for (const stage of trace.stages) {
    const box = element('div', null, 'stage'), table = element('table');
    box.append(element('b', stage.stage));
    for (const note of stage.notes) {
      const row = element('tr'), cell = element('td', null, 'n');
      const isColour = Array.isArray(note.value) && note.text.includes('#');
      const texel = note.value && note.value.colour;
      if (isColour) cell.append(swatch(note.value));
      if (texel) cell.append(swatch(texel));
      cell.append(note.text);
      row.append(element('td', note.name, 'dim'), cell);
      table.append(row);
    }
    box.append(table);
    made.push(box);
  }
  return made;
}

// ---- other tabs

// A link to the manual, in a window of its own.
function manualLink(text, manual, anchor) {
  const made = element('a', text);
  made.href = `manual/${manual}.html#${anchor}`;
  made.target = 'manual';
  return made;
}

// The list of registers that has this one, and the sections about it.
function chaptersOf(number) {
  const { groups, topics } = state.capture.manual;
  return {
    group: groups.findLast(of => of.first <= number),
    topics: topics.filter(of => of.first <= number && number <= of.last),
  };
}

function sectionLink(of) {
  const made = manualLink(`${of.section} ${of.title}`, of.manual, of.section);
  made.title = `${of.manual}, section ${of.section}`;
  return made;
}

// The name of a register, linked to its fields.
function registerLink(register) {
  const digits = register.number.replace(/^0x/, '').toLowerCase();
  return manualLink(register.name, state.capture.manual.fields, `r${digits}`);
}

// The draws in the same state as this one.
function sameState() {
  const box = element('div');
  if (!state.firsts) {
    ask('states', {}).then(of => { state.firsts = of.firsts; showTab(); }).catch(why => say(why.message, true));
    return box;
  }
  const first = state.firsts[state.draw], all = [];
  state.firsts.forEach((of, draw) => { if (of === first) all.push(draw); });
  box.append(element('h2', all.length > 1 ? `In the same state: ${all.length} draws` : 'No other draw is in this state'));
  if (all.length < 2) return box;
  const near = all.indexOf(state.draw), from = Math.max(0, Math.min(near - 30, all.length - 60)), list = element('p', null, 'draws');
  for (const draw of all.slice(from, from + 60)) {
    const one = element(draw === state.draw ? 'b' : 'a', draw);
    if (draw !== state.draw) one.href = `#draw=${draw}${state.px ? `&px=${state.px}` : ''}`;
    list.append(one);
  }
  if (all.length > 60) list.append(element('span', `and ${all.length - 60} more`, 'dim'));
  const find = element('button', 'Show them in the list');
  find.addEventListener('click', () => { $('query').value = `same ${state.draw}`; search(); });
  box.append(list, find);
  return box;
}

// Two values of a register in words, with the fields that differ marked.
function differing(before, after) {
  const parts = text => text.split(/(,? )/), [a, b] = [parts(before), parts(after)];
  return [[a, b, 'dim'], [b, a, '']].map(([own, other, kind]) => {
    const line = element('div', null, kind);
    own.forEach((part, n) => line.append(n > 0 && part !== other[n] ? element('mark', part) : part));
    return line;
  });
}

function statePanel() {
  const of = state.detail.state, made = [sameState()];
  const changed = new Set(state.detail.changed.map(([name]) => name));
  if (state.draw > 0) {
    made.push(element('h2', `Changed since draw ${state.draw - 1}: ${state.detail.changed.length} registers`));
    const table = element('table');
    for (const [name, before, after] of state.detail.changed) {
      const row = element('tr'), cell = element('td', null, 'n');
      cell.append(...differing(before, after));
      row.append(element('td', name), cell);
      table.append(row);
    }
    made.push(table);
  }
  // The interpreter has no keys; the GE has no programs.
  const { program } = state.capture.actions.find(a => a.draw === state.draw);
  for (const [name, text] of [['Key of the code', of.key], ['Checksum of the program', program]]) {
    if (text) made.push(element('h2', name), element('code', text));
  }
  const summary = element('table');
  for (const [name, text] of Object.entries(of.summary)) {
    const row = element('tr');
    row.append(element('td', name, 'dim'), element('td', text));
    summary.append(row);
  }
  made.push(element('h2', 'State'), summary, element('h2', 'Registers'));
  const table = element('table');
  table.className = 'registers';
  let section = '';
  for (const register of of.registers) {
    const row = element('tr', null, changed.has(register.name) ? 'changed' : '');
    const name = element('td'), value = element('td'), about = element('div', register.number, 'dim');
    const { group, topics } = chaptersOf(parseInt(register.number, 16));
    const title = element('div');
    title.append(registerLink(register));
    for (const topic of topics) about.append(' ', sectionLink(topic));
    name.append(title, about);
    value.append(element('code', register.word), element('div', register.meaning, 'dim'));
    row.append(name, value);
    if (group && group.section !== section) {
      section = group.section;
      const head = element('tr', null, 'chapter'), cell = element('th');
      cell.colSpan = 2;
      cell.append(sectionLink(group), element('span', ` ${group.manual}`, 'dim'));
      head.append(cell);
      table.append(head);
    }
    table.append(row);
  }
  made.push(table);
  return made;
}

function texturePanel() {
  const made = [];
  for (const of of state.detail.textures) {
    const figure = element('figure'), canvas = element('canvas'), caption = element('figcaption');
    const text = `unit ${of.unit} level ${of.level}: ${of.size.join('x')} ${of.format} at ${of.address}`;
    caption.textContent = text;
    figure.append(canvas, caption);
    made.push(figure);
    ask('texture', { draw: state.draw, unit: of.unit, level: of.level }, 'bytes').then(unpackPicture).then(picture => {
      [canvas.width, canvas.height] = [picture.width, picture.height];
      canvas.style.width = `${Math.max(picture.width, Math.min(256, picture.width * 4))}px`;
      canvas.getContext('2d').putImageData(new ImageData(picture.colour, picture.width, picture.height), 0, 0);
      canvas.addEventListener('pointermove', event => {
        const x = Math.floor(event.offsetX * picture.width / canvas.clientWidth), y = Math.floor(event.offsetY * picture.height / canvas.clientHeight);
        const at = 4 * (y * picture.width + x);
        caption.textContent = `${text} – column ${x}, row ${y} from the top: ${[...picture.colour.slice(at, at + 4)].join(' ')}`;
      });
    }).catch(why => { caption.textContent = why.message; });
    const find = element('button', 'Draws with this texture');
    find.addEventListener('click', () => { $('query').value = `texture ${of.address}`; search(); });
    if (of.level === 0) figure.append(find);
  }
  if (state.detail.palette.length) {
    const box = element('div');
    state.detail.palette.forEach((rgba, n) => {
      const one = swatch(rgba);
      one.title = `entry ${n}: ${rgba.join(' ')}`;
      box.append(one);
    });
    made.push(element('h2', `Palette, ${state.detail.palette.length} entries`), box);
  }
  for (const of of state.detail.tables) made.push(curve(of));
  return made.length ? made : [element('p', 'The draw has neither textures nor tables.', 'dim')];
}

// A table as a curve, with the value under the pointer.
function curve(of) {
  const figure = element('figure', null, 'curve'), canvas = element('canvas'), caption = element('figcaption', `table ${of.name}`);
  [canvas.width, canvas.height] = [256, 96];
  const to = canvas.getContext('2d');
  to.strokeStyle = colourOf('--accent');
  to.beginPath();
  of.values.forEach((value, n) => to.lineTo(n * 256 / of.values.length, 95 - Math.min(1, Math.max(0, value)) * 94));
  to.stroke();
  canvas.addEventListener('pointermove', event => {
    const n = Math.floor(event.offsetX / canvas.clientWidth * of.values.length);
    caption.textContent = `table ${of.name}, entry ${n}: ${of.values[n]}`;
  });
  figure.append(canvas, caption);
  return figure;
}

function paintMesh(canvas) {
  const box = canvas.getBoundingClientRect(), ratio = devicePixelRatio;
  [canvas.width, canvas.height] = [box.width * ratio, box.height * ratio];
  const to = canvas.getContext('2d');
  // A corner that is no number has no place.
  const all = state.detail.mesh.primitives.filter(corners => corners.flat().every(Number.isFinite)), points = all.flat();
  if (!points.length) return;
  const low = [0, 1, 2].map(k => points.reduce((least, p) => Math.min(least, p[k]), Infinity));
  const high = [0, 1, 2].map(k => points.reduce((most, p) => Math.max(most, p[k]), -Infinity));
  const side = Math.max(high[0] - low[0], high[1] - low[1]) || 1, deep = high[2] - low[2] || 1;
  const [a, b] = state.turn, upward = state.detail.view.upward;
  const place = p => {
    let x = (p[0] - (low[0] + high[0]) / 2) / side, y = (p[1] - (low[1] + high[1]) / 2) / side * (upward ? -1 : 1);
    let z = ((p[2] - low[2]) / deep - .5) * .6;
    [x, z] = [x * Math.cos(a) + z * Math.sin(a), z * Math.cos(a) - x * Math.sin(a)];
    y = y * Math.cos(b) + z * Math.sin(b);
    const scale = Math.min(canvas.width, canvas.height) * .9;
    return [canvas.width / 2 + x * scale, canvas.height / 2 + y * scale];
  };
  to.strokeStyle = colourOf('--accent');
  to.lineWidth = ratio;
  to.beginPath();
  for (const corners of all) {
    // Two corners are the diagonal of a rectangle or the ends of a line.
    corners.map(place).forEach(([x, y], n) => n ? to.lineTo(x, y) : to.moveTo(x, y));
    if (corners.length > 2) to.closePath();
  }
  to.stroke();
}

// Numbers with so many digits. Those that JSON lacks are text: nan, inf, -inf.
function digits(values, count) {
  return values.map(value => typeof value === 'number' ? +value.toPrecision(count) : value);
}

function meshPanel() {
  const of = state.detail.mesh, canvas = element('canvas');
  canvas.id = 'mesh-canvas';
  canvas.tabIndex = 0;
  canvas.addEventListener('pointermove', event => {
    if (!event.buttons) return;
    state.turn = [state.turn[0] + event.movementX / 90, state.turn[1] + event.movementY / 90];
    paintMesh(canvas);
  });
  canvas.addEventListener('keydown', event => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!by || event.shiftKey) return;
    state.turn = [state.turn[0] + by[0] / 9, state.turn[1] + by[1] / 9];
    paintMesh(canvas);
    event.stopPropagation();
    event.preventDefault();
  });
  requestAnimationFrame(() => paintMesh(canvas));
  // The list counts primitives before they are clipped, and a vertex as often as it is used.
  const { vertices, primitives } = state.capture.actions.find(a => a.draw === state.draw);
  const pieces = state.detail.primitives, shaded = of.vertices.length + of.omitted;
  const counts = [
    pieces === primitives ? `${pieces} primitives as drawn` : `${pieces} primitives as drawn, which clipping made of ${primitives}`,
    shaded === vertices ? `${vertices} vertices` : `${shaded} vertices as shaded, for the ${vertices} that the draw names`,
  ];
  const made = [element('p', `${counts.join('; ')}. Drag, or the arrow keys on the picture, turn it.`, 'dim'), canvas, element('h2', 'Vertices')];
  const table = element('table');
  of.vertices.forEach((vertex, n) => {
    const row = element('tr', null, 'pick'), cell = element('td', null, 'n');
    const line = (name, value) => cell.append(element('div', `${name}: ${digits(value, 7).join(' ')}`));
    if (vertex.bytes) cell.append(element('div', vertex.bytes));
    Object.entries(vertex.inputs).forEach(([name, value]) => line(name, value));
    Object.entries(vertex.outputs).forEach(([name, value]) => line(name, value));
    row.append(element('td', `${n}`, 'n'), element('td', `index ${vertex.index}`, 'dim'), cell);
    if (state.detail.has_program) {
      row.title = 'Steps of the program';
      press(row, () => { state.vertex = n; state.stage = 'vertex'; state.program = null; setTab('program'); });
    }
    table.append(row);
  });
  made.push(table);
  if (of.omitted) made.push(element('p', `${of.omitted} vertices are not shown; picaflor dump writes them.`, 'dim'));
  return made;
}

const loadProgram = guard(async () => {
  const stage = state.stage === 'geometry' ? { stage: 'geometry' } : {};
  state.program = await ask('program', { draw: state.draw, vertex: state.vertex, ...stage });
  state.step = 0;
  showTab();
});

function programPanel() {
  if (!state.detail.has_program) return [element('p', 'The draw has no vertex program.', 'dim')];
  if (!state.program) { loadProgram(); return [element('p', '…', 'dim')]; }
  const of = state.program, made = [];
  const runs = state.detail.geometry_runs, isGeometry = state.stage === 'geometry';
  made.push(element('h2', `${isGeometry ? 'Run' : 'Vertex'} ${of.vertex}, step ${state.step} of ${of.steps.length}`));
  const bar = element('div', null, 'bar');
  if (runs) {
    const load = (stage, vertex) => () => { Object.assign(state, { stage, vertex, program: null }); showTab(); };
    for (const [name, stage] of [['Vertex program', 'vertex'], ['Geometry program', 'geometry']]) {
      const one = element('button', name, stage === (state.stage || 'vertex') ? 'on' : '');
      one.addEventListener('click', load(stage, 0));
      bar.append(one);
    }
    if (isGeometry) {
      const which = element('input');
      Object.assign(which, { type: 'number', min: 0, max: runs - 1, value: of.vertex, title: 'Run of the program' });
      which.addEventListener('change', () => load('geometry', Math.min(runs - 1, Math.max(0, Number(which.value))))());
      bar.append(which, element('span', `of ${runs} runs`, 'dim'));
    }
    bar.append(element('span', null, 'gap'));
  }
  const button = (text, to) => {
    const one = element('button', text);
    one.addEventListener('click', () => { state.step = Math.min(of.steps.length, Math.max(0, to())); showTab(); });
    bar.append(one);
  };
  button('First', () => 0);
  button('Back ,', () => state.step - 1);
  button('Step .', () => state.step + 1);
  button('Last', () => of.steps.length);
  made.push(bar);
  const registers = new Map(Object.entries(of.inputs));
  let last = null;
  of.steps.slice(0, state.step).forEach(one => {
    last = one;
    if (one.written) registers.set(one.written.register, one.written.after);
  });
  const next = of.steps[state.step], code = element('div', null, 'code');
  for (const line of of.listing) {
    const row = element('div', `${hex(line.address, 3)}  ${line.text}`);
    row.dataset.address = line.address;
    if (next && line.address === next.address) { row.className = 'on'; requestAnimationFrame(() => row.scrollIntoView({ block: 'nearest' })); }
    code.append(row);
  }
  made.push(code);
  if (last) made.push(element('p', `${hex(last.address, 3)} ${last.text}: ${last.flags}`, 'dim'));
  const table = element('table');
  const sorted = [...registers].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
  for (const [name, value] of sorted) {
    const isNew = last && last.written && last.written.register === name;
    const row = element('tr', null, isNew ? 'changed' : ''), cell = element('td', null, 'n');
    cell.textContent = digits(value, 8).join('  ');
    if (isNew) cell.append(element('div', `before: ${digits(last.written.before, 8).join('  ')}`, 'dim'));
    row.append(element('td', name, 'n'), cell);
    table.append(row);
  }
  made.push(element('h2', 'Registers'), table, element('h2', 'Uniforms'));
  const uniforms = element('table');
  for (const [name, value] of Object.entries(of.uniforms)) {
    const row = element('tr');
    row.append(element('td', name, 'n'), element('td', digits(value, 8).join('  '), 'n'));
    uniforms.append(row);
  }
  made.push(uniforms, element('h2', 'Source'), element('pre', of.source));
  return made;
}

function showTab() {
  if (!state.detail) return;
  const panels = { pixel: pixelPanel, state: statePanel, textures: texturePanel, mesh: meshPanel, program: programPanel };
  $('panel').replaceChildren(...panels[state.tab]());
}

function setTab(tab) {
  state.tab = tab;
  for (const button of $('tabs').children) button.classList.toggle('on', button.dataset.tab === tab);
  showTab();
}

// ---- search

const search = guard(async () => {
  const text = $('query').value.trim();
  const draws = state.capture.actions.filter(of => of.draw !== null);
  const isThere = number => draws.some(of => of.draw === number);
  const [, number] = text.match(/^(?:draw\s+)?(\d+)$/) || [];
  if (number) {
    if (!isThere(Number(number))) throw noDraw(number);
    state.shown = null;
    await go(Number(number));
    return;
  }
  let parameters = null;
  const [word, ...rest] = text.split(/\s+/);
  if (word === 'texture' || word === 'program') parameters = { [word]: rest[0] || '' };
  else if (word === 'rect') parameters = { rectangle: rest.join(' ') };
  else if (text === 'empty') parameters = { empty: 1 };
  else if (text.includes('=')) parameters = { register: text };
  if (!text) state.shown = null;
  else if (word === 'same') {
    const of = rest[0] === undefined ? state.draw : Number(rest[0]);
    if (!isThere(of)) throw noDraw(rest[0] ?? 'yet');
    if (!state.firsts) state.firsts = (await ask('states', {})).firsts;
    const first = state.firsts[of];
    state.shown = new Set(draws.filter(of => state.firsts[of.draw] === first).map(of => of.draw));
  } else if (word === 'slow') {
    const most = Number(rest[0] ?? 10);
    if (!Number.isInteger(most) || most < 1) throw new Error(`\`${rest[0]}\` is no number of draws`);
    await needCosts();
    const slowest = [...draws].sort((a, b) => amount(b, 'time') - amount(a, 'time')).slice(0, most);
    state.shown = new Set(slowest.map(of => of.draw));
  } else if (parameters) {
    if (parameters.empty || parameters.rectangle !== undefined) say('the interpreter draws every draw …');
    state.shown = new Set((await ask('search', parameters)).draws);
  } else {
    const wanted = text.toLowerCase();
    state.shown = new Set(draws.filter(of => JSON.stringify(of).toLowerCase().includes(wanted)).map(of => of.draw));
  }
  $('actions').scrollTop = 0;
  paintRows();
  timeline();
  say(state.shown ? `${state.shown.size} draws` : '');
});

// ---- keys

const KEYS = {
  'ArrowRight, j': 'next draw', 'ArrowLeft, k': 'draw before', 'Home, End': 'first draw, last draw',
  'Shift + arrows': 'move the pixel', '+, -, 0': 'zoom, fit', '1 … 9': 'views of the picture, maps',
  'b': 'before or after the draw', 'o': 'right way up, or as stored', 'p s t m v': 'pixel, state, textures, mesh, program',
  ', .': 'step of the program', '/': 'search', '?': 'keys',
};

function onKey(event) {
  if (event.target.matches('select, input:not(#query)')) return;
  if (event.target === $('query')) {
    if (event.key === 'Escape') { $('query').value = ''; search(); $('actions').focus(); }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || $('help').open || $('notes').open) return;
  const views = ['colour', 'alpha', 'depth', 'stencil', 'changed', 'screen', ...MAPS];
  const tabs = { p: 'pixel', s: 'state', t: 'textures', m: 'mesh', v: 'program' };
  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const key = event.key;
  if (event.shiftKey && moves[key]) {
    const of = current();
    if (of && state.view !== 'screen') {
      const [columns, rows] = extent(of);
      const [x, y] = placeOf(state.px || [Math.floor(of.width / 2), Math.floor(of.height / 2)]);
      const within = (value, end) => Math.min(end - 1, Math.max(0, value));
      pick(pixelOf([within(x + moves[key][0], columns), within(y + moves[key][1], rows)]));
    }
  } else if (key === 'ArrowRight' || key === 'j') step(1);
  else if (key === 'ArrowLeft' || key === 'k') step(-1);
  else if (key === 'Home') step(-Infinity);
  else if (key === 'End') step(Infinity);
  else if (key === '+' || key === '=') zoomBy(1.5);
  else if (key === '-') zoomBy(1 / 1.5);
  else if (key === '0') { fit(); paint(); }
  else if (views[key - 1]) setView(views[key - 1]);
  else if (key === 'b') $('before').click();
  else if (key === 'o') $('stored').click();
  else if (tabs[key]) setTab(tabs[key]);
  else if ((key === ',' || key === '.') && state.program) {
    state.step = Math.min(state.program.steps.length, Math.max(0, state.step + (key === '.' ? 1 : -1)));
    showTab();
  } else if (key === '/') $('query').focus();
  else if (key === '?') $('help').showModal();
  else return;
  event.preventDefault();
}

// ---- start

function wire() {
  $('actions').addEventListener('scroll', paintRows);
  $('search').addEventListener('submit', event => { event.preventDefault(); search(); });
  // The cross that clears the field submits nothing.
  $('query').addEventListener('search', () => { if (!$('query').value) search(); });
  const choose = (id, apply) => $(id).addEventListener('change', guard(async () => {
    const kind = $(id).value;
    if (kind === 'time' || kind === 'interpreted') await needCosts();
    apply(kind);
    paintRows();
    timeline();
  }));
  choose('order', kind => {
    state.order = kind;
    $('actions').scrollTop = 0;
    paintRows();
    if (kind === 'none') reveal();
  });
  choose('bars', kind => { state.bars = kind; });
  for (const button of $('views').querySelectorAll('[data-view]')) button.addEventListener('click', () => setView(button.dataset.view));
  for (const button of $('tabs').children) button.addEventListener('click', () => setTab(button.dataset.tab));
  $('before').addEventListener('click', () => {
    state.when = state.when === 'before' ? 'after' : 'before';
    $('before').classList.toggle('on', state.when === 'before');
    compose();
    paint();
  });
  $('stored').addEventListener('click', () => {
    state.stored = !state.stored;
    $('stored').classList.toggle('on', state.stored);
    fit();
    paint();
  });
  $('fit').addEventListener('click', () => { fit(); paint(); });
  $('slider').addEventListener('input', paint);
  $('timeline').addEventListener('click', event => {
    const draws = state.capture.actions.filter(of => of.draw !== null);
    const at = Math.floor(event.offsetX / $('timeline').clientWidth * draws.length);
    if (draws[at]) go(draws[at].draw);
  });
  const canvas = $('canvas');
  let down = null;
  canvas.addEventListener('pointerdown', event => { down = { x: event.clientX, y: event.clientY, moved: false, pointer: event.pointerId }; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener('pointermove', event => {
    under(pixelAt(event));
    if (!down) return;
    if (Math.hypot(event.clientX - down.x, event.clientY - down.y) > 4 || down.moved) {
      down.moved = true;
      state.at = [state.at[0] + event.movementX, state.at[1] + event.movementY];
      state.fitted = false;
      paint();
    }
  });
  canvas.addEventListener('pointerup', event => {
    const at = pixelAt(event);
    if (down && !down.moved && at) pick(at);
    down = null;
  });
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoomBy(event.deltaY < 0 ? 1.25 : .8, event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  document.addEventListener('keydown', onKey);
  for (const id of ['help', 'notes']) $(`${id}-open`).addEventListener('click', () => $(id).showModal());
  for (const [keys, what] of Object.entries(KEYS)) $('keys').append(element('dt', keys), element('dd', what));
  new ResizeObserver(() => { if (state.fitted) fit(); paint(); if (state.capture) { timeline(); paintRows(); placeThumbnails(); } }).observe($('stage'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { if (state.capture) { timeline(); showTab(); } });
  addEventListener('hashchange', () => { if (state.capture) fromLink(false); });
}

const fromLink = guard(async isNew => {
  const asked = new URLSearchParams(location.hash.slice(1));
  const draws = state.capture.actions.filter(of => of.draw !== null).map(of => of.draw);
  const wanted = asked.get('draw'), at = asked.get('px'), before = state.px;
  const isThere = /^\d+$/.test(wanted) && draws.includes(Number(wanted)), isPixel = /^\d+,\d+$/.test(at);
  if (isPixel) state.px = at.split(',').map(Number);
  const draw = isThere ? Number(wanted) : state.draw ?? draws[draws.length - 1];
  if (isNew || draw !== state.draw) await go(draw);
  else if (isPixel && String(before) !== String(state.px)) await showPixel(state.px);
  if (state.draw !== null) link();
  if (wanted !== null && !isThere) throw noDraw(wanted);
  if (at !== null && !isPixel) throw new Error(`\`px=${at}\` is no pixel: write px=X,Y`);
});

// Pictures of the buffers above the timeline, each at its draw, as many as fit.
const loadThumbnails = guard(async () => {
  const buffer = await ask('thumbnails', {}, 'bytes'), words = new DataView(buffer);
  state.thumbnails = [];
  for (let at = 0; at < buffer.byteLength;) {
    const [draw, width, height, upward] = [0, 4, 8, 12].map(n => words.getUint32(at + n, true));
    at += 16;
    const pixels = new Uint8ClampedArray(buffer.slice(at, at + 4 * width * height));
    at += 4 * width * height;
    if (!width || !height) continue;
    for (let n = 3; n < pixels.length; n += 4) pixels[n] = 255;
    const stored = onto(new ImageData(pixels, width, height)), shown = element('canvas');
    [shown.width, shown.height] = upward ? [height, width] : [width, height];
    const to = shown.getContext('2d');
    if (upward) { to.translate(0, width); to.rotate(-Math.PI / 2); }
    to.drawImage(stored, 0, 0);
    shown.title = `after draw ${draw}`;
    shown.addEventListener('click', () => go(draw));
    state.thumbnails.push({ draw, shown });
  }
  placeThumbnails();
});

function placeThumbnails() {
  const strip = $('thumbnails'), all = state.thumbnails || [];
  strip.hidden = !all.length;
  if (!all.length) return;
  const wide = strip.clientWidth, tall = 54, kept = [];
  const draws = state.capture.actions.filter(of => of.draw !== null).length;
  let end = 0;
  for (const { draw, shown } of all) {
    const width = Math.round(shown.width * tall / shown.height), middle = (draw + .5) * wide / draws;
    const left = Math.min(Math.max(end, middle - width / 2), wide - width);
    if (left < end || middle < end) continue;
    shown.style.left = `${left}px`;
    shown.style.width = `${width}px`;
    kept.push(shown);
    end = left + width + 2;
  }
  strip.replaceChildren(...kept);
}

async function openCapture() {
  say('playing the capture …');
  state.capture = await ask('capture', {});
  Object.assign(state, { maps: null, map: null, costs: null, firsts: null, order: 'none', bars: 'fragments' });
  [$('order').value, $('bars').value] = ['none', 'fragments'];
  const of = state.capture, draws = of.actions.filter(one => one.draw !== null).length;
  document.title = `${of.name} – Picaflor inspector`;
  $('name').textContent = of.name;
  $('about').textContent = `${of.machine}, ${of.frames} frame${of.frames === 1 ? '' : 's'}, ${draws} draws`;
  $('notes-open').hidden = !of.note_count;
  $('notes-open').textContent = `${of.note_count} fault${of.note_count === 1 ? '' : 's'}`;
  $('notes-list').replaceChildren(...of.notes.map(note => element('li', note)));
  paintRows();
  timeline();
  $('open-other').hidden = !site.worker;
  if (draws) { await fromLink(true); loadThumbnails(); }
  else { say('the capture has no draws', true); }
}

wire();
if (document.documentElement.dataset.worker) startSite();
else guard(openCapture)();
