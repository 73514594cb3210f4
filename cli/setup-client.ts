import { join, resolve } from "node:path";
import { stringify as tomlText } from "smol-toml";
import { loadConfig } from "./config.ts";
import { Failure } from "../domain/failures.ts";
import type { Given } from "./command.ts";
import { serverAddress } from "./server-address.ts";
import { entryName, keyVariable, ruleText, supportedAgents } from "./setup-client-agents.ts";
import type { Agent, Reach } from "./setup-client-agents.ts";
import { readText, withJsonEntry, withRule, withTomlEntry, writeText } from "./setup-client-files.ts";
import type { Entry } from "./setup-client-files.ts";

/**
 * `lectern setup-client`: writes an agent's configuration, and a rule that makes it ask.
 * @throws Failure validation_error for an unknown agent, or an invalid file; nothing was changed then
 */
export async function run(given: Given): Promise<void> {
  const [name] = given.words;
  const agents = supportedAgents();
  const agent = name !== undefined && Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (!agent) {
    const known = Object.keys(agents).join(", ");
    throw new Failure("validation_error", `Name an agent: ${known}. docs/clients.md has what to do for others.`);
  }
  const config = loadConfig(process.env);
  const reach = reachOf(given, serverAddress(config, given.text("url")), config.apiKey !== null);
  const entry: Entry = { table: agent.table, name: entryName, value: agent.entry(reach) };
  const at = given.given("project") ? 1 : 0;
  const [file, rule] = [resolve(agent.file[at]), resolve(agent.rule[at])];
  if (given.given("dry-run")) {
    console.log(
      `${file}\n\n${snippetOf(agent, entry)}\n\n${rule}\n\n${withRule(rule, undefined, ruleText, agent.ruleHead)}`,
    );
    return;
  }
  // Both are computed before either is written.
  const withEntry = agent.format === "json" ? withJsonEntry : withTomlEntry;
  const written = [
    [file, withEntry(file, await readText(file), entry)],
    [rule, withRule(rule, await readText(rule), ruleText, agent.ruleHead)],
  ] as const;
  for (const [path, text] of written) await writeText(path, text);
  console.log(`${agent.title} is connected with ${describeReach(reach)}.\nWritten: ${file}\nWritten: ${rule}`);
  console.log(sayKey(reach));
  console.log(agent.next);
}

/** The agent connects to the server, or starts `lectern mcp` with its address or with a data folder. */
function reachOf(given: Given, address: string, key: boolean): Reach {
  const data = given.text("data");
  if (data !== undefined && given.text("url") !== undefined)
    throw new Failure("validation_error", "Give --url or --data, not both.");
  if (!given.given("stdio") && data === undefined) return { url: `${address}/mcp`, key };
  const program = join(import.meta.dirname, "lectern.mjs");
  const from = data === undefined ? ["--url", address] : ["--data", resolve(data)];
  return { command: process.execPath, args: [program, "mcp", ...from], key: key && data === undefined };
}

/** Our entry in the file, as the rest of it may be private. */
function snippetOf({ format }: Agent, { table, name, value }: Entry): string {
  const whole = { [table]: { [name]: value } };
  return format === "json" ? JSON.stringify(whole, null, 2) : tomlText(whole).trim();
}

function describeReach(reach: Reach): string {
  return "url" in reach ? reach.url : `lectern ${reach.args.slice(1).join(" ")}`;
}

function sayKey(reach: Reach): string {
  if (reach.key)
    return `It takes the key from ${keyVariable}, which has to be set where it starts. The key is in no file.`;
  if ("url" in reach || reach.args.includes("--url"))
    return `It asks without a key, as ${keyVariable} is not set: it sees public libraries, if the server lets anybody read. For more set ${keyVariable} and run this again.`;
  return "It reads the data folder itself and needs no key.";
}
