import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { isRunning, processesBelow } from "./support/browser.ts";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { startSite } from "../support/site.ts";

const chromium = inject("chromium");

/** A page whose text and links are made by a script. */
function scripted(name: string, links: readonly string[]): string {
  const nav = links.map((href) => `<a href="${href}">${href}</a>`).join("");
  const body = `<nav>${nav}</nav><main><article><h1>${name}</h1><p>This page tells how ${name} is used, and when it is better not to be used, in a paragraph that is long enough to be read as documentation by anybody who looks at it, and then some.</p><pre><code class="language-js">${name.toLowerCase()}();\n</code></pre></article></main>`;
  return `<!doctype html><html lang="en"><head><title>${name}</title></head><body><div id="root"></div><script>document.getElementById("root").innerHTML = ${JSON.stringify(body).replaceAll("<", "\\u003c")};</script></body></html>`;
}

/** Pages of one document whose script shows what the fragment names. */
const routed = `<!doctype html><html><head><title>App</title></head><body><div id="app"></div><script>
  const pages = { "": "Home", "#/one": "Uno", "#/two": "Due" };
  const show = () => {
    const name = pages[location.hash] ?? "None";
    document.getElementById("app").innerHTML = '<nav><a href="#/one">1</a><a href="#/two">2</a></nav><main><h1>' + name + '</h1><p>This page tells how ' + name + ' is used, and when it is better not to be used, in a paragraph that is long enough to be read as documentation by anybody.</p><pre><code class="language-js">' + name.toLowerCase() + '();</code></pre></main>';
  };
  addEventListener("hashchange", show);
  show();
</script></body></html>`;

async function world(env: Record<string, string>) {
  const folder = await temporaryFolder();
  const server = await startLectern(folder.path, { FETCH_ALLOW: "127.0.0.1", ...env });
  onTestFinished(async () => {
    await server.kill("SIGTERM");
    await folder[Symbol.asyncDispose]();
  });
  return server;
}

const codesOf = async (server: Awaited<ReturnType<typeof world>>, libraryName: string): Promise<string[]> => {
  const path = `/v2/context?libraryId=${libraryName}&query=page%20is%20used&type=json&kind=code&tokens=10000`;
  const { body } = await server.call("GET", path);
  const { codeSnippets } = body as { codeSnippets: { codeList: { code: string }[] }[] };
  return codeSnippets.flatMap(({ codeList }) => codeList.map(({ code }) => code)).toSorted();
};

describe.skipIf(chromium === null)("a website of scripts", () => {
  it("that is in the browser when the server stops is no failure, and leaves no browser behind", async () => {
    const folder = await temporaryFolder();
    onTestFinished(() => folder[Symbol.asyncDispose]());
    const reached = Promise.withResolvers<void>();
    const site = await startSite({
      "/": scripted("Start", ["/a"]).replace("<script>", '<script src="/held.js"></script><script>'),
      "/a": scripted("Alpha", []),
      "/held.js": () => reached.resolve(),
    });
    onTestFinished(() => site.close());
    const env = { FETCH_ALLOW: "127.0.0.1", CHROMIUM_PATH: chromium ?? "" };
    const server = await startLectern(folder.path, env, undefined, { detached: true });
    await server.call("POST", "/v2/add/website", { websiteUrl: `${site.origin}/`, libraryName: "/websites/held" });
    await reached.promise;
    const browsers = () => processesBelow(server.pid).map(({ pid }) => pid);
    const running = browsers();
    expect(running.length).toBeGreaterThan(1);
    const since = performance.now();
    expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(performance.now() - since).toBeLessThan(10_000);
    await expect.poll(() => running.filter((pid) => isRunning(pid))).toEqual([]);
  });

  it("is read in a browser, with what its pages lead to, beside plain pages, and again at each refresh", async () => {
    const server = await world({ CHROMIUM_PATH: chromium ?? "" });
    const site = await startSite({
      "/": scripted("Start", ["/a", "/plain"]),
      "/a": scripted("Alpha", ["/b"]),
      "/b": scripted("Beta", ["/"]),
      "/plain": scripted("Plain", []).replace(
        /^.*<body>.*?innerHTML = ".*$/s,
        "<html><body><main><h1>Plain</h1><p>This page tells how Plain is used without any script, in a paragraph that is long enough to be taken for one of documentation, with more words than any emptiness would have, so that nobody doubts it, and then some more.</p><pre><code>plain();</code></pre></main></body></html>",
      ),
    });
    onTestFinished(() => site.close());
    const libraryName = "/websites/scripted";
    await server.call("POST", "/v2/add/website", { websiteUrl: `${site.origin}/`, libraryName });
    expect(await server.settled(libraryName)).toMatchObject({ state: "finalized", live: { counts: { pages: 4 } } });
    expect(await codesOf(server, libraryName)).toEqual(["alpha();", "beta();", "plain();", "start();"]);
    const refresh = async (): Promise<unknown> => {
      await server.call("POST", "/v1/refresh", { libraryName });
      const { runs } = (await server.settled(libraryName)) as { runs: { outcome: string }[] };
      return runs[0]?.outcome;
    };
    expect(await refresh()).toBe("unchanged");
    site.pages.set("/b", scripted("Gamma", []));
    expect(await refresh()).toBe("published");
    expect(await codesOf(server, libraryName)).toEqual(["alpha();", "gamma();", "plain();", "start();"]);
  });

  it("has a page for each route of its fragments, where these are kept", async () => {
    const server = await world({ CHROMIUM_PATH: chromium ?? "" });
    const site = await startSite({ "/": routed });
    onTestFinished(() => site.close());
    const libraryName = "/websites/routed";
    await server.call("POST", "/v2/add/website", { websiteUrl: `${site.origin}/`, libraryName, keepHash: true });
    expect(await server.settled(libraryName)).toMatchObject({ state: "finalized", live: { counts: { pages: 3 } } });
    expect(await codesOf(server, libraryName)).toEqual(["due();", "home();", "uno();"]);
  });

  it("has no page for places on a route, nor for routes that are not there", async () => {
    const server = await world({ CHROMIUM_PATH: chromium ?? "" });
    const links = ["#/", "#/one?id=use", "#/one#use", "#/one", "#/two?id=use&a=b", "#/two#use", "#/none", "#/?id=home"];
    const app = (
      open: string,
    ): string => `<!doctype html><html><head><title>App</title></head><body><div id="app"></div><script>
      const show = () => {
        const name = { "": "Home", "/": "Home", "/one": "Uno", "/two": "Due" }[location.hash.slice(1).split(/[?#]/)[0]] ?? "Nothing";
        app.innerHTML = '<aside class="sidebar"><h1>Site</h1><ul>' + ${JSON.stringify(links)}.map((href) => '<li><a href="' + href + '">Sidebar</a></li>').join("") + '</ul></aside>${open}<h1>' + name + '</h1><p>This page tells how ' + name + ' is used, and when it is better not to be used, in a paragraph that is long enough to be read as documentation by anybody.</p><pre><code class="language-js">' + name.toLowerCase() + '();</code></pre></article>';
      };
      addEventListener("hashchange", show);
      if (location.hash === "") location.replace("#/");
      show();
    </script></body></html>`;
    const pagesOf = async (libraryName: string, open: string): Promise<Record<string, string>> => {
      const site = await startSite({ "/": app(open) });
      onTestFinished(() => site.close());
      await server.call("POST", "/v2/add/website", { websiteUrl: `${site.origin}/`, libraryName, keepHash: true });
      await server.settled(libraryName);
      const { body } = await server.call("GET", `/v2/libs/status/pages?libraryId=${libraryName}`);
      const { pages } = body as { pages: { path: string; code?: string }[] };
      return Object.fromEntries(pages.map(({ path, code }) => [path.slice(site.origin.length), code ?? "read"]));
    };
    const docsify = await pagesOf("/websites/docsify", '<article class="markdown-section" id="main">');
    expect(docsify).toEqual({ "/#/": "read", "/#/one": "read", "/#/two": "read", "/#/none": "gone" });
    const { body } = await server.call(
      "GET",
      "/v2/context?libraryId=/websites/docsify&query=page%20is%20used&type=txt",
    );
    expect(body).toContain("how Uno is used");
    expect(body).not.toContain("Sidebar");
    // Elsewhere a parameter may name another page: what says the same is told by its words.
    const other = await pagesOf("/websites/other", "<article>");
    expect(Object.keys(other).filter((path) => /#.*#/.test(path))).toEqual([]);
    expect(Object.values(other).filter((code) => code === "read")).toHaveLength(3);
    expect(other).toMatchObject({ "/#/": "read", "/#/none": "gone" });
  });

  it("judges what a browser has made as what servers send: robots, canonical addresses, missing pages and log-ins", async () => {
    const server = await world({ CHROMIUM_PATH: chromium ?? "" });
    const links = ["/good", "/private", "/away", "/other-name", "/login", "/gone", "/hidden/#/route"];
    // The server sends the same document for every address, as those of applications do.
    const app = `<!doctype html><html><head><title>App</title></head><body><div id="root"></div><script>
      const at = location.pathname;
      if (at === "/away") location.replace("/private");
      if (at === "/other-name") document.head.insertAdjacentHTML("beforeend", '<link rel="canonical" href="/good">');
      const name = { "/": "Start", "/good": "Good", "/other-name": "Other", "/hidden/": "Hidden" }[at] ?? "Nothing";
      const nav = ${JSON.stringify(links)}.map((href) => '<a href="' + href + '">link</a>').join("");
      const text = "This page tells how it is used, in a paragraph that is long enough to be read as documentation by anybody.";
      root.innerHTML = at === "/login"
        ? '<main><h1>Sign in</h1><form><input type="password"></form></main>'
        : '<nav>' + nav + '</nav><main><h1>' + name + '</h1><p>' + text + '</p><pre><code class="language-js">' + name + '();</code></pre></main>';
    </script></body></html>`;
    const http = createServer((request, response) => {
      const isRobots = request.url === "/robots.txt";
      const isList = /\.(?:xml|txt|md)$/.test(request.url ?? "");
      if (isRobots) return void response.end("User-agent: Lectern\nDisallow: /private\nDisallow: /hidden/");
      response.writeHead(isList ? 404 : 200, { "content-type": "text/html" }).end(isList ? "" : app);
    });
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    onTestFinished(() => void http.close());
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const libraryName = "/websites/judged";
    await server.call("POST", "/v2/add/website", { websiteUrl: `${origin}/`, libraryName, keepHash: true });
    await server.settled(libraryName);
    const { body } = await server.call("GET", `/v2/libs/status/pages?libraryId=${libraryName}`);
    const { pages } = body as { pages: { path: string; code?: string; reason?: string }[] };
    expect(Object.fromEntries(pages.map(({ path, code }) => [path.slice(origin.length), code ?? "read"]))).toEqual({
      "/": "read",
      "/good": "read",
      "/private": "robots",
      "/away": "robots",
      "/other-name": "elsewhere",
      "/login": "source_refused",
      "/gone": "gone",
      "/hidden/#/route": "robots",
    });
  });

  it("sends headers to the origin that was submitted, and not to where that redirects", async () => {
    const server = await world({ CHROMIUM_PATH: chromium ?? "" });
    const other = await startSite({ "/": scripted("Other", []) });
    const site = await startSite({ "/": { status: 302, headers: { location: `${other.origin}/` } } });
    onTestFinished(() => Promise.all([other.close(), site.close()]).then(() => undefined));
    const libraryName = "/websites/moved";
    const headers = { "X-Secret": "very-secret" };
    await server.call("POST", "/v2/add/website", { websiteUrl: `${site.origin}/`, libraryName, headers });
    expect(await server.settled(libraryName)).toMatchObject({ state: "finalized", live: { counts: { pages: 1 } } });
    expect(site.requests.some(({ headers: sent }) => sent["x-secret"] === "very-secret")).toBe(true);
    expect(other.requests.filter(({ headers: sent }) => sent["x-secret"] !== undefined)).toEqual([]);
  });

  it("serves everything else where there is no browser, and says what is missing", async () => {
    const server = await world({ CHROMIUM_PATH: "/nowhere/chromium" });
    const site = await startSite({
      "/": `<!doctype html><html><head><title>Start</title></head><body><main><h1>Welcome</h1><p>This page is plain, and says so in a paragraph that is long enough to be taken for one of documentation, with more words than any emptiness would have.</p><pre><code>welcome();</code></pre><a href="/a">a</a></main></body></html>`,
      "/a": scripted("Alpha", []),
    });
    onTestFinished(() => site.close());
    const libraryName = "/websites/halved";
    await server.call("POST", "/v2/add/website", { websiteUrl: `${site.origin}/`, libraryName });
    expect(await server.settled(libraryName)).toMatchObject({
      state: "finalized",
      live: { counts: { pages: 1, pagesFailed: 1 } },
    });
    const { body } = await server.call("GET", `/v2/libs/status/pages?libraryId=${libraryName}&outcome=failed`);
    expect(body).toMatchObject({ pages: [{ path: `${site.origin}/a`, code: "browser_needed" }] });
  });
});
