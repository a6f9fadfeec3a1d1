import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The longest subject, in characters: what `git log --oneline` and every host show whole. */
const longestSubject = 72;

/**
 * Verbs with which a subject may begin, in the imperative. A closed list, since English does not
 * show by its form whether a word is one: "Set" is, "Test" may be a noun. A verb that is missing is
 * added here.
 */
const verbs = new Set(
  `accept add adopt align allow answer apply archive ask assert avoid back bind block bound break bring build bump
  cache call cancel carry change charge check choose claim clarify clean close collect compare complete confirm
  convert copy correct count cover create cut declare defer delete deny deprecate describe detect disable discard
  document draw drop dump emit enable encode end enforce ensure escape exclude expand expect explain export expose
  extend extract fail fence fetch fill filter find finish fix flatten fold follow forbid force format free freeze
  generate give grant group guard halt handle harden hash hide hold ignore implement import improve include index
  inline inspect introduce isolate join judge keep leave let lift limit link list load lock log loosen lower make
  mark match measure mend merge migrate move name narrow negotiate note offer omit open order pack pair parse pass
  pause pin place plan poll prefer prepare prevent print prove publish pull push put quote raise read rebuild recover
  redact reduce refactor refuse regenerate register reject release remove rename render reorder repair repeat replace
  replay report require reserve reset resolve respect restart restore restrict resume retire retry return reuse revert
  revoke rework rewrite rotate route run save say scan schedule search send separate serve set share ship shorten show
  shrink sign simplify skip sort speed split start state stop store strip submit support switch take teach tell test
  throw tidy tighten time trace track translate treat trim try turn type undo unify unpin update upgrade use validate
  verify wait wake warn watch widen wrap write`.split(/\s+/),
);

/** Subjects that git writes by itself. */
const ownOfGit = /^(?:Merge|Revert|fixup!|squash!|amend!)(?:\s|$)/;

/**
 * What is wrong with the message of a commit, as sentences that say what to do; empty: nothing.
 * @param {string} message
 * @returns {readonly string[]}
 */
export function messageFaults(message) {
  const lines = message.split("\n").filter((line) => !line.startsWith("#"));
  const [subject = "", second = ""] = lines;
  if (ownOfGit.test(subject)) return [];
  const [, text = subject] = /^[A-Z][\w ,./-]*: (.*)$/.exec(subject) ?? [];
  const first = /^\S*/.exec(text)?.[0] ?? "";
  const faults = [];
  if (subject.trim() === "")
    return ["The subject is missing: write one line that says what to do."];
  if (subject.length > longestSubject) {
    faults.push(
      `The subject has ${subject.length} characters, ${longestSubject} at most: put the reason into the body.`,
    );
  }
  if (!verbs.has(first.toLowerCase())) {
    faults.push(
      `The subject begins with "${first}": begin with a verb in the imperative, as in "Scheduler: Keep the order of replies". A verb that is missing is added to tools/commit-message.mjs.`,
    );
  }
  if (/^[a-z]/.test(subject)) faults.push("The subject begins with a small letter.");
  if (subject.endsWith(".")) faults.push("The subject ends with a full stop: leave it out.");
  if (second.trim() !== "") faults.push("The second line must be empty: the body begins after it.");
  return faults;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = process.argv.at(2);
  // Without a file, it has git run the hook from now on; a folder that is no clone is left as it
  // is.
  if (file === undefined) {
    spawnSync("git", ["config", "core.hooksPath", ".ci/hooks"], { stdio: "ignore" });
  } else {
    const faults = messageFaults(readFileSync(file, "utf8"));
    for (const fault of faults) process.stderr.write(`${fault}\n`);
    if (faults.length > 0) process.exitCode = 1;
  }
}
