import { runService } from "@holdfast/runtime";
import { agentService } from "./service.ts";

await runService(agentService);
