"use strict";
// Fetches parts of a page again every few seconds. Without it the page is as good and has to be loaded again.

const REFRESH = "data-streamapp-refresh";

function address(part) {
  const url = new URL(location.href);
  url.searchParams.set("fragment", part.dataset.streamappFragment);
  return url;
}

// Whoever types or chooses isn't interrupted.
function isUsed(part) {
  return part.contains(document.activeElement) && document.activeElement.matches("input, select, textarea, button");
}

function focused(part) {
  return part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
}

function put(part, html) {
  const href = focused(part);
  part.innerHTML = html;
  if (href) {
    [...part.querySelectorAll("a")].find((link) => link.getAttribute("href") === href)?.focus();
  }
}

function tellAge(failed) {
  document.querySelectorAll("[data-streamapp-stale]").forEach((note) => { note.hidden = !failed; });
}

async function refresh(part) {
  if (document.hidden || isUsed(part)) {
    return;
  }
  try {
    const answer = await fetch(address(part), { credentials: "same-origin", redirect: "error" });
    if (!answer.ok) {
      throw new Error(`The server answered ${answer.status}.`);
    }
    put(part, await answer.text());
    tellAge(false);
  } catch {
    tellAge(true);
  }
}

async function keepFresh(part) {
  await refresh(part);
  setTimeout(keepFresh, Number(part.getAttribute(REFRESH)) * 1000, part);
}

document.querySelectorAll(`[${REFRESH}]`).forEach((part) => {
  document.querySelectorAll("[data-streamapp-refreshed]").forEach((note) => { note.hidden = false; });
  setTimeout(keepFresh, Number(part.getAttribute(REFRESH)) * 1000, part);
});
