import { defineService } from "@holdfast/runtime";
import { guardSettings, listenAsSet } from "@holdfast/runtime/http";
import { ConsoleConfig } from "./server/config.ts";
import { openConsole } from "./server/open-console.ts";

/** Serves the operators' console, until its signal to stop. */
export const consoleService = defineService("console", ConsoleConfig, async (service) => {
  const { config, log, health, stopped } = service;
  await using http = openConsole({ apiUrl: config.API_URL, limits: guardSettings(config), log });
  // Not whether the API answers: the page says that better than a connection that is refused.
  health.check("page", () => http.server.listening);
  const url = await listenAsSet(http, config);
  service.ready({ url });
  await stopped;
});
