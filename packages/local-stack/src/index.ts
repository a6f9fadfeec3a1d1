export { DataFolderFault, holdfastFolder, removeAbandonedFolders } from "./folders/data-folder.ts";
export { createDatabase, type Database } from "./postgres/create-database.ts";
export { type PostgresPair, startPostgresPair } from "./postgres/postgres-pair.ts";
export { openQueries, type Queries, queryOnce } from "./postgres/query-once.ts";
export { startPostgres } from "./postgres/start-postgres.ts";
export { hasDebianPackages, installPackage } from "./processes/debian-package.ts";
export { freePort } from "./processes/free-port.ts";
export { guardProcess } from "./processes/guard-process.ts";
export { isPortTaken, onFreePorts } from "./processes/on-free-ports.ts";
export { startProcess } from "./processes/owned-process.ts";
export { waitUntilReady } from "./processes/wait-until-ready.ts";
export { askBroker } from "./rabbitmq/ask-broker.ts";
export type { ClusterNode } from "./rabbitmq/cluster-node.ts";
export { callManagement } from "./rabbitmq/management-api.ts";
export { type RabbitmqCluster, startRabbitmqCluster } from "./rabbitmq/rabbitmq-cluster.ts";
export { startRabbitmq } from "./rabbitmq/start-rabbitmq.ts";
export type { BrokerServer, PostgresServer, Provider } from "./server.ts";
export {
  type LocalStack,
  type LocalStackOptions,
  startLocalStack,
} from "./start-local-stack.ts";
