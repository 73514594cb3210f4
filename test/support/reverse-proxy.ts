import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** Starts a reverse proxy that replaces the Host header. Returns its address. */
export async function startReverseProxy(target: string, host: string): Promise<string> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, response) => {
    const { method, url: path } = incoming;
    const sent = request({ hostname, port, method, path, headers: { ...incoming.headers, host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on("error", () => response.destroy());
    incoming.pipe(sent);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
