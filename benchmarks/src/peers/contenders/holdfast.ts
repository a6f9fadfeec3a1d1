import { holdfastSubject } from "../../holdfast-subject.ts";
import { startHoldfast } from "../../start-holdfast.ts";
import { runContender } from "../contender-program.ts";

await runContender(async (owner, { databaseUrl, brokerUrl, without }) => {
  const holdfast = await startHoldfast(owner, { databaseUrl, brokerUrl, without });
  return { subject: holdfastSubject(holdfast), pids: holdfast.pids };
});
