/** What the global setup of the test run found or started. */
export function testServerUrl(variable: "TEST_STATE_STORE_URL" | "TEST_BROKER_URL"): string {
  const url = process.env[variable];
  if (url) return url;
  throw new Error(`${variable} is not set: run this test with Jest, whose global setup sets it.`);
}
