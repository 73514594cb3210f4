import { chmod, lstat, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";

import { endurance } from "../support/endurance.ts";
import { temporaryFolder } from "../support/lectern-process.ts";
import { runProgram } from "../support/programs.ts";

const program = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");
const url = "https://docs.example.com";
const key = "lct_secret-of-the-environment";
const bearer = (reference: string) => ({ Authorization: `Bearer ${reference}` });

/** A user's home folder, and `lectern setup-client` run in it. */
async function home() {
  const folder = await temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  return {
    at,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    read: (path: string) => readFile(at(path), "utf8"),
    async write(path: string, text: string) {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), text);
    },
    setup: (args: readonly string[], env: Record<string, string> = { LECTERN_API_KEY: key }) =>
      runProgram(program, ["setup-client", ...args], { env: { HOME: folder.path, ...env }, cwd: folder.path }),
  };
}

const parse = (path: string, text: string): object =>
  path.endsWith(".toml") ? parseToml(text) : (parseJsonc(text, [], { allowTrailingComma: true }) as object);

/** Each agent's configuration and rule files (of the user and of a project) and the expected entry. */
const agents = [
  {
    name: "claude",
    files: [".claude.json", ".mcp.json"],
    rules: [".claude/rules/lectern.md", ".claude/rules/lectern.md"],
    table: "mcpServers",
    entry: { type: "http", url: `${url}/mcp`, headers: bearer("${LECTERN_API_KEY}") },
  },
  {
    name: "cursor",
    files: [".cursor/mcp.json", ".cursor/mcp.json"],
    rules: [".cursor/rules/lectern.mdc", ".cursor/rules/lectern.mdc"],
    table: "mcpServers",
    entry: { url: `${url}/mcp`, headers: bearer("${env:LECTERN_API_KEY}") },
  },
  {
    name: "vscode",
    files: [".config/Code/User/mcp.json", ".vscode/mcp.json"],
    rules: [".config/Code/User/prompts/lectern.instructions.md", ".github/instructions/lectern.instructions.md"],
    table: "servers",
    entry: { type: "http", url: `${url}/mcp`, headers: bearer("${env:LECTERN_API_KEY}") },
  },
  {
    name: "codex",
    files: [".codex/config.toml", ".codex/config.toml"],
    rules: [".codex/AGENTS.md", "AGENTS.md"],
    table: "mcp_servers",
    entry: { url: `${url}/mcp`, bearer_token_env_var: "LECTERN_API_KEY" },
  },
  {
    name: "gemini",
    files: [".gemini/settings.json", ".gemini/settings.json"],
    rules: [".gemini/GEMINI.md", "GEMINI.md"],
    table: "mcpServers",
    entry: { httpUrl: `${url}/mcp`, headers: bearer("${LECTERN_API_KEY}") },
  },
  {
    name: "opencode",
    files: [".config/opencode/opencode.json", "opencode.json"],
    rules: [".config/opencode/AGENTS.md", "AGENTS.md"],
    table: "mcp",
    entry: { type: "remote", url: `${url}/mcp`, enabled: true, headers: bearer("{env:LECTERN_API_KEY}") },
  },
] as const;

describe.each(agents)("lectern setup-client $name", ({ name, files, rules, table, entry }) => {
  // Without the endurance setting, one agent per format: JSON and TOML.
  const isSelected = endurance || name === "claude" || name === "codex";

  it.skipIf(process.platform !== "linux")("writes the server and a rule, but not the key", async () => {
    for (const [place, more] of [[], ["--project"]].entries()) {
      await using user = await home();
      const { code, output } = await user.setup([name, "--url", url, ...more]);
      expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining(`${url}/mcp`) as string });
      const [file, rule] = [files[place] ?? "", rules[place] ?? ""];
      const text = await user.read(file);
      expect(parse(file, text)).toEqual({ [table]: { lectern: entry } });
      expect(await user.read(rule)).toContain("`query-docs`");
      expect(`${output}${text}${await user.read(rule)}`).not.toContain(key);
      // A second run changes nothing.
      const before = [text, await user.read(rule)];
      expect((await user.setup([name, "--url", url, ...more])).code).toBe(0);
      expect([await user.read(file), await user.read(rule)]).toEqual(before);
    }
  });

  it.runIf(isSelected && process.platform === "linux")(
    "prints with --dry-run what it would write, and writes nothing",
    async () => {
      await using user = await home();
      const { code, output } = await user.setup([name, "--url", url, "--dry-run"]);
      expect(code).toBe(0);
      expect(output).toContain(`${url}/mcp`);
      expect(output).toContain(user.at(files[0]));
      expect(output).not.toContain(key);
      await expect(user.read(files[0])).rejects.toThrow("ENOENT");
      await expect(user.read(rules[0])).rejects.toThrow("ENOENT");
    },
  );

  it.runIf(isSelected && process.platform === "linux")("changes nothing if a file is broken", async () => {
    await using user = await home();
    await user.write(files[0], "{ [broken");
    const { code, output } = await user.setup([name, "--url", url]);
    expect(code).toBe(2);
    expect(output).toMatch(/is not valid (?:JSON|TOML)\. Correct it and try again\. Nothing was changed\.\n$/);
    expect(await user.read(files[0])).toBe("{ [broken");
    await expect(user.read(rules[0])).rejects.toThrow("ENOENT");
  });
});

describe("lectern setup-client", () => {
  it("keeps comments, other servers and additional fields of its own entry", async () => {
    await using user = await home();
    const before = `{
    // mine
    "servers": {
        "other": { "command": "x", "args": ["--y"] },
        "lectern": { "type": "stdio", "command": "old", "timeout": 5, "headers": { "X-Own": "1" } }, // ours
    },
    "inputs": [1],
}
`;
    await user.write(".vscode/mcp.json", before);
    expect((await user.setup(["vscode", "--url", url, "--project"])).code).toBe(0);
    const after = await user.read(".vscode/mcp.json");
    expect(after).toContain("    // mine\n");
    expect(after).toContain("// ours");
    expect(parse("mcp.json", after)).toEqual({
      servers: {
        other: { command: "x", args: ["--y"] },
        lectern: {
          timeout: 5,
          type: "http",
          url: `${url}/mcp`,
          headers: { "X-Own": "1", Authorization: "Bearer ${env:LECTERN_API_KEY}" },
        },
      },
      inputs: [1],
    });
  });

  it("keeps the other content of TOML files and of rules", async () => {
    await using user = await home();
    const head = 'model = "m" # mine\n\n[mcp_servers.other]\ncommand = "x"\n';
    const own =
      '[mcp_servers.lectern]\ncommand = "old"\nstartup_timeout_sec = 20\n\n[mcp_servers.lectern.tools]\nq = 1\n';
    const tail = "[profiles.p]\nb = [1, 2] # two\n";
    await user.write(".codex/config.toml", `${head}\n${own}\n${tail}`);
    await user.write("AGENTS.md", "# Ours\n\nBe short.\n");
    expect((await user.setup(["codex", "--url", url, "--project"])).code).toBe(0);
    const after = await user.read(".codex/config.toml");
    expect(after.startsWith(`${head}\n${tail}`)).toBe(true);
    expect(parse("config.toml", after)).toMatchObject({
      mcp_servers: {
        other: { command: "x" },
        lectern: { url: `${url}/mcp`, startup_timeout_sec: 20, tools: { q: 1 } },
      },
    });
    expect(after).not.toContain('"old"');
    expect(await user.read("AGENTS.md")).toMatch(/^# Ours\n\nBe short\.\n\n<!-- lectern: /);
  });

  it.each([
    ["a list instead of a table", ".mcp.json", '{"mcpServers": []}', "has mcpServers, which is not a table"],
    ["a list", ".mcp.json", "[]", "is not valid JSON"],
    ["a duplicate key", ".mcp.json", '{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}', "without other changes"],
    ["an inline table", ".codex/config.toml", 'mcp_servers = { a = { url = "u" } }\n', "without other changes"],
    ["an incomplete rule", ".claude/rules/lectern.md", "x\n<!-- /lectern -->\n", "only one of the marks"],
  ])("refuses to change a file with %s", async (_what, file, text, sentence) => {
    await using user = await home();
    await user.write(file, text);
    const { code, output } = await user.setup([file.includes("codex") ? "codex" : "claude", "--url", url, "--project"]);
    expect(code).toBe(2);
    expect(output).toContain(sentence);
    expect(output).toContain("Nothing was changed.");
    expect(await user.read(file)).toBe(text);
    for (const other of [".mcp.json", ".claude/rules/lectern.md", "AGENTS.md"].filter((one) => one !== file))
      await expect(user.read(other)).rejects.toThrow("ENOENT");
  });

  it("writes to the target of a symlink and keeps its mode", async () => {
    await using user = await home();
    await user.write("dotfiles/mcp.json", "{}");
    await chmod(user.at("dotfiles/mcp.json"), 0o640);
    await mkdir(user.at(".cursor"));
    await symlink(user.at("dotfiles/mcp.json"), user.at(".cursor/mcp.json"));
    expect((await user.setup(["cursor", "--url", url])).code).toBe(0);
    expect((await lstat(user.at(".cursor/mcp.json"))).isSymbolicLink()).toBe(true);
    expect((await lstat(user.at("dotfiles/mcp.json"))).mode & 0o777).toBe(0o640);
    expect(await user.read("dotfiles/mcp.json")).toContain(`${url}/mcp`);
  });

  it("takes the address from the settings, and omits a missing key with a warning", async () => {
    await using user = await home();
    const { code, output } = await user.setup(["claude"], { PUBLIC_URL: "https://elsewhere.example.com/" });
    expect(code).toBe(0);
    expect(output).toContain("LECTERN_API_KEY is not set");
    expect(parse("x.json", await user.read(".claude.json"))).toEqual({
      mcpServers: { lectern: { type: "http", url: "https://elsewhere.example.com/mcp" } },
    });
  });

  it("configures lectern mcp for a server or a data folder", async () => {
    await using user = await home();
    expect((await user.setup(["cursor", "--stdio", "--url", `${url}/api`])).code).toBe(0);
    expect(parse("x.json", await user.read(".cursor/mcp.json"))).toEqual({
      mcpServers: {
        lectern: {
          command: process.execPath,
          args: [program, "mcp", "--url", url],
          env: { LECTERN_API_KEY: "${env:LECTERN_API_KEY}" },
        },
      },
    });
    expect((await user.setup(["cursor", "--data", "store"])).code).toBe(0);
    expect(parse("x.json", await user.read(".cursor/mcp.json"))).toEqual({
      mcpServers: { lectern: { command: process.execPath, args: [program, "mcp", "--data", user.at("store")] } },
    });
  });

  it("lists the supported agents", async () => {
    await using user = await home();
    for (const args of [[], ["emacs"], ["constructor"]]) {
      const { code, output } = await user.setup(args);
      expect(code).toBe(2);
      expect(output).toContain("Name an agent: claude, cursor, vscode, codex, gemini, opencode.");
    }
  });
});
