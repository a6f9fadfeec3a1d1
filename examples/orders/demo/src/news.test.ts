import { expect, test } from "@jest/globals";
import { newsOf, openNews } from "./news.ts";

test("what an Agent says commands no terminal that shows the news", () => {
  const news = openNews();
  const halted = { level: 30, msg: "task halted", taskId: "01a1fd8d-d928-77c8-96cb-353aaba1757f" };
  news.add(newsOf({ ...halted, faultCode: "a.b\u001b[2K\u009b1A" }) ?? "");
  expect(news.lines).toEqual([
    "! …aba1757f  halted and waits for an operator: a.b\\u001b[2K\\u009b1A",
  ]);
});
