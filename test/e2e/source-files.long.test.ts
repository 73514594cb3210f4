import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startServers } from "./setup.ts";

const { git, server, add, refresh, context, codeOf, outcomes } = await startServers();
const fixtures = join(import.meta.dirname, "..", "fixtures", "declared");

interface Snippet {
  readonly codeId: string;
  readonly isDynamic?: true;
  readonly sourceFile?: string;
  readonly codeList: readonly { readonly code: string }[];
}

/** Each in a folder of its own, as a script beside a file of TypeScript with its name is made of that. */
const pathOf = (name: string): string => `src/${name.slice(name.lastIndexOf(".") + 1)}/${name}`;

async function snippetsOf(libraryId: string, query: string): Promise<readonly Snippet[]> {
  return ((await codeOf(libraryId, query)).body as { codeSnippets: Snippet[] }).codeSnippets;
}

const readme =
  "# Kit\n\nThe kit is installed with a command of its own.\n\n```sh\nkit install wheel\n```\n\nAfter this the wheel turns.\n";

it("answers with names and comments of the sources of a repository that has only a README", async () => {
  const names = (await readdir(fixtures)).flatMap((name) => (name.endsWith(".txt") ? name.slice(0, -4) : []));
  const texts = await Promise.all(names.map((name) => readFile(join(fixtures, `${name}.txt`), "utf8")));
  const files = Object.fromEntries(names.map((name, at) => [pathOf(name), texts[at] ?? ""]));
  const example = "const kit = await openKit('a');\nkit.add('an example of a wheel');\n";
  const repository = await git.repository("acme/kit.git", {
    "README.md": readme,
    "examples/wheel.js": example,
    ...files,
  });
  await add(repository.url, { generateDocs: undefined });
  await server.settled("/acme/kit");
  const commit = await repository.git("rev-parse", "main");
  const questions: readonly (readonly [file: string, question: string, code: string])[] = [
    [
      "kit.ts",
      "openKit size options",
      "export async function openKit(path: string, { size = 3 }: KitOptions = {}): Promise<Kit>",
    ],
    ["kit.js", "Uses a function path for chaining", "app.use = function use (path, fn)"],
    ["kit.py", "twice doubles a number python", "def twice(number: int) -> int:"],
    ["kit.go", "MaxSize largest size", "const MaxSize = 100"],
    ["kit.rs", "trait Open opens things", "pub trait Open"],
    ["Cache.java", "Cache.get value of a key LoadException", "public V get(K key) throws LoadException"],
    ["Sender.cs", "Sender.Send text times", "public async Task<int> Send(string text, int times = 1)"],
    ["kit.rb", "Client.new retries secret key", "def initialize(key, retries: 1, **opts)"],
    [
      "kit.php",
      "Router get adds a route handler",
      "public function get(string $path, ?callable $handler = null): static",
    ],
    ["kit.hpp", "kit::Parser parse depth", "T parse(int depth = 3) const;"],
    ["kit.h", "kit_open handle flags", "kit_t *kit_open(const char *path, int flags);"],
  ];
  for (const [file, question, code] of questions) {
    const snippet = (await snippetsOf("/acme/kit", question)).find(({ codeList }) =>
      codeList.some((one) => one.code.includes(code)),
    );
    expect(snippet, file).toMatchObject({ isDynamic: true, sourceFile: pathOf(file) });
    const line = (files[pathOf(file)] ?? "").split("\n").findIndex((one) => one.includes(code)) + 1;
    const begins = line - (file === "Cache.java" ? 1 : 0);
    expect(snippet?.codeId, file).toContain(`/acme/kit/blob/${commit}/${pathOf(file)}#L${begins}-L`);
  }
  const [first] = await snippetsOf("/acme/kit", "install wheel");
  expect(first).not.toHaveProperty("isDynamic");
  expect(first?.codeList[0]?.code).toBe("kit install wheel");
  const all = JSON.stringify((await context("/acme/kit", "an example of a wheel")).body);
  expect(all).toContain("an example of a wheel");
});

it("drops the sources in the run that finds enough documents, and reads them again without", async () => {
  const sources = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `kit/part_${at}.py`,
      `def turn_${at}(speed):\n    """Turns part ${at} of the kit with a speed of its own."""\n`,
    ]),
  );
  const repository = await git.repository("acme/grown.git", { "README.md": readme, ...sources });
  await add(repository.url, { generateDocs: undefined });
  await server.settled("/acme/grown");
  const hasSources = async (): Promise<boolean> =>
    (await snippetsOf("/acme/grown", "turn_7")).some(({ isDynamic }) => isDynamic === true);
  expect(await hasSources()).toBe(true);
  const documents = [1, 2, 3, 4].map((at) => `docs/page-${at}.md`);
  const text = (path: string): string =>
    `# ${path}\n\nThis page says how to turn a wheel.\n\n\`\`\`py\nturn("${path}")\n\`\`\`\n`;
  await repository.commit(Object.fromEntries(documents.map((path) => [path, text(path)])));
  await refresh("/acme/grown");
  expect((await outcomes("/acme/grown"))[0]).toBe("published");
  expect(await hasSources()).toBe(false);
  await repository.commit({ "docs/page-1.md": null });
  await refresh("/acme/grown");
  expect((await outcomes("/acme/grown"))[0]).toBe("published");
  expect(await hasSources()).toBe(true);
});
