import { BaseConfig, StateStoreUrl } from "@holdfast/runtime";
import { Type } from "typebox";

/** The configuration of the migration. Its URL names the owner of the database, not a service. */
export const MigrationConfig = Type.Object({
  ...BaseConfig.properties,
  STATE_STORE_URL: StateStoreUrl,
});
