import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that an upstream got. */
export interface GotRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

/** A server in the place of an upstream, which answers as the test says and keeps what it is asked. */
export interface UpstreamStandIn {
  /** Ends in `/api`. */
  readonly url: string;
  readonly asked: GotRequest[];
  /** Answers from now on. */
  answer(handler: (request: GotRequest, response: ServerResponse) => void): void;
  close(): Promise<void>;
}

/** Starts one on a free port of loopback; it answers 404 as a server of this API does, until it is told something else. */
export async function startUpstreamStandIn(): Promise<UpstreamStandIn> {
  const asked: GotRequest[] = [];
  let handle: (request: GotRequest, response: ServerResponse) => void = (_request, response) =>
    sendJson(response, { error: "library_not_found", message: "There is none." }, 404);
  const server = createServer(({ url = "", headers }, response) => {
    const { pathname: path, searchParams: query } = new URL(url, "http://upstream.example.com");
    const request = { path, query, headers };
    asked.push(request);
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api`,
    asked,
    answer: (handler) => void (handle = handler),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends JSON. */
export function sendJson(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** Sends a text. */
export function sendText(response: ServerResponse, text: string, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { "content-type": "text/plain; charset=utf-8", ...headers }).end(text);
}

/** A library as a search of the published API tells of it. */
export function toldLibrary(id: string, more: object = {}): object {
  return {
    id,
    title: id.split("/")[2],
    description: `What ${id} is`,
    branch: "main",
    lastUpdateDate: "2026-01-02T03:04:05.000Z",
    state: "finalized",
    totalTokens: 1000,
    totalSnippets: 10,
    stars: 5,
    trustScore: 9,
    versions: [],
    ...more,
  };
}

/** Says that a library has another ID. */
export function sendMoved(response: ServerResponse, redirectUrl: string): void {
  sendJson(response, { error: "library_redirected", message: "It moved.", redirectUrl }, 301, {
    location: redirectUrl,
  });
}
