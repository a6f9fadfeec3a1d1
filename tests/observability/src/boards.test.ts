import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { promqlFacts } from "./promql-facts.ts";

interface Area {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

interface Source {
  readonly type: string;
  readonly uid: string;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly datasource: Source;
  readonly gridPos: Area;
  readonly targets: readonly {
    readonly refId: string;
    readonly datasource: Source;
    readonly expr?: string;
    readonly query?: string;
    readonly legendFormat?: string;
  }[];
}

interface Board {
  readonly uid: string;
  readonly title: string;
  readonly editable: boolean;
  readonly templating: { readonly list: readonly { readonly name: string }[] };
  readonly panels: readonly Panel[];
}

const folder = fileURLToPath(new URL("../../../infra/observability/grafana/", import.meta.url));
const read = (path: string) => readFileSync(folder + path, "utf8");
const boards = readdirSync(`${folder}boards`).map(
  (file) => [file, JSON.parse(read(`boards/${file}`)) as Board] as const,
);
const sources = readdirSync(`${folder}provisioning/datasources`).flatMap(
  (file) =>
    (parse(read(`provisioning/datasources/${file}`)) as { readonly datasources: readonly Source[] })
      .datasources,
);
/** Panels that Grafana has without a plugin. */
const builtIn = ["timeseries", "stat", "table", "traces"];

const overlap = (one: Area, other: Area): boolean =>
  one.x < other.x + other.w &&
  other.x < one.x + one.w &&
  one.y < other.y + other.h &&
  other.y < one.y + one.h;

describe.each(boards)("the board %s", (_, { panels, editable, templating }) => {
  test("has panels that Grafana knows, side by side on its 24 columns", () => {
    expect(editable).toBe(false);
    expect(panels.filter(({ type }) => !builtIn.includes(type))).toEqual([]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.filter(({ gridPos: { x, w, h } }) => x + w > 24 || w < 1 || h < 1)).toEqual([]);
    const covered = panels.filter((panel, index) =>
      panels.slice(index + 1).some((other) => overlap(panel.gridPos, other.gridPos)),
    );
    expect(covered.map(({ title }) => title)).toEqual([]);
  });

  test("asks data sources that are provisioned, each target by a letter of its own", () => {
    for (const { datasource, targets, title } of panels) {
      const asked = [datasource, ...targets.map((target) => target.datasource)];
      const unknown = asked.filter(
        ({ type, uid }) => !sources.some((source) => source.type === type && source.uid === uid),
      );
      expect([title, unknown]).toEqual([title, []]);
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
    }
  });

  test("names in a legend only labels that its expression keeps, and in a query only variables that it has", () => {
    for (const { expr, query = "", legendFormat = "" } of panels.flatMap(
      ({ targets }) => targets,
    )) {
      const named = [...legendFormat.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name);
      const kept =
        expr === undefined ? [] : promqlFacts(expr.replaceAll("$__rate_interval", "1m")).labels;
      const isWhole = expr !== undefined && /^\w+$/.test(expr);
      expect([expr, named.filter((name) => !isWhole && !kept.includes(name ?? ""))]).toEqual([
        expr,
        [],
      ]);
      const variables = [...query.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
      expect(templating.list.map(({ name }) => name)).toEqual(expect.arrayContaining(variables));
    }
  });
});

test("each board has an address and a title of its own", () => {
  expect(new Set(boards.map(([, { uid }]) => uid)).size).toBe(boards.length);
  expect(new Set(boards.map(([, { title }]) => title)).size).toBe(boards.length);
});
