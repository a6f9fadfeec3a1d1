export { type ConsoleOptions, consoleRoutes } from "./console-routes.ts";
