import { runProcess, runService } from "@holdfast/runtime";
import { supervisorOnce, supervisorService } from "./service.ts";

const isOnce = process.argv.includes("--once");
await (isOnce ? runProcess(supervisorOnce) : runService(supervisorService));
