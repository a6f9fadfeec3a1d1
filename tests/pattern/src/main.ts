import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import { commandLine } from "@holdfast/runtime";
import { copySource } from "./copy-source.ts";
import { proveRows, type RowProof } from "./prove-rows.ts";
import { type PatternRow, readRows } from "./read-rows.ts";
import { rowsOfTenth } from "./tenths.ts";

const usage = `pnpm pattern --prove [--row N | --tenth N] [--json]

  --prove     removes the feature of each row of docs/evidence/pattern.md from a copy of the source, and runs the test
              that the row names: it must pass before, and fail then. All rows take some ten minutes
  --row N     only this row, such as 19 for P-19; may be given several times
  --tenth N   only this tenth of the rows, from 0 to 9; all ten together have each row once
  --json      end with one line of JSON; the rest goes to the standard error`;

interface ProveOptions {
  readonly rows: readonly PatternRow[];
  readonly json: boolean;
}

const root = fileURLToPath(new URL("../../../", import.meta.url));

function readOptions(args: readonly string[]): ProveOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      prove: { type: "boolean", default: false },
      row: { type: "string", multiple: true, default: [] },
      tenth: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  if (!values.prove) throw new Error("Say --prove.");
  if (values.row.length > 0 && values.tenth !== undefined) {
    throw new Error("Say --row or --tenth, not both.");
  }
  const rows = readRows(root);
  if (values.tenth !== undefined) {
    if (!/^\d$/.test(values.tenth)) throw new Error("--tenth takes a number from 0 to 9.");
    return { rows: rowsOfTenth(rows, Number(values.tenth)), json: values.json };
  }
  if (values.row.length === 0) return { rows, json: values.json };
  const wanted = values.row.map((row) => `P-${row.replace(/^P-/, "")}`);
  const unknown = wanted.filter((one) => rows.every(({ id }) => id !== one));
  if (unknown.length > 0) {
    throw new Error(`docs/evidence/pattern.md has no row ${unknown.join(", ")}.`);
  }
  return { rows: rows.filter(({ id }) => wanted.includes(id)), json: values.json };
}

// Each Ctrl-C ends it at once: what we started is taken along by its guards.
process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
process.exitCode = (await main(commandLine(readOptions, usage))) ? 0 : 1;

async function main({ rows, json }: ProveOptions): Promise<boolean> {
  const say = (line: string): void =>
    void (json ? process.stderr : process.stdout).write(`${line}\n`);
  const folder = join(holdfastFolder(), "pattern", String(process.pid));
  const [copy, logs] = [join(folder, "source"), join(folder, "logs")];
  mkdirSync(logs, { recursive: true });

  await using stack = new AsyncDisposableStack();
  const dataFolder = join(folder, "servers");
  stack.defer(() => rmSync(dataFolder, { recursive: true, force: true }));
  const servers = stack.use(await startLocalStack({ purpose: "test", dataFolder, log: say }));
  stack.use(copySource(root, copy));
  // One pair of servers for all tests, as `npm test` has.
  process.env["TEST_STATE_STORE_URL"] = servers.postgres.url;
  process.env["TEST_BROKER_URL"] = servers.broker.url;
  process.env["TEST_BROKER_MANAGEMENT_URL"] = servers.broker.managementUrl ?? "";
  process.env["HOLDFAST_DATA"] = holdfastFolder();
  // Tests of several rows start services from the same sources, but for the few that are edited.
  process.env["NODE_COMPILE_CACHE"] = join(copy, ".holdfast/compile-cache");

  const proofs: RowProof[] = [];
  const found = (proof: RowProof): void => {
    proofs.push(proof);
    const { row, verdict, why, test, seconds } = proof;
    say(`${row.padEnd(5)} ${verdict}: ${why}${test === null ? "" : ` — ${test} (${seconds} s)`}`);
  };
  await proveRows({ root: copy, rows, logs, found });
  const count = (verdict: RowProof["verdict"]) =>
    proofs.filter((proof) => proof.verdict === verdict).length;
  const totals = {
    proved: count("proved"),
    unproved: count("unproved"),
    kept: count("not removed"),
  };
  say(`${totals.proved} proved, ${totals.unproved} unproved, ${totals.kept} not removed`);
  say(`what the tests printed: ${logs}`);
  if (json) process.stdout.write(`${JSON.stringify({ ...totals, rows: proofs })}\n`);
  return totals.unproved === 0;
}
