import { timingSafeEqual } from "node:crypto";

import { anonymous, operator } from "../domain/access.ts";
import type { Caller } from "../domain/access.ts";
import { callerOf, isExpired } from "../domain/authorizing.ts";
import { Failure } from "../domain/failures.ts";
import { hashKey, looksLikeKey } from "./keys.ts";
import type { ApiOptions } from "./options.ts";

/**
 * Tells who a request comes from by its Authorization header.
 * A header that is there has to be right: @throws Failure invalid_api_key
 */
export function createAuthentication({
  ports,
  adminKeyHash,
}: Pick<ApiOptions, "ports" | "adminKeyHash">): (authorization: string | undefined) => Promise<Caller> {
  return async (authorization) => {
    if (authorization === undefined) return anonymous;
    const key = /^Bearer +([A-Za-z0-9._~+/=-]{1,300})$/i.exec(authorization.trim())?.[1];
    if (key === undefined) throw refused('Send the API key as "Authorization: Bearer <key>".');
    const hash = hashKey(key);
    if (adminKeyHash !== null && sameHash(hash, adminKeyHash)) return operator;
    if (!looksLikeKey(key)) {
      throw refused(
        "The API key is none that this server made: those begin with lct_, have 42 characters, and the last six are a checksum. Check it for typing errors.",
      );
    }
    const record = await ports.catalog.keys.findByHash(hash);
    if (!record || !sameHash(hash, record.hash)) throw refused("The API key is unknown. Ask an administrator for one.");
    if (record.revokedAt !== null) throw refused("The API key was revoked. Ask an administrator for another.");
    if (isExpired(record, ports.now())) throw refused("The API key has expired. Ask an administrator for another.");
    return callerOf(record);
  };
}

/** Headers in which configurations of agents for the hosted service have the key. */
const keyHeaders = ["context7-api-key", "context7_api_key", "x-context7-api-key", "x-api-key", "x_api_key"] as const;

/** The Authorization header of an agent, in whose configuration the key may have another name, or be left empty. */
export function agentAuthorization(headers: Readonly<Record<string, string | undefined>>): string | undefined {
  const given = headers["authorization"]?.trim() ?? "";
  if (given !== "") return given;
  const key = keyHeaders.map((name) => headers[name]?.trim() ?? "").find((value) => value !== "");
  return key === undefined ? undefined : `Bearer ${key}`;
}

function sameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function refused(message: string): Failure {
  return new Failure("invalid_api_key", message);
}
