import { mkdir, writeFile } from "node:fs/promises";
import { request as askPlain } from "node:http";
import { request as askTls } from "node:https";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { routes } from "../../api/app.ts";
import { pages } from "../../api/dashboard/pages.ts";
import type { Route } from "../../api/route.ts";
import { freePort, startProgram, type Program } from "../../tools/dev/program.ts";
import { createCertificate } from "../support/certificate.ts";
import { blocksOfDocuments } from "../support/documents.ts";
import { adminKey, startLectern, temporaryFolder, type LecternProcess } from "../support/lectern-process.ts";

const host = "docs.example.com";
/** nginx started by root would drop to a user that cannot write into the folder of the test. */
const isRoot = process.getuid?.() === 0;

/** The configuration of a proxy in the guide, with ports and certificate of this test. */
function configuration(language: string, changes: readonly (readonly [from: string, to: string])[]): string {
  const [, blocks = []] = blocksOfDocuments().find(([document]) => document === "docs/guides/harden.md") ?? [];
  const text = blocks.find((block) => block.language === language)?.text ?? "";
  for (const [from] of changes) expect(text).toContain(from);
  return changes.reduce((changed, [from, to]) => changed.replace(from, to), text);
}

interface Place {
  readonly folder: string;
  readonly port: number;
  /** Of the server behind the proxy. */
  readonly behind: number;
}

/** How each proxy is started with the configuration of the guide. */
const proxies: Readonly<
  Record<"nginx" | "caddy", (place: Place) => { readonly file: string; readonly args: readonly string[] }>
> = {
  nginx({ folder, port, behind }) {
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${join(folder, name)};`,
    );
    const server = configuration("nginx", [
      ["listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`],
      ["/etc/ssl/docs.example.com.pem", join(folder, "hosts.pem")],
      ["/etc/ssl/docs.example.com.key", join(folder, "hosts.key")],
      ["127.0.0.1:8080", `127.0.0.1:${behind}`],
    ]);
    const file = `${isRoot ? "user root;\n" : ""}daemon off;\npid ${join(folder, "nginx.pid")};\nevents {}\nhttp {\naccess_log off;\n${paths.join("\n")}\n${server}}\n`;
    return { file, args: ["-e", "stderr", "-p", folder, "-c", join(folder, "configuration")] };
  },
  caddy({ folder, port, behind }) {
    const site = configuration("caddyfile", [
      [
        "docs.example.com {",
        `https://docs.example.com:${port} {\n\ttls ${join(folder, "hosts.pem")} ${join(folder, "hosts.key")}`,
      ],
      ["127.0.0.1:8080", `127.0.0.1:${behind}`],
    ]);
    const file = `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`;
    return { file, args: ["run", "--adapter", "caddyfile", "--config", join(folder, "configuration")] };
  },
};

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  /** The server itself answered, not the proxy. */
  readonly isOurs: boolean;
  /** Beginning of the body: a stream does not end. */
  readonly start: string;
}

/** Asks the server itself, or the proxy in front of it. */
function ask(port: number, tls: boolean, { method, path, headers = {}, body }: Asked): Promise<Answer> {
  const send = tls ? askTls : askPlain;
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, method, path, headers: { ...headers, host }, agent: false };
    const request = send({ ...options, ...(tls && { servername: host, rejectUnauthorized: false }) }, (response) => {
      const answered = (start: string): void =>
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers["content-type"],
          isOurs: response.headers["x-request-id"] !== undefined,
          start,
        });
      response.once("data", (chunk: Buffer) => {
        answered(chunk.toString().slice(0, 20));
        response.destroy();
      });
      response.once("end", () => answered("")).on("error", () => undefined);
    });
    request.on("error", reject).end(body);
  });
}

describe.each(["nginx", "caddy"] as const)("%s as docs/guides/harden.md configures it", (name) => {
  const command = inject(name);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: LecternProcess;
  let proxy: Program;
  let direct: (asked: Asked) => Promise<Answer>;
  let proxied: (asked: Asked) => Promise<Answer>;

  describe.skipIf(command === null)("passes on", () => {
    beforeAll(async () => {
      folder = await temporaryFolder();
      await createCertificate(folder.path, [host]);
      server = await startLectern(join(folder.path, "data"), {
        PUBLIC_URL: `https://${host}`,
        TRUSTED_PROXIES: "127.0.0.1",
        AUTH_ANONYMOUS: "off",
      });
      const [port, behind] = [await freePort(), Number(new URL(server.url).port)];
      direct = (asked) => ask(behind, false, asked);
      proxied = (asked) => ask(port, true, asked);
      const { file, args } = proxies[name]({ folder: folder.path, port, behind });
      await mkdir(join(folder.path, "logs"), { recursive: true });
      await writeFile(join(folder.path, "configuration"), file);
      proxy = await startProgram({
        command: command ?? "",
        args,
        env: { HOME: folder.path, XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path },
        log: join(folder.path, "proxy.log"),
        ready: async () => (await proxied({ method: "GET", path: "/api/health" }).catch(() => null))?.status === 200,
      });
    });
    afterAll(async () => {
      await proxy.stop();
      await server.kill("SIGTERM");
      await folder[Symbol.asyncDispose]();
    });

    it("every route and every page, and the server answers as without it", async () => {
      const shown = pages.map(({ kind, path }) => ({
        method: kind === "page" ? ("GET" as const) : ("POST" as const),
        path,
      }));
      const served: readonly Pick<Route, "method" | "path" | "aliases">[] = [...routes, ...shown];
      const requests = served.flatMap(({ method, path, aliases = [] }) =>
        [path, ...aliases].map((one): Asked => ({
          method,
          path: one.replaceAll(/\{\w+\}|\*\*/g, "x"),
          headers: { accept: one.startsWith("/api") ? "application/json" : "text/html" },
        })),
      );
      expect(requests.length).toBeGreaterThan(80);
      for (const asked of requests) {
        const answer = await proxied(asked);
        expect([asked.path, answer]).toEqual([asked.path, { ...(await direct(asked)), isOurs: true }]);
      }
    });

    it("the header CONTEXT7_API_KEY", async () => {
      const body = Buffer.from('{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}');
      const accept = "application/json, text/event-stream";
      const headers = { CONTEXT7_API_KEY: adminKey, "content-type": "application/json", accept };
      expect(await proxied({ method: "POST", path: "/mcp", headers, body })).toMatchObject({ status: 200 });
    });

    it("the largest upload", async () => {
      const boundary = "boundary";
      const part = `--${boundary}\r\nContent-Disposition: form-data; name="openapiFile"; filename="a.json"\r\n\r\n`;
      const body = Buffer.from(`${part}${"x".repeat(10_000_000)}\r\n--${boundary}--\r\n`);
      const headers = {
        authorization: `Bearer ${adminKey}`,
        "content-type": `multipart/form-data; boundary=${boundary}`,
        "content-length": String(body.length),
      };
      const asked = { method: "POST", path: "/api/v2/add/openapi-upload", headers, body };
      expect(await proxied(asked)).toMatchObject({ status: 200, isOurs: true });
    });

    it("a stream as it comes", async () => {
      const body = Buffer.from('{"docsRepoUrl": "https://git.example.com/acme/widgets"}');
      const headers = { authorization: `Bearer ${adminKey}`, "content-type": "application/json" };
      expect(await proxied({ method: "POST", path: "/api/v2/add/repo/git", headers, body })).toMatchObject({
        status: 200,
      });
      const path = "/api/v2/libs/status/stream?libraryId=/acme/widgets";
      const answer = await proxied({ method: "GET", path, headers });
      expect(answer).toMatchObject({ status: 200, start: expect.stringMatching(/^(?:event|data|id|:)/) as string });
    });
  });
});
