import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const openssl = (...args: readonly string[]) => run("openssl", args);

/** An authority of a test, in a folder. */
export interface Authority {
  /** The file of its certificate. */
  readonly ca: string;
  /**
   * Makes a certificate for a subject such as `/O=shop/CN=mail`, as `<name>.pem` and `<name>.key`.
   */
  issue(name: string, subject: string): Promise<{ readonly cert: string; readonly key: string }>;
}

/** Makes an authority with OpenSSL. What it issues is for servers on 127.0.0.1, and for clients. */
export async function makeAuthority(folder: string): Promise<Authority> {
  const at = (file: string) => join(folder, file);
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"] as const;
  const [ca, caKey, extensions] = [at("ca.pem"), at("ca.key"), at("extensions")];
  await openssl(
    "req",
    "-x509",
    ...newKey,
    "-days",
    "2",
    "-subj",
    "/CN=authority",
    "-keyout",
    caKey,
    "-out",
    ca,
  );
  await writeFile(extensions, "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
  return {
    ca,
    async issue(name, subject) {
      const [cert, key, request] = [at(`${name}.pem`), at(`${name}.key`), at(`${name}.csr`)];
      await openssl("req", ...newKey, "-subj", subject, "-keyout", key, "-out", request);
      const signed = ["-CA", ca, "-CAkey", caKey, "-CAcreateserial", "-days", "2"];
      await openssl(
        "x509",
        "-req",
        "-in",
        request,
        ...signed,
        "-extfile",
        extensions,
        "-out",
        cert,
      );
      return { cert, key };
    },
  };
}
