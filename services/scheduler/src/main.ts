import { runService } from "@holdfast/runtime";
import { schedulerService } from "./service.ts";

await runService(schedulerService);
