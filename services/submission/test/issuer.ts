import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** A key pair of an issuer. */
interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

/** An issuer of tokens on this machine, with its keys. */
export interface TestIssuer extends AsyncDisposable {
  readonly url: string;
  /** How often its keys were asked for. */
  readonly asked: () => number;
  /** Makes a key pair, which is not published. */
  readonly makeKey: (kid: string, alg?: string) => Promise<SigningKey>;
  /** Says which keys it has from now on; null: it answers 503. */
  readonly publish: (keys: readonly SigningKey[] | null) => Promise<void>;
  /** Signs claims, which go before those of a usual token; `undefined` leaves one out. */
  readonly sign: (key: SigningKey, claims?: JWTPayload) => Promise<string>;
}

export async function openIssuer(): Promise<TestIssuer> {
  let keys: string | null = '{"keys":[]}';
  let asked = 0;
  const server = createServer(({ url: path }, response) => {
    const isKeys = path === "/keys";
    if (isKeys) asked += 1;
    const configuration = JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` });
    const body = isKeys ? keys : configuration;
    response.writeHead(body === null ? 503 : 200, { "content-type": "application/json" });
    response.end(body ?? "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked: () => asked,
    async makeKey(kid, alg = "ES256") {
      return { kid, alg, ...(await generateKeyPair(alg)) };
    },
    async publish(published) {
      if (published === null) {
        keys = null;
        return;
      }
      const all = published.map(async ({ kid, alg, publicKey }) => ({
        ...(await exportJWK(publicKey)),
        kid,
        alg,
        use: "sig",
      }));
      keys = JSON.stringify({ keys: await Promise.all(all) });
    },
    sign: ({ kid, alg, privateKey }, claims = {}) => {
      const now = Math.floor(Date.now() / 1_000);
      const usual = { iss: url, aud: "holdfast", sub: "ada", iat: now, exp: now + 300 };
      return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg, kid }).sign(privateKey);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
