import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { routes } from "../api/app.ts";
import { commands } from "../cli/main.ts";
import { settings } from "../config.ts";
import { failures } from "../domain/failures.ts";

const root = join(import.meta.dirname, "..");
const documents = [...globSync("*.md", { cwd: root }), ...globSync("docs/*.md", { cwd: root })];
const read = (name: string): string => readFileSync(join(root, name), "utf8");
const scripts = (JSON.parse(read("package.json")) as { scripts: Record<string, string> }).scripts;

/** Everything between backticks, in code blocks too. */
function codeIn(text: string): readonly string[] {
  return [...text.matchAll(/```[^\n]*\n([\s\S]*?)```|`([^`\n]+)`/g)].map(([, block, inline]) => block ?? inline ?? "");
}

describe.each(documents)("%s", (name) => {
  const text = read(name);
  const code = codeIn(text);

  it("links only to what exists", () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target]) => target ?? "");
    expect(links.filter((link) => !existsSync(join(root, dirname(name), link)))).toEqual([]);
  });

  it("names only files that exist", () => {
    const folders = "domain|extract|ranking|activities|workers|search|catalog|blobs|api|cli|bench|test|docs|config";
    const paths = code.flatMap((part) =>
      [...part.matchAll(new RegExp(`(?<![\\w/.-])(?:${folders})/[\\w./-]+\\.(?:ts|mjs|md|json)`, "g"))].map(
        ([path]) => path,
      ),
    );
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("names only commands that exist", () => {
    const npm = code.flatMap((part) =>
      [...part.matchAll(/npm (?:run ([\w:]+)|(start|test))/g)].map(([, script, short]) => script ?? short ?? ""),
    );
    expect(npm.filter((script) => !(script in scripts))).toEqual([]);
    const lectern = code.flatMap((part) =>
      [...part.matchAll(/(?:^|npx |\s)lectern ([a-z]+)/gm)].map(([, command]) => command ?? ""),
    );
    expect(lectern.filter((command) => !(command in commands))).toEqual([]);
  });

  it("names only settings that exist", () => {
    const known = new Set<string>([
      ...Object.values(settings).map(({ env }) => env),
      "CONTEXT7_API_URL",
      "GIT_SSL_CAINFO",
    ]);
    const named = code.flatMap((part) =>
      [...part.matchAll(/(?<![\w$.-])\$?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\w-])/g)].map(
        ([, setting]) => setting ?? "",
      ),
    );
    expect(named.filter((setting) => !known.has(setting))).toEqual([]);
  });

  it("names only failure codes and routes that exist", () => {
    const rows = [...text.matchAll(/\b[1-5]\d\d `([a-z_]+)`/g)].map(([, failure]) => failure ?? "");
    expect(rows.filter((failure) => !Object.hasOwn(failures, failure))).toEqual([]);
    const paths = new Set(routes.map(({ path }) => path.replace(/^\/api/, "")));
    const named = code.flatMap((part) =>
      [...part.matchAll(/(?<![\w.])(?:\/api)?(\/v[12]\/[\w/-]+|\/api\/(?:health|ready|openapi\.json))/g)].map(
        ([, path]) => (path ?? "").replace(/^\/api/, ""),
      ),
    );
    expect(
      named.filter((path) => !paths.has(path) && ![...paths].some((known) => known.startsWith(`${path}/`))),
    ).toEqual([]);
  });
});

describe("docs/cli.md", () => {
  it("lists every command with its usage", () => {
    const text = read("docs/cli.md");
    for (const { usage } of Object.values(commands)) expect(text).toContain(`\`lectern ${usage}\``);
  });
});

describe("README.md", () => {
  it("begins with what it is and the two commands", () => {
    const [head = ""] = read("README.md").split("\n## ");
    expect(head).toContain("npm ci && npm start");
    expect(head).toContain("npm test");
  });

  it("lists every operation", () => {
    const text = read("README.md");
    const missing = routes.filter(({ path }) => !text.includes(path.replace(/^\/api/, "")));
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});
