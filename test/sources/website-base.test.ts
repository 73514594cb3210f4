import { expect, it } from "vitest";
import { page, setup } from "./website-setup.ts";

it("follows links and canonical addresses relative to the page's base", async () => {
  const site = await setup({
    "/docs/": page("Start", ["use.html"], '<base href="/docs/v2/">'),
    "/docs/use.html": page("Wrong"),
    "/docs/v2/use.html": page("Use", ["print"], '<base href="/docs/v2/">'),
    "/docs/v2/print": page("Print", [], '<base href="/docs/v2/"><link rel="canonical" href="use.html">'),
  });
  const { read, left } = await site.index("/docs/");
  expect(read).toEqual(["/docs/", "/docs/v2/use.html"]);
  expect(left).toEqual({ "/docs/v2/print": "elsewhere" });
});
