import { useEffect, useRef } from "react";
import UPlot from "uplot";
import { formatCount } from "./format.ts";
import type { Tone } from "./state-styles.ts";
import { useWidth } from "./use-width.ts";

interface ChartLine {
  readonly words: string;
  readonly tone: Tone;
  readonly dash: readonly number[];
}

interface Props {
  /** Seconds since 1970, and the values of each line. */
  readonly data: number[][];
  readonly lines: readonly ChartLine[];
  readonly height: number;
  /** What is said to those who do not see it. */
  readonly label: string;
  /** The unit of the values, such as `/min`. */
  readonly unit: string;
  readonly from: number;
  readonly until: number;
}

/** Lines over time. Colours are those of the theme, and follow it when it changes. */
export function LineChart({ data, lines, height, label, unit, from, until }: Props) {
  const [frame, width] = useWidth<HTMLDivElement>();
  const chart = useRef<UPlot | null>(null);
  const latest = useRef(data);
  const range = useRef({ from, until });
  useEffect(() => {
    latest.current = data;
    range.current = { from, until };
    chart.current?.setData(data as UPlot.AlignedData);
  }, [data, from, until]);
  useEffect(() => {
    const { current } = frame;
    if (current === null || width === 0) return undefined;
    const open = (): void => {
      chart.current?.destroy();
      const options = optionsOf({ lines, unit, width, height, element: current, range });
      chart.current = new UPlot(options, latest.current as UPlot.AlignedData, current);
    };
    open();
    const stop = onThemeChange(open);
    return () => {
      stop();
      chart.current?.destroy();
      chart.current = null;
    };
  }, [frame, width, height, lines, unit]);
  return (
    <div
      ref={frame}
      className="chart"
      style={{ minHeight: height }}
      role="img"
      aria-label={label}
    />
  );
}

interface Setting extends Pick<Props, "lines" | "unit" | "height"> {
  readonly width: number;
  readonly element: HTMLElement;
  readonly range: { readonly current: { readonly from: number; readonly until: number } };
}

function optionsOf({ lines, unit, width, height, element, range }: Setting): UPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const axis = {
    stroke: colour("muted"),
    font: "11px system-ui, sans-serif",
    grid: { stroke: colour("line"), width: 1 },
    ticks: { stroke: colour("line"), width: 1, size: 4 },
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    plugins: [pointerWords(lines, unit)],
    scales: {
      x: { range: () => [range.current.from / 1_000, range.current.until / 1_000] },
      y: { range: (_, __, most) => [0, Math.max(most * 1.1, 1)] },
    },
    axes: [
      { ...axis, space: 70, size: 28, values: timeWords },
      { ...axis, size: 46, values: (_, splits) => splits.map((one) => formatCount(one)) },
    ],
    series: [
      {},
      ...lines.map(({ words, tone, dash }) => ({
        label: words,
        stroke: colour(tone),
        width: 2,
        dash: [...dash],
        points: { show: false },
      })),
    ],
  };
}

const two = (value: number): string => String(value).padStart(2, "0");

/** Hours of the day; of more than two days the day as well. */
function timeWords(_: UPlot, splits: number[]): string[] {
  const isLong = (splits.at(-1) ?? 0) - (splits[0] ?? 0) > 36 * 3_600;
  return splits.map((seconds) => {
    const date = new Date(seconds * 1_000);
    const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
    return isLong ? `${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}` : time;
  });
}

/** Says the values at the pointer. */
function pointerWords(lines: readonly ChartLine[], unit: string): UPlot.Plugin {
  const box = document.createElement("div");
  box.className = "chart-words";
  box.hidden = true;
  return {
    hooks: {
      init: (plot) => plot.over.append(box),
      setCursor: (plot) => {
        const { idx, left = -1 } = plot.cursor;
        box.hidden = idx === null || idx === undefined || left < 0;
        if (idx === null || idx === undefined) return;
        const [times = [], ...values] = plot.data;
        const time = document.createElement("strong");
        time.textContent = new Date((times[idx] ?? 0) * 1_000).toLocaleString();
        const rows = lines.map(({ words, tone }, index) => {
          const row = document.createElement("span");
          row.className = `tone-${tone}`;
          row.textContent = `${words} ${formatCount(values[index]?.[idx] ?? 0)} ${unit}`;
          return row;
        });
        box.replaceChildren(time, ...rows);
        const isRight = left > plot.over.clientWidth / 2;
        box.style.left = isRight ? "" : `${left + 12}px`;
        box.style.right = isRight ? `${plot.over.clientWidth - left + 12}px` : "";
      },
    },
  };
}

/** Calls back when the page or the system turns light or dark. */
function onThemeChange(listener: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const page = new MutationObserver(listener);
  page.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  system.addEventListener("change", listener);
  return () => {
    page.disconnect();
    system.removeEventListener("change", listener);
  };
}
