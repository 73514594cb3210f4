import { homedir } from "node:os";
import { join } from "node:path";
import { agents, type Agent } from "../domain/agents.ts";

/** The supported agents by name, with the files of the current user. */
export function supportedAgents(): Readonly<Record<string, Agent>> {
  return Object.fromEntries(
    Object.entries<Agent>(agents).map(([name, agent]) => {
      const { file, rule } = agent;
      return [name, { ...agent, file: [onDisk(file[0]), file[1]], rule: [onDisk(rule[0]), rule[1]] }];
    }),
  );
}

/** The path of a user's file, by the variables and the platform that move the folders of agents. */
function onDisk(path: string): string {
  const home = homedir();
  const { platform, env } = process;
  const config = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const code =
    {
      win32: join(env["APPDATA"] || join(home, "AppData", "Roaming"), "Code", "User"),
      darwin: join(home, "Library", "Application Support", "Code", "User"),
    }[platform as string] ?? join(config, "Code", "User");
  const claude = env["CLAUDE_CONFIG_DIR"];
  const folders: readonly (readonly [begins: string, folder: string])[] = [
    ...(claude
      ? ([
          ["~/.claude/", claude],
          ["~/.claude.json", join(claude, ".claude.json")],
        ] as const)
      : []),
    ["~/.codex/", env["CODEX_HOME"] || join(home, ".codex")],
    ["~/.config/Code/User/", code],
    ["~/.config/", config],
    ["~/", home],
  ];
  const [begins, folder] = folders.find(([one]) => path.startsWith(one)) ?? ["", ""];
  return join(folder, path.slice(begins.length));
}
