import { join } from "node:path";
import type { WorkflowDefinition } from "@holdfast/domain";
import {
  createDatabase,
  holdfastFolder,
  type LocalStack,
  queryOnce,
  startLocalStack,
} from "@holdfast/local-stack";
import { type Holdfast, startHoldfast } from "../start-holdfast.ts";

/** A system on servers of its own, whose Agents' remote service writes its effects down. */
export interface Disturbed {
  readonly holdfast: Holdfast;
  readonly stack: LocalStack;
  readonly databaseUrl: string;
  readonly ledgerUrl: string;
}

interface Options {
  readonly workflow: WorkflowDefinition;
  readonly agents: number;
  /** Processes that take orders over HTTP, and as many for operators. */
  readonly submissions: number;
  readonly without: readonly string[];
  readonly say: (line: string) => void;
}

/** Starts it with two Schedulers and two Supervisors; `owner` stops it. */
export async function startDisturbed(
  owner: AsyncDisposableStack,
  { workflow, agents: count, submissions, without, say }: Options,
): Promise<Disturbed> {
  const dataFolder = join(holdfastFolder(), "bench");
  const stack = owner.use(
    await startLocalStack({ purpose: "demo", dataFolder, fresh: true, log: say }),
  );
  const { url: databaseUrl } = owner.use(await createDatabase(stack.postgres.url));
  const { url: ledgerUrl } = owner.use(await createDatabase(stack.postgres.url));
  await queryOnce(ledgerUrl, "create table effects (key text primary key, order_id text not null)");
  const holdfast = await startHoldfast(owner, {
    databaseUrl,
    brokerUrl: stack.broker.url,
    workflow,
    schedulers: { count: 2 },
    supervisors: 2,
    submissions,
    operations: submissions,
    agents: { program: "disturbed/ledger-agent.ts", count, env: { LEDGER_URL: ledgerUrl } },
    without,
  });
  return { holdfast, stack, databaseUrl, ledgerUrl };
}
