import { anonymous, defaultTeamspace, hasScope, operator, type Caller, type AccessRules } from "../domain/access.ts";
import { callerOf, limitedByRules, isExpired } from "../domain/authorizing.ts";
import { Failure } from "../domain/failures.ts";
import type { GroupGrant, KeyRecord, AccessStore } from "../domain/ports.ts";
import { hashKey, isSame, looksLikeKey } from "./keys.ts";
import type { ApiOptions } from "./options.ts";
import { createTokenCheck, looksLikeToken } from "./oauth.ts";

/** Identifies the caller by the Authorization header, and by the teamspace that the request names. */
export type Authenticate = (authorization: string | undefined, teamspace?: string) => Promise<Caller>;

/**
 * A header must have a valid key, or a token of the issuer. @throws Failure invalid_api_key; forbidden for a signed-in user
 * without rights here; service_unavailable if the issuer does not answer
 */
export function createAuthentication({
  ports,
  adminKeyHash,
  issuer,
}: Pick<ApiOptions, "ports" | "adminKeyHash" | "issuer">): Authenticate {
  const { access, keys } = ports.catalog;
  const rulesOf = createRulesOf(access);
  const checkToken = issuer && createTokenCheck(issuer, ports.now);
  const held = async (caller: Caller, groups?: readonly string[]): Promise<Caller> =>
    // The access rules of `default` apply to callers without a key, so that leaving the key out opens nothing.
    hasScope(caller, "admin")
      ? caller
      : limitedByRules(await rulesOf(caller.teamspace ?? defaultTeamspace), caller, groups);

  async function holderOf(key: string): Promise<Caller> {
    const hash = hashKey(key);
    if (adminKeyHash !== null && isSame(hash, adminKeyHash)) return operator;
    if (!looksLikeKey(key)) {
      throw refused(
        "This server did not make the API key: its keys begin with lct_, have 42 characters, and the last six are a checksum. Check it for typing errors.",
      );
    }
    const record = await keys.findByHash(hash);
    if (!record || !isSame(hash, record.hash)) throw refused("The API key is unknown. Ask an administrator for one.");
    if (record.revokedAt !== null) throw refused("The API key was revoked. Ask an administrator for another.", record);
    if (isExpired(record, ports.now()))
      throw refused("The API key has expired. Ask an administrator for another.", record);
    return held(callerOf(record), record.groups);
  }

  return async (authorization, teamspace) => {
    if (authorization === undefined) return held(anonymous);
    const key = /^Bearer +([A-Za-z0-9._~+/=-]{1,16000})$/i.exec(authorization.trim())?.[1];
    if (key === undefined) throw refused('Send the API key as "Authorization: Bearer <key>".');
    if (!checkToken || !looksLikeToken(key)) return holderOf(key);
    const { id, user, groups } = await checkToken(key);
    return held(userOf(await access.grants([...groups, "*"]), { id, user, teamspace }), groups);
  };
}

/** A signed-in user: of the requested teamspace, else of the first in which a group of the user has rights. */
function userOf(
  grants: readonly GroupGrant[],
  { id, user, teamspace = grants[0]?.teamspace }: { id: string; user: string; teamspace: string | undefined },
): Caller {
  const scopes = [...new Set(grants.filter((one) => one.teamspace === teamspace).map(({ scope }) => scope))];
  if (teamspace !== undefined && scopes.length > 0)
    return { keyId: id, subject: user, teamspace, scopes, libraries: [] };
  const which = grants.length === 0 ? "here" : "in this teamspace";
  throw new Failure(
    "forbidden",
    `You are signed in, but none of your groups has rights ${which}. Ask an administrator.`,
  );
}

/** Headers in which agents configured for the hosted service send the key. */
const keyHeaders = ["context7-api-key", "context7_api_key", "x-context7-api-key", "x-api-key", "x_api_key"] as const;

/** The Authorization header of an agent, which may send the key in another header, or an empty one. */
export function agentAuthorization(headers: Readonly<Record<string, string | undefined>>): string | undefined {
  const given = headers["authorization"]?.trim() ?? "";
  if (given !== "") return given;
  const key = keyHeaders.map((name) => headers[name]?.trim() ?? "").find((value) => value !== "");
  return key === undefined ? undefined : `Bearer ${key}`;
}

function refused(message: string, key?: KeyRecord): Failure {
  const known = key && { key: { id: key.id, teamspace: key.teamspace } };
  return new Failure("invalid_api_key", message, { ...known });
}

/** Caches the rules of each teamspace, undefined for an unknown one: a request reads only their revision from the catalog. */
function createRulesOf(access: AccessStore): (teamspace: string) => Promise<AccessRules | undefined> {
  const cached = new Map<string, AccessRules>();
  return async (teamspace) => {
    const rules = await access.rules(teamspace, cached.get(teamspace));
    if (rules) cached.set(teamspace, rules);
    else cached.delete(teamspace);
    return rules;
  };
}
