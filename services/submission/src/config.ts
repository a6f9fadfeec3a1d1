import { fulfilOrder } from "@holdfast/orders";

import {
  BaseConfig,
  BrokerUrl,
  Duration,
  Events,
  Integer,
  MaxMessageBytes,
  StateStoreUrl,
} from "@holdfast/runtime";

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
  MAX_MESSAGE_BYTES: MaxMessageBytes,
  EVENTS: Events,
  /**
   * `orders`: takes orders, for customers, without the operators' routes. `operations`: the operators' routes,
   * without taking orders. Each needs less rights than `all`.
   */
  DUTY: Type.Union([Type.Literal("all"), Type.Literal("orders"), Type.Literal("operations")], {
    default: "all",
  }),
  /** By which workflow orders are done. Another than the one that we bring must be stored already. */
  WORKFLOW: Type.String({ default: fulfilOrder.name }),
  /**
   * What operators must show; without one nobody can act as an operator here. At least 8 characters, and 16 unless
   * only this host can reach the service: see `tokenFault`.
   */
  OPERATOR_TOKEN: Type.Optional(Type.String({ minLength: 8 })),
  HTTP_HOST: Type.String({ default: "0.0.0.0" }),
  HTTP_PORT: Integer({ default: 3_000, minimum: 0, maximum: 65_535 }),
  /** How long the `message_id` of an order by message stands for it: a redelivery after that is a new order. */
  MESSAGE_KEYS_KEPT_FOR: Duration({ default: "30d" }),
  /** Connections at a time; a further one is closed at once. */
  MAX_CONNECTIONS: Integer({ default: 2_000, minimum: 1, maximum: 100_000 }),
  /** Orders that may wait for the state store; a further one is answered 503 at once. */
  MAX_WAITING_ORDERS: Integer({ default: 200, minimum: 1, maximum: 100_000 }),
  /** In which a request must have arrived, and for which an order may then wait for the state store. */
  REQUEST_TIMEOUT: Duration({ default: "10s" }),
});
