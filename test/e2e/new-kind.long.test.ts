import { execFile } from "node:child_process";
import { cp, mkdir, readdir, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { adminKey, startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { addNoteKind, noteDiff } from "../support/note-kind.ts";

const root = join(import.meta.dirname, "..", "..");
const leftOut = new Set([".git", "node_modules", "test", "data", "coverage"]);
const run = promisify(execFile);

/** Copies the program, adds the kind, and returns the number of lines added to each file. */
async function copyWithKind(program: string): Promise<Record<string, number>> {
  await mkdir(program);
  for (const name of await readdir(root))
    if (!leftOut.has(name)) await cp(join(root, name), join(program, name), { recursive: true });
  const git = (...args: string[]) =>
    run("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", ...args], {
      cwd: program,
    });
  await git("init", "-q");
  await git("add", "-A");
  await git("commit", "-qm", "as it is");
  await addNoteKind(program);
  await git("add", "-A");
  const { stdout } = await git("diff", "--cached", "--numstat");
  await symlink(join(root, "node_modules"), join(program, "node_modules"));
  await run(process.execPath, [join(program, "tools", "dev", "reference.ts")]);
  const lines = stdout.trim().split("\n");
  return Object.fromEntries(
    lines.map((line) => {
      const [added = "", removed, path = ""] = line.split("\t");
      expect(removed).toBe("0");
      return [path, Number(added)];
    }),
  );
}

it("needs two files, a folder and entries in four tables, and then does all that other kinds do", async () => {
  await using folder = await temporaryFolder();
  const program = join(folder.path, "program");
  expect(await copyWithKind(program)).toEqual(noteDiff);

  const note = { text: "Lectern reads notes.\n\n```ts\nreadNote();\n```\n", key: "first" };
  const site = createServer((request, response) => {
    response.statusCode = request.headers["x-note-key"] === note.key ? 200 : 403;
    response.end(response.statusCode === 200 ? note.text : "no");
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  const noteUrl = `http://${host}/acme/note`;
  const server = await startLectern(join(folder.path, "data"), { FETCH_ALLOW: host }, join(program, "cli/lectern.mjs"));
  try {
    // Not `server.call`, which checks answers against an OpenAPI document without the kind.
    const call = async (method: string, path: string, body?: object) => {
      const headers = { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" };
      const response = await fetch(`${server.url}/api${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, text, json: text.startsWith("{") ? (JSON.parse(text) as object) : {} };
    };
    const added = { noteUrl, noteKey: "first", private: true, libraryName: "/notes/note" };
    const preview = await call("POST", "/v2/preview", added);
    expect(preview).toMatchObject({ status: 200, json: { libraryName: "/notes/note", total: 1 } });
    expect(preview.text).toContain("readNote()");

    expect(await call("POST", "/v2/add/note", added)).toMatchObject({ status: 200 });
    expect(await server.settled("/notes/note")).toMatchObject({ state: "finalized" });
    const read = async () => (await call("GET", "/v2/context?libraryId=/notes/note&query=notes")).text;
    expect(await read()).toContain("readNote()");

    const patched = { libraryName: "/notes/note", heading: "Field notes" };
    expect(await call("PATCH", "/v2/libs", patched)).toMatchObject({ status: 200 });
    expect(await call("PATCH", "/v2/libs", { ...patched, maxPages: 3 })).toMatchObject({ status: 400 });
    expect(await read()).not.toContain("Field notes");
    // The source has not changed, but its options have.
    note.key = "second";
    const refresh = async (fields: object) => {
      const answer = await call("POST", "/v1/refresh", { libraryName: "/notes/note", ...fields });
      return answer.status === 200 ? await server.settled("/notes/note") : answer;
    };
    expect(await refresh({ gitToken: "second" })).toMatchObject({
      status: 400,
      json: { message: expect.stringMatching(/note, which takes noteKey/) as string },
    });
    expect(await refresh({ noteKey: "second" })).toMatchObject({ state: "finalized" });
    expect(await read()).toContain("Field notes");

    const shared = async (tenant: string) => {
      const made = { kind: "note", name: tenant, host, tenant, data: { key: "second" } };
      const { json } = await call("POST", "/v2/credentials", made);
      return (json as { id: string }).id;
    };
    expect(await refresh({ credential: await shared("other") })).toMatchObject({ status: 400 });
    expect(await refresh({ credential: await shared("acme") })).toMatchObject({ state: "finalized" });

    const { text } = await call("GET", "/openapi.json");
    const described = ["noteUrl", "heading", "noteKey"].filter((name) => text.includes(`"${name}"`));
    expect(described).toEqual(["noteUrl", "heading", "noteKey"]);
    expect(await call("DELETE", "/v2/libs?libraryId=/notes/note")).toMatchObject({ status: 200 });
    expect(await call("GET", "/v2/context?libraryId=/notes/note&query=notes")).toMatchObject({ status: 404 });
  } finally {
    await server.kill("SIGTERM");
    site.close();
  }
});
