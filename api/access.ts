import { timingSafeEqual } from "node:crypto";

import { anonymous, mayRead } from "../domain/access.ts";
import type { Caller } from "../domain/access.ts";
import { Failure } from "../domain/failures.ts";
import { parseLibraryId } from "../domain/library.ts";
import { hashKey, looksLikeKey } from "./keys.ts";
import type { ApiOptions } from "./options.ts";

/** The holder of the key that the operator configured. */
const configuredAdmin: Caller = { keyId: "admin", teamspace: "default", scopes: ["admin"], libraries: [] };

/** The teamspace that keys of the configured admin belong to. */
export const defaultTeamspace = "default";

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
    if (adminKeyHash !== null && sameHash(hash, adminKeyHash)) return configuredAdmin;
    if (!looksLikeKey(key)) {
      throw refused("The API key is not one that this server makes: it begins with lct_. Check it for typing errors.");
    }
    const record = await ports.catalog.keys.findByHash(hash);
    if (!record || !sameHash(hash, record.hash)) throw refused("The API key is unknown. Ask an administrator for one.");
    if (record.revokedAt !== null) throw refused("The API key was revoked. Ask an administrator for another.");
    if (record.expiresAt !== null && record.expiresAt <= ports.now()) {
      throw refused("The API key has expired. Ask an administrator for another.");
    }
    return { keyId: record.id, teamspace: record.teamspace, scopes: record.scopes, libraries: record.libraries };
  };
}

/**
 * Holds a request to the libraries that the caller's key names. It is judged by the ID alone, before any look-up, so
 * that the answer says nothing about what exists. @throws Failure access_denied, invalid_library_id
 */
export function requireLibrary(caller: Caller, libraryName: string): void {
  const { id } = parseLibraryId(libraryName);
  if (!mayRead(caller, id)) {
    throw new Failure("access_denied", `Your key is not for ${id}. Ask an administrator to allow it.`);
  }
}

function sameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function refused(message: string): Failure {
  return new Failure("invalid_api_key", message);
}
