import { agentNamePattern } from "@holdfast/contracts";
import type {
  ContractDifference,
  ListedAgent,
  ListedInstance,
  OperationsStore,
} from "@holdfast/state-store";
import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import { type Static, Type } from "typebox";
import { describe, ref } from "./api/describe.ts";
import { nextAfter, pageFields, readCursor, sizeOf } from "./api/pages.ts";

const pages = { usual: 100, most: 500 };
const AgentsQuery = Type.Object(pageFields(pages), { additionalProperties: false });

/** Shows how Agents are, what they have room for and what waits for them: for operators. */
export function agentRoutes(
  app: FastifyInstance,
  {
    store,
    onRequest,
  }: { readonly store: OperationsStore; readonly onRequest: onRequestAsyncHookHandler },
): void {
  const schema = {
    ...describe({
      id: "listAgents",
      tag: "agents",
      summary:
        "The Agents, with their instances, slots, breakers and pauses, and the steps in flight and due.",
      description: "By name, a page at a time.",
      answers: { "200": { words: "A page.", schema: ref("Agents") } },
    }),
    querystring: AgentsQuery,
  };
  app.get<{ Querystring: Static<typeof AgentsQuery> }>(
    "/v1/agents",
    { onRequest, schema },
    async ({ query: { limit, after } }) => {
      const most = sizeOf(limit, pages);
      const [agents, differences] = await Promise.all([
        store.listAgents({ after: readCursor(after, isAgentName), most }),
        store.findContractDifferences({ workflows: null }),
      ]);
      const byAgent = Map.groupBy(differences, ({ agent }) => agent);
      return {
        items: agents.map((agent) => agentResource(agent, byAgent.get(agent.name) ?? [])),
        next: nextAfter(agents, most, ({ name }) => name),
      };
    },
  );
}

const agentName = new RegExp(agentNamePattern);
const isAgentName = (text: string): boolean => agentName.test(text);

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
