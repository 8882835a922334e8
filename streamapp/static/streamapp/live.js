// Looks again at what still changes, until the page says that nothing does. Without it there is a link.
"use strict";
const NAME = "streamapp-live";
async function look() {
  if (!document.hidden) {
    const shown = document.getElementById(NAME);
    const found = await fetched();
    if (found) {
      shown.replaceWith(document.adoptNode(found));
    } else {
      shown.querySelectorAll("[data-streamapp-stale]").forEach((note) => { note.hidden = false; });
    }
  }
  wait();
}
async function fetched() {
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    return answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(NAME) : null;
  } catch {
    return null; // Nobody answers, or the page is being left.
  }
}
function wait() {
  const shown = document.getElementById(NAME);
  if (shown && shown.dataset.seconds) { setTimeout(look, 1000 * Number(shown.dataset.seconds)); }
}
wait();
