import { expect, it } from "vitest";
import { createSecrets } from "../../cli/secrets.ts";
import { isCredentialFor, isSameAudience, openCredential } from "../../domain/credentials.ts";
import { sampleCredential } from "../contracts/catalog-samples.ts";
import { gitSpec } from "../support/git-spec.ts";

const keyOf = (id: string) => ({ id, key: Buffer.alloc(32, id) });
const before = createSecrets([keyOf("old")]);
const after = createSecrets([keyOf("new"), keyOf("old")]);

it("opens to the fields of its kind, or to a bare token from before credentials had kinds, with old keys too", () => {
  const sealed = before.seal('{"token":"t"}');
  expect(openCredential(after, sampleCredential("c1", { sealed }))).toEqual({ token: "t" });
  expect(openCredential(after, sampleCredential("c1", { sealed, kind: null }))).toEqual({ token: '{"token":"t"}' });
  const bare = sampleCredential("c1", { sealed: before.seal("123"), kind: null });
  expect(openCredential(after, bare)).toEqual({ token: "123" });
});

it.each([
  ["https://git.example.com/acme/widgets", true],
  ["http://git.example.com/acme/widgets", true],
  ["https://git.example.com:8443/acme/widgets", false],
  ["https://example.com/acme/widgets", false],
  ["https://git.example.com.evil.example/acme/widgets", false],
])("is for its host alone: %s, %s", (url, expected) => {
  for (const kind of ["git", null] as const)
    expect(isCredentialFor(sampleCredential("c1", { kind }), gitSpec(url))).toBe(expected);
  expect(isCredentialFor(sampleCredential("c1", { kind: "llmstxt" }), gitSpec(url))).toBe(false);
});

it.each([
  [{ host: "api.example.com" }, { host: "api.example.com" }, true],
  [{ host: "api.example.com", tenant: "acme" }, { host: "api.example.com", tenant: "acme" }, true],
  [{ host: "api.example.com", tenant: "acme" }, { host: "api.example.com", tenant: "other" }, false],
  [{ host: "api.example.com", tenant: "acme" }, { host: "api.example.com" }, false],
  [{ host: "api.example.com" }, { host: "api.example.com", tenant: "acme" }, false],
  [{ host: "a.example.com", tenant: "acme" }, { host: "b.example.com", tenant: "acme" }, false],
])("is for its tenant of a host alone: %j, %j", (one, other, expected) => {
  expect(isSameAudience(one, other)).toBe(expected);
});

it("of a tenant is for no source without a tenant", () => {
  const credential = sampleCredential("c1", { tenant: "acme" });
  expect(isCredentialFor(credential, gitSpec("https://git.example.com/acme/widgets"))).toBe(false);
});
