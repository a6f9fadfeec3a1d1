import { styleText } from "node:util";
import { createLogUpdate } from "log-update";

/** What there is to see. */
export interface View {
  readonly submissionUrl: string;
  readonly submitted: number;
  readonly states: Readonly<Record<string, number>>;
  readonly kills: number;
  readonly news: readonly string[];
}

export interface Screen extends Disposable {
  show(view: View): void;
}

const barWidth = 40;
const shown = ["pending", "processing", "undoing", "processed", "undone", "halted"];

/** Draws in place on a terminal; elsewhere writes one line whenever something has changed. */
export function openScreen(stream: NodeJS.WriteStream): Screen {
  if (!stream.isTTY) {
    let last = "";
    return {
      show(view) {
        const line = summaryLine(view);
        if (line !== last) stream.write(`${line}\n`);
        last = line;
      },
      [Symbol.dispose]: () => {},
    };
  }
  const update = createLogUpdate(stream);
  return {
    show: (view) => update(draw(view)),
    [Symbol.dispose]: () => update.done(),
  };
}

const summaryLine = ({ submitted, states, kills }: View): string =>
  [
    `${submitted} submitted`,
    ...shown.filter((state) => states[state]).map((state) => `${states[state]} ${state}`),
    `${kills} processes killed`,
  ].join(" · ");

function draw(view: View): string {
  const { submissionUrl, submitted, states, kills, news } = view;
  const ended = (states["processed"] ?? 0) + (states["undone"] ?? 0);
  const filled = submitted === 0 ? 0 : Math.round((ended / submitted) * barWidth);
  const bar = "█".repeat(filled) + "░".repeat(Math.max(0, barWidth - filled));
  return [
    "",
    `${styleText("bold", "Holdfast")}  ${bar}  ${ended} of ${submitted} orders ended`,
    "",
    `  ${shown.map((state) => `${state} ${styleText("bold", String(states[state] ?? 0))}`).join("   ")}`,
    `  processes killed with kill -9: ${styleText("bold", String(kills))}`,
    "",
    ...news.map((line) => `  ${paint(line)}`),
    "",
    `  Submit your own, and look at it:`,
    styleText(
      "cyan",
      `    curl -i ${submissionUrl}/v1/orders -H 'content-type: application/json' -d @docs/order.json`,
    ),
    styleText("cyan", `    curl ${submissionUrl}/v1/tasks/ID`),
    "",
    styleText(
      "dim",
      "  Ctrl-C stops everything. The data stays in .holdfast/demo; --fresh forgets it.",
    ),
  ].join("\n");
}

function paint(line: string): string {
  if (line.startsWith("✔")) return styleText("green", line);
  if (line.startsWith("↩")) return styleText("yellow", line);
  return line.startsWith("✗") || line.startsWith("!") ? styleText("red", line) : line;
}
