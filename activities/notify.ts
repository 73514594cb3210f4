import { createHmac } from "node:crypto";
import { toFailureRecord } from "../domain/failures.ts";
import { afterFailure, notificationBody, type Attempt } from "../domain/notifying.ts";
import type { Catalog, NotificationRecord, ReceiverRecord, Secrets } from "../domain/ports.ts";
import type { FetchClient } from "../sources/lib/fetch/client.ts";

/** The ports of deliveries. */
export interface NotifyingPorts {
  readonly catalog: Pick<Catalog, "receivers">;
  readonly secrets: Secrets;
  readonly client: Pick<FetchClient, "request">;
  readonly newId: () => string;
  readonly now: () => number;
  /** Called when a receiver was disabled. */
  readonly onDisabled: (receiver: ReceiverRecord, result: string) => void;
  /** Timeout of an attempt, in milliseconds. */
  readonly timeout?: number;
}

const defaultTimeout = 15_000;

/** Notifications leased at once, and for how long, in milliseconds: longer than all of them take. A killed process delays them so long. */
const leased = { atOnce: 8, time: 180_000 };

/** Time after which a round leases no more, in milliseconds. */
const longestRound = 30_000;

/** Most of an answer that is read, in bytes. It is never shown. */
const maxAnswer = 1000;

/**
 * Delivers what is due, several receivers at once. What fails is sent again later; after a failure the others of its receiver wait. Any
 * number of processes may do so at once. Returns the number of accepted notifications.
 * @throws the signal's reason once it is aborted: what was leased is sent after the lease
 */
export async function deliverDue(ports: NotifyingPorts, signal: AbortSignal): Promise<number> {
  const { catalog, now } = ports;
  const until = now() + longestRound;
  let accepted = 0;
  while (now() < until) {
    signal.throwIfAborted();
    const due = await catalog.receivers.claim(now(), now() + leased.time, leased.atOnce);
    if (due.length === 0) break;
    const byReceiver = Map.groupBy(due, ({ receiver }) => receiver.id);
    await Promise.all(
      [...byReceiver.values()].map(async (waiting) => {
        for (const { receiver, notification } of waiting) {
          if (!(await deliver(ports, receiver, notification, signal))) break;
          accepted += 1;
        }
      }),
    );
  }
  return accepted;
}

/** Makes one attempt, and notes its result. Returns whether the receiver accepted the notification. */
async function deliver(
  ports: NotifyingPorts,
  receiver: ReceiverRecord,
  notification: NotificationRecord,
  signal: AbortSignal,
): Promise<boolean> {
  const { catalog, now, onDisabled } = ports;
  const attempt = await send(ports, receiver, notification, signal);
  if (attempt.outcome === "accepted") {
    await catalog.receivers.delivered(receiver.id, notification.id, attempt.result, now());
    return true;
  }
  const failed = afterFailure(notification, receiver, attempt, now(), Math.random());
  await catalog.receivers.failed(receiver.id, notification.id, failed, now());
  if (failed.disable) onDisabled(receiver, failed.result);
  return false;
}

/** Sends a receiver a test, which is not repeated. */
export async function sendTest(ports: NotifyingPorts, receiver: ReceiverRecord): Promise<Attempt> {
  const body = notificationBody("receiver.test", ports.now(), {});
  return send(ports, receiver, { id: `msg_${ports.newId()}`, body }, new AbortController().signal);
}

/** @throws the signal's reason once it is aborted */
async function send(
  { client, secrets, now, timeout = defaultTimeout }: NotifyingPorts,
  receiver: Pick<ReceiverRecord, "url" | "sealed">,
  { id, body }: Pick<NotificationRecord, "id" | "body">,
  signal: AbortSignal,
): Promise<Attempt> {
  const late = AbortSignal.timeout(timeout);
  try {
    const timestamp = String(Math.floor(now() / 1000));
    const response = await client.request(new URL(receiver.url), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signatureOf(secrets.open(receiver.sealed), id, timestamp, body),
      },
      body,
      signal: AbortSignal.any([signal, late]),
      followRedirects: false,
      maxBytes: maxAnswer,
    });
    response.discard();
    const { status } = response;
    const result = `It answered ${status}.`;
    if (status >= 200 && status < 300) return { outcome: "accepted", result };
    if (status === 410) return { outcome: "gone", result };
    return { outcome: "failed", result: status < 400 ? `It answered ${status}: redirects are not followed.` : result };
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) return { outcome: "failed", result: `It did not answer within ${timeout / 1000} seconds.` };
    const { message } = toFailureRecord(error);
    return { outcome: "failed", result: message };
  }
}

/** The signature of a notification by Standard Webhooks (https://www.standardwebhooks.com), version 1. */
export function signatureOf(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
}
