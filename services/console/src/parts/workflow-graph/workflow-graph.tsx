import { type KeyboardEvent, useId, useMemo } from "react";
import type { Style } from "../state-styles.ts";
import { layOutGraph, type PlacedStep } from "./layout.ts";

/** A step as the picture shows it. */
export interface ShownStep {
  readonly name: string;
  readonly after: readonly string[];
  /** The second line, such as its Agent. */
  readonly note: string;
  /** How it stands, in a task; null in a workflow. */
  readonly style: Style | null;
  readonly isUndoable: boolean;
  readonly isConditional: boolean;
}

interface Props {
  readonly steps: readonly ShownStep[];
  readonly selected: string | null;
  readonly onSelect: (name: string) => void;
  readonly label: string;
}

const box = { width: 168, height: 48, gapX: 52, gapY: 18, margin: 6 };
const letters = { name: 19, note: 24 };

const xOf = (column: number): number => box.margin + column * (box.width + box.gapX);
const yOf = (row: number): number => box.margin + row * (box.height + box.gapY);

/** Text in a picture does not wrap: a long one is cut, and whole when pointed at. */
const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

/** A workflow, or a task of it, as a picture: from left to right in the order of its steps. */
export function WorkflowGraph({ steps, selected, onSelect, label }: Props) {
  const arrow = useId();
  const layout = useMemo(() => layOutGraph(steps), [steps]);
  const placed = useMemo(() => new Map(layout.steps.map((one) => [one.name, one])), [layout]);
  const width = xOf(layout.columns) - box.gapX + box.margin;
  const height = yOf(layout.rows) - box.gapY + box.margin;
  return (
    <div className="graph" role="group" aria-label={label}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        <defs>
          <marker
            id={arrow}
            className="graph-arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0 8 4 0 8z" />
          </marker>
        </defs>
        {layout.edges.map(({ from, to }) => (
          <path
            key={`${from} ${to}`}
            className="graph-edge"
            d={wayOf(placed.get(from), placed.get(to))}
            markerEnd={`url(#${arrow})`}
          />
        ))}
        {steps.map((step) => (
          <Box
            key={step.name}
            step={step}
            place={placed.get(step.name)}
            isSelected={selected === step.name}
            onSelect={onSelect}
          />
        ))}
      </svg>
    </div>
  );
}

function wayOf(from: PlacedStep | undefined, to: PlacedStep | undefined): string {
  if (from === undefined || to === undefined) return "";
  const [x1, y1] = [xOf(from.column) + box.width, yOf(from.row) + box.height / 2];
  const [x2, y2] = [xOf(to.column) - 2, yOf(to.row) + box.height / 2];
  const bend = Math.max((x2 - x1) / 2, 20);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

interface BoxProps {
  readonly step: ShownStep;
  readonly place: PlacedStep | undefined;
  readonly isSelected: boolean;
  readonly onSelect: (name: string) => void;
}

function Box({ step, place, isSelected, onSelect }: BoxProps) {
  if (place === undefined) return null;
  const { name, note, style, isUndoable, isConditional } = step;
  const press = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onSelect(name);
  };
  const signs = [isUndoable && "can be undone", isConditional && "is done only if"].filter(Boolean);
  const second = style === null ? note : `${style.word} · ${note}`;
  // It begins with what one reads: people who speak to their browser say that.
  const read = `${cut(name, letters.name)} ${cut(second, letters.note)}`;
  const whole = `${name} ${second}`;
  const words = [read, ...(read === whole ? [] : [whole]), ...signs].join(", ");
  return (
    <g>
      {/* Beside the button, whose name it would double. */}
      <title>{words}</title>
      <g
        className={`graph-step ${style === null ? "" : `tone-${style.tone}`}`}
        transform={`translate(${xOf(place.column)} ${yOf(place.row)})`}
        role="button"
        tabIndex={0}
        aria-pressed={isSelected}
        aria-label={words}
        onClick={() => onSelect(name)}
        onKeyDown={press}
      >
        <rect
          width={box.width}
          height={box.height}
          rx={8}
          strokeDasharray={isConditional ? "5 3" : undefined}
        />
        {/* Cuts off what is wider than the letters that it was cut by. */}
        <svg width={box.width - (isUndoable ? 28 : 8)} height={24}>
          <text className="graph-name" x={12} y={20}>
            {cut(name, letters.name)}
          </text>
        </svg>{" "}
        <svg width={box.width - 8} height={box.height}>
          <text className="graph-note" x={12} y={37}>
            {cut(second, letters.note)}
          </text>
        </svg>
        {isUndoable && (
          <path className="graph-undo" d="M151 9l-4 4 4 4M147.5 13h7a4 4 0 0 1 0 8h-2" />
        )}
      </g>
    </g>
  );
}
