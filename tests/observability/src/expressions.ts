import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

/** An expression of a board or a rule. */
export interface Expression {
  /** The place where it stands, for people. */
  readonly at: string;
  readonly text: string;
  /** The section that a rule names; null: it is a board's. */
  readonly runbook: string | null;
}

interface Board {
  readonly title: string;
  readonly panels: readonly {
    readonly title: string;
    /** Queries; those of Tempo have no expression. */
    readonly targets: readonly { readonly expr?: string }[];
  }[];
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: { readonly severity: string };
      readonly annotations: { readonly summary: string; readonly runbook_url: string };
    }[];
  }[];
}

const folder = fileURLToPath(new URL("../../../infra/observability/", import.meta.url));
const read = (path: string): string => readFileSync(folder + path, "utf8");

/** All expressions of the boards and of the alert rules; Grafana's interval is a minute. */
export const expressions = (): readonly Expression[] => [...ofBoards(), ...ofRules()];

const ofBoards = (): readonly Expression[] =>
  readdirSync(`${folder}grafana/boards`).flatMap((file) => {
    const board = JSON.parse(read(`grafana/boards/${file}`)) as Board;
    return board.panels.flatMap(({ title, targets }) =>
      targets.flatMap(({ expr }) =>
        expr === undefined
          ? []
          : [
              {
                at: `${board.title}, ${title}`,
                text: expr.replaceAll("$__rate_interval", "1m"),
                runbook: null,
              },
            ],
      ),
    );
  });

const ofRules = (): readonly Expression[] =>
  readdirSync(`${folder}rules`).flatMap((file) =>
    (parse(read(`rules/${file}`)) as Rules).groups.flatMap(({ rules }) =>
      rules.map(({ alert, expr, annotations }) => ({
        at: alert,
        text: expr,
        runbook: annotations.runbook_url,
      })),
    ),
  );
