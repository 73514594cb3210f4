import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { startLectern, temporaryFolder, type LecternProcess } from "../support/lectern-process.ts";

const roots = await temporaryFolder();
const folders = [roots];

async function start(seconds: number): Promise<LecternProcess> {
  const data = await temporaryFolder();
  folders.push(data);
  return startLectern(data.path, {
    FOLDER_ROOTS: roots.path,
    PARSE_THREADS: "2",
    MAX_PAGE_SECONDS: String(seconds),
  });
}

const server = await start(1);
/** A server without an effective time limit for pages. */
const patient = await start(600);
afterAll(async () => {
  for (const one of [server, patient]) await one.kill("SIGTERM");
  for (const folder of folders) await folder[Symbol.asyncDispose]();
});

/** A page that makes the Markdown parser hang: its expressions for tags are cubic in non-breaking spaces. */
const hanging = `# Hanging\n\nText.\n\n<callout title=${"\u00A0".repeat(30_000)}\n\nText.\n`;
const good = (name: string): string => `# ${name}\n\nHow the ${name} is called:\n\n\`\`\`js\n${name}();\n\`\`\`\n`;

async function write(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(roots.path, name);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

async function add(name: string, files: Readonly<Record<string, string>>, to = server): Promise<void> {
  const path = await write(name, files);
  const added = await to.call("POST", "/v2/add/folder", { path, libraryName: `/docs/${name}` });
  expect(added).toMatchObject({ status: 200 });
}

interface Page {
  readonly path: string;
  readonly outcome: string;
  readonly code?: string;
  readonly reason?: string;
}

async function pagesOf(name: string): Promise<readonly Page[]> {
  const { body } = await server.call("GET", `/v2/libs/status/pages?libraryId=/docs/${name}`);
  return (body as { pages: Page[] }).pages;
}

async function read(name: string, word: string, from = server): Promise<string> {
  const query = new URLSearchParams({ libraryId: `/docs/${name}`, query: `How is the ${word} called?`, type: "txt" });
  const { body } = await from.call("GET", `/v2/context?${query.toString()}`);
  return String(body);
}

describe("pages that make their parser hang", () => {
  it("are read if they target our own expressions", async () => {
    const trap = (text: string): string => `${good("trap")}\n${text}\n`;
    const blanks = " ".repeat(20_000);
    await add("traps", {
      "a.md": trap(`!!! a${blanks}!`),
      "b.md": trap(`- item\n\n    !!! a${blanks}!`),
      "c.md": trap(`> ??? a${blanks}!`),
      "d.md": trap(`/// a${blanks}!\n\n<Tab title${blanks}!>`),
    });
    await server.settled("/docs/traps");
    expect((await pagesOf("traps")).map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
      "a.md indexed",
      "b.md indexed",
      "c.md indexed",
      "d.md indexed",
    ]);
  });

  it("fail alone, keep their last snippets, and are read again by each refresh", async () => {
    await add("mixed", { "a.md": good("alpha"), "b.md": good("beta") });
    await server.settled("/docs/mixed");
    await write("mixed", { "a.md": hanging, "b.md": good("gamma") });
    const refresh = async (): Promise<readonly Page[]> => {
      expect(await server.call("POST", "/v1/refresh", { libraryName: "/docs/mixed" })).toMatchObject({ status: 200 });
      await server.settled("/docs/mixed");
      return pagesOf("mixed");
    };
    expect(await refresh()).toMatchObject([
      {
        path: "a.md",
        outcome: "failed",
        code: "page_too_costly",
        reason: "a.md is too slow to read. Split the page, or exclude it.",
      },
      { path: "b.md", outcome: "indexed" },
    ]);
    expect(await read("mixed", "alpha")).toContain("alpha();");
    expect(await read("mixed", "gamma")).toContain("gamma();");
    await write("mixed", { "a.md": good("delta") });
    expect((await refresh()).map(({ outcome }) => outcome)).toEqual(["indexed", "indexed"]);
    expect(await read("mixed", "delta")).toContain("delta();");
  });

  it("delay no other library", async () => {
    await add("hanging", Object.fromEntries(["a", "b", "c", "d"].map((name) => [`${name}.md`, hanging])));
    await add("beside", Object.fromEntries(["one", "two", "three"].map((name) => [`${name}.md`, good(name)])));
    await server.settled("/docs/beside");
    expect(await read("beside", "two")).toContain("two();");
    const { body } = await server.call("GET", "/v2/libs/status?libraryId=/docs/hanging");
    expect(body, "the other one was not waited for").toMatchObject({ openRun: { id: expect.any(String) as string } });
    await server.settled("/docs/hanging");
    expect((await pagesOf("hanging")).map(({ code }) => code)).toEqual(Array(4).fill("page_too_costly"));
  });

  it.each(["cancel", "delete"])("free their threads at once by a %s", async (how) => {
    const libraryName = `/docs/endless-${how}`;
    await add(`endless-${how}`, { "a.md": hanging, "b.md": hanging, "c.md": hanging }, patient);
    await expect
      .poll(async () => (await patient.call("GET", `/v2/libs/status?libraryId=${libraryName}`)).body)
      .toMatchObject({ openRun: { phase: "collecting" } });
    // Time for both threads to start.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await add(`after-${how}`, { "a.md": good("omega") }, patient);
    if (how === "cancel") await patient.call("POST", "/v2/libs/cancel", { libraryName });
    else await patient.call("DELETE", `/v2/libs?libraryId=${libraryName}`);
    await patient.settled(`/docs/after-${how}`);
    expect(await read(`after-${how}`, "omega", patient)).toContain("omega();");
  });
});
