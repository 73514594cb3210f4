import { createHmac, timingSafeEqual } from "node:crypto";

/** The headers of a delivery by lower-case name. */
export type DeliveryHeaders = Readonly<Record<string, string | undefined>>;

/** Whether a delivery proves that its sender knows the secret. `now` is in milliseconds since 1970. */
export type SignatureCheck = (headers: DeliveryHeaders, body: Uint8Array, secret: string, now: number) => boolean;

/** A signature in a header: HMAC-SHA-256 of the body as hex, after a prefix such as `sha256=`. */
export function hexSignature(header: string, prefix = ""): SignatureCheck {
  return (headers, body, secret) => {
    const given = headers[header];
    return given !== undefined && isEqual(given, prefix + createHmac("sha256", secret).update(body).digest("hex"));
  };
}

/** The secret itself in a header. */
export function plainSecret(header: string): SignatureCheck {
  return (headers, _body, secret) => {
    const given = headers[header];
    return given !== undefined && isEqual(given, secret);
  };
}

/** The secret as the password of HTTP Basic, with any user name. */
export const basicSecret: SignatureCheck = ({ authorization }, _body, secret) => {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]{1,4000})$/i.exec(authorization ?? "") ?? [];
  if (encoded === undefined) return false;
  const pair = Buffer.from(encoded, "base64").toString("utf8");
  return isEqual(pair.slice(pair.indexOf(":") + 1), secret);
};

/** How old, or how far in the future, a timestamp may be, in seconds. */
const tolerance = 300;

/** A signature by Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks), with a secret such as `whsec_…`. */
export const standardSignature: SignatureCheck = (headers, body, secret, now) => {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  if (id === undefined || timestamp === undefined || signatures === undefined) return false;
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > tolerance) return false;
  const expected = `v1,${createHmac("sha256", standardKey(secret)).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
  return signatures.split(" ").some((given) => isEqual(given, expected));
};

/** The key of a secret of Standard Webhooks: its base64 after `whsec_`. */
function standardKey(secret: string): Buffer {
  return secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret);
}

/** Any of several checks. */
export function anyOf(...checks: readonly SignatureCheck[]): SignatureCheck {
  return (...delivery) => checks.some((check) => check(...delivery));
}

/** Compares texts in a time that depends on their lengths only. */
function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
