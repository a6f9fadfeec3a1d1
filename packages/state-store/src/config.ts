import { BaseConfig, StateStoreUrl } from "@holdfast/runtime";
import { Type } from "typebox";

/** What the migration can be told. Its URL names the owner of the database, not a service. */
export const MigrationConfig = Type.Object({
  ...BaseConfig.properties,
  STATE_STORE_URL: StateStoreUrl,
});
