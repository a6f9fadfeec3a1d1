import { setTimeout as sleep } from "node:timers/promises";
import { AgentConfig, host, runAgents } from "@holdfast/agent";
import { Pool } from "pg";
import { Type } from "typebox";
import { callMs, slow } from "../workflow.ts";
import { rolled } from "./rolled-workflow.ts";

/** The settings of an Agent: the address of its remote service, and which release of it this is. */
const Config = Type.Object({
  ...AgentConfig.properties,
  LEDGER_URL: Type.String({ description: "The database of the remote service." }),
  RELEASE: Type.Union([Type.Literal("first"), Type.Literal("second")], { default: "first" }),
});

/**
 * A remote service that knows its keys: it writes an effect down once, however often it is asked.
 */
await runAgents("bench-ledger-agent", Config, ({ LEDGER_URL, RELEASE }) => {
  const ledger = new Pool({ connectionString: LEDGER_URL, max: 4 });
  ledger.on("error", () => {});
  const write = async (orderId: string, key: string): Promise<void> => {
    await sleep(callMs);
    await ledger.query(
      "insert into effects (key, order_id) values ($1, $2) on conflict do nothing",
      [key, orderId],
    );
  };
  const act = async ({ id }: { id: string }, step: { readonly idempotencyKey: string }) => {
    await write(id, step.idempotencyKey);
    return { ok: true };
  };
  return [
    host(slow, { act }),
    RELEASE === "first"
      ? host(rolled.first, { act })
      : host(rolled.second, {
          act: async ({ id, note = "none" }, step) => {
            await write(id, step.idempotencyKey);
            return { ok: true, kept: note };
          },
        }),
  ];
});
