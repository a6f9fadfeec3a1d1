/** The oldest servers that Holdfast runs on, and the newest that it was tested on. */
export const testedVersions = {
  postgres: { from: 15, to: 18 },
  rabbitmq: { from: [3, 10], to: [4, 3] },
} as const;
