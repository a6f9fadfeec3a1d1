import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePath } from "./node-versions.ts";
import { processesThatStay, runVariable } from "./processes-left.ts";
import type { Ran } from "./run-program.ts";
import { type Principal, startTravel, type Travel, type Trip } from "./start-travel.ts";

/** What came of the trips. */
export interface TravelFigures extends Effects {
  /** Processes that live on after all was stopped. */
  readonly processesLeft: number;
  /** Trips that have ended. */
  readonly travels: number;
  /** Rules that the Agent in Python passed. */
  readonly conformance: number;
}

interface Options {
  readonly folder: string;
  readonly registryUrl: string;
  readonly count?: number;
  readonly say?: (line: string) => void;
}

/**
 * Runs the example of the travels from the packed packages. Throws what does not end as its page
 * says.
 */
export async function runTravel(options: Options): Promise<TravelFigures> {
  const run = randomUUID();
  const figures = await bookTrips({ ...options, env: { [runVariable]: run } });
  const living = await processesThatStay(run);
  for (const one of living) options.say?.(`still there: ${one}`);
  return { ...figures, processesLeft: living.length };
}

async function bookTrips({
  count = 40,
  say = () => {},
  ...options
}: Options & Parameters<typeof startTravel>[0]): Promise<Omit<TravelFigures, "processesLeft">> {
  await using travel = await startTravel(options);
  const tested = await travel.holdfast(["test", "cases/*.json"]);
  for (const taken of [
    "11 of 11 paths, 12 of 12 undo paths",
    "5 of 5 paths, 8 of 8 undo paths",
    "16 of 16 paths, 12 of 12 undo paths",
    "13 of 13 paths, 15 of 15 undo paths",
  ]) {
    if (!tested.output.includes(taken)) throw new Error(tested.output);
  }
  say(`${count} trips`);
  const trips = [...(await travel.submitTrips(count))];
  say("a flight that the airline does not cancel, and a letter that comes back");
  trips.push(await repairUndo(travel), await repairDeadLetter(travel));
  say("a stay that is cancelled while it waits, and one whose wait is ended");
  await cancelStay(travel);
  await waiveWait(travel);
  say("a trip that waits for a visa, which comes twice");
  await grantVisa(travel);
  say("a trip that two of the desk approve, and one that is rejected");
  await approveTrip(travel);
  await rejectTrip(travel);
  const open = trips.filter(({ state }) => !/^(processed|undone)$/.test(state));
  if (open.length > 0) throw new Error(`Trips have not ended: ${JSON.stringify(open)}`);
  const verified = await travel.holdfast(["verify"]);
  if (verified.code !== 0) throw new Error(verified.output);
  const effects = countEffects(travel.folder, trips);
  say("the Agent in Python");
  return { travels: trips.length, ...effects, conformance: await checkPython(travel) };
}

const trip = { traveller: "Ann", email: "ann@example.com", city: "Lyon", card: "card-1" };

/** The undo of a flight fails for good; a person opens the desk and has it tried again. */
async function repairUndo(travel: Travel): Promise<Trip> {
  const closed = join(travel.folder, "ledger/desk-closed");
  writeFileSync(closed, "");
  const id = await submitUntilHalted(travel, { ...trip, card: "declined" });
  rmSync(closed);
  const why = ["--reason", "the desk is open again"];
  await succeed(travel.holdfast(["tasks", "resubmit", id, ...why]));
  return ended(travel, id, "undone");
}

/** A letter comes back; a person calls instead. */
async function repairDeadLetter(travel: Travel): Promise<Trip> {
  const id = await submitUntilHalted(travel, { ...trip, email: "ann@bounces.example" });
  writeFileSync(join(travel.folder, `ledger/mail/${id}%3Aby-phone`), "called\n");
  const how = ["--reason", "called instead", "--result", '{"messageId":"by phone"}'];
  await succeed(travel.holdfast(["tasks", "resolve", id, ...how]));
  return ended(travel, id, "processed");
}

async function submitUntilHalted(travel: Travel, input: object): Promise<string> {
  const id = await submit(travel, "book-trip", input);
  await untilState(travel, id, "halted");
  return id;
}

async function submit(
  travel: Travel,
  workflow: string,
  input: object,
  options: { readonly as?: Principal } = {},
): Promise<string> {
  const args = ["tasks", "submit", workflow, "--input", JSON.stringify(input), "-o", "id"];
  return (await succeed(travel.holdfast(args, options))).stdout.trim();
}

const stay = { traveller: "Ann", city: "Lyon", price: 240, card: "card-1" };

/** A guest cancels while the task waits: the room is given back, and nothing was charged. */
async function cancelStay(travel: Travel): Promise<void> {
  const id = await submitUntilWaiting(travel);
  mustHave(travel, id, { hotels: 1, cards: 0 });
  await succeed(travel.holdfast(["tasks", "cancel", id, "--reason", "stays at home"]));
  await untilState(travel, id, "undone");
  mustHave(travel, id, { hotels: 0, cards: 0 });
}

/** A guest waives the two days: the card is charged at once. */
async function waiveWait(travel: Travel): Promise<void> {
  const id = await submitUntilWaiting(travel);
  await succeed(travel.holdfast(["tasks", "fire", id, "cool-off", "--reason", "waived"]));
  await untilState(travel, id, "processed");
  mustHave(travel, id, { hotels: 1, cards: 1 });
}

const visaTrip = { traveller: "Ann", email: "ann@example.com", city: "Lima", fare: 900, rate: 240 };

/** The embassy and the traveller send word while the trip is booked: once each counts. */
async function grantVisa(travel: Travel): Promise<void> {
  const id = await submit(travel, "visa-trip", visaTrip);
  const signal = (name: string, payload: object) => {
    const what = ["--payload", JSON.stringify(payload), "--id", `${name}-1`];
    return succeed(travel.holdfast(["tasks", "signal", id, name, ...what]));
  };
  const visa = { granted: true, number: "V-17" };
  await signal("visa", visa);
  await signal("visa", visa);
  await signal("seat", { seat: "12A" });
  await untilState(travel, id, "processed");
  mustHave(travel, id, { flights: 1, hotels: 1, mail: 1 });
}

const businessTrip = { ...trip, travellerId: "ann@example.com", city: "Lima" };
/** The exit code of a command that the service refuses. */
const exitRefused = 5;
const approving = ["--approve", "--form", '{"costCentre": "C-7"}'];

/** Two of the travel desk approve a trip, and who submitted it does not: the card is charged. */
async function approveTrip(travel: Travel): Promise<void> {
  const id = await submitUntilWanted(travel);
  const decide = (options: { readonly as?: Principal }) =>
    travel.holdfast(["approvals", "decide", id, "release", ...approving], options);
  for (const refused of [await decide({ as: "office" }), await decide({})]) {
    if (refused.code !== exitRefused) throw new Error(`Not refused: ${refused.output}`);
  }
  await succeed(decide({ as: "grace" }));
  await succeed(decide({ as: "grace" }));
  mustHave(travel, id, { flights: 1, hotels: 1, cards: 0 });
  await succeed(decide({ as: "alan" }));
  await untilState(travel, id, "processed");
  mustHave(travel, id, { flights: 1, hotels: 1, cards: 1, mail: 1 });
}

/** One of the travel desk rejects a trip: both bookings are cancelled. */
async function rejectTrip(travel: Travel): Promise<void> {
  const id = await submitUntilWanted(travel);
  const why = ["--reject", "--reason", "the conference is online"];
  await succeed(travel.holdfast(["approvals", "decide", id, "release", ...why], { as: "alan" }));
  await untilState(travel, id, "undone");
  mustHave(travel, id, { flights: 0, hotels: 0, cards: 0, mail: 0 });
}

/** Submits a costly trip. Resolves to its id once the desk is asked. */
async function submitUntilWanted(travel: Travel): Promise<string> {
  const id = await submit(travel, "business-trip", businessTrip, { as: "office" });
  let listed = "";
  for (let left = 200; left > 0; left -= 1) {
    ({ output: listed } = await travel.holdfast(["approvals", "list", "--mine"], { as: "grace" }));
    if (listed.includes(id)) return id;
  }
  throw new Error(`The trip is not listed: ${listed}`);
}

/** Submits a stay. Resolves to its id once it waits, with a room that is booked. */
async function submitUntilWaiting(travel: Travel): Promise<string> {
  const id = await submit(travel, "reserve-stay", stay);
  let why = "";
  for (let left = 200; left > 0; left -= 1) {
    ({ output: why } = await travel.holdfast(["why", id]));
    if (/It waits until .*: step cool-off/.test(why)) return id;
  }
  throw new Error(`The stay does not wait: ${why}`);
}

/** Throws unless so many effects of the task stand at these remote services. */
function mustHave({ folder }: Travel, id: string, wanted: Readonly<Record<string, number>>): void {
  for (const [service, effects] of Object.entries(wanted)) {
    const found = standingEffects(join(folder, "ledger", service)).get(id) ?? 0;
    if (found !== effects) throw new Error(`${id} has ${found} effects of ${service}`);
  }
}

const ended = async (travel: Travel, id: string, state: string): Promise<Trip> => {
  await untilState(travel, id, state);
  return { id, state };
};

/** Asks until the task is in this state. Throws how it stands after many times. */
async function untilState(travel: Travel, id: string, wanted: string): Promise<void> {
  let output = "";
  for (let left = 200; left > 0; left -= 1) {
    ({ output } = await travel.holdfast(["tasks", "get", id, "--json"]));
    if ((JSON.parse(output) as Trip).state === wanted) return;
  }
  const { output: why } = await travel.holdfast(["why", id]);
  throw new Error(`The trip is not ${wanted}: ${why}\n${output}`);
}

async function succeed(running: Promise<Ran>): Promise<Ran> {
  const ran = await running;
  if (ran.code !== 0) throw new Error(ran.output);
  return ran;
}

/**
 * Runs the conformance tests of the Agent in Python with the oldest Node on which the packages run.
 */
async function checkPython(travel: Travel): Promise<number> {
  const cases = "agents/hotels.conformance.json";
  const pid = String(await travel.pythonPid());
  const args = ["--agent", "hotels", "--cases", cases, "--pid", pid, "--json"];
  const ran = await travel.holdfast(["conformance", ...args], { node: await nodePath("22") });
  const { stdout, output, code } = ran;
  if (code !== 0) throw new Error(output);
  const { rules } = JSON.parse(stdout) as { readonly rules: readonly { readonly state: string }[] };
  return rules.filter(({ state }) => state === "holds").length;
}

/** What the remote services' own ledgers say of the trips. */
interface Effects {
  /** Effects that a trip that was booked lacks. */
  readonly lost: number;
  /** Effects that a trip has twice, or that remain of a trip that was undone. */
  readonly doubled: number;
}

const services = ["flights", "hotels", "cards", "mail"];

/** Counts in the ledgers of the example: a file for each key, with a line for each effect. */
function countEffects(folder: string, trips: readonly Trip[]): Effects {
  let [lost, doubled] = [0, 0];
  for (const service of services) {
    const standing = standingEffects(join(folder, "ledger", service));
    for (const { id, state } of trips) {
      const excess = (standing.get(id) ?? 0) - (state === "processed" ? 1 : 0);
      if (excess < 0) lost += 1;
      if (excess > 0) doubled += 1;
    }
  }
  return { lost, doubled };
}

/** How many effects stand, for each task: made, and not undone. */
function standingEffects(folder: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    const [task = ""] = decodeURIComponent(file).split(":");
    const lines = readFileSync(join(folder, file), "utf8").trimEnd().split("\n");
    const made = lines.filter((line) => line !== "undone").length;
    found.set(task, (found.get(task) ?? 0) + (lines.at(-1) === "undone" ? 0 : made));
  }
  return found;
}
