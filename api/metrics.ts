import type { CountedAnswer, MetricsBatch, Surface } from "../domain/metrics.ts";
import { dayOf } from "../domain/days.ts";
import { flushing, type FlushingOptions } from "./usage.ts";
import type { Caller } from "../domain/access.ts";
import { oneLine } from "../domain/one-line.ts";
import { createProxyCheck } from "./ip-addresses.ts";
import type { ApiOptions } from "./options.ts";
import type { ApiRequest } from "./request.ts";

/** Options of counting answers. After an error a batch is written again under its ID, even if the first write succeeded. */
export interface MetricsOptions extends FlushingOptions<MetricsBatch> {
  readonly newId: () => string;
}

/** Maximum rows of each kind in a batch, which is one transaction. */
const batchSize = 2000;

/** Maximum number of unwritten rows; further answers are dropped. */
const maxWaiting = 100_000;

type Row = { libraryUid: string; count: number };

/** Unwritten rows by key, whose parts are separated by line breaks. */
function createRows() {
  return {
    answers: new Map<string, Row & { day: string; surface: CountedAnswer["surface"] }>(),
    users: new Map<string, MetricsBatch["users"][0]>(),
    topics: new Map<string, Row & { topic: string }>(),
    countries: new Map<string, Row & { country: string }>(),
  };
}

/** Counts how libraries are used, in memory, and flushes periodically, so that no answer waits. */
export function createMetrics({ record, every, now, newId, log }: MetricsOptions) {
  let rows = createRows();
  /** Batches to write, oldest first. */
  const waiting: MetricsBatch[] = [];
  let dropped = 0;

  const size = (): number =>
    rows.answers.size + rows.users.size + rows.topics.size + rows.countries.size + waiting.length * batchSize;

  const addTo = <One extends Row>(counted: Map<string, One>, key: string, one: One): void => {
    const before = counted.get(key);
    if (before) before.count += 1;
    else counted.set(key, one);
  };

  const takeBatches = (): void => {
    const { answers, users, topics, countries } = rows;
    rows = createRows();
    const longest = Math.max(answers.size, users.size, topics.size, countries.size);
    for (let first = 0; first < longest; first += batchSize) {
      const part = <One>(counted: Map<string, One>): One[] => [...counted.values()].slice(first, first + batchSize);
      waiting.push({
        id: newId(),
        at: now(),
        answers: part(answers),
        users: part(users),
        topics: part(topics),
        countries: part(countries),
      });
    }
  };

  const write = async (): Promise<void> => {
    takeBatches();
    try {
      for (let [first] = waiting; first !== undefined; [first] = waiting) {
        await record(first);
        waiting.shift();
      }
    } catch (error) {
      log.warn({ err: error, batches: waiting.length }, "metrics could not be written; retrying later");
    }
    if (dropped > 0)
      log.warn({ answers: dropped }, "too many metrics wait to be written; some answers were not counted");
    dropped = 0;
  };

  return {
    /** Counts an answer in memory. */
    count({ libraryUid, surface, user, client, topic, country }: CountedAnswer): void {
      if (size() >= maxWaiting) {
        dropped += 1;
        return;
      }
      const day = dayOf(now());
      addTo(rows.answers, `${libraryUid}\n${day}\n${surface}`, { libraryUid, day, surface, count: 1 });
      if (client !== undefined)
        rows.users.set(`${libraryUid}\n${day}\n${client}\n${user}`, { libraryUid, day, client, user });
      if (topic !== undefined) addTo(rows.topics, `${libraryUid}\n${topic}`, { libraryUid, topic, count: 1 });
      if (country !== undefined) addTo(rows.countries, `${libraryUid}\n${country}`, { libraryUid, country, count: 1 });
    },
    ...flushing(every, write, () => {
      if (waiting.length > 0) log.error({ batches: waiting.length }, "metrics that were not written are lost");
    }),
  };
}

/** The counted facts of an answer. */
interface Answered {
  readonly request: Pick<ApiRequest, "headers" | "remoteAddress">;
  readonly caller: Pick<Caller, "keyId" | "subject">;
  /** IP address of the client. */
  readonly address: string;
  readonly libraryUid: string;
  readonly type: "txt" | "json";
  /** Heading of the best passage; null: nothing was found. */
  readonly topic: string | null;
}

/** Counts an answer, with surface, client and country of its request. */
export type Count = (answered: Answered) => void;

/** Maximum length of a stored client name and of a heading, in characters: both are untrusted. */
const maxLength = 80;

/** @throws Error naming an entry of trustedProxies that is neither an address nor a CIDR block */
export function createCounting({ settings, countAnswer }: Pick<ApiOptions, "settings" | "countAnswer">): Count {
  const isProxy = createProxyCheck(settings.trustedProxies);
  const header = settings.countryHeader?.toLowerCase();
  return ({ request, caller, address, libraryUid, type, topic }) => {
    const { headers, remoteAddress } = request;
    const surface = surfaceOf(headers["x-context7-source"], type);
    const country = header === undefined || !isProxy(remoteAddress) ? undefined : countryOf(headers[header]);
    countAnswer({
      libraryUid,
      surface,
      user: userOf(caller, address),
      ...(surface === "mcp" && { client: short(headers["x-context7-client-ide"] ?? "") || "unknown" }),
      ...(topic !== null && topic !== "" && { topic: short(topic) }),
      ...(country !== undefined && { country }),
    });
  };
}

function surfaceOf(source: string | undefined, type: "txt" | "json"): Surface {
  if (source === "mcp-server") return "mcp";
  if (source === "cli") return "cli";
  return type === "txt" ? "txt" : "page";
}

/** The signed-in user, else the key, else the address. */
function userOf({ keyId, subject }: Answered["caller"], address: string): string {
  if (subject !== undefined) return `subject:${subject}`;
  return keyId === null ? `address:${address}` : `key:${keyId}`;
}

/** ISO 3166-1 alpha-2, without the codes of proxies for unknown countries and Tor. */
function countryOf(value: string | undefined): string | undefined {
  const code = value?.trim().toUpperCase() ?? "";
  return /^[A-Z]{2}$/.test(code) && code !== "XX" ? code : undefined;
}

function short(text: string): string {
  const line = oneLine(text);
  return line.length <= maxLength ? line : Array.from(line).slice(0, maxLength).join("");
}
