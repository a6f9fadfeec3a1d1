import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { finishTask } from "../test/finish-task.ts";
import { serve } from "../test/serve.ts";
import {
  asOperator,
  authorization,
  idOf,
  input,
  openTrips,
  type TripService,
  token,
  trip,
} from "../test/trips.ts";

let trips: TripService;
beforeAll(async () => {
  trips = await openTrips();
});
afterAll(async () => {
  await trips[Symbol.asyncDispose]();
});
beforeEach(() => trips.clear());

test("a read through one process sees every write that another one has answered", async () => {
  await using other = serve(trips.store, { token });
  const get = async (path: string) =>
    (await other.inject({ url: path, headers: { authorization } })).json();
  const paths = ["/v1/tasks?workflow=trip", "/v1/tasks/count?workflow=trip", "/v1/workflows/trip"];
  // What it knows of workflows from now on is of a moment ago.
  for (const path of paths) await get(path);
  await trips.put("trip.v11", trip("trip.v11"));
  await trips.post("/v1/workflows/trip.v11/activate?allowUnknownAgents=true", asOperator, {
    authorization,
  });
  expect(await get("/v1/workflows/trip")).toMatchObject({ name: "trip.v11" });
  expect((await get("/v1/workflows?limit=1")).items).toMatchObject([{ name: "trip.v11" }]);

  const id = idOf(await trips.submit({ key: "t-7" }));
  expect((await get("/v1/tasks?workflow=trip")).items).toMatchObject([{ id }]);
  expect(await get("/v1/tasks/count?workflow=trip")).toEqual({ count: 1, complete: true });
  expect(await get("/v1/tasks/by-key?workflow=trip&key=t-7")).toMatchObject({ id, input });

  await trips.post(`/v1/tasks/${id}/pause`, asOperator, { authorization, "if-match": "*" });
  expect(await get(`/v1/tasks/${id}`)).toMatchObject({ paused: { by: "operator:ann" } });
  expect((await get(`/v1/tasks/${id}/history`)).items).toContainEqual(
    expect.objectContaining({ action: "pause", note: asOperator.reason }),
  );

  await trips.post("/v1/agents/hotels/pause", asOperator, { authorization });
  expect((await get("/v1/pauses")).items).toMatchObject([{ kind: "agent", name: "hotels" }]);
  expect((await get("/v1/agents")).items).toContainEqual(
    expect.objectContaining({
      name: "hotels",
      paused: expect.objectContaining({ reason: asOperator.reason }),
    }),
  );
  await finishTask(trips.url, id);
  expect(await get(`/v1/tasks/${id}/result`)).toMatchObject({ state: "processed" });
});
