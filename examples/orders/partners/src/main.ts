import { runService } from "@holdfast/runtime";
import { partnersService } from "./service.ts";

await runService(partnersService);
