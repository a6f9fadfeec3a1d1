import { holdfastSubject } from "../../holdfast-subject.ts";
import { startHoldfast } from "../../start-holdfast.ts";
import { runContender } from "../contender-program.ts";

await runContender(async (owner, servers) => {
  const holdfast = await startHoldfast(owner, servers);
  return { subject: holdfastSubject(holdfast), pids: holdfast.pids };
});
