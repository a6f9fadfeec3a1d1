import { expect, test } from "@jest/globals";
import { serverUrls } from "./server-urls.ts";

test.each([
  ["postgres://u:p@a:5432/db", ["postgres://u:p@a:5432/db"]],
  [
    "postgres://u:p@a:5432,b/db?target_session_attrs=read-write",
    [
      "postgres://u:p@a:5432/db?target_session_attrs=read-write",
      "postgres://u:p@b/db?target_session_attrs=read-write",
    ],
  ],
  ["amqps://u:a,b@[::1]:5671,c:5671", ["amqps://u:a,b@[::1]:5671", "amqps://u:a,b@c:5671"]],
  [
    "amqp://a,b,c/vhost?x=1,2",
    ["amqp://a/vhost?x=1,2", "amqp://b/vhost?x=1,2", "amqp://c/vhost?x=1,2"],
  ],
  ["no url", ["no url"]],
])("%s names the servers %j", (url, servers) => {
  expect(serverUrls(url)).toEqual(servers);
});
