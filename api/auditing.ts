import type { Caller } from "../domain/access.ts";
import type { AuditAction, AuditRecord } from "../domain/audit.ts";
import { Failure, failures, toFailureRecord } from "../domain/failures.ts";
import type { FailureCode } from "../domain/failures.ts";
import { actTarget, answerTarget, libraryTarget } from "./act-target.ts";
import type { ApiAnswer } from "./answers.ts";
import type { ApiOptions } from "./options.ts";
import type { ApiRequest } from "./request.ts";
import { networkOf } from "./addresses.ts";

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
