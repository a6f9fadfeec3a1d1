import type {
  ContractDifference,
  ListedAgent,
  ListedInstance,
  OperationsStore,
} from "@holdfast/state-store";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { describe, ref } from "./api/describe.ts";

interface Dependencies {
  readonly store: OperationsStore;
  readonly onRequest: onRequestAsyncHookHandler;
}

/** Shows how Agents are, what they have room for and what waits for them: for operators. */
export function agentRoutes(app: FastifyInstance, { store, onRequest }: Dependencies): void {
  const schema = describe({
    id: "listAgents",
    tag: "agents",
    summary:
      "The Agents, with their instances, slots, breakers and pauses, and the steps in flight and due.",
    answers: { "200": { words: "At most 500.", schema: ref("Agents") } },
  });
  app.get("/v1/agents", { onRequest, schema }, async () => {
    const [agents, differences] = await Promise.all([
      store.listAgents(),
      store.findContractDifferences({ workflows: null }),
    ]);
    const byAgent = Map.groupBy(differences, ({ agent }) => agent);
    return { items: agents.map((agent) => agentResource(agent, byAgent.get(agent.name) ?? [])) };
  });
}

const agentResource = (
  { paused, dueFor, instances, ...agent }: ListedAgent,
  differences: readonly ContractDifference[],
) => ({
  ...agent,
  unfitFor: [...new Set(differences.filter(isUnfit).map(({ workflow }) => workflow))],
  differences: differences.map(differenceResource),
  oldestDueMs: dueFor === null ? null : Math.max(0, Math.round(dueFor)),
  paused: paused === null ? null : { ...paused, at: instant(paused.at) },
  instances: instances.map(instanceResource),
});

const differenceResource = ({
  agent: _itsOwn,
  isRetired: _shown,
  offered,
  ...difference
}: ContractDifference) => ({ ...difference, offered: offered === "" ? null : offered });

const isUnfit = ({ reading, isRetired }: ContractDifference): boolean =>
  reading === "unfit" && !isRetired;

const instanceResource = ({ lastSeen, openUntil, ...instance }: ListedInstance) => ({
  ...instance,
  openUntil: openUntil === null ? null : instant(openUntil),
  lastSeen: instant(lastSeen),
});

const instant = (at: number): string => new Date(at).toISOString();
