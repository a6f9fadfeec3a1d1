import { runService } from "@holdfast/runtime";
import { ConsoleConfig } from "./server/config.ts";
import { openConsole } from "./server/open-console.ts";

await runService("console", ConsoleConfig, async ({ config, log, health, stopped }) => {
  await using http = openConsole({ apiUrl: config.API_URL, log });
  // Not whether the API answers: the page says that better than a connection that is refused.
  health.check("page", () => http.server.listening);
  const url = await http.listen({ host: config.HTTP_HOST, port: config.HTTP_PORT });
  log.info({ url }, "ready");
  await stopped;
});
