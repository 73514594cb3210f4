import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { SitePage } from "../support/site.ts";
import { html, page, setup } from "./llmstxt-setup.ts";

describe("bad input", () => {
  it.each<[string, Readonly<Record<string, SitePage>>, string]>([
    ["nothing there", {}, "source_not_found"],
    [
      "HTML in its place",
      { "/llms.txt": { headers: { "content-type": "text/plain" }, body: html("No") } },
      "source_invalid",
    ],
    [
      "bytes that are no text",
      { "/llms.txt": { headers: { "content-type": "image/png" }, body: Buffer.from([0, 1, 2]) } },
      "source_invalid",
    ],
    ["no end", { "/llms.txt": fill }, "library_too_large"],
    ["a circle of redirects", { "/llms.txt": { status: 302, headers: { location: "/llms.txt" } } }, "source_invalid"],
    [
      "a way into a private network",
      { "/llms.txt": { status: 302, headers: { location: "http://169.254.169.254/llms.txt" } } },
      "address_not_allowed",
    ],
    [
      "10,000 links",
      { "/llms.txt": Array.from({ length: 10_000 }, (_, at) => `- [p](/p${at}.md)`).join("\n") },
      "library_too_large",
    ],
    ["a server that fails", { "/llms.txt": { status: 503 } }, "source_unreachable"],
    ["a login", { "/llms.txt": { status: 401 } }, "source_refused"],
  ])("with %s fails and says why", async (_, pages, code) => {
    const { index } = await setup(pages);
    await expect(index()).rejects.toMatchObject({ code, message: expect.stringMatching(/\.$/) as unknown });
  });

  it("with pages that are no text, endless or missing lists these as failed", async () => {
    const { index } = await setup({
      "/llms.txt": "- [A](/a.md)\n- [B](/b.md)\n- [C](/c.md)\n- [D](/d.md)\n",
      "/a.md": page("Alpha"),
      "/b.md": { headers: { "content-type": "application/pdf" }, body: Buffer.from([37, 80, 0]) },
      "/c.md": fill,
    });
    const { manifest } = await index();
    expect(manifest.pages.map(({ outcome, code }) => code ?? outcome)).toEqual([
      "indexed",
      "source_invalid",
      "library_too_large",
      "source_not_found",
    ]);
  });
});

function fill(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/plain" });
  const more = (): void => {
    while (response.write("x".repeat(65_536)));
    response.once("drain", more);
  };
  more();
}
