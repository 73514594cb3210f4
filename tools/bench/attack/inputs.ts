import { Agent, request } from "node:http";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { tarOf } from "../../../test/support/archives.ts";
import { adminKey } from "../../../test/support/lectern-process.ts";
import { repeatText, type Attack, type AttackContext, type Begun } from "./attack.ts";

/** Attacks by input that costs more than it seems: archives, and the bodies of requests. */
export const inputAttacks: readonly Attack[] = [
  {
    name: "an archive of a package that is compressed twice",
    ending: ["source_invalid"],
    isBounded: true,
    begin: (context) => submitPackage(context, "twice", gzipSync(tarballOf("md", 75), { level: 9 })),
  },
  {
    name: "an archive of a package with more bytes than are unpacked, that nobody wants",
    ending: ["library_too_large"],
    begin: (context) => submitPackage(context, "unwanted", tarballOf("bin", 130)),
  },
  {
    name: "30 posters of a lockfile of 17 MB without a key",
    ending: [],
    isBounded: true,
    begin: async (context) => posting(context, 30, "pnpm-lock.yaml", pnpmLock(17)),
  },
  {
    name: "30 posters of a lockfile as large as it may be without a key",
    ending: [],
    isBounded: true,
    begin: async (context) => posting(context, 30, "pnpm-lock.yaml", pnpmLock(3.9)),
  },
  {
    name: "a requirements.txt of 2,000,000 lines, and 20 connections whose bodies come in chunks of a byte",
    ending: [],
    isBounded: true,
    async begin(context) {
      const lines = repeatText(2_000_000, (at) => `k${at.toString(36)}`);
      const posters = posting(context, 1, "requirements.txt", lines, { authorization: `Bearer ${adminKey}` });
      const crumbs = crumbling(context, 20);
      return {
        libraryIds: [],
        end() {
          void posters.end?.();
          void crumbs.end?.();
        },
      };
    },
  },
];

async function submitPackage({ registry, submit }: AttackContext, name: string, archive: Buffer): Promise<Begun> {
  registry.publish(name, { "1.0.0": { files: {}, archive } });
  return { libraryIds: [await submit("/v2/add/package", { registry: "npm", name, libraryName: `/npm/${name}` })] };
}

/** A gzipped tar of files of 39 MB each. Each is a gzip member of its own, so that the same bytes are compressed only once. */
function tarballOf(ending: string, files: number): Buffer {
  const body = Buffer.alloc(39_000_064, "x");
  const packed = gzipSync(body);
  const heads = Array.from({ length: files }, (_, at) =>
    tarOf({ path: `package/${at}.${ending}`, size: body.length }).subarray(0, 512),
  );
  const end = gzipSync(Buffer.alloc(1024));
  return Buffer.concat([...heads.flatMap((head) => [gzipSync(head), packed]), end]);
}

/** A lockfile of a size in megabytes. */
function pnpmLock(megabytes: number): string {
  return `packages: {${repeatText(megabytes * 52_600, (at) => `p${String(at).padStart(7, "0")}@1.0.0: {}`, ",")}}`;
}

/** Clients that keep sending a lockfile. */
function posting(
  { url }: AttackContext,
  clients: number,
  name: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Begun {
  const agent = new Agent({ keepAlive: false });
  const body = Buffer.from(
    `--x\r\nContent-Disposition: form-data; name="lockfile"; filename="${name}"\r\n\r\n${text}\r\n--x--\r\n`,
  );
  let over = false;
  const post = (): Promise<void> =>
    new Promise((resolve) => {
      const sent = request(`${url}/api/v2/resolve`, {
        method: "POST",
        agent,
        headers: { ...headers, "content-type": "multipart/form-data; boundary=x", "content-length": body.length },
      });
      sent.on("response", (response) => response.resume().on("close", resolve));
      // Refusals close the connection while the body is sent.
      sent.on("error", () => resolve());
      sent.end(body);
    });
  const client = async (): Promise<void> => {
    while (!over) {
      await post();
      await pause(10);
    }
  };
  for (let at = 0; at < clients; at += 1) void client();
  return {
    libraryIds: [],
    end() {
      over = true;
      agent.destroy();
    },
  };
}

/** Connections that send bodies in chunks of one byte, and reconnect when they are closed. */
function crumbling({ url }: AttackContext, connections: number): Begun {
  const { hostname, port } = new URL(url);
  const head =
    "POST /api/v2/resolve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
  const crumbs = "1\r\n \r\n".repeat(20_000);
  let over = false;
  const open = new Set<ReturnType<typeof connect>>();
  const begin = (): void => {
    if (over) return;
    const socket = connect(Number(port), hostname);
    open.add(socket);
    const write = (): void => void (socket.destroyed || socket.write(crumbs, () => setTimeout(write, 1)));
    socket.on("connect", () => socket.write(head, write)).on("error", () => socket.destroy());
    socket.resume().on("close", () => {
      open.delete(socket);
      setTimeout(begin, 10);
    });
  };
  for (let at = 0; at < connections; at += 1) begin();
  return {
    libraryIds: [],
    end() {
      over = true;
      for (const socket of open) socket.destroy();
    },
  };
}
