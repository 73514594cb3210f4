import { randomBytes } from "node:crypto";
import { chmod, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createSecrets, loadRing } from "../../cli/secrets.ts";
import { loadConfig } from "../../cli/config.ts";
import { folderOfTest } from "../support/of-test.ts";

const key = (id: string) => ({ id, key: randomBytes(32) });

describe("secrets", () => {
  const setup = () => {
    const [first, second] = [key("first"), key("second")];
    return { first, second, secrets: createSecrets([first, second]) };
  };

  it.each(["", "ghp_token", "ключ 🔑 \0 end", "x".repeat(100_000)])("open what they sealed (%#)", (plain) => {
    const { secrets } = setup();
    expect(secrets.open(secrets.seal(plain))).toBe(plain);
  });

  it("are sealed in the documented form with a new nonce each time", () => {
    const { secrets } = setup();
    const sealed = secrets.seal("token");
    expect(sealed).toMatch(/^v1\.first\.[\w-]{16}\.[\w-]{22}\.[\w-]{7}$/);
    expect(secrets.seal("token")).not.toBe(sealed);
  });

  it("are opened with every key of the ring, so that keys can be rotated", () => {
    const { first, second, secrets } = setup();
    const old = createSecrets([second]).seal("token");
    expect(secrets.open(old)).toBe("token");
    expect(createSecrets([second, first]).open(secrets.seal("token"))).toBe("token");
  });

  it("name the missing key", () => {
    const { first, secrets } = setup();
    const sealed = createSecrets([key("lost")]).seal("token");
    expect(() => secrets.open(sealed)).toThrow(expect.objectContaining({ name: "Failure", code: "internal_error" }));
    expect(() => secrets.open(sealed)).toThrow('the key "lost", which is missing');
    expect(() => createSecrets([{ ...first, key: randomBytes(32) }]).open(secrets.seal("token"))).toThrow(
      /cannot be decrypted/,
    );
  });

  it("refuse a text with any single character changed", () => {
    const { secrets } = setup();
    const sealed = secrets.seal("token-1");
    const changed = Array.from(sealed, (character, at) => {
      const other = character === "A" ? "Q" : "A";
      return sealed.slice(0, at) + other + sealed.slice(at + 1);
    });
    for (const text of changed) expect(() => secrets.open(text)).toThrow(/A stored credential/);
  });

  it("refuse a text with the id of another key, even if the keys are equal", () => {
    const { first } = setup();
    const secrets = createSecrets([first, { id: "other", key: first.key }]);
    expect(() => secrets.open(secrets.seal("token").replace("first", "other"))).toThrow(/cannot be decrypted/);
  });

  it.each(["", "v1", "v2.first.a.b.c", "v1.first.AAAAAAAAAAAAAAAA.AAAAAA.AAAA", "plain token"])("refuse %j", (text) => {
    expect(() => setup().secrets.open(text)).toThrow("is not in the form");
  });

  it("cannot be created without a key", () => {
    expect(() => createSecrets([])).toThrow("Set ENCRYPTION_KEYS");
  });
});

describe("the key ring", () => {
  const setup = async () => {
    const folder = await folderOfTest();
    return { folder, file: join(folder, "encryption-keys") };
  };

  it("is created at the first start and kept", async () => {
    const { folder, file } = await setup();
    const ring = await loadRing({ configured: [], file });
    expect(ring).toHaveLength(1);
    expect(await loadRing({ configured: [], file })).toEqual(ring);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["encryption-keys"]);
  });

  it("differs between data folders", async () => {
    const rings = await Promise.all([1, 2].map(async () => loadRing({ configured: [], file: (await setup()).file })));
    expect(rings[0]).not.toEqual(rings[1]);
  });

  it("is stored in the form of ENCRYPTION_KEYS, so that it can be moved there", async () => {
    const { file } = await setup();
    const ring = await loadRing({ configured: [], file });
    expect(loadConfig({ ENCRYPTION_KEYS: await readFile(file, "utf8") }).encryptionKeys).toEqual(ring);
  });

  it("comes from the settings if they have keys, and then creates no file", async () => {
    const { folder, file } = await setup();
    const configured = [key("one"), key("two")];
    expect(await loadRing({ configured, file })).toEqual(configured);
    expect(await readdir(folder)).toEqual([]);
  });

  it("still opens secrets sealed with the generated key after keys were configured", async () => {
    const { file } = await setup();
    const sealed = createSecrets(await loadRing({ configured: [], file })).seal("token");
    const secrets = createSecrets(await loadRing({ configured: [key("new")], file }));
    expect(secrets.open(sealed)).toBe("token");
    expect(secrets.seal("token")).toMatch(/^v1\.new\./);
  });

  it("is not generated if several hosts share it", async () => {
    const configured = [key("one")];
    expect(await loadRing({ configured, file: null })).toEqual(configured);
    await expect(loadRing({ configured: [], file: null })).rejects.toThrow("Set ENCRYPTION_KEYS");
  });

  it.each(["", "\n", "not a key", "k:AAAA"])(
    "refuses a file that holds %j instead of replacing it",
    async (content) => {
      const { file } = await setup();
      await writeFile(file, content, { mode: 0o600 });
      await expect(loadRing({ configured: [], file })).rejects.toThrow("contains no valid encryption keys");
      expect(await readFile(file, "utf8")).toBe(content);
    },
  );

  it("refuses a file that other users may read", async () => {
    const { file } = await setup();
    await loadRing({ configured: [], file });
    await chmod(file, 0o644);
    await expect(loadRing({ configured: [], file })).rejects.toThrow(`chmod 600 ${file}`);
  });
});
