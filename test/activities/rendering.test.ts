import { expect, it } from "vitest";
import { readPartLines } from "../../activities/parts.ts";
import { rendering, unrenderedPages } from "../../activities/rendering.ts";
import type { PageRef, Source } from "../../domain/ports.ts";
import { codesOf, type Passage } from "../../domain/passage.ts";
import type { Manifest } from "../../domain/generation.ts";
import { blobsOfTest, folderOfTest } from "../support/of-test.ts";
import { collectHere, neverResolved } from "./collecting.ts";

const site = "https://docs.example.com";
const pageOf = (name: string, fingerprint = name): PageRef => ({
  key: `${site}/${name}`,
  url: `${site}/${name}`,
  resource: `${site}/${name}`,
  mediaType: "text/markdown",
  fingerprint,
});
const textOf = (name: string): Buffer =>
  Buffer.from(`# ${name}\n\nThis page tells how ${name} works.\n\n\`\`\`js\n${name}();\n\`\`\`\n`);

/** A site of `plain` pages, of `scripted` ones that need a browser, and of pages that are left out. */
function siteOf(plain: readonly string[], scripted: readonly string[], rendered: string[]): Source {
  return {
    kind: "llmstxt",
    resolve: neverResolved,
    async *read(_, __, { unrendered, account }) {
      for (const { key } of unrendered ?? []) rendered.push(key);
      if (unrendered) {
        account?.({ validators: { [`${site}/rendered`]: { etag: "2" } } });
        for (const page of unrendered) {
          const name = page.key.slice(site.length + 1);
          if (name === "broken")
            yield { type: "failed", page, failure: { code: "timeout", message: "The browser hung." } };
          else yield { type: "page", page: pageOf(name, `rendered ${name}`), bytes: textOf(name) };
        }
        return;
      }
      account?.({ revision: "r1", validators: { [`${site}/plain`]: { etag: "1" } } });
      for (const name of scripted) yield { type: "unrendered", page: pageOf(name, "") };
      for (const name of plain) yield { type: "page", page: pageOf(name), bytes: textOf(name) };
      yield { type: "page", page: pageOf("empty"), bytes: Buffer.from("") };
      yield { type: "skipped", page: pageOf("private"), code: "robots", reason: "robots.txt refuses it." };
      yield { type: "failed", page: pageOf("away"), failure: { code: "source_unreachable", message: "It is away." } };
    },
  };
}

async function setup() {
  const blobs = await blobsOfTest();
  const collectWith = async (source: Source, generation: string, live?: Manifest) => {
    const { manifest } = await collectHere({
      blobs,
      source,
      input: {
        generation,
        spec: { kind: "llmstxt", url: `${site}/llms.txt`, otherHosts: false },
        state: { revision: "", ref: null, location: "" },
        live: live?.generation,
      },
      context: { scratch: await folderOfTest() },
    });
    const lines = (await Promise.all(manifest.parts.map((part) => readPartLines(blobs, part)))).flat();
    const codes = lines.flatMap((line) => codesOf(JSON.parse(line) as Passage).map(({ code }) => code));
    return { manifest, codes: codes.toSorted() };
  };
  return { blobs, collectWith };
}

it("a second pass reads the pages that need a browser, and keeps the first pass's result for all others", async () => {
  const { blobs, collectWith } = await setup();
  const rendered: string[] = [];
  const source = siteOf(["plain"], ["shown", "broken"], rendered);
  const first = await collectWith(source, "g1");
  expect(unrenderedPages(first.manifest).map(({ path }) => path)).toEqual([`${site}/shown`, `${site}/broken`]);
  expect(first.codes).toEqual(["plain();"]);
  expect(first.manifest.counts).toMatchObject({ pages: 1, pagesFailed: 3, pagesSkipped: 2 });

  const second = await collectWith(rendering(source, blobs, "g1"), "g1");
  expect(rendered).toEqual([`${site}/shown`, `${site}/broken`]);
  expect(second.codes).toEqual(["plain();", "shown();"]);
  expect(second.manifest.counts).toMatchObject({ pages: 2, pagesFailed: 2, pagesSkipped: 2 });
  expect(second.manifest).toMatchObject({
    revision: "r1",
    validators: { [`${site}/plain`]: { etag: "1" }, [`${site}/rendered`]: { etag: "2" } },
  });
  const outcomes = Object.fromEntries(
    second.manifest.pages.map(({ path, code }) => [path.slice(site.length + 1), code]),
  );
  expect(outcomes).toEqual({
    plain: undefined,
    shown: undefined,
    broken: "timeout",
    empty: "empty",
    private: "robots",
    away: "source_unreachable",
  });
  expect(unrenderedPages(second.manifest)).toEqual([]);

  // An attempt that is lost after its manifest is repeated, with the same result.
  const again = await collectWith(rendering(source, blobs, "g1"), "g1");
  expect(again.manifest.contentHash).toBe(second.manifest.contentHash);
});

it("without a browser such pages keep their last good passages, and everything else is served", async () => {
  const { blobs, collectWith } = await setup();
  const source = siteOf(["plain"], ["shown"], []);
  await collectWith(source, "g1");
  const { manifest: live } = await collectWith(rendering(source, blobs, "g1"), "g1");
  const blind: Source = {
    ...source,
    async *read(spec, state, context) {
      if (context.unrendered === undefined) yield* source.read(spec, state, context);
      for (const page of context.unrendered ?? []) yield { type: "unrendered", page };
    },
  };
  await collectWith(blind, "g2", live);
  const { manifest, codes } = await collectWith(rendering(blind, blobs, "g2"), "g2", live);
  expect(codes).toEqual(["plain();", "shown();"]);
  const shown = manifest.pages.find(({ path }) => path.endsWith("/shown"));
  expect(shown).toMatchObject({ outcome: "failed", code: "browser_needed", failures: 1 });
});
