import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { loadConfig } from "../cli/config.ts";
import { textOf } from "./support/documents.ts";
import { folderOfTest } from "./support/of-test.ts";

const { services, secrets } = parse(textOf("compose.cluster.yaml"), { merge: true }) as {
  readonly services: Readonly<
    Record<string, { readonly environment?: Readonly<Record<string, string>>; readonly secrets?: readonly string[] }>
  >;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
};

it("gives each process of compose.cluster.yaml the secrets that it needs, as files", () => {
  const mounts = Object.entries(services).flatMap(([name, { environment = {}, secrets: mounted = [] }]) => {
    const files = Object.values(environment).filter((value) => value.startsWith("/run/secrets/"));
    expect(files.map((file) => basename(file)).toSorted(), name).toEqual(mounted.toSorted());
    return mounted.length === 0 ? [] : [[name, mounted]];
  });
  const keys = ["encryption_keys"];
  expect(Object.fromEntries(mounts)).toEqual({
    setup: keys,
    api: [...keys, "admin_key"],
    worker: keys,
    "worker-browser": keys,
  });
});

it("creates these files with the commands of .env.example, in a folder closed to other users of the host", async () => {
  const folder = await folderOfTest();
  const commands = [...textOf(".env.example").matchAll(/^# {3}((?:install|openssl|chmod) .*secrets.*)$/gm)];
  execFileSync("/bin/sh", ["-euc", commands.map(([, command]) => command).join("\n")], { cwd: folder });
  expect(statSync(join(folder, "secrets")).mode & 0o777).toBe(0o700);
  const fileOf = (name: string): string => join(folder, secrets[name]?.file ?? "");
  for (const name of Object.keys(secrets)) expect(statSync(fileOf(name)).mode & 0o777, name).toBe(0o644);
  const env = { ENCRYPTION_KEYS_FILE: fileOf("encryption_keys"), LECTERN_ADMIN_KEY_FILE: fileOf("admin_key") };
  expect(loadConfig(env).adminKey).toMatch(/^[\da-f]{48}$/);
  expect(textOf(".gitignore")).toMatch(/^\/secrets\/$/m);
});
