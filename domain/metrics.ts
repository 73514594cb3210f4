import { day, dayOf } from "./days.ts";

/** Where answers are requested: on a page, as plain text, by an agent, on a command line. */
export const surfaces = ["page", "txt", "mcp", "cli"] as const;

export type Surface = (typeof surfaces)[number];

/** Answers by surface. */
export type SurfaceCounts = Readonly<Record<Surface, number>>;

/** An answer as metrics count it. */
export interface CountedAnswer {
  readonly libraryUid: string;
  readonly surface: Surface;
  /** Key or address of the caller. Only a hash with the day's salt is stored, until the day is closed. */
  readonly user: string;
  /** Name of the agent that asked; absent: none. */
  readonly client?: string;
  /** Heading of the best passage: text of the library, never of the caller. */
  readonly topic?: string;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
}

/** Counts to add. A batch that is sent again is not added again. */
export interface MetricsBatch {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly answers: readonly {
    readonly libraryUid: string;
    /** As in 2026-11-21, UTC. */
    readonly day: string;
    readonly surface: Surface;
    readonly count: number;
  }[];
  readonly users: readonly {
    readonly libraryUid: string;
    readonly day: string;
    readonly client: string;
    readonly user: string;
  }[];
  readonly topics: readonly { readonly libraryUid: string; readonly topic: string; readonly count: number }[];
  readonly countries: readonly { readonly libraryUid: string; readonly country: string; readonly count: number }[];
}

/** How a library is used. */
export interface LibraryMetrics {
  /** Since the library was added. */
  readonly total: SurfaceCounts;
  /** Days with answers, oldest first. */
  readonly days: readonly ({ readonly day: string } & SurfaceCounts)[];
  /** Distinct users by day and client, oldest first; the client "" has all clients of a day. */
  readonly clients: readonly { readonly day: string; readonly client: string; readonly users: number }[];
  /** Since the library was added, most frequent first. */
  readonly topics: readonly { readonly topic: string; readonly count: number }[];
  readonly countries: readonly { readonly country: string; readonly count: number }[];
}

/** Counts of answers. Counts of libraries that are gone, and users of closed days, are dropped. */
export interface MetricsStore {
  add(batch: MetricsBatch): Promise<void>;
  /** The metrics of a library: days since `since`, inclusive; at most `atMost` topics and countries, most frequent first. */
  of(uid: string, query: { readonly since: string; readonly atMost: number }): Promise<LibraryMetrics>;
  /**
   * Closes the days before `before`: counts their users and deletes the hashes. Removes days before `firstKept`, and rare
   * topics beyond a thousand per library. Totals stay.
   */
  close(days: { readonly before: string; readonly firstKept: string }): Promise<void>;
}

/** Grace period in which processes still write counts of the previous day, in milliseconds. */
const closesAfter = 2 * 3_600_000;

/** The days to close and to remove at a time, with `days` days of retention. */
export function daysToClose(now: number, days: number): { readonly before: string; readonly firstKept: string } {
  return { before: dayOf(now - closesAfter), firstKept: dayOf(now - days * day) };
}

/** The first of a number of days that end today. */
export function firstOfDays(now: number, days: number): string {
  return dayOf(now - (days - 1) * day);
}
