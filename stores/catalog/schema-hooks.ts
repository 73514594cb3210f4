import type { HookSender } from "../../domain/catalog-hooks.ts";

// The rows of hooks, which hosts call, and of receivers, which are called.

export interface HookRow {
  id: string;
  teamspace: string;
  sender: HookSender;
  library_uid: string | null;
  prefix: string | null;
  sealed: string;
  created_at: number;
  delivered_at: number | null;
  result: string | null;
}

/** The ID of a delivery to a hook. */
export interface HookDeliveryRow {
  hook: string;
  delivery: string;
  received_at: number;
}

export interface ReceiverRow {
  id: string;
  teamspace: string;
  url: string;
  events_json: string;
  sealed: string;
  created_at: number;
  failures: number;
  failing_since: number | null;
  next_at: number;
  delivered_at: number | null;
  result: string | null;
  disabled_at: number | null;
}

/** A notification that waits to be delivered. */
export interface NotificationRow {
  id: string;
  receiver: string;
  body: string;
  attempts: number;
  due_at: number;
  created_at: number;
}
