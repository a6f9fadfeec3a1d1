import { expect, test } from "@jest/globals";
import { openFailpoints } from "./failpoint.ts";

test.each([undefined, ""])("a failpoint does nothing if none is configured: %j", (text) => {
  const failpoint = openFailpoints(text);
  failpoint("agent.worked", () => {
    throw new Error("asked");
  });
});

test("a failpoint lets the process pass until its goal and its count fit", () => {
  const failpoint = openFailpoints("agent.worked@undo=exit,agent.received=exit@3");
  failpoint("agent.worked", () => ["charge"]);
  failpoint("agent.worked", () => []);
  failpoint("agent.received");
  failpoint("agent.received");
  failpoint("agent.replied");
});

test.each(["agent.worked", "agent.worked=stop", "agent.worked@both=exit", "=exit"])(
  "a failpoint that cannot be parsed is refused: %s",
  (text) => {
    expect(() => openFailpoints(text)).toThrow(expect.objectContaining({ code: "config.invalid" }));
  },
);
