import { randomBytes } from "node:crypto";
import { type BrokerUser, definitionsOf, hashPassword } from "@holdfast/messaging";
import { testBroker } from "@holdfast/test-servers";

/**
 * A virtual host with the rights that Holdfast ships: a user for each Agent, and one for `holdfast
 * conformance`.
 */
export interface AgentBroker extends AsyncDisposable {
  /** The URL of a user with all rights. */
  readonly url: string;
  readonly managementUrl: string;
  readonly tester: { readonly name: string; readonly url: string };
  urlOf(agent: string): string;
  readonly importDefinitions: (definitions: object) => Promise<void>;
}

/** Opens a virtual host, with a queue for each of these Agents. */
export async function openAgentBroker(agents: readonly string[]): Promise<AgentBroker> {
  const broker = await testBroker();
  const { importDefinitions } = broker;
  if (importDefinitions === null) throw new Error("Set TEST_BROKER_MANAGEMENT_URL for these tests");
  const vhost = decodeURIComponent(new URL(broker.url).pathname.slice(1));
  const password = randomBytes(12).toString("hex");
  const passwordHash = hashPassword(password);
  const nameOf = (user: string) => `${vhost}.${user}`;
  const tester = nameOf("tester");
  const users: readonly BrokerUser[] = [
    { name: tester, passwordHash, role: "conformance" },
    ...agents.map(
      (agent): BrokerUser => ({
        name: nameOf(agent),
        passwordHash,
        role: "agent",
        agents: [agent],
      }),
    ),
  ];
  await importDefinitions(definitionsOf({ vhost, agents, users }));
  const urlAs = (username: string) =>
    Object.assign(new URL(broker.url), { username, password }).href;
  const { username: administrator, password: secret } = new URL(broker.url);
  const management = new URL(process.env["TEST_BROKER_MANAGEMENT_URL"] ?? "");
  return {
    url: broker.url,
    managementUrl: Object.assign(management, { username: administrator, password: secret }).href,
    tester: { name: tester, url: urlAs(tester) },
    urlOf: (agent) => urlAs(nameOf(agent)),
    importDefinitions,
    [Symbol.asyncDispose]: () => broker[Symbol.asyncDispose](),
  };
}
