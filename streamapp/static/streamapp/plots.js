"use strict";
// Draws the charts whose figures an address of the admin returns, and fetches them again twice a minute.

const SOURCE = "data-streamapp-plots";
const COLOURS = ["#3b82c4", "#d9822b", "#2e9e6b", "#b65fc9", "#c94f4f"];
const HEIGHT = 190;
const FEW = 15; // Points that hardly make a line yet are shown as points.
const AGAIN_MILLISECONDS = 30000;

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function short(value) {
  return new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(value);
}

function whole(unit) {
  const form = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
  return (_, value) => (value === null || value === undefined ? "–" : `${form.format(value)} ${unit}`.trim());
}

function axis(more) {
  return { stroke: colour("--body-quiet-color"), grid: { stroke: colour("--hairline-color"), width: 1 }, ...more };
}

function lines(chart) {
  const paths = chart.stays ? { paths: uPlot.paths.stepped({ align: 1 }), spanGaps: true } : {};
  return chart.lines.map((line, index) => ({
    label: line.label,
    stroke: COLOURS[index % COLOURS.length],
    width: 1.5,
    points: { show: chart.times.length < FEW },
    value: whole(chart.unit),
    ...paths,
  }));
}

function options(chart, figures, width) {
  const { begin, end, zone } = figures;
  const at = (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone);
  const clock = uPlot.fmtDate("{HH}:{mm}");
  return {
    width,
    height: HEIGHT,
    tzDate: at,
    scales: { x: { range: [begin, end] }, y: { range: (_, low, high) => range(chart, low, high) } },
    axes: [axis({ values: (_, ticks) => ticks.map((tick) => clock(at(tick))) }), axis({ size: 60, values: (_, ticks) => ticks.map(short) })],
    series: [{ label: zone, value: "{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}" }, ...lines(chart)],
    cursor: { drag: { x: false, y: false } },
  };
}

// Lags and rates begin at 0; a position would be a flat line if it did.
function range(chart, low, high) {
  if (low === null || low === undefined) {
    return [0, 1];
  }
  const floor = chart.unit === "" ? low : Math.min(low, 0);
  return high > floor ? [floor, high + (high - floor) * 0.05] : [floor, floor + 1];
}

// What stays as it was is drawn up to this moment; where a minute is missing the line is broken.
function columns(chart, end) {
  const values = chart.lines.map((line) => line.values);
  if (chart.stays) {
    const last = values.map((each) => each.findLast((value) => value !== null) ?? null);
    return [[...chart.times, end], ...values.map((each, index) => [...each, last[index]])];
  }
  return broken(chart.times, values);
}

function broken(times, values) {
  const step = Math.min(...times.slice(1).map((time, index) => time - times[index]));
  const kept = [[], ...values.map(() => [])];
  times.forEach((time, index) => {
    if (index && time - times[index - 1] > 3 * step) {
      [times[index - 1] + step, ...values.map(() => null)].forEach((value, column) => kept[column].push(value));
    }
    [time, ...values.map((each) => each[index])].forEach((value, column) => kept[column].push(value));
  });
  return kept;
}

function frame(chart) {
  const figure = document.createElement("figure");
  const title = document.createElement("figcaption");
  title.textContent = chart.title;
  figure.append(title);
  return figure;
}

function say(place, text) {
  const note = document.createElement("p");
  note.className = "help";
  note.textContent = text;
  place.replaceChildren(note);
}

// All frames are put up before the first chart is drawn: each takes its width from what they leave it.
function show(place, figures) {
  if (!figures.charts.length) {
    say(place, place.dataset.empty);
    return [];
  }
  const frames = figures.charts.map(frame);
  place.replaceChildren(...frames);
  return figures.charts.map((chart, index) => {
    const width = frames[index].clientWidth;
    return new uPlot(options(chart, figures, width), columns(chart, figures.end), frames[index]);
  });
}

class Plots {
  constructor(place) {
    this.place = place;
    this.figures = null;
    this.drawn = [];
    new ResizeObserver(() => this.redraw()).observe(place);
    new MutationObserver(() => this.redraw(true)).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw(true));
  }

  redraw(always = false) {
    if (this.figures && (always || this.width !== this.place.clientWidth)) {
      this.width = this.place.clientWidth;
      this.drawn.forEach((plot) => plot.destroy());
      this.drawn = show(this.place, this.figures);
    }
  }

  async load() {
    try {
      const answer = await fetch(this.place.getAttribute(SOURCE), { credentials: "same-origin", redirect: "error" });
      if (!answer.ok) {
        throw new Error(`The server answered ${answer.status}.`);
      }
      this.figures = await answer.json();
      this.redraw(true);
    } catch {
      if (!this.figures) {
        say(this.place, this.place.dataset.failed);
      }
    }
  }

  async keep() {
    if (!document.hidden) {
      await this.load();
    }
    setTimeout(() => this.keep(), AGAIN_MILLISECONDS);
  }
}

document.querySelectorAll(`[${SOURCE}]`).forEach((place) => new Plots(place).keep());
