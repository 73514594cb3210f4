import { connect } from "node:net";

import { pino } from "pino";
import { Agent, request as fetchRaw } from "undici";
import { onTestFinished } from "vitest";

import type { ApiAnswer } from "../../api/answers.ts";
import type { ApiRequest } from "../../api/request.ts";
import { startServer, type ServerOptions } from "../../api/server.ts";

/** The app on a socket until the test ends, and functions that send requests. */
export async function serve(app: (request: ApiRequest) => Promise<ApiAnswer>, options: Partial<ServerOptions> = {}) {
  const log = pino({ level: "silent" });
  const server = await startServer(app, { host: "127.0.0.1", port: 0, log, ...options });
  const agent = new Agent({ keepAliveTimeout: 10_000 });
  onTestFinished(async () => {
    await server.close();
    await agent.destroy();
  });
  const { port } = new URL(server.url);
  /** Writes raw bytes; returns everything received until the server closes the connection. */
  const raw = (...texts: string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), "127.0.0.1");
      let received = "";
      socket.on("data", (chunk) => (received += chunk.toString("latin1")));
      socket.on("close", () => resolve(received));
      socket.on("error", (error) => (received === "" ? reject(error) : resolve(received)));
      for (const text of texts) socket.write(text);
    });
  const ask = async (
    path: string,
    more: { method?: string; headers?: Record<string, string>; body?: string | Uint8Array } = {},
  ) => {
    const answer = await fetchRaw(`${server.url}${path}`, { dispatcher: agent, ...more } as never);
    return { ...answer, bytes: Buffer.from(await answer.body.arrayBuffer()) };
  };
  return { server, raw, ask };
}
