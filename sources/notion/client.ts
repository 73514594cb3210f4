import { setTimeout as sleep } from "node:timers/promises";
import { Client, LogLevel, APIResponseError, isHTTPResponseError, RequestTimeoutError } from "@notionhq/client";
import { Failure, isFailure } from "../../domain/failures.ts";
import { textOf } from "../../extract/notion/page.ts";
import type { PoliteClient } from "../lib/fetch/polite.ts";
import { type Json, listOf, objectOf } from "../../extract/json.ts";

/** Version of the API (its reference, "Versioning"). */
const notionVersion = "2026-03-11";

/** Rate limit of the API, in requests a second (its reference, "Request limits"). */
const perSecond = 3;
const publicHost = "api.notion.com";

/** Cap on one answer, in bytes: a hundred blocks with all the text that they may have. */
const maxAnswer = 40_000_000;

/** Maximum number of waits after a 429, and the longest wait, in milliseconds. */
const maxWaits = 8;
const longestWait = 300_000;

/** Entries that are requested at once. */
const fullPage = 100;
/** Attempts of a single request, and of one for a single entry. */
const maxTries = 3;
/** Pause before a retry, in milliseconds. */
const pause = 200;

/** A list with more parts has no end. */
const maxListPages = 100_000;

/** The requests that reading needs. Ids are in the form of `idOf`. Each throws a Failure. */
export interface NotionApi {
  /** The bot that the token belongs to. */
  me(): Promise<Json>;
  page(id: string): Promise<Json>;
  database(id: string): Promise<Json>;
  dataSource(id: string): Promise<Json>;
  block(id: string): Promise<Json>;
  /** The blocks in a page or block; returns whether there are more than are listed. */
  children(id: string): AsyncGenerator<Json, boolean>;
  /** The entries of a property of a page. */
  property(page: string, property: string): AsyncGenerator<Json>;
  /** Rows of a data source by the time of their creation; returns whether there are more than are listed. */
  rows(id: string, since: string | undefined): AsyncGenerator<Json, boolean>;
  /** Shared pages and data sources by the time of their last edit; returns whether there are more than are listed. */
  search(direction: "ascending" | "descending"): AsyncGenerator<readonly Json[], boolean>;
}

/** Dependencies and settings of the client. */
export interface NotionOptions {
  readonly client: PoliteClient;
  /** Address of the API, or of a proxy in front of it. */
  readonly url: URL;
  readonly token: string;
  readonly signal: AbortSignal;
}

/** The API by the official client, whose requests go through the guarded one. */
export function openNotion({ client, url, token, signal }: NotionOptions): NotionApi {
  if (url.host === publicHost) client.slowDown(url.host, Math.ceil(1000 / perSecond));

  /** Replaces `fetch`: sends a request through the guarded client, and waits after a 429. */
  const guarded = async (address: string, init: SdkRequest = {}): Promise<Response> => {
    const headers = Object.fromEntries(
      Object.entries(init.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    for (let wait = 1; ; wait += 1) {
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
        // The polite client has tried short waits already.
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
    // The guarded client has the timeouts; this one has to outlast all waits.
    timeoutMs: maxWaits * longestWait,
    logLevel: LogLevel.ERROR,
    // Errors are thrown, and logged by the step.
    logger: () => undefined,
  });

  const ask = async (what: string, request: () => Promise<unknown>, tries = 1): Promise<Json> => {
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
  const one = (what: string, request: () => Promise<unknown>): Promise<Json> => ask(what, request, maxTries);

  /** The parts of a list, smaller ones after a failure. Returns whether there are more entries than Notion lists. */
  async function* paged(
    what: string,
    request: (page: PageCursor) => Promise<unknown>,
  ): AsyncGenerator<readonly Json[], boolean> {
    const cursors = new Set<string>();
    let cursor: string | undefined;
    let size = fullPage;
    for (let pages = 0; pages < maxListPages; pages += 1) {
      let answer: Json | undefined;
      for (let tries = 1; answer === undefined;) {
        try {
          answer = await ask(what, () =>
            request({ page_size: size, ...(cursor !== undefined && { start_cursor: cursor }) }),
          );
        } catch (error) {
          if (!isPassing(error) || (size === 1 && tries++ >= maxTries)) throw error;
          size = Math.max(1, Math.floor(size / 2));
          await sleep(pause, undefined, { signal });
        }
      }
      // An empty list would mean that all pages were deleted.
      if (!Array.isArray(answer["results"])) throw broken(what, "is not a list");
      yield listOf(answer["results"]).map(objectOf);
      if (answer["has_more"] !== true) return textOf(objectOf(answer["request_status"])["type"]) === "incomplete";
      const next = textOf(answer["next_cursor"]);
      if (next === "") throw broken(what, "has more entries, but no cursor for them");
      if (cursors.has(next)) throw broken(what, "repeats itself");
      cursors.add(next);
      cursor = next;
      size = Math.min(fullPage, size * 2);
    }
    throw broken(what, "has no end");
  }

  async function* entries(parts: AsyncGenerator<readonly Json[], boolean>): AsyncGenerator<Json, boolean> {
    for (;;) {
      const { value, done } = await parts.next();
      if (done === true) return value;
      yield* value;
    }
  }

  return {
    me: () => one("the integration", () => sdk.users.me({})),
    page: (id) => one(`page ${id}`, () => sdk.pages.retrieve({ page_id: id })),
    database: (id) => one(`database ${id}`, () => sdk.databases.retrieve({ database_id: id })),
    dataSource: (id) => one(`data source ${id}`, () => sdk.dataSources.retrieve({ data_source_id: id })),
    block: (id) => one(`block ${id}`, () => sdk.blocks.retrieve({ block_id: id })),
    children: (id) =>
      entries(paged(`the blocks of ${id}`, (page) => sdk.blocks.children.list({ block_id: id, ...page }))),
    property(page, property) {
      const ids = { page_id: page, property_id: property };
      return entries(paged(`a property of ${page}`, (part) => sdk.pages.properties.retrieve({ ...ids, ...part })));
    },
    rows: (id, since) =>
      entries(
        paged(`the rows of data source ${id}`, (page) =>
          sdk.dataSources.query({
            data_source_id: id,
            sorts: [{ timestamp: "created_time", direction: "ascending" }],
            ...(since !== undefined && {
              filter: { timestamp: "created_time", created_time: { on_or_after: since } },
            }),
            ...page,
          }),
        ),
      ),
    search: (direction) =>
      paged("the pages that are shared", (page) =>
        sdk.search({ sort: { timestamp: "last_edited_time", direction }, ...page }),
      ),
  };
}

/** Whether a request may succeed if it is repeated. */
function isPassing(error: unknown): boolean {
  return isFailure(error, "source_unreachable");
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

/** How to share a page with the integration. */
const share = "Open it in Notion, and add the integration under ••• > Connections.";

/** The failure for an error of Notion's client on a request for `what`; any other error as it is. */
function toNotionFailure(error: unknown, what: string): unknown {
  if (error instanceof RequestTimeoutError)
    return new Failure("source_unreachable", `Notion did not answer for ${what} in time.`);
  if (error instanceof Failure) return error;
  if (error instanceof SyntaxError) return new Failure("source_invalid", `Notion's answer for ${what} is not JSON.`);
  if (!isHTTPResponseError(error)) return error;
  const { status } = error;
  const code: string = error instanceof APIResponseError ? error.code : "";
  if (status === 401)
    return new Failure(
      "source_refused",
      "Notion does not accept the token: it was revoked, or is not one of Notion's. Copy the integration's secret, and refresh the library with it as notionToken, or make a new credential.",
    );
  if (status === 403 && code !== "restricted_resource")
    return new Failure(
      "source_refused",
      `Notion's network refuses requests for ${what} (403). Try it from another address, or ask Notion.`,
    );
  if (status === 403)
    return new Failure(
      "source_refused",
      `The integration may not read ${what}: it lacks the capability "Read content". Turn that on in Notion, under the integration's Capabilities.`,
    );
  if (status === 404)
    return new Failure("source_not_found", `Notion has no ${what}, or it is not shared with the integration. ${share}`);
  if (status === 429 || status >= 500 || status === 409)
    return new Failure("source_unreachable", `Notion answers ${status} for ${what}. Refresh the library later.`);
  return new Failure("source_invalid", `Notion answers ${status}${code === "" ? "" : ` (${code})`} for ${what}.`);
}
