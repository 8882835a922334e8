// What a person sees of a page. Each function returns sentences about what is wrong; none if all is well.
"use strict";
(() => {
  const OWN = "#content, .breadcrumbs";
  const LEAST_CONTRAST = 4.5;
  const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary";
  const STYLES = ["outlineStyle", "outlineWidth", "boxShadow", "borderTopColor", "backgroundColor", "color", "textDecorationLine"];

  const still = new CSSStyleSheet();
  still.replaceSync("* { transition: none !important; animation: none !important; }");
  document.adoptedStyleSheets = [still];

  function named(element) {
    const text = (element.innerText || element.value || element.name || "").trim().replace(/\s+/g, " ").slice(0, 40);
    return `<${element.tagName.toLowerCase()} class="${element.className}"> "${text}"`;
  }

  function isShown(element) {
    const box = element.getBoundingClientRect();
    return element.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true }) && box.width > 1 && box.height > 1 && !isClipped(element);
  }

  function isClipped(element) {
    for (let each = element; each; each = each.parentElement) {
      if (getComputedStyle(each).clipPath !== "none") { return true; }
    }
    return false;
  }

  // Colours: [red, green, blue, alpha].
  function parts(colour) {
    const found = colour.match(/^rgba?\(([\d., ]+)\)$/);
    if (!found) { throw new Error(`This colour is not understood: ${colour}`); }
    const [red, green, blue, alpha = 1] = found[1].split(",").map(Number);
    return [red, green, blue, alpha];
  }

  function over([r, g, b, alpha], below) {
    return [r, g, b].map((value, index) => value * alpha + below[index] * (1 - alpha));
  }

  function ground(element) {
    if (!element) { return [255, 255, 255]; }
    const colour = parts(getComputedStyle(element).backgroundColor);
    return colour[3] === 1 ? colour.slice(0, 3) : over(colour, ground(element.parentElement));
  }

  function luminance(colour) {
    const [red, green, blue] = colour.map((value) => {
      const part = value / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  function contrast(element, pseudo) {
    const below = ground(element);
    const text = over(parts(getComputedStyle(element, pseudo).color), below);
    const [low, high] = [luminance(text), luminance(below)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }

  // Elements with text of their own, and the marks and labels that styles put in front of it.
  function written(root) {
    return [...root.querySelectorAll("*")].filter(isShown).flatMap((element) => {
      const found = [];
      const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
      if (own || (element.matches("input, textarea, select") && element.value)) { found.push([element, null]); }
      if (element.placeholder && !element.value) { found.push([element, "::placeholder"]); }
      if (!['none', '""', "normal"].includes(getComputedStyle(element, "::before").content)) { found.push([element, "::before"]); }
      return found;
    });
  }

  function faint() {
    const all = [...document.querySelectorAll(OWN)].flatMap(written);
    const bad = all.map(([element, pseudo]) => [element, pseudo, contrast(element, pseudo)]).filter(([, , value]) => value < LEAST_CONTRAST);
    return bad.map(([element, pseudo, value]) => `faint, ${value.toFixed(2)}: ${named(element)}${pseudo || ""}`);
  }

  function sideways() {
    const bad = [];
    if (document.scrollingElement.scrollWidth > window.innerWidth) {
      bad.push(`the page is ${document.scrollingElement.scrollWidth} px wide`);
    }
    for (const element of document.querySelectorAll("#content, #content *")) {
      if (!isShown(element) || element.closest("svg")) { continue; }
      const box = element.getBoundingClientRect();
      if (box.right > window.innerWidth + 1 || box.left < -1) { bad.push(`reaches out, to ${Math.round(box.right)} px: ${named(element)}`); }
      const scrolls = ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
      if (scrolls && element.scrollWidth > element.clientWidth + 1) { bad.push(`scrolls sideways: ${named(element)}`); }
    }
    return bad;
  }

  // Of radio buttons with one name the keyboard stops at one; arrows lead to the others.
  function controls() {
    const names = new Set();
    return [...document.querySelectorAll(CONTROLS)].filter((element) => {
      if (!isShown(element) || element.disabled) { return false; }
      if (element.type !== "radio") { return true; }
      const first = !names.has(element.name);
      names.add(element.name);
      return first;
    });
  }

  function look(element) {
    const style = getComputedStyle(element);
    return STYLES.map((name) => style[name]).join();
  }

  // Begins to follow the focus; returns how many controls the page has.
  function follow() {
    document.activeElement?.blur();
    const looks = new Map(controls().map((element) => [element, look(element)]));
    window.reached = { looks, stops: new Set(), hidden: new Set() };
    document.addEventListener("focusin", ({ target }) => {
      window.reached.stops.add(target.type === "radio" ? target.name : target);
      if (looks.has(target) && look(target) === looks.get(target)) { window.reached.hidden.add(target); }
    });
    return looks.size;
  }

  function unreached() {
    const { looks, stops, hidden } = window.reached;
    const missed = [...looks.keys()].filter((element) => element.isConnected && !stops.has(element.type === "radio" ? element.name : element));
    return [
      ...missed.map((element) => `the keyboard doesn't reach ${named(element)}`),
      ...[...hidden].map((element) => `the focus isn't seen on ${named(element)}`),
    ];
  }

  window.sight = { faint, sideways, follow, unreached };
})();
