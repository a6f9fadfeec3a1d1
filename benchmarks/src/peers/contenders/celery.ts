import { join } from "node:path";
import { runContender } from "../contender-program.ts";
import { pythonOf, sourcesOf } from "../foreign-programs.ts";
import { startDriver } from "../start-driver.ts";

await runContender((owner, { brokerUrl, folder, peersFolder }) =>
  startDriver(owner, {
    command: [pythonOf(peersFolder, "celery"), join(sourcesOf("celery"), "load.py")],
    env: { BROKER_URL: brokerUrl, FOLDER: folder, PYTHONDONTWRITEBYTECODE: "1" },
    folder,
  }),
);
