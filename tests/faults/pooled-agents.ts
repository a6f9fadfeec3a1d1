import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { configureAgents, host } from "@holdfast/agent";
import { defineAgent, defineWorkflow } from "@holdfast/workflow";
import { Type } from "typebox";
import { z } from "zod";

const input = z.object({ order: z.string() });
const operations = {
  charge: { input, output: z.object({ id: z.string() }), undo: "refund" },
} as const;
const agentNames = ["north", "south"] as const;

/** A workflow of one step that either of two Agents of the same service may take. */
export function pooledWorkflow(sharesKeys: boolean) {
  const agents = agentNames.map((name) =>
    defineAgent(name, operations, { remote: "psp", sharesKeys }),
  );
  const [north] = agents;
  return defineWorkflow("pooled.v1", input, ({ order }, step) => {
    step("charge", {
      call: north!.charge({ order }),
      agents,
      startWithin: "2s",
      completeWithin: "2s",
      retry: { failures: 50, backoff: "100ms", max: "500ms" },
    });
  }).definition;
}

/**
 * What the service has done, and for which Agent: in the account of that Agent, or in the one of
 * both.
 */
export async function readLedger(
  folder: string,
): Promise<readonly { readonly agent: string; readonly key: string }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ name: key, parentPath }) => ({
        agent: await readFile(join(parentPath, key), "utf8"),
        key,
      })),
  );
}

/**
 * What AGENT_MODULES loads. The service is a folder with an account for each Agent, or with one for
 * both.
 */
export const agents = configureAgents(
  Type.Object({ LEDGER: Type.String(), SHARED: Type.Optional(Type.String()) }),
  ({ LEDGER, SHARED }) =>
    agentNames.map((name) => {
      const account = join(LEDGER, SHARED === undefined ? name : "psp");
      return host(defineAgent(name, operations), {
        async charge(_order, { idempotencyKey }) {
          await mkdir(account, { recursive: true });
          await writeFile(join(account, idempotencyKey), name, { flag: "wx" }).catch(ifDone);
          await sleep(50);
          return { id: `${name} ${idempotencyKey}` };
        },
        async refund() {},
      });
    }),
);

function ifDone(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
