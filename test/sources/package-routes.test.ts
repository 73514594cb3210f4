import { createServer } from "node:https";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RegistryName } from "../../domain/packages.ts";
import { startRegistry } from "../support/registries.ts";
import { folderOfTest } from "../support/of-test.ts";
import { hasOpenssl, makeCertificates } from "../workers/tls-rig.ts";
import { clientFor, listen, serve } from "./fetch/setup.ts";
import { accessTo, placesOf, type Configured } from "./package-access.ts";
import { readingPackage } from "./package-setup.ts";

describe("a proxy and certificates", () => {
  const pem = "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n";
  const files = { "/ca.pem": pem };
  const proxies = (except: string, proxy = "http://p.example:3128") => ({ http: proxy, https: proxy, except });

  it.each<[string, RegistryName, Configured, object]>([
    [
      "npm's",
      "npm",
      { npmrc: "proxy=http://no.example\nhttps-proxy=http://p.example:3128\nnoproxy=a.example\ncafile=/ca.pem", files },
      { proxies: proxies("a.example"), ca: pem },
    ],
    ["npm's, in the file itself", "npm", { npmrc: `ca[]="${pem.replaceAll("\n", "\\n")}"` }, { ca: pem }],
    [
      "npm's as variables",
      "npm",
      { env: { NPM_CONFIG_HTTPS_PROXY: "p.example:3128", NPM_CONFIG_CAFILE: "/ca.pem", no_proxy: "b.example" }, files },
      { proxies: proxies("b.example", "http://p.example:3128"), ca: pem },
    ],
    [
      "pip's",
      "pypi",
      { pip: { file: "[global]\nproxy = http://p.example:3128\ncert = /ca.pem" }, files },
      { proxies: proxies(""), ca: pem },
    ],
    [
      "pip's as variables",
      "pypi",
      { env: { PIP_PROXY: "http://p.example:3128", PIP_CERT: "/ca.pem" }, files },
      { proxies: proxies(""), ca: pem },
    ],
    [
      "cargo's",
      "crates",
      {
        files: {
          "/home/user/.cargo/config.toml": '[http]\nproxy = "p.example:3128"\ncainfo = "ca.pem"',
          "/home/user/ca.pem": pem,
        },
      },
      { proxies: proxies(""), ca: pem },
    ],
  ])("are %s", (_what, registry, configured, route) => {
    expect(accessTo(configured).routeOf(registry)).toEqual(route);
  });

  it.each<[string, RegistryName, Configured]>([
    ["a proxy of another protocol", "npm", { npmrc: "proxy=socks5://p.example" }],
    ["a file that is not there", "npm", { npmrc: "cafile=/none" }],
    [
      "a file without certificates",
      "pypi",
      { pip: { file: "[global]\ncert=/key" }, files: { "/key": "-----BEGIN PRIVATE KEY-----" } },
    ],
    ["an invalid index", "pypi", { pip: { indexUrl: "ftp://s3cret@example.com" } }],
    ["an invalid proxy of modules", "go", { go: { proxies: "file:///s3cret" } }],
  ])("with %s are reported to those who ask for a package, and nothing is read", (_what, registry, configured) => {
    const access = accessTo(configured);
    const problem = placesOf(access, registry);
    expect(problem).toBeTypeOf("string");
    expect(problem).not.toContain("s3cret");
    expect(() => access.authorizationFor(registry, "https://x.example/", new URL("https://x.example/"))).toThrow(
      String(problem),
    );
  });
});

it("reads a package through the proxy that npm is configured for", async () => {
  const site = await startRegistry("npm");
  site.publish("widgets", { "1.0.0": { files: { "README.md": "# Widgets\n\nThey spin.\n\n```js\nspin();\n```\n" } } });
  const seen: string[] = [];
  const proxy = await serve((incoming, response) => {
    seen.push(incoming.url ?? "");
    incoming.pipe(
      request(incoming.url ?? "", { method: incoming.method, headers: incoming.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      }),
    );
  });
  const access = accessTo({ npmrc: `registry=${site.url}\nproxy=http://${proxy}` });
  const { index } = await readingPackage("npm", site, "widgets", access);
  expect((await index()).manifest.counts.pages).toBe(1);
  expect(seen).toEqual([`${site.url}widgets`, `${site.url}widgets/1.0.0`, `${site.url}widgets/-/archive-1.0.0.tgz`]);
});

it.skipIf(!hasOpenssl)("trusts the certificates of a route for its requests, and for no others", async () => {
  const certificates = await makeCertificates(await folderOfTest());
  const [key, cert, ca] = ["server.key", "server.pem", "ca.pem"].map((name) =>
    readFileSync(certificates.file(name), "utf8"),
  );
  const server = createServer({ key, cert }, (_request, response) => response.end("trusted"));
  const host = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = clientFor([host]);
  const url = new URL(`https://${host}/`);
  expect(await (await client.request(url, { route: { ca: ca ?? "" } })).text()).toBe("trusted");
  await expect(client.request(url)).rejects.toMatchObject({ code: "source_invalid" });
});
