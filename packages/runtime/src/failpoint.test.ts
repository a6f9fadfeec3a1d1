import { expect, test } from "@jest/globals";
import { openFailpoints } from "./failpoint.ts";

test.each([undefined, ""])("without traps nothing is asked and nothing happens: %j", (text) => {
  const failpoint = openFailpoints(text);
  failpoint("agent.worked", () => {
    throw new Error("asked");
  });
});

test("a gap passes while its trap waits for another goal, or for another pass", () => {
  const failpoint = openFailpoints("agent.worked@undo=exit,agent.received=exit@3");
  failpoint("agent.worked", () => ["charge"]);
  failpoint("agent.worked", () => []);
  failpoint("agent.received");
  failpoint("agent.received");
  failpoint("agent.replied");
});

test.each(["agent.worked", "agent.worked=stop", "agent.worked@both=exit", "=exit"])(
  "refuses a trap that it cannot read: %s",
  (text) => {
    expect(() => openFailpoints(text)).toThrow(expect.objectContaining({ code: "config.invalid" }));
  },
);
