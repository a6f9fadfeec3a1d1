import { expect, test } from "@jest/globals";
import { markdownFiles, readFile } from "./repository.ts";

const block = /^```(?:sh|bash|console|text)?\n([\s\S]*?)^```/gm;

/**
 * The lines of a page that a reader copies to a terminal: of blocks of commands, and commands in
 * the text.
 */
const commandsOf = (page: string): readonly string[] => {
  const text = readFile(page);
  const blocks = [...text.matchAll(block)].flatMap(([, lines = ""]) =>
    lines.replaceAll("\\\n", " ").split("\n"),
  );
  const inline = [
    ...text.matchAll(/`((?:npx |npm run |docker |\$ )?(?:holdfast|compose)[^`\n]*)`/g),
  ];
  return [...blocks, ...inline.map(([, command = ""]) => command)];
};

/** A token as an argument, and a password in a URL that is one or stands before a command. */
const secret =
  /--token[ =](?!TOKEN\b)[^\s\]]|--[a-z-]+-url[ =]\S+:\/\/[^\s/@]+:[^\s/@]+@|^\s*(?:\w+=\S+ )*\w+=\S*:\/\/[^\s/@]+:[^\s/@]+@\S* +\S/;

test.each(markdownFiles)("%s puts no secret on a command line", (page) => {
  expect(commandsOf(page).filter((command) => secret.test(command))).toEqual([]);
});

test.each([
  "holdfast tasks list --token local-operator",
  "holdfast tasks list --token=$TOKEN",
  "holdfast topology check --users x --management-url http://administrator:$password@rabbitmq:15672",
  "BADGES=/var/badges BROKER_URL=amqp://badges:secret@localhost/holdfast python3 agent.py",
])("the rule finds a secret in `%s`", (command) => {
  expect(secret.test(command)).toBe(true);
});
