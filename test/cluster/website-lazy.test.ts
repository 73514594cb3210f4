import { setTimeout as sleep } from "node:timers/promises";
import { expect, inject, it, onTestFinished } from "vitest";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { startSite, type SitePage } from "../support/site.ts";

const chromium = inject("chromium");

const links: Readonly<Record<string, readonly string[]>> = {
  "": ["alpha", "beta"],
  alpha: ["gamma"],
  beta: ["delta"],
  gamma: ["epsilon"],
  delta: [],
  epsilon: [],
};

const shell = `<!doctype html><html><head><title>App</title></head><body><div id="root"></div><script type="module" src="/main.js"></script></body></html>`;

/** Like a router with lazy routes: a frame with a placeholder, until the module of the route has come and shows it. */
const main = `document.getElementById("root").innerHTML = "<header>Acme</header><main>Loading…</main>";
  const { show } = await import("/routes/" + (location.pathname.slice(1) || "start") + ".js"); await show();`;

/** A route that waits, asks for its data, shows them, and leads to others later. */
const route = (name: string): string => `const wait = (time) => new Promise((done) => setTimeout(done, time));
  export async function show() {
    await wait(400);
    const { title, links } = await (await fetch("/data/${name || "start"}.json")).json();
    const main = document.querySelector("main");
    main.innerHTML = "<h1>" + title + "</h1><p>This page tells how " + title + " is used, and when it is better not to be used, in a paragraph that is long enough.</p><pre><code class=language-js>" + title + "();</code></pre>";
    await wait(1500);
    main.insertAdjacentHTML("beforeend", links.map((link) => "<a href=/" + link + ">" + link + "</a>").join(" "));
  }`;

/** An answer that takes its time. */
const late = (type: string, body: string): SitePage =>
  ((response) => {
    void sleep(350).then(() => response.writeHead(200, { "content-type": type }).end(body));
  }) satisfies SitePage;

it.skipIf(chromium === null)("a site of scripts is read with all that comes late: routes, data and links", async () => {
  const pages = Object.entries(links).flatMap(([name, to]): [string, SitePage][] => [
    [`/${name}`, shell],
    [`/routes/${name || "start"}.js`, late("text/javascript", route(name))],
    [`/data/${name || "start"}.json`, late("application/json", JSON.stringify({ title: name || "start", links: to }))],
  ]);
  const site = await startSite({ ...Object.fromEntries(pages), "/main.js": late("text/javascript", main) });
  const folder = await temporaryFolder();
  const server = await startLectern(folder.path, { FETCH_ALLOW: "127.0.0.1", CHROMIUM_PATH: chromium ?? "" });
  onTestFinished(async () => {
    await server.kill("SIGTERM");
    await site.close();
    await folder[Symbol.asyncDispose]();
  });
  const libraryName = "/websites/lazy";
  await server.call("POST", "/v2/add/website", { websiteUrl: `${site.origin}/`, libraryName });
  expect(await server.settled(libraryName)).toMatchObject({ state: "finalized", live: { counts: { pages: 6 } } });
});
