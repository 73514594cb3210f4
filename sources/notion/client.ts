import { setTimeout as sleep } from "node:timers/promises";
import { Client, LogLevel } from "@notionhq/client";
import { Failure } from "../../domain/failures.ts";
import { listOf, objectOf, textOf } from "../../extract/notion/raw.ts";
import type { Raw } from "../../extract/notion/raw.ts";
import type { PoliteClient } from "../fetch/polite.ts";
import { toNotionFailure } from "./failures.ts";

/** Version of the API that is spoken (its reference, "Versioning"). */
const notionVersion = "2026-03-11";

/** Requests a second that the API wants at most, on average (its reference, "Request limits"). */
const perSecond = 3;
const publicHost = "api.notion.com";

/** Cap on one answer, in bytes: a hundred blocks with all the text that they may have. */
const maxAnswer = 40_000_000;

/** Waits for a host that has too many requests, and the longest that is waited, in milliseconds. */
const maxWaits = 8;
const longestWait = 300_000;

/** Entries that are asked for at once, and how often the smallest number is tried. */
const fullPage = 100;
const lastTries = 3;
/** Between two tries of what failed, times the tries, in milliseconds. */
const pause = 200;

/** More pages of entries than any list has that ends. */
const maxListPages = 100_000;

/** What is read of Notion. Ids are as `idOf` answers them. Each throws a Failure. */
export interface NotionApi {
  /** The bot that the token belongs to. */
  me(): Promise<Raw>;
  page(id: string): Promise<Raw>;
  database(id: string): Promise<Raw>;
  dataSource(id: string): Promise<Raw>;
  block(id: string): Promise<Raw>;
  /** The blocks in a page or block; returns whether there are more than are listed. */
  children(id: string): AsyncGenerator<Raw, boolean>;
  /** The entries of a property of a page, each by itself. */
  property(page: string, property: string): AsyncGenerator<Raw>;
  /** Rows of a data source, those that were made first first; returns whether there are more than are listed. */
  rows(id: string, since: string | undefined): AsyncGenerator<Raw, boolean>;
  /** Pages and data sources that are shared; returns whether there are more than are listed. */
  search(direction: "ascending" | "descending"): AsyncGenerator<readonly Raw[], boolean>;
  /** Requests that were sent. */
  readonly requests: () => number;
}

/** What the client is made of. */
export interface NotionOptions {
  readonly client: PoliteClient;
  /** Address of the API, or of a proxy in front of it. */
  readonly url: URL;
  readonly token: string;
  readonly signal: AbortSignal;
}

/** The API by the official client, which sends its requests through ours. */
export function openNotion({ client, url, token, signal }: NotionOptions): NotionApi {
  let sent = 0;
  if (url.host === publicHost) client.slowDown(url.host, Math.ceil(1000 / perSecond));

  /** The guarded client in place of `fetch`, with the waits that the host asks for. */
  const guarded = async (address: string, init: SdkRequest = {}): Promise<Response> => {
    const headers = Object.fromEntries(
      Object.entries(init.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    for (let wait = 1; ; wait += 1) {
      sent += 1;
      const answer = await client.request(new URL(address), {
        method: init.method?.toUpperCase() === "POST" ? "POST" : "GET",
        headers,
        ...(typeof init.body === "string" && { body: init.body }),
        signal,
        maxBytes: maxAnswer,
        maxRedirects: 0,
      });
      const text = await answer.text();
      if (answer.status === 429 && wait < maxWaits) {
        // Short waits are behind us: the polite client has them taken.
        const wanted = Number(answer.headers["retry-after"] ?? "1") * 1000;
        await sleep(Math.min(Number.isFinite(wanted) ? wanted : 1000, longestWait), undefined, { signal });
        continue;
      }
      return new Response(text === "" ? null : text, { status: answer.status, headers: answer.headers });
    }
  };
  const sdk = new Client({
    auth: token,
    baseUrl: url.href.replace(/(?<!\/)\/+$/, ""),
    notionVersion,
    fetch: guarded,
    retry: false,
    // Its deadline ends nothing: those of the guarded client do. This one is beyond all waits.
    timeoutMs: maxWaits * longestWait,
    logLevel: LogLevel.ERROR,
    // What goes wrong is thrown, and told by the step.
    logger: () => undefined,
  });

  const ask = async (what: string, request: () => Promise<unknown>, tries = 1): Promise<Raw> => {
    for (let number = 1; ; number += 1) {
      try {
        return objectOf(await request());
      } catch (error) {
        signal.throwIfAborted();
        const failure = toNotionFailure(error, what);
        if (number >= tries || !isPassing(failure)) throw failure;
        await sleep(pause * number, undefined, { signal });
      }
    }
  };
  const one = (what: string, request: () => Promise<unknown>): Promise<Raw> => ask(what, request, lastTries);

  /** All entries of a list. A host that fails is asked for fewer at once. */
  async function* paged(what: string, request: (place: PageCursor) => Promise<unknown>): AsyncGenerator<Raw, boolean> {
    const seen = new Set<string>();
    let cursor: string | undefined;
    let size = fullPage;
    for (let pages = 0; pages < maxListPages; pages += 1) {
      let answer: Raw | undefined;
      for (let tries = 1; answer === undefined;) {
        try {
          answer = await ask(what, () =>
            request({ page_size: size, ...(cursor !== undefined && { start_cursor: cursor }) }),
          );
        } catch (error) {
          if (!isPassing(error) || (size === 1 && tries++ >= lastTries)) throw error;
          size = Math.max(1, Math.floor(size / 2));
          await sleep(pause, undefined, { signal });
        }
      }
      // An empty one would say that everything is gone.
      if (!Array.isArray(answer["results"])) throw broken(what, "is not a list");
      yield answer;
      if (answer["has_more"] !== true) return textOf(objectOf(answer["request_status"])["type"]) === "incomplete";
      const next = textOf(answer["next_cursor"]);
      if (next === "") throw broken(what, "says that there is more, and not where");
      if (seen.has(next)) throw broken(what, "begins anew in the middle");
      seen.add(next);
      cursor = next;
      size = Math.min(fullPage, size * 2);
    }
    throw broken(what, "has no end");
  }

  async function* entries(list: AsyncGenerator<Raw, boolean>): AsyncGenerator<Raw, boolean> {
    for (;;) {
      const { value, done } = await list.next();
      if (done === true) return value === true;
      yield* listOf(objectOf(value)["results"]).map(objectOf);
    }
  }

  return {
    requests: () => sent,
    me: () => one("the integration", () => sdk.users.me({})),
    page: (id) => one(`page ${id}`, () => sdk.pages.retrieve({ page_id: id })),
    database: (id) => one(`database ${id}`, () => sdk.databases.retrieve({ database_id: id })),
    dataSource: (id) => one(`data source ${id}`, () => sdk.dataSources.retrieve({ data_source_id: id })),
    block: (id) => one(`block ${id}`, () => sdk.blocks.retrieve({ block_id: id })),
    children: (id) =>
      entries(paged(`the blocks of ${id}`, (place) => sdk.blocks.children.list({ block_id: id, ...place }))),
    async *property(page, property) {
      const asked = { page_id: page, property_id: property };
      yield* entries(paged(`a property of ${page}`, (place) => sdk.pages.properties.retrieve({ ...asked, ...place })));
    },
    rows: (id, since) =>
      entries(
        paged(`the rows of data source ${id}`, (place) =>
          sdk.dataSources.query({
            data_source_id: id,
            sorts: [{ timestamp: "created_time", direction: "ascending" }],
            ...(since !== undefined && {
              filter: { timestamp: "created_time", created_time: { on_or_after: since } },
            }),
            ...place,
          }),
        ),
      ),
    async *search(direction) {
      const list = paged("the pages that are shared", (place) =>
        sdk.search({ sort: { timestamp: "last_edited_time", direction }, ...place }),
      );
      for (;;) {
        const { value, done } = await list.next();
        if (done === true) return value === true;
        yield listOf(objectOf(value)["results"]).map(objectOf);
      }
    },
  };
}

/** Whether a request may succeed the next time. */
function isPassing(error: unknown): boolean {
  return error instanceof Failure && error.code === "source_unreachable";
}

interface SdkRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface PageCursor {
  readonly page_size: number;
  readonly start_cursor?: string;
}

function broken(what: string, how: string): Failure {
  return new Failure("source_invalid", `Notion's list of ${what} ${how}. Refresh the library later.`);
}
