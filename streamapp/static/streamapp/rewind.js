// Whoever types into a way to rewind means that way. Without this script the radio button is set by hand.
"use strict";
for (const way of document.querySelectorAll("[data-kind]")) {
  const radio = way.querySelector("input[type=radio]");
  way.addEventListener("input", (event) => {
    if (event.target !== radio && event.target.name !== "clamp") { radio.checked = true; }
  });
}
