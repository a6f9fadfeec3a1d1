import { connect } from "amqplib";

/** Opens a connection, asks the broker for its version, and closes it again. */
export async function connectOnce(url: string): Promise<string> {
  const model = await connect(url, { noDelay: true, timeout: 5_000 });
  // Without a listener, a broker that dies under the connection would end this process.
  model.on("error", () => {});
  const { version } = model.connection.serverProperties;
  await model.close();
  return version;
}
