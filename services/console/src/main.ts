import { runService } from "@holdfast/runtime";
import { ConsoleConfig } from "./server/config.ts";
import { openConsole } from "./server/open-console.ts";

await runService("console", ConsoleConfig, async ({ config, log, stopped }) => {
  await using http = openConsole({ apiUrl: config.API_URL, log });
  const url = await http.listen({ host: config.HTTP_HOST, port: config.HTTP_PORT });
  log.info({ url }, "ready");
  await stopped;
});
