import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { commands } from "../../cli/commands.ts";
import { programName } from "../../cli/program-name.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

const root = join(import.meta.dirname, "..", "..");
const program = join(root, "cli", "lectern.mjs");

/** Prints the names of the packages that a program loads, and the number of its own files. */
const watch = `import { registerHooks } from "node:module";
const seen = new Set();
registerHooks({ load: (url, context, next) => (seen.add(url), next(url, context)) });
process.on("exit", () => {
  const files = [...seen].filter((url) => url.startsWith("file:"));
  const names = files.map((url) => /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]).filter(Boolean);
  console.error("LOADED " + JSON.stringify({ packages: [...new Set(names)].toSorted(), files: files.length }));
});`;

async function loadedBy(args: readonly string[]): Promise<{ packages: string[]; files: number }> {
  const hook = `data:text/javascript,${encodeURIComponent(watch)}`;
  const env = { PATH: process.env["PATH"], PUBLIC_URL: "http://127.0.0.1:9" };
  const run = promisify(execFile)(process.execPath, ["--import", hook, program, ...args], { env });
  const { stderr } = await run.catch((error: unknown) => error as { stderr: string });
  return JSON.parse(/LOADED (.*)/.exec(stderr)?.[1] ?? "") as { packages: string[]; files: number };
}

// Nearly all of a command's time is that of loading files: a count tells it on a busy machine too.
it.each([
  ["--help"],
  ["list"],
  ["search", "x"],
  ["ask", "/a/b", "why"],
  ["status", "/a/b"],
  ["refresh", "/a/b"],
  ["keys"],
  ["read", "/a/b", "c.md"],
])("%s loads the parser of arguments, and little of the program", async (...args) => {
  const { packages, files } = await loadedBy(args);
  expect(packages).toEqual(["commander"]);
  expect(files).toBeLessThan(70);
});

it("add loads the forms of sources, but nothing that reads them", async () => {
  const { packages, files } = await loadedBy(["add", "https://git.example.com/a/b"]);
  expect(packages).toEqual(["commander", "zod"]);
  expect(files).toBeLessThan(200);
});

it("names itself as it can be called here: by name, by npx in a clone, else by its path", async () => {
  await using folder = await temporaryFolder();
  const bin = join(folder.path, "bin");
  await mkdir(bin);
  await symlink(program, join(bin, "lectern"));
  const strange = join(folder.path, "strange");
  await mkdir(strange);
  await writeFile(join(strange, "lectern"), "another program");
  const project = join(folder.path, "project", "node_modules", ".bin");
  await mkdir(project, { recursive: true });
  await symlink(program, join(project, "lectern"));
  const namedIn = async (cwd: string, path: string): Promise<string> => {
    const env = { PATH: path, PUBLIC_URL: "http://127.0.0.1:9" };
    const run = promisify(execFile)(process.execPath, [program, "lst"], { cwd, env });
    const { stderr } = await run.catch((error: unknown) => error as { stderr: string });
    return /See `(.*) --help`/.exec(stderr)?.[1] ?? "";
  };
  expect(await namedIn(folder.path, bin)).toBe("lectern");
  expect(await namedIn(folder.path, strange)).toBe(program);
  expect(await namedIn(folder.path, project)).toBe(program);
  expect(await namedIn(join(folder.path, "project"), "/nowhere")).toBe("npx lectern");
  expect(await namedIn(join(root, "docs"), "/nowhere")).toBe("npx lectern");
  expect(programName({ PATH: bin })).toBe("lectern");
});

it("every command has an example that begins with the program's name", () => {
  for (const { example = "lectern " } of Object.values(commands)) expect(example).toMatch(/^lectern /);
});
