/** A day, in milliseconds. */
export const day = 86_400_000;

/** The day of a time in UTC, as in 2026-11-21. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
