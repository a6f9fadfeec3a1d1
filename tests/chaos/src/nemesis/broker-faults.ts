import { setTimeout as sleep } from "node:timers/promises";
import { agentQueue, expiredQueue, replyQueues, wakeQueue } from "@holdfast/contracts";
import { askBroker } from "@holdfast/local-stack";
import type { Environment } from "../system/start-environment.ts";
import { between, pick } from "./chance.ts";
import type { FaultClass } from "./fault-class.ts";

/** Everything but `task.submissions` and `task.signals`: what waits there is nowhere else. */
const expendable = [
  ...["inventory", "payments", "shipping", "notifications"].map(agentQueue),
  ...replyQueues,
  expiredQueue,
  wakeQueue,
];

/** Erlang: closes the connections of a list, and prints when. */
const closing = (choose: string) =>
  `At = erlang:system_time(millisecond), All = rabbit_networking:connections(), ` +
  `[catch rabbit_networking:close_connection(C, "chaos") || C <- ${choose}], At.`;

/**
 * Does what doctor tells an operator to do. A broker that is killed in the moment in which it makes
 * a queue, such as after it was wiped, may keep a queue that never gets a leader.
 */
async function deleteLeaderless(broker: Environment["broker"]): Promise<readonly string[]> {
  const vhost = vhostOf(broker);
  const options = ["-p", vhost, "--queue-timeout", "10000", "--no-table-headers", "--quiet"];
  const told = await broker.rabbitmqctl("list_unresponsive_queues", ...options, "name");
  const names = told.split("\n").filter((name) => name !== "");
  for (const name of names) await broker.rabbitmqctl("delete_queue", "-p", vhost, name);
  return names;
}

const vhostOf = (broker: Environment["broker"]): string => new URL(broker.url).pathname.slice(1);

/** A RabbitMQ that comes and goes, forgets, or takes nothing more. */
export const brokerFaults: readonly FaultClass[] = [
  {
    name: "connections-cut",
    server: "broker",
    weight: 3,
    async strike({ environment }) {
      const at = await environment.broker.rabbitmqctl("eval", closing("All"));
      return { target: "all connections to the broker", recoverFrom: Number(at) };
    },
  },
  {
    name: "connection-cut",
    server: "broker",
    weight: 2,
    async strike({ environment, random }) {
      const nth = between(0, 1_000, random);
      const one = `[lists:nth(1 + ${nth} rem length(All), All) || All =/= []]`;
      const at = await environment.broker.rabbitmqctl("eval", closing(one));
      return { target: "one connection to the broker", recoverFrom: Number(at) };
    },
  },
  {
    name: "broker-restarted",
    server: "broker",
    weight: 1,
    async strike({ environment: { broker } }) {
      await broker.rabbitmqctl("stop_app");
      await broker.rabbitmqctl("start_app");
      return { target: "rabbitmq" };
    },
  },
  {
    name: "broker-killed",
    server: "broker",
    weight: 1,
    async strike({ environment: { broker, system } }) {
      await broker.kill();
      await broker.start();
      const leaderless = await deleteLeaderless(broker);
      if (leaderless.length > 0) await system.broker.restore();
      return { target: ["rabbitmq", ...leaderless].join(", leaderless: ") };
    },
  },
  {
    name: "broker-wiped",
    server: "broker",
    weight: 1,
    async strike({ environment: { broker, system } }) {
      await broker.rabbitmqctl("stop_app");
      await broker.rabbitmqctl("reset");
      await broker.rabbitmqctl("start_app");
      // What its operators do: the services may declare nothing.
      await system.broker.restore();
      return { target: "rabbitmq" };
    },
  },
  {
    name: "memory-alarm",
    server: "broker",
    weight: 1,
    async strike({ environment: { broker }, random }) {
      await broker.rabbitmqctl("set_vm_memory_high_watermark", "0");
      await sleep(between(500, 3_000, random));
      await broker.rabbitmqctl("set_vm_memory_high_watermark", "0.4");
      return { target: "rabbitmq" };
    },
  },
  {
    name: "queue-frozen",
    server: "broker",
    weight: 2,
    async strike({ environment: { broker }, random }) {
      const queue = pick(
        expendable.filter((one) => one !== wakeQueue),
        random,
      );
      const ms = between(500, 4_000, random);
      const freeze = `P = whereis('${vhostOf(broker)}_${queue}'), sys:suspend(P), timer:sleep(${ms}), sys:resume(P).`;
      await broker.rabbitmqctl("eval", freeze);
      return { target: `${queue} for ${ms} ms` };
    },
  },
  {
    name: "queue-purged",
    server: "broker",
    weight: 3,
    async strike({ environment, random }) {
      const queue = pick(expendable, random);
      const recoverFrom = Date.now();
      await askBroker(environment.broker.url, (channel) => channel.purgeQueue(queue));
      return { target: queue, recoverFrom };
    },
  },
  {
    name: "queue-deleted",
    server: "broker",
    weight: 2,
    async strike({ environment, random }) {
      const queue = pick(expendable, random);
      const recoverFrom = Date.now();
      await askBroker(environment.broker.url, (channel) => channel.deleteQueue(queue));
      await environment.system.broker.restore();
      return { target: queue, recoverFrom };
    },
  },
];
