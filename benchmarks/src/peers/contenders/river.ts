import { join } from "node:path";
import { runContender } from "../contender-program.ts";
import { builtFolder } from "../foreign-programs.ts";
import { startDriver } from "../start-driver.ts";

await runContender((owner, { databaseUrl, folder, peersFolder }) =>
  startDriver(owner, {
    command: [join(builtFolder(peersFolder, "river"), "river")],
    env: { DATABASE_URL: databaseUrl },
    folder,
  }),
);
