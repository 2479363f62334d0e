"use strict";
for (const slider of document.querySelectorAll(".panel input")) {
  const stack = slider.parentElement.querySelector(".stack");
  const set = () => stack.style.setProperty("--at", slider.value + "%");
  slider.addEventListener("input", set);
  stack.addEventListener("pointermove", (event) => {
    const box = stack.getBoundingClientRect();
    slider.value = Math.round((100 * (event.clientX - box.left)) / box.width);
    set();
  });
  set();
}

/* The pixels of a picture; a picture inside of the page may be read. */
const pixels = new WeakMap();
const pixel = (image, x, y) => {
  if (!pixels.has(image)) {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.drawImage(image, 0, 0);
    pixels.set(image, context);
  }
  return [...pixels.get(image).getImageData(x, y, 1, 1).data.slice(0, 3)];
};

for (const figure of document.querySelectorAll("figure")) {
  const images = [...figure.querySelectorAll("img")];
  const zoom = figure.querySelector(".zoom");
  const output = figure.querySelector("output");
  zoom?.addEventListener("input", () => {
    for (const image of images) {
      image.style.width = image.getAttribute("width") * zoom.value + "px";
    }
  });
  const show = (event) => {
    const image = event.target;
    if (image.tagName !== "IMG" || !output) return;
    const box = image.getBoundingClientRect();
    const at = (from, size, whole) => Math.min(whole - 1, Math.max(0, Math.floor(((from) * whole) / size)));
    const x = at(event.clientX - box.left, box.width, image.naturalWidth);
    const y = at(event.clientY - box.top, box.height, image.naturalHeight);
    const seen = new Map(images.map((image) => [image.alt, pixel(image, x, y).join(" ")]));
    seen.delete("difference");
    const values = [...seen].map(([name, value]) => `${name} ${value}`).join("   ");
    const differs = new Set(seen.values()).size > 1 ? "   differs" : "";
    output.textContent = `(${x}, ${y}) from the top left   ${values}${differs}`;
  };
  figure.addEventListener("pointermove", show);
  figure.addEventListener("pointerdown", show);
}
document.documentElement.dataset.ready = "true";
