import type { Spread } from "@holdfast/load";
import type { Comparison, ContenderResult } from "./comparison.ts";
import { type MetricName, metrics } from "./metrics.ts";

const width = 720;
const bar = { left: 170, width: 430, height: 16, pitch: 24 };
const panelHead = 40;
const colours = { ours: "#1f6f8b", theirs: "#a9b4bd", range: "#40484f", text: "#24292f" };
const shown: readonly MetricName[] = ["backlog", "inFlight", "loneP50"];

/**
 * A chart as SVG: a panel for each metric, a bar for each contender with the median as its length,
 * and a line from the smallest to the largest value.
 */
export function chart({ contenders }: Pick<Comparison, "contenders">): string {
  const panelHeight = panelHead + contenders.length * bar.pitch + 12;
  const height = shown.length * panelHeight + 8;
  const panels = shown.map((metric, index) => panel(contenders, metric, index * panelHeight));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" fill="${colours.text}">
<rect width="${width}" height="${height}" fill="#ffffff"/>
${panels.join("\n")}
</svg>
`;
}

function panel(contenders: readonly ContenderResult[], metric: MetricName, top: number): string {
  const { title, unit, better } = metrics[metric];
  const largest = Math.max(...contenders.map(({ figures }) => figures[metric].max));
  const scale = bar.width / largest;
  const bars = contenders.map((contender, index) =>
    drawBar(contender, { metric, scale, top: top + panelHead + index * bar.pitch }),
  );
  const heading = `${title}: ${unit}, ${better} is better`;
  return [
    `<text x="8" y="${top + 26}" font-size="14" font-weight="600">${escape(heading)}</text>`,
    ...bars,
  ].join("\n");
}

interface Place {
  readonly metric: MetricName;
  /** Pixels for each unit. */
  readonly scale: number;
  readonly top: number;
}

function drawBar({ title, figures, ratios }: ContenderResult, place: Place): string {
  const { metric, scale, top } = place;
  const spread = figures[metric];
  const middle = top + bar.height / 2;
  const colour = ratios === null ? colours.ours : colours.theirs;
  const end = bar.left + spread.max * scale + 8;
  return [
    `<text x="${bar.left - 8}" y="${middle + 4}" text-anchor="end">${escape(title)}</text>`,
    `<rect x="${bar.left}" y="${top}" width="${pixels(spread.median * scale)}" height="${bar.height}" fill="${colour}"/>`,
    drawRange(spread, { scale, middle }),
    `<text x="${pixels(end)}" y="${middle + 4}">${spread.median.toFixed(metrics[metric].digits)}</text>`,
  ].join("\n");
}

function drawRange(
  { min, max }: Spread,
  { scale, middle }: { readonly scale: number; readonly middle: number },
): string {
  const [from, to] = [min, max].map((value) => pixels(bar.left + value * scale));
  return `<line x1="${from}" x2="${to}" y1="${middle}" y2="${middle}" stroke="${colours.range}" stroke-width="2"/>`;
}

const pixels = (length: number): string => length.toFixed(1);

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
