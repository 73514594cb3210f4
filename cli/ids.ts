import { randomBytes } from "node:crypto";

/** Number of base-36 digits of the timestamp at the start of an ID: enough for millennia. */
const timeLength = 9;

/** A new ID, which sorts by time. */
export function newId(): string {
  return `${Date.now().toString(36).padStart(timeLength, "0")}${randomBytes(10).toString("hex")}`;
}

/** When an ID was created, in milliseconds since 1970; 0 for foreign IDs. */
export function timeOfId(id: string): number {
  return /^[0-9a-z]{9}[0-9a-f]{20}$/.test(id) ? Number.parseInt(id.slice(0, timeLength), 36) : 0;
}
