import { setTimeout as sleep } from "node:timers/promises";
import { replyQueue } from "@holdfast/contracts";
import type { ClusterNode } from "@holdfast/local-stack";
import type { ClusterServers, Environment } from "../system/start-environment.ts";
import { between, pick } from "./chance.ts";
import type { FaultClass } from "./fault-class.ts";

function clusterOf({ cluster }: Environment): ClusterServers {
  if (cluster === null) throw new Error("This fault needs --profile cluster");
  return cluster;
}

/** Milliseconds that a node stays away before it is started again. */
const downtime = 2_000;

async function restart(node: ClusterNode) {
  const recoverFrom = Date.now();
  await node.kill();
  await sleep(downtime);
  await node.start();
  return { target: node.name, recoverFrom };
}

/**
 * What only several servers can suffer: a primary that is gone for good, a node of three, a split.
 */
export const clusterFaults: readonly FaultClass[] = [
  {
    name: "store-failover",
    server: "store",
    // Once: the old primary does not come back.
    weight: 0,
    async strike({ environment }) {
      await clusterOf(environment).failOver();
      return { target: "the primary, for its synchronous standby" };
    },
  },
  {
    name: "broker-node-killed",
    server: "broker",
    weight: 1,
    strike: ({ environment, random }) =>
      restart(pick(clusterOf(environment).rabbitmq.nodes, random)),
  },
  {
    name: "broker-leader-killed",
    server: "broker",
    weight: 1,
    strike: async ({ environment }) =>
      restart(await clusterOf(environment).rabbitmq.leaderOf(replyQueue)),
  },
  {
    name: "broker-node-isolated",
    server: "broker",
    weight: 1,
    async strike({ environment, random }) {
      const { rabbitmq } = clusterOf(environment);
      const node = pick(rabbitmq.nodes, random);
      await rabbitmq.isolate(node, between(1_000, 4_000, random));
      return { target: node.name };
    },
  },
];
