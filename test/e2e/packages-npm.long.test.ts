import { afterAll, beforeAll, expect, it } from "vitest";
import { startNpmRegistry } from "../support/npm-registry.ts";
import { startServers } from "./setup.ts";

const registry = await startNpmRegistry();
const { server, context } = await startServers(() => ({
  NPM_CONFIG_REGISTRY: registry.url,
  NPM_CONFIG_USERCONFIG: "/dev/null",
}));
afterAll(() => registry.close());

const readme = (call: string): string =>
  `# Widgets\n\nMakes widgets.\n\n## Usage\n\nMake a widget so:\n\n\`\`\`js\n${call};\n\`\`\`\n`;
const declarations = `/**
 * Polishes a widget until it shines.
 *
 * @param widget - What is polished
 * @example
 * \`\`\`ts
 * polish(makeWidget(), { shine: 11 });
 * \`\`\`
 */
export declare function polish(widget: Widget, options?: { shine: number }): Widget;
/** @internal */
export declare function secretDoor(): void;
export * from "./types.js";
`;

beforeAll(() => {
  const types =
    "/** What is made. */\nexport interface Widget {\n  /** Its weight in grams. */\n  weight: number;\n}\n";
  const files = (call: string) => ({
    "README.md": readme(call),
    "docs/storing.md": "# Storing\n\nKeep widgets dry:\n\n```js\nstore(widget, { dry: true });\n```\n",
    "docs/oiling.rst": "Oiling\n======\n\nKeep hinges quiet::\n\n    oil(hinge, drops=2)\n",
    "examples/lacquer.js": 'import { lacquer } from "@acme/widgets";\n\nlacquer(makeWidget(), { coats: 3 });\n',
    "examples/factory.js": `${"line();\n".repeat(200)}assembleWholeFactory();\n`,
    "dist/index.d.ts": declarations,
    "dist/types.d.ts": types,
    "dist/hidden.d.ts": "/** Nobody names this file. */\nexport declare function unseen(): void;\n",
  });
  const manifest = { exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } } };
  registry.publish(
    "@acme/widgets",
    {
      "1.0.0": { files: files("makeWidgetOfOld()"), manifest },
      "1.4.2": { files: files("makeWidget()"), manifest },
      "2.0.0-beta.1": { files: files("makeWidgetSoon()"), manifest },
    },
    { latest: "1.4.2", next: "2.0.0-beta.1" },
  );
});

const submit = (body: object) => server.call("POST", "/v2/add/package", body);
const codes = async (id: string, query: string) => JSON.stringify((await context(id, query)).body);

it("answers from the README, the documents and the declarations of a package at its newest release", async () => {
  expect(await submit({ name: "@acme/widgets" })).toMatchObject({
    status: 200,
    body: { libraryName: "/npm/@acme/widgets" },
  });
  expect(await server.settled("/npm/@acme/widgets")).toMatchObject({ state: "finalized" });
  expect(await codes("/npm/@acme/widgets", "make a widget")).toContain("makeWidget();");
  expect(await codes("/npm/@acme/widgets", "store dry")).toContain("store(widget, { dry: true });");
  expect(await codes("/npm/@acme/widgets", "oil quiet hinges")).toContain("oil(hinge, drops=2)");
  const lacquer = await codes("/npm/@acme/widgets", "lacquer with three coats");
  expect(lacquer).toContain("lacquer(makeWidget(), { coats: 3 });");
  expect(lacquer).toContain("widgets-1.4.2.tgz#/examples/lacquer.js:1-3");
  expect(await codes("/npm/@acme/widgets", "assembleWholeFactory")).not.toContain("assembleWholeFactory();");
  const polish = await codes("/npm/@acme/widgets", "polish a widget until it shines");
  expect(polish).toContain("polish(makeWidget(), { shine: 11 });");
  expect(polish).toContain("export declare function polish(widget: Widget, options?: { shine: number }): Widget;");
  expect(polish).toContain("widgets-1.4.2.tgz#/dist/index.d.ts:");
  const weight = await codes("/npm/@acme/widgets", "interface Widget weight in grams");
  expect(weight).toContain("weight: number;");
  for (const text of [polish, weight]) expect(text).not.toMatch(/secretDoor|unseen/);
});

it("resolves versions, ranges and tags as the registry does", async () => {
  const read = async (version: string, call: string) => {
    const id = `/npm/@acme/widgets@${version}`;
    for (;;) {
      const answer = await context(id, "make a widget");
      if (answer.status !== 202) return expect(JSON.stringify(answer.body), version).toContain(call);
      await server.settled(id);
    }
  };
  await read("1.4.2", "makeWidget();");
  await read("latest", "makeWidget();");
  await read("^1.0.0", "makeWidget();");
  await read("1.0.0", "makeWidgetOfOld();");
  await read("next", "makeWidgetSoon();");
  const { body } = await context("/npm/@acme/widgets@1.9.9", "make a widget");
  expect(body).toMatchObject({
    version: "1.4.2",
    notes: ["This is /npm/@acme/widgets@1.4.2, the nearest version that is indexed: 1.9.9 is not."],
  });
  expect(await context("/npm/@acme/widgets@no-such-tag", "x")).toMatchObject({
    status: 404,
    body: { error: "tag_not_found" },
  });
});

it("refuses an invalid name, and fails for a missing package", async () => {
  expect(await submit({ name: "../etc" })).toMatchObject({ status: 400 });
  expect(await submit({ name: "no-such-package" })).toMatchObject({ status: 200 });
  await server.settled("/npm/no-such-package");
  expect(await context("/npm/no-such-package", "x")).toMatchObject({
    status: 404,
    body: { error: "source_not_found" },
  });
});
