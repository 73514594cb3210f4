import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A way to a port of this machine, which tests can disturb. */
export interface Passage {
  readonly port: number;
  /** Keeps connections, and passes on nothing. */
  freeze(): void;
  /** Passes on everything after a delay, in milliseconds. */
  slow(delay: number): void;
  /** Ends connections, and takes no new ones. */
  cut(): void;
}

/** Passes connections on to a port, until the test ends. */
export async function startPassage(port: number): Promise<Passage> {
  const sockets = new Set<Socket>();
  let frozen = false;
  let delay = 0;
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      const pass = (act: () => void): void => {
        if (frozen) return;
        if (delay === 0) act();
        else setTimeout(act, delay);
      };
      from.on("error", () => to.destroy()).on("close", () => to.destroy());
      from.on("data", (bytes) => pass(() => to.write(bytes)));
      from.on("end", () => pass(() => to.end()));
    }
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(cut);
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => void (frozen = true),
    slow: (milliseconds) => void (delay = milliseconds),
    cut,
  };
}
