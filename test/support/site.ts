import { hash } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** What a site serves at a path: a text (its type follows from the path's extension), a whole answer, or a request handler. */
export type SitePage =
  | string
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string | Buffer }
  | ((response: ServerResponse, headers: IncomingHttpHeaders, request: IncomingMessage) => void);

/** A site on loopback. */
export interface Site {
  readonly origin: string;
  readonly host: string;
  /** Pages by path with query; a path that ends in "?" matches any query. Others are 404. Tests may change it. */
  readonly pages: Map<string, SitePage>;
  /** The answered requests, in order. */
  readonly requests: { readonly path: string; readonly status: number; readonly headers: IncomingHttpHeaders }[];
  close(): Promise<void>;
}

const types: Readonly<Record<string, string>> = {
  md: "text/markdown; charset=utf-8",
  txt: "text/plain; charset=utf-8",
};

/** Starts a site. With `etags` texts have an ETag, and matching requests are answered 304. */
export async function startSite(pages: Readonly<Record<string, SitePage>> = {}, { etags = false } = {}): Promise<Site> {
  const served = new Map(Object.entries(pages));
  const requests: Site["requests"] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    response.on("finish", () => requests.push({ path, status: response.statusCode, headers: request.headers }));
    const page = served.get(path) ?? served.get(path.replace(/\?.*/, "?"));
    if (typeof page === "function") return page(response, request.headers, request);
    if (page === undefined) return void response.writeHead(404, { "content-type": "text/html" }).end("<html>No</html>");
    if (typeof page === "object") return void response.writeHead(page.status ?? 200, page.headers).end(page.body);
    const etag = `"${hash("sha256", page)}"`;
    if (etags && request.headers["if-none-match"] === etag) return void response.writeHead(304).end();
    const type = types[path.slice(path.lastIndexOf(".") + 1)] ?? "text/html; charset=utf-8";
    return void response.writeHead(200, { "content-type": type, ...(etags && { etag }) }).end(page);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin: `http://${host}`,
    host,
    pages: served,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
