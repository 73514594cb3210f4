import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { tarball, tarOf, filesIn } from "../support/archives.ts";
import { formOf } from "../support/form.ts";
import { adminKey } from "../support/lectern-process.ts";
import { pdfOf, shape, slidesOf, wordOf } from "../support/office.ts";
import { zipOf } from "../support/zip.ts";
import { startServers } from "./setup.ts";

const { server, folder, blobs } = await startServers();

async function upload(name: string, content: Buffer | string, fields: Readonly<Record<string, string>> = {}) {
  const { bytes, type } = await formOf("file", { name, text: new Uint8Array(Buffer.from(content)) }, fields);
  const response = await fetch(`${server.url}/api/v2/add/upload`, {
    method: "POST",
    headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": type },
    body: Buffer.from(bytes),
  });
  return { status: response.status, body: (await response.json()) as { libraryName: string; message: string } };
}

const ask = async (libraryId: string, query = "make a widget"): Promise<string> => {
  const asked = new URLSearchParams({ libraryId, query }).toString();
  return String((await server.call("GET", `/v2/context?${asked}`)).body);
};

/** The last run of a library, with its failure. */
const lastRun = async (libraryName: string): Promise<unknown> =>
  ((await server.settled(libraryName)) as { runs: unknown[] }).runs[0];

const guide = (code: string): string =>
  `# Guide\n\n## Make a widget\n\nCall it with the name that the widget is to have:\n\n\`\`\`js\n${code}\n\`\`\`\n`;
const pages = {
  "README.md": "# Widgets\n\nWidgets make gadgets spin, quickly and without noise.\n",
  "docs/guide.md": guide("widget(1);"),
};

const code = ["def widget(name):", "    if name:", "        return make(name)", "", "widget('first')"];
const pdf = pdfOf([
  [
    ["bold", 20, 72, 700, "Guide"],
    ["text", 11, 72, 660, "Widgets make gadgets spin, quickly and without noise."],
  ],
  [
    ["bold", 16, 72, 700, "Make a widget"],
    ["text", 11, 72, 670, "Call it with the name that the widget is to have:"],
    ...code.flatMap((text, at) => {
      const indent = text.length - text.trimStart().length;
      return text === "" ? [] : [["code", 10, 72 + indent * 6, 650 - at * 12, text.trimStart()] as const];
    }),
  ],
]);
const docx = wordOf([
  ["Heading1", "Guide"],
  ["Heading2", "Make a widget"],
  ["", "Call it with the name that the widget is to have:"],
  ...code.map((text) => ["", text, "Consolas"] as const),
]);
const line = (text: string): string =>
  `<a:p><a:r><a:rPr><a:latin typeface="Courier New"/></a:rPr><a:t xml:space="preserve">${text}</a:t></a:r></a:p>`;
const pptx = slidesOf([
  ["Guide", shape("body", "<a:p><a:r><a:t>Widgets make gadgets spin, quickly and without noise.</a:t></a:r></a:p>")],
  ["Make a widget", shape("", code.map(line).join(""))],
]);

it.each([
  ["a Markdown page", "guide.md", guide("widget(1);"), "widget(1);", "guide.md#L"],
  [
    "a page of HTML",
    "guide.html",
    `<h1>Guide</h1><h2 id="make">Make a widget</h2><p>Call it with its name:</p><pre>widget(2);</pre>`,
    "widget(2);",
    "guide.html",
  ],
  ["a zip", "widgets.zip", zipOf(filesIn("", pages)), "widget(1);", "widgets.zip/docs/guide.md#L"],
  [
    "a compressed tar of a folder",
    "widgets.tar.gz",
    tarball(filesIn("widgets-1.0", pages)),
    "widget(1);",
    "widgets.tar.gz/docs/guide.md#L",
  ],
  ["a tar", "widgets.tar", tarOf(...filesIn("widgets-1.0", pages)), "widget(1);", "widgets.tar/docs/guide.md#L"],
  ["a PDF", "guide.pdf", pdf, code.join("\n"), "guide.pdf#page=1"],
  ["a Word document", "guide.docx", docx, code.join("\n"), "guide.docx"],
  ["a presentation", "guide.pptx", pptx, code.join("\n"), "guide.pptx#slide=1"],
  [
    "a zip of documents",
    "all.zip",
    zipOf([
      { path: "a.pdf", body: pdf },
      { path: "b.docx", body: docx },
    ]),
    code.join("\n"),
    "all.zip/a.pdf#page=1",
  ],
])("%s is indexed", async (kind, name, content, expected, source) => {
  const { status, body } = await upload(name, content, { libraryTitle: kind });
  expect(body.message).toContain("was submitted");
  expect({ status, name: body.libraryName }).toEqual({
    status: 200,
    name: `/docs/${kind.toLowerCase().replaceAll(/\W+/g, "-")}`,
  });
  expect(await lastRun(body.libraryName)).toMatchObject({ outcome: "published" });
  const answer = await ask(body.libraryName);
  expect(answer).toContain(expected);
  expect(answer).toContain(source);
});

it("names the page of a PDF for each example", async () => {
  const { body } = await upload("pages.pdf", pdf);
  await server.settled(body.libraryName);
  const { body: answer } = await server.call(
    "GET",
    `/v2/context?libraryId=${body.libraryName}&query=make+a+widget&type=json`,
  );
  expect(answer).toMatchObject({ codeSnippets: [{ codeId: "pages.pdf#page=2" }] });
});

it("replaces its library only with force, and only once the new file is indexed", async () => {
  const libraryTitle = "Handbook";
  const { body } = await upload("handbook.md", guide("widget('old');"), { libraryTitle });
  await server.settled(body.libraryName);
  expect(await upload("handbook.docx", docx, { libraryTitle })).toMatchObject({ status: 409 });
  const bad = await upload("handbook.docx", docx.subarray(0, 300), { libraryTitle, force: "true" });
  expect(bad).toMatchObject({ status: 200, body: { libraryName: "/docs/handbook" } });
  expect(await lastRun("/docs/handbook")).toMatchObject({ outcome: "failed", failure: { error: "no_code_found" } });
  expect(await ask("/docs/handbook")).toContain("widget('old');");
  await upload("handbook.docx", docx, { libraryTitle, force: "true" });
  expect(await lastRun("/docs/handbook")).toMatchObject({ outcome: "published" });
  const answer = await ask("/docs/handbook");
  expect(answer).toContain("widget('first')");
  expect(answer).not.toContain("widget('old');");
  expect(await server.call("POST", "/v1/refresh", { libraryName: "/docs/handbook" })).toMatchObject({ status: 400 });
  const kept = await Array.fromAsync(blobs.list("uploads/"));
  expect(await server.call("DELETE", "/v2/libs?libraryId=/docs/handbook")).toMatchObject({ status: 200 });
  expect((await Array.fromAsync(blobs.list("uploads/"))).length).toBeLessThan(kept.length);
});

it.each([
  [
    "an encrypted document of Word",
    "locked.docx",
    Buffer.from("d0cf11e0a1b11ae1", "hex"),
    "no_code_found",
    "protected by a password",
  ],
  ["a broken PDF", "damaged.pdf", "%PDF-1.4 nothing", "no_code_found", "damaged"],
  ["a PDF of pictures", "scan.pdf", pdfOf([[]]), "no_code_found", "no text"],
  ["a broken zip", "damaged.zip", zipOf(filesIn("", pages)).subarray(0, 100), "source_invalid", "damaged"],
  [
    "a path that leads out",
    "out.zip",
    zipOf([{ path: "../../out.md", body: "# Out" }]),
    "source_invalid",
    "leads out of it",
  ],
  [
    "an archive without documents",
    "none.tar.gz",
    tarball([{ path: "a.png", body: "PNG" }]),
    "no_snippets_found",
    "No documents",
  ],
  [
    "only a link",
    "link.tar",
    tarOf({ path: "passwd.md", type: "SymbolicLink", linkpath: "/etc/passwd" }),
    "no_snippets_found",
    "1 links of the archive are left out",
  ],
])("%s fails with a clear reason", async (libraryTitle, name, content, error, message) => {
  const { body } = await upload(name, content, { libraryTitle });
  expect(await lastRun(body.libraryName)).toMatchObject({
    outcome: "failed",
    failure: { error, message: expect.stringContaining(message) as unknown },
  });
});

it("is uploaded by lectern add", async () => {
  const file = join(folder, "printed.pdf");
  await writeFile(file, pdf);
  const env = { PATH: process.env["PATH"], LECTERN_ADMIN_KEY: adminKey, PUBLIC_URL: server.url };
  const lectern = join(import.meta.dirname, "../../cli/lectern.mjs");
  const add = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [lectern, "add", file, ...args], { env });
  expect((await add()).stdout).toContain('"outcome":"published","libraryId":"/docs/printed"');
  expect((await add("--force")).stdout).toContain("was replaced");
});

it("with sources is exported, and imported elsewhere with the same answer", async () => {
  const source = "/** Turns a gear. */\nexport function turn(teeth: number): number {\n  return teeth;\n}\n";
  const guide = "# Gears\n\nGears are turned by a command:\n\n```\ngears --turn 3\n```\n";
  const { body } = await upload(
    "gears.zip",
    zipOf([
      { path: "README.md", body: guide },
      { path: "src/turn.ts", body: source },
    ]),
  );
  await server.settled(body.libraryName);
  const program = join(import.meta.dirname, "../../cli/lectern.mjs");
  const run = async (args: readonly string[], data: string) =>
    promisify(execFile)(process.execPath, [program, ...args], { env: { PATH: process.env["PATH"], DATA_DIR: data } });
  const file = join(folder, "gears.ndjson");
  await run(["export", body.libraryName, "--out", file], folder);
  const { stdout } = await run(["import", file], join(folder, "elsewhere"));
  expect(stdout).toContain(`${body.libraryName} was imported`);
  expect(await ask(body.libraryName, "turn a gear")).toContain("```\ngears --turn 3\n```");
});
