import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { readBrokerUrl } from "@holdfast/runtime";

/**
 * The user that a broker's URL names. Without one the client connects as guest, or, by EXTERNAL, as
 * whom its certificate names: in whole, as RabbitMQ does unless `ssl_cert_login_from` says
 * otherwise. Then the URL must name the user.
 */
export function userOf(url: string): string {
  const { user, mechanism, tls } = readBrokerUrl(url);
  if (user !== null) return user;
  if (mechanism !== "external" || tls.certfile === null) return "guest";
  return subjectOf(readFileSync(tls.certfile));
}

/**
 * The subject of a certificate as RabbitMQ writes it (RFC 4514): the last part first, separated by
 * commas.
 */
const subjectOf = (certificate: Buffer): string =>
  new X509Certificate(certificate).subject.split("\n").toReversed().join(",");
