import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { loadConfig } from "../cli/config.ts";
import { folderOfTest } from "./support/of-test.ts";

const read = (name: string): string => readFileSync(join(import.meta.dirname, "..", name), "utf8");
const { services, secrets } = parse(read("docker-compose.yml"), { merge: true }) as {
  readonly services: Readonly<
    Record<string, { readonly environment?: Readonly<Record<string, string>>; readonly secrets?: readonly string[] }>
  >;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
};

it("gives each process of docker-compose.yml the secrets of Lectern that it needs, as files", () => {
  const given = Object.entries(services).flatMap(([name, { environment = {}, secrets: mounted = [] }]) => {
    const files = Object.values(environment).filter((value) => value.startsWith("/run/secrets/"));
    expect(files.map((file) => basename(file)).toSorted(), name).toEqual(mounted.toSorted());
    return mounted.length === 0 ? [] : [[name, mounted]];
  });
  const keys = ["encryption_keys"];
  expect(Object.fromEntries(given)).toEqual({
    setup: keys,
    api: [...keys, "admin_key"],
    worker: keys,
    "worker-browser": keys,
  });
});

it("makes these files by the commands of .env.example, for the user of the image and no other of the host", async () => {
  const folder = await folderOfTest();
  const commands = [...read(".env.example").matchAll(/^# {3}((?:install|openssl|chmod) .*secrets.*)$/gm)];
  execFileSync("/bin/sh", ["-euc", commands.map(([, command]) => command).join("\n")], { cwd: folder });
  expect(statSync(join(folder, "secrets")).mode & 0o777).toBe(0o700);
  const fileOf = (name: string): string => join(folder, secrets[name]?.file ?? "");
  for (const name of Object.keys(secrets)) expect(statSync(fileOf(name)).mode & 0o777, name).toBe(0o644);
  const made = { ENCRYPTION_KEYS_FILE: fileOf("encryption_keys"), LECTERN_ADMIN_KEY_FILE: fileOf("admin_key") };
  expect(loadConfig(made).adminKey).toMatch(/^[\da-f]{48}$/);
  expect(read(".gitignore")).toMatch(/^\/secrets\/$/m);
});
