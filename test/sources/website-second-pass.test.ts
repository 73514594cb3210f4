import { expect, it } from "vitest";
import { rendering } from "../../activities/rendering.ts";
import { Failure } from "../../domain/failures.ts";
import type { Browser } from "../../sources/lib/browser/browser.ts";
import { collectHere } from "../activities/collecting.ts";
import { folderOfTest } from "../support/of-test.ts";
import { page, setup } from "./website-setup.ts";

const empty =
  '<!doctype html><html><head><title>App</title></head><body><div id="root"></div><script src="/app.js"></script></body></html>';
const password =
  "<!doctype html><html><body><form><h1>Enter</h1><p>Your password, please.</p><input type=password></form></body></html>";
const notThere = page("No such page");

/** A stand-in browser that shows these pages, by path and fragment. */
function browserOf(
  shown: Readonly<Record<string, string | { to?: string; status?: number; html?: string; xRobotsTag?: string }>>,
) {
  const requests: string[] = [];
  const browser: Browser = {
    async render(url) {
      const at = url.pathname + url.hash;
      requests.push(at.replace(/no-such-page-\w+/, "no-such-page"));
      const answer = at.includes("no-such-page") ? notThere : shown[at];
      if (answer === undefined)
        throw new Failure("page_too_costly", "The page takes a browser more time than it is given.");
      const { to = "", status = 200, html = "", ...more } = typeof answer === "string" ? { html: answer } : answer;
      return { url: to === "" ? url : new URL(to, url), status, html, ...more };
    },
    close: async () => undefined,
  };
  return { browser, requests };
}

/** Makes both passes over a site; returns the outcome of each page in the second one, by path and fragment. */
async function bothPasses(paths: readonly string[], { browser }: { readonly browser: Browser }, keepHash = false) {
  const pages = Object.fromEntries(paths.map((path) => [path, empty]));
  const site = await setup({ "/": page("Start", paths), "/plain": page("Plain"), ...pages }, { browser });
  const spec = site.specOf("/", { keepHash });
  const { manifest } = await site.index("/", { keepHash });
  const { generation, revision } = manifest;
  const second = await collectHere({
    blobs: site.blobs,
    source: rendering(site.source, site.blobs, generation),
    input: { generation, spec, state: { revision, ref: null, location: spec.url } },
    context: { scratch: await folderOfTest() },
  });
  const rows = second.manifest.pages.map(({ path, outcome, code, title }) => [
    path.replace(site.site.origin, ""),
    outcome === "indexed" ? title : code,
  ]);
  return {
    pages: Object.fromEntries(rows) as object,
    validators: second.manifest.validators,
    origin: site.site.origin,
  };
}

it("reads pages in a browser that are empty without one, and follows their links", async () => {
  const { browser, requests } = browserOf({ "/one": page("One", ["/plain", "/two"]), "/two": page("Two") });
  const { pages, validators, origin } = await bothPasses(["/one"], { browser });
  expect(pages).toEqual({ "/": "Start", "/one": "One", "/plain": "Plain", "/two": "gone" });
  expect(requests).toEqual(["/no-such-page", "/one"]);
  expect(validators?.[`${origin}/one`]).toEqual({ rendered: true });
});

it("gives the reason why a page that a browser shows is not read", async () => {
  const { browser } = browserOf({
    "/missing": notThere,
    "/left": { status: 404 },
    "/unlisted": { html: page("Unlisted"), xRobotsTag: "NoIndex" },
    "/password": password,
    "/account": { to: "/enter", html: password },
    "/elsewhere": { to: "https://other.example.com/", html: page("Other") },
    "/log": { to: "https://other.example.com/login", html: password },
  });
  const paths = ["/missing", "/left", "/unlisted", "/password", "/account", "/elsewhere", "/log", "/slow"];
  expect((await bothPasses(paths, { browser })).pages).toEqual({
    "/": "Start",
    "/missing": "gone",
    "/left": "gone",
    "/unlisted": "robots",
    "/password": "source_refused",
    "/account": "source_refused",
    "/elsewhere": "elsewhere",
    "/log": "source_refused",
    "/slow": "page_too_costly",
  });
});

it("reads each route of a site's scripts, the first one even if it looks like a missing page", async () => {
  const { browser, requests } = browserOf({ "/#/": notThere, "/#/one": page("One", ["/#/two"]), "/#/two": notThere });
  const { pages } = await bothPasses(["/#/", "/#/one"], { browser }, true);
  expect(pages).toEqual({ "/": "Start", "/#/": "No such page", "/#/one": "One", "/#/two": "gone" });
  expect(requests.filter((path) => path.includes("no-such-page"))).toEqual(["/#/no-such-page"]);
});
