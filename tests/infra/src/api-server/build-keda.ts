import { buildKeda, kedaPrograms } from "./keda.ts";

buildKeda();
process.stdout.write(`${JSON.stringify(kedaPrograms())}\n`);
