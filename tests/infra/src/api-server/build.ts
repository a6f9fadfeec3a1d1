import { apiServerPrograms, buildApiServer } from "./programs.ts";

buildApiServer();
process.stdout.write(`${JSON.stringify(apiServerPrograms())}\n`);
