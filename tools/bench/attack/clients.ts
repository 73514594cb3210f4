import { connect } from "node:net";
import type { Attack } from "./attack.ts";

/** Attacks by connections. */
export const clientAttacks: readonly Attack[] = [
  {
    name: "20 connections that pipeline and never read",
    ending: [],
    async begin({ url }) {
      const { hostname, port } = new URL(url);
      const flood = "GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(2000);
      let over = false;
      const attackers = new Set<ReturnType<typeof connect>>();
      const attack = (): void => {
        if (over) return;
        const socket = connect(Number(port), hostname).pause();
        attackers.add(socket);
        const write = (): void => void (socket.destroyed || socket.write(flood, () => setTimeout(write, 10)));
        socket.on("connect", write).on("error", () => socket.destroy());
        socket.on("close", () => setTimeout(attack, 10));
      };
      for (let at = 0; at < 20; at += 1) attack();
      return {
        libraryIds: [],
        end() {
          over = true;
          for (const socket of attackers) socket.destroy();
        },
      };
    },
  },
];
