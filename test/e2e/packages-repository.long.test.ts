import { afterAll, expect, it } from "vitest";
import { startNpmRegistry } from "../support/npm-registry.ts";
import { startServers } from "./setup.ts";

const registry = await startNpmRegistry();
const { server, git, context } = await startServers(() => ({
  NPM_CONFIG_REGISTRY: registry.url,
  NPM_CONFIG_USERCONFIG: "/dev/null",
}));
afterAll(() => registry.close());

const guide = (call: string): string => `# Guide\n\nUse it so:\n\n\`\`\`js\n${call};\n\`\`\`\n`;
const types = "/** Polishes until it shines. */\nexport declare function polish(): void;\n";

async function publish(name: string, manifest: object) {
  const { url, ...repository } = await git.repository(`acme/${name}`, {
    "package.json": JSON.stringify(manifest),
    "docs/guide.md": guide("fromRepository()"),
    "other/notes.md": guide("fromElsewhere()"),
  });
  await repository.tag("v1.0.0");
  const files = { "README.md": guide("fromArchive()"), "index.d.ts": types };
  registry.publish(name, { "1.0.0": { files, manifest: { repository: { type: "git", url: `git+${url}` } } } });
  await server.call("POST", "/v2/add/package", { name });
  const status = (await server.settled(`/npm/${name}`)) as { notes: string[] };
  const answer = async (query: string) => JSON.stringify((await context(`/npm/${name}`, query)).body);
  return { repository, status, answer };
}

it("reads the documents from the repository at the version's tag, and the API from the archive", async () => {
  const { status, answer } = await publish("polisher", { name: "polisher", version: "1.0.0" });
  expect(status.notes.join(" ")).toMatch(/at the tag v1\.0\.0, commit [\da-f]{40}; the API is that of the archive/);
  const use = await answer("use it");
  expect(use).toContain("fromRepository();");
  expect(use).not.toContain("fromArchive();");
  expect(await answer("polish until it shines")).toContain("polisher-1.0.0.tgz#/index.d.ts:");
});

it("reads the archive if the tag has another package or version, and says so", async () => {
  const impostor = await publish("impostor", { name: "somebody-else", version: "1.0.0" });
  expect(impostor.status.notes.join(" ")).toContain(
    "is another package or version, so the archive of the package is read.",
  );
  expect(await impostor.answer("use it")).toContain("fromArchive();");
  const older = await publish("older", { name: "older", version: "0.9.0" });
  expect(older.status.notes.join(" ")).toContain("is another package or version");
  expect(await older.answer("use it")).toContain("fromArchive();");
});
