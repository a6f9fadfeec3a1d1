import { runService } from "@holdfast/runtime";
import { submissionService } from "./service.ts";

await runService(submissionService);
