import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json } from "./notion-blocks.ts";
import { createWorkspace, entriesOf, type NotionWorkspace } from "./notion-workspace.ts";

export * from "./notion-blocks.ts";

/** An answer in place of the real one. */
export interface Fault {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Nothing is sent at all. */
  readonly silent?: true;
}

/** A request that was received. */
export interface NotionRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Json;
  readonly headers: IncomingMessage["headers"];
}

/** A workspace behind Notion's published API, version 2026-03-11. */
export interface NotionServer extends NotionWorkspace {
  readonly url: string;
  readonly host: string;
  /** Valid tokens. */
  readonly tokens: Set<string>;
  /** Without "read" the integration lacks the capability to read content. */
  readonly capabilities: Set<"read">;
  readonly requests: NotionRequest[];
  /** Maximum number of results of a list. */
  limit: number;
  /** Replaces the answer of a request, unless undefined. */
  fault: (request: NotionRequest) => Fault | undefined;
  /** Changes an answer before it is sent. */
  odd: (request: NotionRequest, answer: Json) => unknown;
  close(): Promise<void>;
}

const version = "2026-03-11";

/** Starts a server on loopback with an empty workspace. */
export async function startNotion(token = "ntn_0123456789abcdefghijklmnop"): Promise<NotionServer> {
  const made = createWorkspace();
  const { workspace, pages, databases, blocks, tops, user, dashed } = made;
  const { pageJson, sourceJson, databaseJson, blockJson, pageOfBlock, isReadable, isShown } = made;

  const failure = (status: number, code: string, message: string): Fault => ({
    status,
    body: { object: "error", status, code, message, request_id: "r-1" },
  });
  const notFound = (kind: string, id: string): Fault =>
    failure(
      404,
      "object_not_found",
      `Could not find ${kind} with ID: ${id}. Make sure the relevant pages and databases are shared with your integration.`,
    );

  /** A list, cut at the page size and at the limit of the API. */
  function listed(
    all: readonly Json[],
    given: { size: unknown; cursor: unknown },
    type: string,
    limit = server.limit,
  ): Json | Fault {
    const size = given.size === undefined || given.size === null ? 100 : Number(given.size);
    if (!(size >= 1 && size <= 100)) return failure(400, "validation_error", "page_size must be between 1 and 100.");
    const most = all.slice(0, limit);
    const at =
      given.cursor === undefined || given.cursor === null ? 0 : Number((given.cursor as string).replace("cursor-", ""));
    if (Number.isNaN(at)) return failure(400, "validation_error", "The start_cursor provided is invalid.");
    const hasMore = at + size < most.length;
    const isCut = !hasMore && all.length > most.length;
    return {
      object: "list",
      type,
      [type]: {},
      results: most.slice(at, at + size),
      has_more: hasMore,
      next_cursor: hasMore ? `cursor-${at + size}` : null,
      request_status: isCut
        ? { type: "incomplete", incomplete_reason: "query_result_limit_reached" }
        : { type: "complete" },
    };
  }

  function answer({ method, path, query, body }: NotionRequest): Json | Fault {
    const [, , kind = "", raw = "", what = "", name = ""] = path.split("/");
    const id = dashed(raw);
    if (kind === "users" && raw === "me") {
      const bot = {
        owner: { type: "workspace", workspace: true },
        workspace_id: workspace.workspaceId,
        workspace_name: "Acme",
        workspace_limits: {},
      };
      return { object: "user", id: user.id, type: "bot", name: "Lectern", avatar_url: null, bot };
    }
    if (!server.capabilities.has("read"))
      return failure(403, "restricted_resource", "Insufficient permissions for this endpoint.");
    if (kind === "search" && method === "POST") {
      const results = [
        ...[...pages.values()].filter(isShown).map(pageJson),
        ...[...databases.values()]
          .filter(({ isTrashed }) => !isTrashed)
          .flatMap((database) => database.sources.map((source) => sourceJson(database, source))),
      ].toSorted((one, other) => String(one["last_edited_time"]).localeCompare(String(other["last_edited_time"])));
      const sort = body["sort"] as Json | undefined;
      if (sort?.["direction"] !== "ascending") results.reverse();
      return listed(results, { size: body["page_size"], cursor: body["start_cursor"] }, "page_or_data_source");
    }
    if (kind === "pages") {
      const page = pages.get(id);
      if (databases.has(id)) return failure(400, "validation_error", `Provided ID ${id} is a database, not a page.`);
      if (!isReadable(page)) return notFound("page", id);
      if (what !== "properties") return pageJson(page);
      const property = Object.values(page.properties).find((one) => (one as Json)["id"] === name) as Json | undefined;
      if (property === undefined) return notFound("property", name);
      const given = { size: query.get("page_size") ?? undefined, cursor: query.get("start_cursor") ?? undefined };
      return listed(entriesOf(property), given, "property_item");
    }
    if (kind === "databases") {
      const database = databases.get(id);
      return database ? databaseJson(database) : notFound("database", id);
    }
    if (kind === "data_sources") {
      const database = [...databases.values()].find(({ sources }) => sources.some((source) => source.id === id));
      const source = database?.sources.find((one) => one.id === id);
      if (database === undefined || source === undefined) return notFound("data source", id);
      if (what !== "query") return sourceJson(database, source);
      const since = ((body["filter"] as Json | undefined)?.["created_time"] as Json | undefined)?.["on_or_after"];
      const rows = [...pages.values()]
        .filter((page) => isShown(page) && page.parent["data_source_id"] === id)
        .filter(({ created }) => since === undefined || created >= (since as string))
        .toSorted((one, other) => one.created.localeCompare(other.created));
      return listed(
        rows.map(pageJson),
        { size: body["page_size"], cursor: body["start_cursor"] },
        "page_or_data_source",
      );
    }
    if (kind === "blocks") {
      const page = pages.get(id);
      const stored = blocks.get(id);
      const owner = page ?? pages.get(pageOfBlock(id));
      if (owner === undefined || !isReadable(owner) || (stored?.isTrashed ?? false)) return notFound("block", id);
      if (what !== "children") return blockJson(id);
      const of = (stored?.block["synced_block"] as Json | undefined)?.["synced_from"] as Json | null | undefined;
      const from = of
        ? (blocks.get(dashed(of["block_id"] as string))?.children ?? [])
        : (stored?.children ?? tops.get(id) ?? []);
      const standing = from.filter((one) => {
        const child = pages.get(one);
        return child ? isShown(child) : databases.has(one) || !(blocks.get(one)?.isTrashed ?? true);
      });
      return listed(
        standing.map(blockJson),
        { size: query.get("page_size") ?? undefined, cursor: query.get("start_cursor") ?? undefined },
        "block",
        Infinity,
      );
    }
    return failure(400, "invalid_request_url", "Invalid request URL.");
  }

  const http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const url = new URL(request.url ?? "/", "http://localhost");
      const text = Buffer.concat(chunks).toString();
      const received: NotionRequest = {
        method: request.method ?? "GET",
        path: url.pathname,
        query: url.searchParams,
        body: text === "" ? {} : (JSON.parse(text) as Json),
        headers: request.headers,
      };
      server.requests.push(received);
      const send = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void => {
        response.writeHead(status, { "content-type": "application/json", ...headers });
        response.end(typeof body === "string" ? body : JSON.stringify(body ?? {}));
      };
      const fault = server.fault(received);
      if (fault?.silent) return;
      if (fault) return send(fault.status, fault.body, fault.headers);
      const given = (request.headers.authorization ?? "").replace("Bearer ", "");
      if (!server.tokens.has(given)) return send(401, failure(401, "unauthorized", "API token is invalid.").body);
      if (request.headers["notion-version"] !== version)
        return send(400, failure(400, "missing_version", `Notion-Version must be ${version}.`).body);
      const reply = answer(received);
      if (typeof reply["status"] === "number" && "body" in reply) return send(reply["status"], reply["body"]);
      return send(200, server.odd(received, reply as Json));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(http.address() as AddressInfo).port}`;

  const server: NotionServer = {
    ...workspace,
    url: `http://${host}`,
    host,
    tokens: new Set([token]),
    capabilities: new Set(["read"]),
    requests: [],
    limit: 10_000,
    fault: () => undefined,
    odd: (_request, reply) => reply,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}
