import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { cloudRoutes } from "./confluence-cloud.ts";
import { dataCenterRoutes } from "./confluence-data-center.ts";
import { createSpace, type Answer, type Space, type Trouble } from "./confluence-space.ts";

/** An answer with its headers. */
interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** A site of Confluence under test. */
export interface ConfluenceSite extends Space {
  readonly origin: string;
  readonly host: string;
  readonly cloudId: string;
  readonly trouble: Trouble;
  /** Path and query of every request. */
  readonly requests: string[];
  /** Every `Authorization` header that was sent. */
  readonly tokens: Set<string>;
  /** Replaces the answer of a path, unless undefined. */
  fault: (path: string) => (Partial<Reply> & Pick<Reply, "status">) | undefined;
  /** Changes an answer before it is sent. */
  odd: (path: string, body: unknown) => unknown;
  close(): Promise<void>;
}

/**
 * Starts a site that follows the published API descriptions of Confluence (Cloud v2 and v1, Data Center below `/confluence`), and
 * its API gateway, all at one address.
 */
export async function startConfluence(): Promise<ConfluenceSite> {
  const space = createSpace();
  const cloudId = "11111111-2222-3333-4444-555555555555";
  const trouble: Trouble = {
    throttled: 0,
    maxLimit: Infinity,
    empty: 0,
    revoked: false,
    lacks: new Set(),
    circles: false,
    silent: false,
    broken: new Set(),
    hangs: false,
  };
  const requests: string[] = [];
  const tokens = new Set<string>();
  let origin = "";

  function answerTo(request: IncomingMessage): Answer & { readonly headers?: Record<string, string> } {
    const url = new URL(request.url ?? "/", origin);
    requests.push(`${url.pathname}${decodeURIComponent(url.search)}`);
    if (url.pathname === "/_edge/tenant_info") return { status: 200, body: { cloudId } };
    const { authorization = "" } = request.headers;
    tokens.add(authorization);
    if (trouble.revoked || authorization === "") return { status: 401, body: { message: "Unauthorized" } };
    if (trouble.throttled > 0) {
      trouble.throttled -= 1;
      return { status: 429, body: { message: "Rate limit" }, headers: { "retry-after": "0" } };
    }
    const gateway = `/ex/confluence/${cloudId}`;
    const isCloud = !url.pathname.startsWith("/confluence/");
    const path = url.pathname.startsWith(gateway) ? url.pathname.slice(gateway.length) : url.pathname;
    for (const route of isCloud ? cloudRoutes : dataCenterRoutes) {
      const match = route.path.exec(path);
      if (!match) continue;
      if (trouble.lacks.has(route.scope))
        return { status: 401, body: { message: "Unauthorized; scope does not match" } };
      if (Number(url.searchParams.get("limit") ?? 0) > trouble.maxLimit) return { status: 500, body: {} };
      return route.answer(url, match, { ...space, origin, trouble }) ?? { status: 404, body: { message: "Not found" } };
    }
    return { status: 404, body: { message: "No such path" } };
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? "/";
    const { status, body, headers = {} } = site.fault(path) ?? answerTo(request) ?? { status: 404, body: {} };
    if (trouble.hangs && /body/.test(path)) return;
    response.writeHead(status, { "content-type": "application/json", ...headers });
    if (trouble.empty > 0 && status === 200) {
      trouble.empty -= 1;
      response.end();
    } else response.end(JSON.stringify(site.odd(path, body)));
  }

  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  origin = `http://${host}`;
  const site: ConfluenceSite = {
    ...space,
    origin,
    host,
    cloudId,
    trouble,
    requests,
    tokens,
    fault: () => undefined,
    odd: (_path, body) => body,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return site;
}
