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
document.documentElement.dataset.ready = "true";
