import { fulfilOrder } from "@holdfast/orders";
import { BaseConfig, BrokerUrl, Events, Integer, StateStoreUrl } from "@holdfast/runtime";
import { Type } from "typebox";

/** What submission can be told, and by which environment variables. */
export const SubmissionConfig = Type.Object({
  ...BaseConfig.properties,
  STATE_STORE_URL: StateStoreUrl,
  STATE_STORE_CONNECTIONS: Integer({ default: 6, minimum: 2, maximum: 100 }),
  /** For orders by message, and to hint at the Schedulers; over HTTP orders are taken without. */
  BROKER_URL: BrokerUrl,
  /** `passive`: the operators own the topology; queues and exchanges are expected to be there. */
  BROKER_TOPOLOGY: Type.Union([Type.Literal("declare"), Type.Literal("passive")], {
    default: "declare",
  }),
  EVENTS: Events,
  /** By which workflow orders are done. Another than the one that we bring must be stored already. */
  WORKFLOW: Type.String({ default: fulfilOrder.name }),
  /** What operators must show; without one nobody can act as an operator here. */
  OPERATOR_TOKEN: Type.Optional(Type.String({ minLength: 8 })),
  HTTP_HOST: Type.String({ default: "0.0.0.0" }),
  HTTP_PORT: Integer({ default: 3_000, minimum: 0, maximum: 65_535 }),
});
