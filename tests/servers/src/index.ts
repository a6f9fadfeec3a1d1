export { calledInAll, openProfiler } from "./called-files.ts";
export { type Authority, makeAuthority } from "./certificates.ts";
export { createVhost, type Vhost } from "./create-vhost.ts";
export { holdfastOutput } from "./holdfast-output.ts";
export type { Direction } from "./link/conditions.ts";
export type { Cut } from "./link/next-cut.ts";
export { type Link, openLink } from "./link/open-link.ts";
export { installedRelease, rabbitmqRelease, serversCache } from "./matrix/rabbitmq-releases.ts";
export { findPgbouncer, type Pgbouncer, startPgbouncer } from "./pgbouncer.ts";
export {
  holdfastCommand,
  moduleAt,
  programAt,
  repository,
  sharedProgram,
  sourceAt,
} from "./program-at.ts";
export { startTestStack } from "./start-test-stack.ts";
export { type TestBroker, testBroker } from "./test-broker.ts";
export { migratedDatabase, testDatabase } from "./test-database.ts";
export { type TestScope, testScope } from "./test-scope.ts";
