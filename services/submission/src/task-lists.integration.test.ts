import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { sampleBooking } from "../test/bookings.ts";
import { idOf, openTrips, type TripService } from "../test/trips.ts";

let trips: TripService;

beforeAll(async () => {
  trips = await openTrips();
});
afterAll(async () => {
  await trips[Symbol.asyncDispose]();
});
beforeEach(() => trips.clear());

describe("a list of tasks", () => {
  interface Page {
    readonly items: readonly { readonly id: string; readonly state: string }[];
    readonly next: string | null;
  }
  const list = async (query: string) => (await trips.get(`/v1/tasks${query}`)).json<Page>();

  test("returns each task once, page by page, newest first", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 7; count += 1) ids.unshift(idOf(await trips.submit()));
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: Page = await list(`?limit=3${cursor && `&after=${cursor}`}`);
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next;
    }
    expect(seen).toEqual(ids);
  });

  test("returns the tasks that match its filters", async () => {
    const trip = idOf(await trips.submit({ correlationId: "c-9" }));
    const booking = idOf(await trips.post("/v1/bookings", sampleBooking()));
    const found = async (query: string) => (await list(query)).items.map(({ id }) => id);
    expect(await found("?workflow=trip")).toEqual([trip]);
    expect(await found("?workflow=trip.v1")).toEqual([]);
    expect(await found("?workflow=book-trip&state=pending")).toEqual([booking]);
    expect(await found("?state=halted")).toEqual([]);
    expect(await found("?correlationId=c-9")).toEqual([trip]);
    expect(await found("?faultCode=payments.declined")).toEqual([]);
    expect(await found("?createdBefore=2020-01-01T00:00:00Z")).toEqual([]);
    expect(await found("?createdFrom=2020-01-01T00:00:00Z")).toEqual([booking, trip]);
  });

  test("has at most 500 tasks on a page, however many are asked for", async () => {
    const id = idOf(await trips.submit());
    for (const limit of ["501", "1000000", String(2 ** 31 - 1), String(2 ** 31), "9".repeat(30)]) {
      expect((await list(`?limit=${limit}`)).items.map((task) => task.id)).toEqual([id]);
    }
  });

  test.each([
    "?limit=0",
    "?limit=-1",
    "?limit=1.5",
    "?limit=1e1",
    "?limit=",
    "?after=x",
    "?state=lost",
    "?createdFrom=now",
    "?x=1",
  ])("is refused for %s", async (query) => {
    expect((await trips.get(`/v1/tasks${query}`)).statusCode).toBe(422);
  });

  test("is open to operators only", async () => {
    for (const path of ["/v1/tasks", "/v1/workflows", "/v1/workflows/trip"]) {
      expect((await trips.get(path, {})).statusCode).toBe(401);
    }
  });
});
