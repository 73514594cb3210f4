import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A request to a receiver. */
export interface Received {
  readonly id: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  /** The parsed body. */
  readonly event: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** Starts a receiver of notifications, which answers 204 unless `answer` says otherwise. */
export async function startReceiver() {
  const received: Received[] = [];
  const receiver = {
    received,
    answer: (response: ServerResponse): void => void response.writeHead(204).end(),
    url: "",
  };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = Buffer.concat(pieces).toString("utf8");
      const headers = request.headers as Record<string, string>;
      const event = JSON.parse(body) as Received["event"];
      received.push({ id: headers["webhook-id"] ?? "", headers, body, event });
      receiver.answer(response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/lectern`;
  return receiver;
}
