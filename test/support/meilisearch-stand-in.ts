import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

type Document = Readonly<Record<string, unknown>>;

interface Index {
  settings: Record<string, unknown>;
  readonly documents: Map<string, Document>;
}

/**
 * The part of Meilisearch's API that Lectern uses, in memory: keys, indexes, settings, documents, filters, and unranked searches for
 * words.
 */
export async function startMeilisearchStandIn(masterKey: string) {
  const indexes = new Map<string, Index>();
  const keys = new Map<string, { readonly key: string; readonly uid: string }>();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const key = (request.headers.authorization ?? "").replace("Bearer ", "");
      const url = new URL(request.url ?? "/", "http://stand-in");
      const [status, answer] = answerTo(`${request.method} ${url.pathname}`, url.searchParams, body, key);
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Loses all data, like a restart with an empty folder. */
    lose(): void {
      indexes.clear();
      keys.clear();
    },
    /** Number of documents of an index; undefined if it does not exist. */
    count: (index: string): number | undefined => indexes.get(index)?.documents.size,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function answerTo(request: string, query: URLSearchParams, body: string, key: string): readonly [number, unknown] {
    const isMaster = key === masterKey;
    if (request === "GET /health") return [200, { status: "available" }];
    if (!isMaster && ![...keys.values()].some((one) => one.key === key)) return problem(403, "invalid_api_key");
    if (request.startsWith("GET /tasks/")) return [200, { uid: 1, status: "succeeded", error: null }];
    if (request === "POST /multi-search") {
      const { queries } = JSON.parse(body) as { queries: readonly (Document & { indexUid: string })[] };
      const missing = queries.find(({ indexUid }) => !indexes.has(indexUid));
      return missing ? problem(404, "index_not_found") : [200, { results: queries.map(search) }];
    }
    const [, method, uid = "", rest = ""] = /^(\w+) \/indexes\/(\w+)\/?(.*)$/.exec(request) ?? [];
    const index = indexes.get(uid);
    if (method !== undefined && (isMaster || rest !== "" || method === "GET")) {
      if (!index) return problem(404, "index_not_found");
      return inIndex(uid, index, `${method} ${rest}`, query, body) ?? problem(404, "not_found");
    }
    return isMaster ? asMaster(request, body) : problem(403, "invalid_api_key");
  }

  function asMaster(request: string, body: string): readonly [number, unknown] {
    const given = body === "" ? {} : (JSON.parse(body) as Record<string, string>);
    const uid = given["uid"] ?? request.split("/")[2] ?? "";
    if (request === "GET /version") return [200, { pkgVersion: "1.50.0" }];
    if (request === "GET /stats") return [200, { databaseSize: 1 }];
    if (request === "POST /indexes") {
      indexes.set(uid, { settings: {}, documents: new Map() });
      return enqueued;
    }
    if (request === "POST /keys") {
      const key = createHash("sha256")
        .update(uid + masterKey)
        .digest("hex");
      keys.set(uid, { ...given, uid, key });
    }
    const known = keys.get(uid);
    return known ? [200, known] : problem(404, "api_key_not_found");
  }

  function inIndex(
    uid: string,
    index: Index,
    request: string,
    query: URLSearchParams,
    body: string,
  ): readonly [number, unknown] | undefined {
    const { documents } = index;
    if (request === "GET settings") return [200, index.settings];
    if (request === "PATCH settings") {
      index.settings = { ...index.settings, ...(JSON.parse(body) as object) };
      return enqueued;
    }
    if (request === "POST documents") {
      const added = (
        body.startsWith("[") ? JSON.parse(body) : body.split("\n").map((line) => JSON.parse(line) as unknown)
      ) as Document[];
      for (const document of added) documents.set(String(document["id"]), document);
      return enqueued;
    }
    if (request === "GET documents" || request === "POST documents/fetch") {
      const given = body === "" ? Object.fromEntries(query) : (JSON.parse(body) as Record<string, unknown>);
      const ids = typeof given["ids"] === "string" ? given["ids"].split(",") : (given["ids"] as string[] | undefined);
      const all =
        ids?.flatMap((id) => documents.get(id) ?? []) ?? [...documents.values()].filter(accepting(given["filter"]));
      return [200, { results: all, offset: 0, limit: all.length, total: all.length }];
    }
    if (request === "POST documents/delete") {
      const { filter } = JSON.parse(body) as { filter: unknown };
      for (const [id, document] of documents) if (accepting(filter)(document)) documents.delete(id);
      return enqueued;
    }
    if (request === "POST search") {
      const snaps = [...documents.values()].map((document) => [String(document["snap"]), 1]);
      return [200, { ...search({ indexUid: uid, limit: 0 }), facetDistribution: { snap: Object.fromEntries(snaps) } }];
    }
    const [, method, id = ""] = /^(\w+) documents\/(.+)$/.exec(request) ?? [];
    if (method === "DELETE") {
      documents.delete(decodeURIComponent(id));
      return enqueued;
    }
    const document = documents.get(decodeURIComponent(id));
    return method === "GET" ? (document ? [200, document] : problem(404, "document_not_found")) : undefined;
  }

  /** Documents that pass the filter and have all quoted words and at least one other word of the query. */
  function search({ indexUid, q = "", filter, limit = 20 }: Document & { indexUid: string }) {
    const words = String(q).split(" ").filter(Boolean);
    const having = (word: string) => (document: Document) =>
      JSON.stringify(document).toLowerCase().includes(word.toLowerCase());
    const needed = words.filter((word) => word.startsWith('"')).map((word) => having(word.replaceAll('"', "")));
    const some = words.filter((word) => !word.startsWith('"')).map(having);
    const matching = [...(indexes.get(indexUid)?.documents.values() ?? [])].filter(
      (document) =>
        accepting(filter)(document) &&
        needed.every((has) => has(document)) &&
        (some.length === 0 || some.some((has) => has(document))),
    );
    const hits = matching.slice(0, Number(limit)).map((document) => ({ ...document, _rankingScore: 1 }));
    return { indexUid, hits, estimatedTotalHits: matching.length, processingTimeMs: 0, query: q, limit, offset: 0 };
  }
}

const enqueued = [202, { taskUid: 1, status: "enqueued" }] as const;

function problem(status: number, code: string): readonly [number, unknown] {
  return [status, { message: code, code, type: "invalid_request", link: "" }];
}

/** A test for a filter: one condition, or several joined by AND. */
function accepting(filter: unknown): (document: Document) => boolean {
  const conditions = filter === undefined ? [] : [filter].flat().map(String);
  return (document) =>
    conditions.every((condition) => {
      const [, attribute = "", values = ""] = /^(\w+) (?:=|IN) (.*)$/.exec(condition) ?? [];
      const wanted = Array.from(values.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, value = ""]) =>
        value.replace(/\\(.)/g, "$1"),
      );
      return [document[attribute]].flat().some((value) => wanted.includes(String(value)));
    });
}
