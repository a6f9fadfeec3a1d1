import { runService } from "@holdfast/runtime";
import { consoleService } from "./service.ts";

await runService(consoleService);
