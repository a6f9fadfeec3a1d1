import { BaseConfig, Duration, Integer, Text } from "@holdfast/runtime";
import { Type } from "typebox";

const Rate = Type.Number({ minimum: 0, maximum: 1, default: 0 });

/** The settings of the partners, by their environment variables. */
export const PartnersConfig = Type.Object({
  ...BaseConfig.properties,
  HTTP_HOST: Text({ default: "::" }),
  HTTP_PORT: Integer({ default: 4_000, minimum: 0, maximum: 65_535 }),
  /** The folder in which the ledger is kept. One process at a time. */
  DATA_FOLDER: Text({ default: ".holdfast/partners" }),
  /** The seed of all that is left to chance. */
  SEED: Integer({ default: 1, minimum: 0, maximum: 2 ** 31 - 1 }),
  /** How badly all partners behave at first; see `PUT /fault-settings/:partner`. */
  ERROR_RATE: Rate,
  APPLY_THEN_DROP_RATE: Rate,
  LATENCY: Duration({ default: "0ms" }),
  HOLD: Duration({ default: "0ms" }),
});
