export { askBroker } from "./ask-broker.ts";
export { createDatabase, type Database } from "./create-database.ts";
export { createVhost, type Vhost } from "./create-vhost.ts";
export { DataFolderFault, holdfastFolder } from "./data-folder.ts";
export { freePort } from "./free-port.ts";
export { guardProcess } from "./guard-process.ts";
export type { Direction } from "./link/conditions.ts";
export { type Cut, type Link, openLink } from "./link/open-link.ts";
export { startProcess } from "./owned-process.ts";
export { findPgbouncer, startPgbouncer } from "./pgbouncer.ts";
export { type PostgresPair, startPostgresPair } from "./postgres-pair.ts";
export { queryOnce } from "./query-once.ts";
export {
  type ClusterNode,
  type RabbitmqCluster,
  startRabbitmqCluster,
} from "./rabbitmq-cluster.ts";
export type { BrokerServer, PostgresServer, Provider } from "./server.ts";
export {
  type LocalStack,
  type LocalStackOptions,
  startLocalStack,
} from "./start-local-stack.ts";
export { type TestBroker, testBroker } from "./test-broker.ts";
export { testDatabase } from "./test-database.ts";
export { waitUntilReady } from "./wait-until-ready.ts";
