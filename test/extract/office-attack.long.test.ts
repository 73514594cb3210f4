import { deflateSync } from "node:zlib";
import { afterAll, expect, it } from "vitest";
import { parseOnThread } from "../../activities/parse-page.ts";
import { mediaTypeOf } from "../../extract/formats.ts";
import { createThreadPool } from "../../sources/lib/threads/thread-pool.ts";
import { pdfOf, shape, slidesOf, wordOf } from "../support/office.ts";

const pool = createThreadPool({ maxThreads: 1, threadMemory: 200 });
afterAll(() => pool.close());

const parse = (path: string, bytes: Uint8Array) =>
  parseOnThread(pool, {
    path,
    mediaType: mediaTypeOf(path),
    url: path,
    bytes,
    spec: { kind: "upload", fileName: path },
    revision: "",
  });

/** A PDF of one page with this content, which is compressed. */
function packedPdf(content: Buffer): Buffer {
  const packed = deflateSync(content, { level: 1 });
  const head = `%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >> endobj
5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Courier >> endobj
4 0 obj << /Filter /FlateDecode /Length ${packed.length} >>
stream
`;
  return Buffer.concat([Buffer.from(head), packed, Buffer.from("\nendstream endobj\ntrailer << /Root 1 0 R >>\n")]);
}

it("fails a PDF that unpacks to more than a thread may keep", async () => {
  await expect(parse("bomb.pdf", packedPdf(Buffer.alloc(500_000_000, " ")))).rejects.toMatchObject({
    code: "page_too_costly",
    message: expect.stringContaining("memory") as unknown,
  });
});

it.each([
  ["one line of many pieces", (at: number) => `BT /F 8 Tf ${at % 600} 700 Td (a) Tj ET\n`],
  ["as many sizes as lines", (at: number) => `BT /F ${8 + at / 1000} Tf 72 ${at / 50} Td (Words ${at}) Tj ET\n`],
  ["lines at one place", (at: number) => `BT /F 10 Tf 72 ${700 - at / 1e6} Td (code ${at}) Tj ET\n`],
  [
    "cells of one table",
    (at: number) => `BT /F 8 Tf ${(at % 200) * 30} ${700 - Math.floor(at / 200)} Td (a b) Tj ET\n`,
  ],
])("reads a PDF of %s in time", async (_, piece) => {
  const content = Array.from({ length: 60_000 }, (__, at) => piece(at)).join("");
  const start = performance.now();
  await parse("many.pdf", packedPdf(Buffer.from(content))).catch((error: unknown) =>
    expect(error).toMatchObject({ code: "page_too_costly" }),
  );
  expect(performance.now() - start).toBeLessThan(20_000);
});

it("reads damaged documents, or says what is wrong with them", async () => {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const documents = {
    "a.pdf": pdfOf([
      [
        ["text", 11, 72, 700, "Some words"],
        ["code", 10, 72, 600, "print(1)"],
      ],
    ]),
    "a.docx": wordOf([
      ["Heading1", "Widgets"],
      ["", "Some words"],
      ["", "print(1)", "Consolas"],
    ]),
    "a.pptx": slidesOf([["Widgets", shape("body", "<a:p><a:r><a:t>Some words</a:t></a:r></a:p>")]]),
  };
  for (const [path, bytes] of Object.entries(documents))
    for (let round = 0; round < 150; round += 1) {
      const damaged = Buffer.from(bytes);
      for (let at = random(8); at >= 0; at -= 1) damaged[random(damaged.length)] = random(256);
      const cut = round % 3 === 0 ? damaged.subarray(0, random(damaged.length)) : damaged;
      expect(["indexed", "skipped"]).toContain((await parse(path, cut)).outcome);
    }
});
