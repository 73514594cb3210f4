import { expect, it } from "vitest";
import { Failure } from "../../domain/failures.ts";
import type { HostRepository } from "../../domain/owner-repositories.ts";
import { setupPages } from "./world.ts";

const repository = (name: string): HostRepository => ({
  address: `https://github.com/acme/${name}`,
  description: "<b>Text</b>",
  defaultBranch: "main",
  bytes: 1_500_000,
  licence: "MIT",
  archived: true,
  fork: false,
  private: true,
  pushedAt: Date.parse("2026-01-02T03:04:05Z"),
});

async function world() {
  const all = await setupPages({ rateLimitSubmissions: 20 });
  Object.assign(all.options.ports, {
    async repositoriesOf({ url }: { readonly url: string }) {
      if (url.endsWith("/nobody"))
        throw new Failure("source_not_found", "github.com has no nobody. Check the address.");
      return { repositories: [repository("docs"), repository("widgets")], isComplete: true };
    },
  });
  const { key } = await all.addKey(["submit"]);
  const page = (owner: string) =>
    all.browse("GET", `/-/add/repositories?${new URLSearchParams({ owner }).toString()}`, { key });
  const add = (fields: Record<string, string>) => all.browse("POST", "/-/add/repositories", { key, fields });
  return { ...all, key, page, add };
}

const owner = "https://github.com/acme";

it("shows the repositories of an owner with what the host says of them, and the libraries that read them", async () => {
  const { page, submit } = await world();
  await submit("/acme/other");
  const { status, text } = await page(owner);
  expect(status).toBe(200);
  expect(text).toContain('name="address" value="https://github.com/acme/docs"');
  expect(text).toContain("1.5 MB");
  expect(text).toContain("MIT");
  expect(text).toContain("archived");
  expect(text).toContain("&lt;b&gt;Text&lt;/b&gt;");
});

it("adds the ticked ones, shows their libraries, and says why another was not added", async () => {
  const { add, catalog } = await world();
  const { text } = await add({ owner, private: "true", address: "https://github.com/acme/docs" });
  expect(text).toContain("1 repository added");
  expect(text).toContain('href="/acme/docs"');
  expect(text).not.toContain('value="https://github.com/acme/docs"');
  expect((await catalog.libraries.find(["default"], "/acme/docs", ""))?.library.teamspace).toBe("default");
  const again = await add({ owner, private: "true", address: "https://github.com/acme/docs" });
  expect(again.text).toMatch(/https:\/\/github\.com\/acme\/docs<\/bdi> was not added: \/acme\/docs/);
});

it("shows the failure of the host, and the form again", async () => {
  const { page } = await world();
  const { status, text } = await page("https://github.com/nobody");
  expect(status).toBe(404);
  expect(text).toContain("github.com has no nobody.");
  expect(text).toContain('value="https://github.com/nobody"');
});

it("stops at the limit of submissions, and names what was not tried", async () => {
  const { add, page } = await world();
  for (let count = 0; count < 20; count += 1) await page(owner);
  const { text } = await add({ owner, address: "https://github.com/acme/docs" });
  expect(text).toMatch(/acme\/docs<\/bdi> was not added: /);
});

it("offers a large field for the private key of a credential, and keeps its lines", async () => {
  const { browse, addKey, catalog } = await world();
  const { key } = await addKey(["admin"]);
  const { text } = await browse("GET", "/-/admin/credentials?kind=git", { key });
  expect(text).toMatch(/<textarea[^>]*name="data\.privateKey"/);
  const magic = Buffer.from("openssh-key-v1\0\0\0\0\x04none\0\0\0\x04none", "latin1").toString("base64");
  const privateKey = `-----BEGIN OPENSSH PRIVATE KEY-----\r\n${magic}\r\n-----END OPENSSH PRIVATE KEY-----`;
  const fields = { kind: "git", name: "deploy", host: "github.com", "data.privateKey": privateKey };
  const refused = await browse("POST", "/-/admin/credentials", { key, fields });
  expect(refused.text).toContain("privateKey needs appId");
  expect(refused.text).not.toContain(magic);
  const knownHosts = "github.com ssh-ed25519 AAAA";
  const expires = "2099-01-31";
  await browse("POST", "/-/admin/credentials", { key, fields: { ...fields, expires, "data.knownHosts": knownHosts } });
  expect(await catalog.credentials.list("default")).toMatchObject([
    { name: "deploy", host: "ssh://github.com", expiresAt: Date.parse("2099-01-31T23:59:59Z") },
  ]);
});
