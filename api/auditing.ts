import type { Caller } from "../domain/access.ts";
import type { AuditAction, AuditRecord } from "../domain/audit.ts";
import { Failure, failures, toFailureRecord, type FailureCode } from "../domain/failures.ts";
import type { ApiAnswer } from "./answers.ts";
import type { ApiOptions } from "./options.ts";
import type { ApiRequest } from "./request.ts";
import { networkOf } from "./ip-addresses.ts";
import { foldId, parseLibraryId, showLibrary } from "../domain/library.ts";
import { hashKey } from "./keys.ts";

/** The audit record of a request. */
export interface Act {
  /** Sets the caller. */
  by(caller: Caller): void;
  /** Sets the target, if the request does not name it. */
  on(libraryId: string): void;
  /** Records an act before it is executed, so that none is without a record. @throws the catalog's errors */
  begin(action: AuditAction | undefined, given?: readonly unknown[]): Promise<void>;
  /** Marks the act as not executed, though the request succeeds. */
  failed(error: unknown): void;
}

/**
 * Returns a function that answers a request, and records its act, or its refusal. An act that cannot be recorded is not executed.
 * If only its end, or a refusal, cannot be recorded, the request is answered and an error is logged.
 */
export function createAuditing(options: Pick<ApiOptions, "ports" | "log" | "adminKeyHash" | "onAudited">) {
  const { ports, log, adminKeyHash, onAudited = async () => {} } = options;
  const { catalog, now, newId } = ports;
  const isRecorded = createRefusalLimit(now, (refusals) =>
    log.warn({ refusals }, "too many refusals in a minute for the audit log; these have no record"),
  );

  return async (
    action: AuditAction | undefined,
    { query }: Pick<ApiRequest, "query">,
    from: { readonly requestId: string; readonly address: string },
    answer: (act: Act) => Promise<ApiAnswer>,
  ): Promise<ApiAnswer> => {
    let caller: Pick<Caller, "keyId" | "subject" | "teamspace"> = { keyId: null, teamspace: null };
    let target: string | null = null;
    let begun: AuditRecord | undefined;
    let code: FailureCode | null = null;

    const record = (kind: AuditAction, outcome: AuditRecord["outcome"]): AuditRecord => ({
      id: newId(),
      at: now(),
      action: kind,
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
      async begin(kind, given = []) {
        if (kind === undefined) return;
        target ??= actTarget(given, adminKeyHash);
        const started = record(kind, "begun");
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

/** Maximum number of recorded refusals per minute: per key, or network without a key; and of all callers without a key. */
const maxRefusals = { perCaller: 60, withoutKey: 600 };

const minute = 60_000;

/**
 * Decides whether a refusal is recorded, as repeated ones would fill the catalog. `onSkipped` gets the number of unrecorded ones
 * at the first refusal of a later minute.
 */
function createRefusalLimit(
  now: () => number,
  onSkipped: (refusals: number) => void,
): (keyId: string | null, address: string) => boolean {
  const counts = new Map<string, number>();
  let began = 0;
  let withoutKey = 0;
  let skipped = 0;
  return (keyId, address) => {
    if (Math.abs(now() - began) >= minute) {
      if (skipped > 0) onSkipped(skipped);
      counts.clear();
      [began, withoutKey, skipped] = [now(), 0, 0];
    }
    const caller = keyId === null ? `address:${networkOf(address)}` : `key:${keyId}`;
    const count = counts.get(caller) ?? 0;
    if (count >= maxRefusals.perCaller || (keyId === null && withoutKey >= maxRefusals.withoutKey)) {
      skipped += 1;
      return false;
    }
    counts.set(caller, count + 1);
    if (keyId === null) withoutKey += 1;
    return true;
  };
}

/** The shape of generated IDs and teamspaces. Keys never have it, tokens hardly ever. */
const plainId = /^[a-z0-9][a-z0-9-]{0,62}$/;

/**
 * The target of an act, from `libraryName`, `libraryId` or `id` of parameters, a body or an answer: a library's folded ID with its
 * version. Null without a target, or if the text may be a secret in the wrong field.
 */
function actTarget(given: readonly unknown[], adminKeyHash: string | null): string | null {
  for (const fields of given) {
    if (typeof fields !== "object" || fields === null) continue;
    const { libraryName, libraryId, id } = fields as Readonly<Record<string, unknown>>;
    const library = libraryName ?? libraryId;
    if (typeof library === "string") return libraryTarget(library);
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

/** A library in the audit log; null if the text is not a library ID. */
export function libraryTarget(text: string): string | null {
  // An address could contain a password.
  if (/:\/|\/\/|[?#]/.test(text)) return null;
  try {
    const { id, version } = parseLibraryId(text);
    return showLibrary(foldId(id), version);
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
