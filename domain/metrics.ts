/** Where an answer was asked from: a page, as plain text, by an agent, on a command line. */
export const surfaces = ["page", "txt", "mcp", "cli"] as const;

export type Surface = (typeof surfaces)[number];

/** Answers by surface. */
export type SurfaceCounts = Readonly<Record<Surface, number>>;

/** One answer, with what is counted of it. */
export interface CountedAnswer {
  readonly libraryUid: string;
  readonly surface: Surface;
  /** Key or address that asked. It is kept only as that day's salted hash, and only until the day is over. */
  readonly user: string;
  /** The agent's name, of a question that came from one. */
  readonly client?: string;
  /** Heading of the passage that answers best: in the library's words, never the asker's. */
  readonly topic?: string;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
}

/** Counts to add to those of other processes. The same one is added once, however often it is tried. */
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

/** What is known of how a library is used. */
export interface LibraryMetrics {
  /** Since the library was added. */
  readonly total: SurfaceCounts;
  /** Days that have answers, the oldest first. */
  readonly days: readonly ({ readonly day: string } & SurfaceCounts)[];
  /** Users of agents, a row for each day and client, the oldest first; the client "" stands for all of a day together. */
  readonly clients: readonly { readonly day: string; readonly client: string; readonly users: number }[];
  /** Since the library was added, the most frequent first. */
  readonly topics: readonly { readonly topic: string; readonly count: number }[];
  readonly countries: readonly { readonly country: string; readonly count: number }[];
}

/** Counts of answers. Those of libraries that are gone are dropped, and so are users of days that are closed. */
export interface MetricsStore {
  add(batch: MetricsBatch): Promise<void>;
  /** Days are those from `since` on; of topics and countries the most frequent, `atMost` of each. */
  of(uid: string, query: { readonly since: string; readonly atMost: number }): Promise<LibraryMetrics>;
  /**
   * Closes days before the given one: their users are counted, and what could tell who they were is deleted. Removes days before `firstKept`,
   * and rare topics beyond a thousand of a library. Totals stay.
   */
  close(days: { readonly before: string; readonly firstKept: string }): Promise<void>;
}

/** Time that processes have to write their counts of a day that is over, in milliseconds. */
const closesAfter = 2 * 3_600_000;

const dayLength = 86_400_000;

/** Which days are closed and removed at a time, where `days` are kept. */
export function daysToClose(now: number, days: number): { readonly before: string; readonly firstKept: string } {
  return { before: utcDay(now - closesAfter), firstKept: utcDay(now - days * dayLength) };
}

/** The first of so many days, of which the present one is the last. */
export function firstOfDays(now: number, days: number): string {
  return utcDay(now - (days - 1) * dayLength);
}

function utcDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
