import { setTimeout as sleep } from "node:timers/promises";
import type { Part } from "../../../tools/dev/local-cluster.ts";

/** A process that answers reads. */
type Asked = Pick<Part, "name" | "url">;

/** One read, as its reader saw it. Times are in milliseconds, as `performance.now()` gives them. */
export interface Reading {
  /** Name of the API process that was asked. */
  readonly api: string;
  readonly begun: number;
  readonly ended: number;
  /** Exactly the answer from before the fault, a clear 503, no connection, or anything else, which is wrong. */
  readonly kind: "right" | "refused" | "unreachable" | "wrong";
  /** What was wrong, or why there was no answer. */
  readonly note: string;
}

/** Readers that go on while something is broken. */
export interface Readers {
  /** All readings so far. */
  readonly readings: readonly Reading[];
  stop(): Promise<void>;
}

/** What readings of a time come to. */
export interface ReadingSummary {
  readonly right: number;
  readonly refused: number;
  readonly unreachable: number;
  /** Each answer that was neither right nor a clear refusal. */
  readonly wrong: readonly string[];
  /** The slowest read of all, in milliseconds. */
  readonly slowest: number;
}

/** Between two reads of one reader, in milliseconds. */
const pause = 50;
/** Timeout of a reader, in milliseconds. */
const patience = 10_000;

const questions = ["how do I install and configure it", "options", "error handling example", "how to run the tests"];

/**
 * Asks one library through each API process, over and over. What the first process answers now is what is right from
 * then on: text and JSON, byte for byte.
 * @throws Error where it answers nothing to compare with
 */
export async function startReaders(apis: readonly Asked[], key: string, libraryId: string): Promise<Readers> {
  const paths = questions.flatMap((query) =>
    ["txt", "json"].map(
      (type) => `/api/v2/context?${new URLSearchParams({ libraryId, query, type, tokens: "4000" }).toString()}`,
    ),
  );
  const ask = async (url: string, path: string): Promise<{ status: number; text: string }> => {
    const answered = await fetch(url + path, {
      headers: { Authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(patience),
    });
    return { status: answered.status, text: await answered.text() };
  };
  const right = new Map<string, string>();
  for (const path of paths) {
    const { status, text } = await ask(apis[0]?.url ?? "", path);
    if (status !== 200 || text.length < 500) throw new Error(`${path} answered ${status}: ${text}`);
    right.set(path, text);
  }

  const readings: Reading[] = [];
  let stopped = false;
  const read = async ({ name, url }: Asked, path: string): Promise<void> => {
    const begun = performance.now();
    const judged = await ask(url, path).then(
      ({ status, text }) => judge(status, text, right.get(path)),
      (error: unknown) => ({ kind: "unreachable" as const, note: reasonOf(error) }),
    );
    readings.push({ api: name, begun, ended: performance.now(), ...judged });
  };
  const reading = apis.map(async (api) => {
    for (let at = 0; !stopped; at += 1) {
      await read(api, paths[at % paths.length] ?? "");
      await sleep(pause);
    }
  });
  return {
    readings,
    async stop() {
      stopped = true;
      await Promise.all(reading);
    },
  };
}

/** Counts what was read. */
export function summarise(readings: readonly Reading[]): ReadingSummary {
  const count = (kind: Reading["kind"]): number => readings.filter((one) => one.kind === kind).length;
  return {
    right: count("right"),
    refused: count("refused"),
    unreachable: count("unreachable"),
    wrong: readings.filter(({ kind }) => kind === "wrong").map(({ api, note }) => `${api}: ${note}`),
    slowest: Math.round(Math.max(0, ...readings.map(({ begun, ended }) => ended - begun))),
  };
}

/** Milliseconds from a moment to the end of the last read that was not right. */
export function recoveredAfter(readings: readonly Reading[], moment: number): number {
  const last = readings.findLast(({ kind }) => kind !== "right");
  return last === undefined ? 0 : Math.max(0, Math.round(last.ended - moment));
}

function judge(status: number, text: string, right: string | undefined): Pick<Reading, "kind" | "note"> {
  if (status === 200 && text === right) return { kind: "right", note: "" };
  const note = `${status} ${text.slice(0, 300)}`;
  const clear = status === 503 && /"error":\s*"(?:search_failed|index_rebuilding|service_unavailable)"/.test(text);
  return { kind: clear ? "refused" : "wrong", note };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
