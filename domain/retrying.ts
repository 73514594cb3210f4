import { day } from "./days.ts";
import { failures } from "./failures.ts";
import type { FailureCode } from "./failures.ts";

const minute = 60_000;
const hour = 60 * minute;

/** Maximum number of tries in a row that the sweep makes of a run which fails: about three days of them, and six of slow ones. */
const maxTries = 10;

/** Failures that may pass although the step that meets them is not repeated at once. */
const passing: ReadonlySet<FailureCode> = new Set(["timeout"]);

/** Failures that say that the run itself may be the cause, or that another try takes as long as the last one. */
const slow: ReadonlySet<FailureCode> = new Set(["run_interrupted", "internal_error", "timeout"]);

/**
 * When the sweep tries a failed run again; null: never by itself, as another try cannot mend it, or there were enough.
 * `failed` counts the runs of the version that failed in a row, this one included. The delay doubles with each: from 5
 * minutes, or an hour after what may be the run's own doing, to a day.
 */
export function retryTime(code: FailureCode, failed: number, now: number): number | null {
  if (!failures[code].retryable && !passing.has(code)) return null;
  return delayed(slow.has(code) ? hour : 5 * minute, failed, now);
}

/** When the sweep resumes a run that was suspended after `deaths` of the process, of which `least` suspend it: as `retryTime`, from an hour. */
export function resumeTime(deaths: number, least: number, now: number): number | null {
  return delayed(hour, deaths - least + 1, now);
}

/** The end of a message about a failed run: when it is tried again; "" for null. */
export function retryText(at: number | null): string {
  return at === null ? "" : ` It is tried again at ${new Date(at).toISOString()}, or when it is refreshed.`;
}

function delayed(first: number, tries: number, now: number): number | null {
  return tries > maxTries ? null : now + Math.min(first * 2 ** (tries - 1), day);
}
