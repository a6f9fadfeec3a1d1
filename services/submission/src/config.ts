import { BaseConfig, BrokerUrl, Integer, StateStoreUrl } from "@holdfast/runtime";
import { Type } from "typebox";

/** What submission can be told, and by which environment variables. */
export const SubmissionConfig = Type.Object({
  ...BaseConfig.properties,
  STATE_STORE_URL: StateStoreUrl,
  STATE_STORE_CONNECTIONS: Integer({ default: 6, minimum: 2, maximum: 100 }),
  /** Only to hint at the Schedulers: orders are taken while the broker is away. */
  BROKER_URL: BrokerUrl,
  HTTP_HOST: Type.String({ default: "0.0.0.0" }),
  HTTP_PORT: Integer({ default: 3_000, minimum: 0, maximum: 65_535 }),
});
