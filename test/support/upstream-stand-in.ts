import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that the upstream received. */
export interface UpstreamRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

/** An upstream server whose answers a test sets; records its requests. */
export interface UpstreamStandIn {
  /** Ends in `/api`. */
  readonly url: string;
  readonly requests: UpstreamRequest[];
  /** Sets the handler of all following requests. */
  answer(handler: (request: UpstreamRequest, response: ServerResponse) => void): void;
  close(): Promise<void>;
}

/** Starts one on loopback; until `answer` is called, it answers 404 as our API does. */
export async function startUpstreamStandIn(): Promise<UpstreamStandIn> {
  const requests: UpstreamRequest[] = [];
  let handle: (request: UpstreamRequest, response: ServerResponse) => void = (_request, response) =>
    sendJson(response, { error: "library_not_found", message: "There is none." }, 404);
  const server = createServer(({ url = "", headers }, response) => {
    const { pathname: path, searchParams: query } = new URL(url, "http://upstream.example.com");
    const request = { path, query, headers };
    requests.push(request);
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/api`,
    requests,
    answer: (handler) => void (handle = handler),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function sendJson(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

export function sendText(response: ServerResponse, text: string, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { "content-type": "text/plain; charset=utf-8", ...headers }).end(text);
}

/** A library as in a search result of the published API. */
export function libraryResult(id: string, more: object = {}): object {
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

/** Answers that a library was renamed. */
export function sendMoved(response: ServerResponse, redirectUrl: string): void {
  sendJson(response, { error: "library_redirected", message: "It moved.", redirectUrl }, 301, {
    location: redirectUrl,
  });
}
