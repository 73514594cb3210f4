/** The events that receivers are notified of. */
export const notificationEvents = [
  "library.published",
  "library.failed",
  "library.held",
  "library.quarantined",
  "credential.expiring",
] as const;

export type NotificationEvent = (typeof notificationEvents)[number];

/** A receiver: an address that is sent signed notifications of events in its teamspace. */
export interface ReceiverRecord {
  readonly id: string;
  readonly teamspace: string;
  readonly url: string;
  readonly events: readonly NotificationEvent[];
  /** The encrypted secret that notifications are signed with. */
  readonly sealed: string;
  readonly createdAt: number;
  /** Number of consecutive failed attempts. */
  readonly failures: number;
  /** The first of them; null: the last attempt succeeded. */
  readonly failingSince: number | null;
  /** Nothing is sent before. */
  readonly nextAt: number;
  /** When it last accepted a notification; null: never. */
  readonly deliveredAt: number | null;
  /** The result of the last attempt, as a sentence; null: none yet. */
  readonly result: string | null;
  /** Since when nothing is sent or recorded, as it failed too long or said that it is gone; null: it is enabled. */
  readonly disabledAt: number | null;
}

/** One message to one receiver. */
export interface NotificationRecord {
  /** The same in every attempt. */
  readonly id: string;
  readonly receiver: string;
  /** JSON. */
  readonly body: string;
  /** Number of failed attempts. */
  readonly attempts: number;
  readonly dueAt: number;
  readonly createdAt: number;
}

/** What a failed attempt changes. */
export interface FailedAttempt {
  readonly result: string;
  /** When the notification is sent again; null: it is given up. */
  readonly dueAt: number | null;
  /** When the receiver is sent anything again. */
  readonly nextAt: number;
  /** Disables the receiver, and drops what waits for it. */
  readonly disable: boolean;
}

/**
 * Receivers, and the notifications that wait for them. Other stores record notifications, in the transaction of the event; those of public
 * libraries are for receivers of the teamspace `default`.
 */
export interface ReceiverStore {
  /** False: there is no such teamspace. */
  add(receiver: ReceiverRecord): Promise<boolean>;
  get(id: string): Promise<ReceiverRecord | undefined>;
  /** The receivers of a teamspace, oldest first, with the number of waiting notifications. */
  list(teamspace: string): Promise<readonly (ReceiverRecord & { readonly waiting: number })[]>;
  /** Removes a receiver with its notifications. False where there is none. */
  remove(id: string): Promise<boolean>;
  /** Leases due notifications, oldest first, to one caller until a time: it has to report a result before. */
  claim(
    now: number,
    leasedUntil: number,
    limit: number,
  ): Promise<readonly { readonly notification: NotificationRecord; readonly receiver: ReceiverRecord }[]>;
  /** Notes that a receiver has accepted a notification, or a test (null), and enables it. */
  delivered(receiver: string, notification: string | null, result: string, now: number): Promise<void>;
  /** Notes a failed attempt. */
  failed(receiver: string, notification: string, attempt: FailedAttempt, now: number): Promise<void>;
  /** Removes notifications that were recorded before a time. */
  forget(before: number): Promise<void>;
}
