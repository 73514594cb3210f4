import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Server as TcpServer } from "node:net";
import { onTestFinished } from "vitest";
import { createFetchClient, type FetchClientOptions } from "../../../sources/lib/fetch/client.ts";
import { createGuard } from "../../../sources/lib/fetch/guard.ts";

/** Opens a server on the loopback address; returns host:port. */
export async function listen(server: Server | TcpServer): Promise<string> {
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Listener = (...args: Parameters<RequestListener>) => unknown;

/** An HTTP server for the duration of a test; returns host:port. */
export async function serve(listener: Listener): Promise<string> {
  const server = createServer((request, response) => void listener(request, response));
  const host = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return host;
}

const noProxies = { http: undefined, https: undefined, except: "" };

/** A client that reaches these hosts, by default without proxies. */
export function clientFor(allow: readonly string[], options: Partial<FetchClientOptions> = {}) {
  const guard = createGuard({ allow });
  const client = createFetchClient({ guard, userAgent: "Lectern test", proxies: noProxies, ...options });
  onTestFinished(() => client.close());
  return client;
}
