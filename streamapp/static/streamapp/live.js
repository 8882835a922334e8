// Looks again at what still changes, until the page says that nothing does. Without it there is a link.
"use strict";
const NAME = "streamapp-live";
async function look() {
  const shown = document.getElementById(NAME);
  if (!shown || !shown.dataset.seconds) { return; }
  if (!document.hidden) {
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      const found = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(NAME);
      if (answer.ok && found) { shown.replaceWith(document.adoptNode(found)); }
    } catch (error) {
      console.warn("The page was not refreshed.", error);
    }
  }
  wait();
}
function wait() {
  const shown = document.getElementById(NAME);
  if (shown && shown.dataset.seconds) { setTimeout(look, 1000 * Number(shown.dataset.seconds)); }
}
wait();
