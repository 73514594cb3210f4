import { randomBytes } from "node:crypto";

/** Digits of the time in front of an id: base 36, good for longer than anybody needs. */
const timeLength = 9;

/** An id that sorts by the time it was made: of a run, a library, a credential. */
export function newId(): string {
  return `${Date.now().toString(36).padStart(timeLength, "0")}${randomBytes(10).toString("hex")}`;
}

/** When an id was made, in milliseconds since 1970; 0 for foreign ids. */
export function madeAt(id: string): number {
  return /^[0-9a-z]{9}[0-9a-f]{20}$/.test(id) ? Number.parseInt(id.slice(0, timeLength), 36) : 0;
}
