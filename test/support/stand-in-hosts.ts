import { readFile } from "node:fs/promises";
import { createServer, request as ask } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { createCertificate } from "./certificate.ts";

/** Test servers that are reached by the names of public hosts. */
export interface StandInHosts {
  /** Environment that a process needs to reach them. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * Starts an https proxy with its own certificate authority. `hosts`: the server address of each host name; any other host is 404. The
 * certificate is written to `folder`.
 */
export async function startStandInHosts(
  folder: string,
  hosts: Readonly<Record<string, string>>,
): Promise<StandInHosts> {
  const { key, cert } = await createCertificate(folder, Object.keys(hosts));
  const tls = createTlsServer({ key: await readFile(key), cert: await readFile(cert) }, (request, response) => {
    const address = hosts[request.headers.host ?? ""];
    if (address === undefined) return void response.writeHead(404).end();
    const { method, headers, url } = request;
    const behind = ask(new URL(`${address}${url}`), { method, headers: { ...headers, host: new URL(address).host } });
    behind.on("error", () => response.destroy());
    behind.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(behind);
  });
  const proxy = createServer((_request, response) => response.writeHead(404).end());
  const tunnels = new Set<Duplex>();
  proxy.on("connect", (_request, socket) => {
    tunnels.add(socket);
    socket.on("error", () => socket.destroy()).on("close", () => tunnels.delete(socket));
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    tls.emit("connection", socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    env: { HTTPS_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: "127.0.0.1", NODE_EXTRA_CA_CERTS: cert },
    async close() {
      for (const tunnel of tunnels) tunnel.destroy();
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
