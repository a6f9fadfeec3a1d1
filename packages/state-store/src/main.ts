import { defineService, runProcess } from "@holdfast/runtime";
import { MigrationConfig } from "./config.ts";
import { migrate } from "./migrate/migrate.ts";

const migration = defineService("migrate", MigrationConfig, async ({ config, log }) => {
  const ran = await migrate(config.STATE_STORE_URL, {
    onWait: (waited) => log.warn(waited, "migration waits for locks"),
  });
  log.info({ ran }, ran.length === 0 ? "state store was up to date" : "state store migrated");
});

await runProcess(migration);
