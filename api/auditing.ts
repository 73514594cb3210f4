import type { Caller } from "../domain/access.ts";
import type { AuditAction, AuditRecord } from "../domain/audit.ts";
import { Failure, failures, toFailureRecord } from "../domain/failures.ts";
import type { FailureCode } from "../domain/failures.ts";
import type { ApiAnswer } from "./answers.ts";
import type { ApiOptions } from "./options.ts";
import type { ApiRequest } from "./request.ts";
import { networkOf } from "./ip-addresses.ts";
import { foldId, parseLibraryId, showLibrary } from "../domain/library.ts";
import { hashKey } from "./keys.ts";

/** A request's part in the audit log. */
export interface Act {
  /** Sets the caller. */
  by(caller: Caller): void;
  /** Sets the target, where neither the request nor the answer of a refusal has it. */
  on(libraryId: string): void;
  /** Records an act before it is executed, so that none is without a record. @throws what the catalog throws */
  begin(action: AuditAction | undefined, given?: readonly unknown[]): Promise<void>;
  /** Marks the act as not executed, though the request succeeds. */
  failed(error: unknown): void;
}

/** Answers a request, and records the act that it asks for, if any. */
export type Audit = (
  action: AuditAction | undefined,
  request: Pick<ApiRequest, "query">,
  from: { readonly requestId: string; readonly address: string },
  answer: (act: Act) => Promise<ApiAnswer>,
) => Promise<ApiAnswer>;

/**
 * Records acts and refusals. An act that cannot be recorded is not executed; where only its end, or a refusal, cannot be recorded,
 * the request is answered and the log says so.
 */
export function createAuditing(options: Pick<ApiOptions, "ports" | "log" | "adminKeyHash" | "onAudited">): Audit {
  const { ports, log, adminKeyHash, onAudited = async () => {} } = options;
  const { catalog, now, newId } = ports;
  const isRecorded = createRefusalLimit(now, (refusals) =>
    log.warn({ refusals }, "too many refusals in a minute for the audit log; these have no record"),
  );

  return async (action, { query }, from, answer) => {
    let caller: Pick<Caller, "keyId" | "subject" | "teamspace"> = { keyId: null, teamspace: null };
    let target: string | null = null;
    let begun: AuditRecord | undefined;
    let code: FailureCode | null = null;

    const record = (what: AuditAction, outcome: AuditRecord["outcome"]): AuditRecord => ({
      id: newId(),
      at: now(),
      action: what,
      target,
      keyId: caller.keyId,
      subject: caller.subject ?? null,
      teamspace: caller.teamspace,
      address: from.address,
      outcome,
      code,
      requestId: from.requestId,
    });

    const act: Act = {
      by: (known) => void (caller = known),
      on: (libraryId) => void (target = libraryTarget(libraryId)),
      async begin(what, given = []) {
        if (what === undefined) return;
        target ??= actTarget(given, adminKeyHash);
        const started = record(what, "begun");
        await catalog.audit.add(started);
        begun = started;
      },
      failed: (error) => void ({ code } = toFailureRecord(error)),
    };

    const end = async (): Promise<void> => {
      const outcome = code === null ? "done" : failures[code].status >= 500 ? "failed" : "refused";
      try {
        if (begun) {
          const ended = { ...begun, target, outcome, code } as const;
          await catalog.audit.end(ended.id, ended);
          await onAudited(ended);
        } else if (action !== undefined && isRecorded(caller.keyId, from.address)) {
          target ??= actTarget([Object.fromEntries(query)], adminKeyHash);
          const refused = record(action, outcome);
          await catalog.audit.add(refused);
          await onAudited(refused);
        }
      } catch (error) {
        log.error({ requestId: from.requestId, action: begun?.action ?? action, err: error }, "not in the audit log");
      }
    };

    try {
      const answered = await answer(act);
      if (begun && code === null) target ??= answerTarget(answered.body, adminKeyHash);
      await end();
      return answered;
    } catch (error) {
      const key = error instanceof Failure ? error.details.key : undefined;
      if (key) caller = { keyId: key.id, teamspace: key.teamspace };
      act.failed(error);
      await end();
      throw error;
    }
  };
}

/** Maximum number of recorded refusals per minute: of a key, or of a network without a key; and of all without a key. */
const most = { perCaller: 60, withoutKey: 600 };

const minute = 60_000;

/**
 * Decides whether a refusal is recorded, as repeated ones would fill the catalog. `onLeft` gets the number of unrecorded ones at
 * the first refusal of a later minute. Times are milliseconds since 1970.
 */
function createRefusalLimit(
  now: () => number,
  onLeft: (refusals: number) => void,
): (keyId: string | null, address: string) => boolean {
  const counts = new Map<string, number>();
  let began = 0;
  let withoutKey = 0;
  let left = 0;
  return (keyId, address) => {
    if (Math.abs(now() - began) >= minute) {
      if (left > 0) onLeft(left);
      counts.clear();
      [began, withoutKey, left] = [now(), 0, 0];
    }
    const who = keyId === null ? `address:${networkOf(address)}` : `key:${keyId}`;
    const before = counts.get(who) ?? 0;
    const isOver = before >= most.perCaller || (keyId === null && withoutKey >= most.withoutKey);
    if (isOver) {
      left += 1;
      return false;
    }
    counts.set(who, before + 1);
    if (keyId === null) withoutKey += 1;
    return true;
  };
}

/** The shape of generated IDs and teamspaces, which no key, and hardly any token, has. */
const plainId = /^[a-z0-9][a-z0-9-]{0,62}$/;

/**
 * The target of an act for the audit log, from `libraryName`, `libraryId` or `id` of parameters, a body or an answer: a library's
 * folded ID with its version. Null: none, or a text that could be a secret in the wrong place.
 */
function actTarget(given: readonly unknown[], adminKeyHash: string | null): string | null {
  for (const one of given) {
    if (typeof one !== "object" || one === null) continue;
    const named = new Map<string, unknown>(Object.entries(one));
    const library = named.get("libraryName") ?? named.get("libraryId");
    if (typeof library === "string") return libraryTarget(library);
    const id = named.get("id");
    if (typeof id === "string") return isPlain(id, adminKeyHash) ? id : null;
  }
  return null;
}

/** The target from an answer, which may also be a teamspace. */
function answerTarget(answer: unknown, adminKeyHash: string | null): string | null {
  const target = actTarget([answer], adminKeyHash);
  if (target !== null || typeof answer !== "object" || answer === null || !("teamspace" in answer)) return target;
  const { teamspace } = answer;
  return typeof teamspace === "string" && isPlain(teamspace, adminKeyHash) ? teamspace : null;
}

function isPlain(id: string, adminKeyHash: string | null): boolean {
  return plainId.test(id) && hashKey(id) !== adminKeyHash;
}

/** A library in the audit log; null for what is not a library ID. */
export function libraryTarget(text: string): string | null {
  // An address could contain a password; the answer says what is wrong with it.
  if (/:\/|\/\/|[?#]/.test(text)) return null;
  try {
    const { id, version } = parseLibraryId(text);
    return showLibrary(foldId(id), version);
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
