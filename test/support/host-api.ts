import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { createFetchClient, type FetchClient } from "../../sources/lib/fetch/client.ts";
import { createGuard } from "../../sources/lib/fetch/guard.ts";

/** A request to the API of a host. */
export interface HostRequest {
  readonly method: string;
  /** As it was asked, with the public name of the host. */
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** What the API answers; 200 with an empty object by default. */
export interface HostAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A server that stands in for the APIs of Git hosts, and a client that reaches it by any name. */
export interface HostApi {
  readonly client: FetchClient;
  readonly requests: HostRequest[];
  close(): Promise<void>;
}

/** Starts the server. */
export async function startHostApi(answer: (request: HostRequest) => HostAnswer): Promise<HostApi> {
  const requests: HostRequest[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const text = Buffer.concat(pieces).toString();
      const url = new URL(request.url ?? "/", `https://${String(request.headers["x-asked-host"])}`);
      const body: unknown = text === "" ? undefined : JSON.parse(text);
      const asked = { method: request.method ?? "", url, headers: request.headers, body };
      requests.push(asked);
      const { status = 200, headers = {}, body: sent = {} } = answer(asked);
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(sent));
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxies = { http: undefined, https: undefined, except: "" };
  const client = createFetchClient({ guard: createGuard({ allow: [host] }), userAgent: "Lectern test", proxies });
  return {
    requests,
    client: {
      ...client,
      request: (url, request) =>
        client.request(new URL(`http://${host}${url.pathname}${url.search}`), {
          ...request,
          headers: { ...request?.headers, "x-asked-host": url.host },
        }),
    },
    async close() {
      await client.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A page of items, with the header Link of GitHub, GitLab and Gitea (RFC 8288). */
export function pageOf(items: readonly unknown[], { url }: HostRequest, size: number): HostAnswer {
  const page = Number(url.searchParams.get("page") ?? "1");
  const next = new URL(url);
  next.searchParams.set("page", String(page + 1));
  const link = page * size < items.length ? { link: `<${next.href}>; rel="next", <${next.href}>; rel="last"` } : {};
  return { headers: link, body: items.slice((page - 1) * size, page * size) };
}
