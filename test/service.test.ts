import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commands } from "../cli/commands.ts";
import { loadConfig } from "../cli/config.ts";
import { findProgram } from "../tools/dev/program.ts";
import { textOf } from "./support/documents.ts";
import { folderOfTest } from "./support/of-test.ts";

const root = join(import.meta.dirname, "..");
const analyze = findProgram("systemd-analyze");

describe("deploy/lectern.service", () => {
  const unit = textOf("deploy/lectern.service");

  it("starts a command of the program that an installation in /opt/lectern has, with settings that exist", () => {
    const [, node, program = "", command = ""] = /^ExecStart=(\S+) \/opt\/lectern\/(\S+) (\w+)$/m.exec(unit) ?? [];
    expect(node).toBe("/opt/lectern/node_modules/.bin/node");
    expect(existsSync(join(root, program))).toBe(true);
    expect(Object.keys(commands)).toContain(command);
    const env = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
    expect(loadConfig(Object.fromEntries(env) as Record<string, string>).dataDir).toBe("/var/lib/lectern");
  });

  it.skipIf(analyze === undefined)("is a unit that systemd knows every line of", async () => {
    const file = join(await folderOfTest(), "lectern.service");
    await writeFile(
      file,
      unit.replace(/^ExecStart=.*$/m, `ExecStart=${process.execPath}`).replace("User=lectern", "User=root"),
    );
    expect(() => execFileSync(analyze ?? "", ["verify", file], { stdio: "pipe" })).not.toThrow();
  });
});
