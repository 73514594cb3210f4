import type { Caller } from "./access.ts";
import { authorize, may } from "./authorizing.ts";
import type { FailedAttempt, NotificationEvent, NotificationRecord, ReceiverRecord } from "./catalog-receivers.ts";
import { credentialKind } from "./kinds/index.ts";
import { expiryOf, type SealingPorts } from "./credentials.ts";
import { day } from "./days.ts";
import { Failure } from "./failures.ts";
import type { CredentialRecord } from "./ports.ts";

/** The ports that managing receivers needs. */
export interface ReceivingPorts extends SealingPorts {
  /** Sends a receiver a test. Returns how it ended; it does not throw for a failing receiver. */
  readonly testReceiver: (receiver: ReceiverRecord) => Promise<Attempt>;
}

/** The end of an attempt to deliver. */
export interface Attempt {
  readonly outcome: "accepted" | "failed" | "gone";
  /** A sentence. */
  readonly result: string;
}

/** Maximum receivers of a teamspace: each event is recorded once for each. */
const maxReceivers = 20;

/** Waits before the attempts after the first, as Standard Webhooks advises: about three days in all. */
const second = 1000;
const hour = 3_600 * second;
const waits = [
  5 * second,
  300 * second,
  1800 * second,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;

/** Maximum wait of a whole receiver after a failure: one notification at a time tries whether it works again. */
const longestPause = 1800 * second;

/** A receiver that only failed for this time is disabled. */
const disabledAfter = 5 * day;

/** Age at which a notification is given up, however few attempts its receiver's failures have left it. */
export const notificationsKept = 7 * day;

/** Days before the expiry of a credential at which receivers are notified. */
const noticeDays = [14, 1] as const;

/** What follows from a failed attempt. `jitter`: from 0 to 1, so that receivers are not all tried at once. */
export function afterFailure(
  { attempts }: Pick<NotificationRecord, "attempts">,
  { failures, failingSince }: Pick<ReceiverRecord, "failures" | "failingSince">,
  { outcome, result }: Attempt,
  now: number,
  jitter: number,
): FailedAttempt {
  const spread = 1 + jitter / 10;
  const wait = waits[attempts];
  const pause = Math.min(waits[Math.min(failures, waits.length - 1)] ?? longestPause, longestPause);
  const isTooLong = failingSince !== null && now - failingSince >= disabledAfter;
  const said = isTooLong ? `${result} It has failed for ${disabledAfter / day} days and is disabled.` : result;
  return {
    result: outcome === "gone" ? `${result} It is disabled.` : said,
    dueAt: wait === undefined ? null : Math.round(now + wait * spread),
    nextAt: Math.round(now + pause * spread),
    disable: outcome === "gone" || isTooLong,
  };
}

/** The body of a notification, by Standard Webhooks. */
export function notificationBody(type: NotificationEvent | "receiver.test", at: number, data: object): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

/** The receiver to add. */
export interface NewReceiver {
  readonly teamspace: string;
  readonly url: URL;
  readonly events: readonly NotificationEvent[];
  /** Of the form `whsec_` and base64. */
  readonly secret: string;
}

/** Adds a receiver. @throws Failure validation_error, and what `authorize` and `checkToken` throw */
export async function addReceiver(
  ports: ReceivingPorts,
  caller: Caller,
  { teamspace, url, events, secret }: NewReceiver,
): Promise<ReceiverRecord> {
  const { catalog, secrets, newId, now, checkToken } = ports;
  authorize(caller, "receivers", { teamspace });
  await checkToken(url);
  if ((await catalog.receivers.list(teamspace)).length >= maxReceivers)
    throw new Failure("validation_error", `A teamspace has ${maxReceivers} receivers at most. Delete one first.`);
  const receiver: ReceiverRecord = {
    id: newId(),
    teamspace,
    url: url.href,
    events,
    sealed: secrets.seal(secret),
    createdAt: now(),
    failures: 0,
    failingSince: null,
    nextAt: 0,
    deliveredAt: null,
    result: null,
    disabledAt: null,
  };
  if (await catalog.receivers.add(receiver)) return receiver;
  throw new Failure("validation_error", `There is no teamspace "${teamspace}". GET /api/v2/teamspaces lists them.`);
}

/** The receivers of a teamspace. @throws Failure as `authorize` does */
export async function listReceivers({ catalog }: ReceivingPorts, caller: Caller, teamspace: string) {
  authorize(caller, "receivers", { teamspace });
  return catalog.receivers.list(teamspace);
}

/** A receiver that the caller may manage. @throws Failure receiver_not_found */
export async function managedReceiver(
  { catalog }: ReceivingPorts,
  caller: Caller,
  id: string,
): Promise<ReceiverRecord> {
  const receiver = await catalog.receivers.get(id);
  if (receiver && may(caller, "receivers", { teamspace: receiver.teamspace })) return receiver;
  throw new Failure("receiver_not_found", `There is no receiver ${id}. List the receivers to see their IDs.`);
}

/** Sends a receiver a test; one that accepts it is enabled again. @throws Failure receiver_not_found */
export async function testReceiver(ports: ReceivingPorts, caller: Caller, id: string): Promise<Attempt> {
  const receiver = await managedReceiver(ports, caller, id);
  const attempt = await ports.testReceiver(receiver);
  if (attempt.outcome === "accepted") await ports.catalog.receivers.delivered(id, null, attempt.result, ports.now());
  return attempt;
}

/** The ports that checking the expiry of credentials needs. */
export type ExpiryPorts = Pick<SealingPorts, "catalog" | "secrets" | "now">;

/** Records the notifications of a credential that expires soon: one for each of `noticeDays`. True: it was recorded now. */
export async function noteExpiring(ports: ExpiryPorts, credential: CredentialRecord): Promise<boolean> {
  const { catalog, now } = ports;
  const expires = expiryOf(ports, credential);
  const days = expires === null ? undefined : noticeDays.findLast((one) => expires - now() <= one * day);
  if (expires === null || days === undefined) return false;
  const { id, name, host } = credential;
  const data = { credentialId: id, name, kind: credentialKind(credential), host, expiresAt: new Date(expires) };
  return catalog.credentials.noteExpiring(id, days, { ...data }, now());
}
