import { join, resolve, basename, dirname } from "node:path";
import { stringify as tomlText, parse as parseToml } from "smol-toml";
import { loadConfig } from "./config.ts";
import { Failure } from "../domain/failures.ts";
import type { Given } from "./command.ts";
import { serverAddress } from "./client.ts";
import { entryName, keyVariable, ruleText, type Reach } from "../domain/agents.ts";
import { snippetOf } from "../api/agent-snippets.ts";
import { supportedAgents } from "./setup-client-agents.ts";
import { randomUUID } from "node:crypto";
import { chmod, readFile, realpath, stat } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { applyEdits, modify, parse as parseJson, type ParseError } from "jsonc-parser";
import { codeOf, makeFolders, writeWhole } from "../stores/blobs/durable-files.ts";

/**
 * `lectern setup-client`: writes an agent's configuration, and a rule that makes it ask.
 * @throws Failure validation_error for an unknown agent or an invalid file, without changing anything
 */
export async function run(given: Given): Promise<void> {
  const [name] = given.words;
  const agents = supportedAgents();
  const agent = name !== undefined && Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (!agent) {
    const known = Object.keys(agents).join(", ");
    throw new Failure(
      "validation_error",
      `Name an agent: ${known}. docs/guides/connect-agents.md explains how to set up others.`,
    );
  }
  const config = loadConfig(process.env);
  const reach = reachOf(given, serverAddress(config, given.text("url")), config.apiKey === null ? null : "variable");
  const entry: Entry = { table: agent.table, name: entryName, value: agent.entry(reach) };
  const at = given.given("project") ? 1 : 0;
  const [file, rule] = [resolve(agent.file[at]), resolve(agent.rule[at])];
  if (given.given("dry-run")) {
    // Our entry alone, as the rest of the file may be private.
    console.log(
      `${file}\n\n${snippetOf(agent, reach)}\n\n${rule}\n\n${withRule(rule, undefined, ruleText, agent.ruleHead)}`,
    );
    return;
  }
  // Compute both texts before writing either, so that an error changes nothing.
  const withEntry = agent.format === "json" ? withJsonEntry : withTomlEntry;
  const written = [
    [file, withEntry(file, await readText(file), entry)],
    [rule, withRule(rule, await readText(rule), ruleText, agent.ruleHead)],
  ] as const;
  for (const [path, text] of written) await writeText(path, text);
  console.log(`${agent.title} is connected with ${describeReach(reach)}.\nWritten: ${file}\nWritten: ${rule}`);
  console.log(describeKey(reach));
  console.log(agent.next);
}

/** How the agent connects: to the server, or through `lectern mcp` with its address or a data folder. */
function reachOf(given: Given, address: string, key: Reach["key"]): Reach {
  const data = given.text("data");
  if (data !== undefined && given.text("url") !== undefined)
    throw new Failure("validation_error", "Give --url or --data, not both.");
  if (!given.given("stdio") && data === undefined) return { url: `${address}/mcp`, key };
  const program = join(import.meta.dirname, "lectern.mjs");
  const from = data === undefined ? ["--url", address] : ["--data", resolve(data)];
  return { command: process.execPath, args: [program, "mcp", ...from], key: data === undefined ? key : null };
}

function describeReach(reach: Reach): string {
  return "url" in reach ? reach.url : `lectern ${reach.args.slice(1).join(" ")}`;
}

function describeKey(reach: Reach): string {
  if (reach.key)
    return `It reads the key from ${keyVariable}, which must be set where it starts. The key is not written to a file.`;
  if ("url" in reach || reach.args.includes("--url"))
    return `It connects without a key, as ${keyVariable} is not set, so it can only read public libraries, if the server allows that. For more, set ${keyVariable} and run this again.`;
  return "It reads the data folder itself and needs no key.";
}

type Table = Readonly<Record<string, unknown>>;

/** A server in the configuration of an agent. */
interface Entry {
  readonly table: string;
  readonly name: string;
  readonly value: Table;
}

/** Members of an entry that describe the connection: all are replaced. */
const connectionMembers = "type,url,httpUrl,serverUrl,command,args,bearer_token_env_var,env_vars,enabled".split(",");

/** The text of a file; undefined if it does not exist. @throws Failure if it cannot be read */
async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw new Failure("validation_error", `${path} cannot be read. Nothing was changed.`, { cause });
  }
}

/** Writes a file atomically, following links. Keeps its permissions; a new file is for its owner only. */
async function writeText(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const mode = await stat(target).then(
    (entry) => entry.mode & 0o777,
    () => 0o600,
  );
  await makeFolders(dirname(target));
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}.tmp`);
  await writeWhole(target, temporary, text);
  await chmod(target, mode);
}

/**
 * Adds the entry to JSON, with or without comments; the rest stays byte for byte.
 * @throws Failure validation_error if the text is invalid, or cannot be changed without other changes
 */
function withJsonEntry(path: string, text: string | undefined, { table, name, value }: Entry): string {
  const before = text === undefined || text.trim() === "" ? "{}\n" : text;
  const errors: ParseError[] = [];
  const content: unknown = parseJson(before, errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isTable(content)) throw broken(path, "JSON");
  const servers = content[table] ?? {};
  if (!isTable(servers)) throw broken(path, "JSON", table);
  const entry = merged(servers[name], value);
  const formattingOptions = {
    insertSpaces: true,
    tabSize: indentOf(before),
    eol: before.includes("\r\n") ? "\r\n" : "\n",
  };
  const after = applyEdits(before, modify(before, [table, name], entry, { formattingOptions }));
  const wanted = { ...content, [table]: { ...servers, [name]: entry } };
  if (!isDeepStrictEqual(parseJson(after, [], { allowTrailingComma: true }), wanted)) throw untouchable(path);
  return after;
}

/** Adds the entry to TOML, as a table at the end. @throws Failure validation_error */
function withTomlEntry(path: string, text: string | undefined, { table, name, value }: Entry): string {
  const before = text ?? "";
  const content = tomlOf(before, broken(path, "TOML"));
  const servers = content[table] ?? {};
  if (!isTable(servers)) throw broken(path, "TOML", table);
  const entry = merged(servers[name], value);
  const rest = name in servers ? withoutTomlTable(before, `${table}.${name}`) : before;
  const head = rest.trimEnd() === "" ? "" : `${rest.trimEnd()}\n\n`;
  const after = `${head}${tomlText({ [table]: { [name]: entry } }).trim()}\n`;
  const parsed = tomlOf(after, untouchable(path));
  if (!isDeepStrictEqual(plain(parsed), plain({ ...content, [table]: { ...servers, [name]: entry } })))
    throw untouchable(path);
  return after;
}

const begin = "<!-- lectern: written by lectern setup-client -->";
const end = "<!-- /lectern -->";

/** Puts the rule between two marks in Markdown; the rest stays. @throws Failure validation_error if one mark is missing */
function withRule(path: string, text: string | undefined, rule: string, head = ""): string {
  const section = `${begin}\n\n${rule.trim()}\n\n${end}`;
  if (text === undefined || text.trim() === "") return `${head}${section}\n`;
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 && to === -1) return `${text.trimEnd()}\n\n${section}\n`;
  if (from === -1 || to < from)
    throw new Failure(
      "validation_error",
      `${path} has only one of the marks ${begin} and ${end}. Remove it. Nothing was changed.`,
    );
  return `${text.slice(0, from)}${section}${text.slice(to + end.length)}`;
}

/** An existing entry with our connection; other members and their order stay. */
function merged(existing: unknown, value: Table): Table {
  if (!isTable(existing)) return value;
  const old = withoutKey(existing);
  const kept = Object.keys(old).filter((name) => name in value || !connectionMembers.includes(name));
  const added = Object.keys(value).filter((name) => !(name in old));
  return Object.fromEntries(
    [...kept, ...added].map((name) => {
      const [before, now] = [old[name], value[name]];
      if (!(name in value)) return [name, before];
      return [name, isTable(now) && isTable(before) ? { ...before, ...now } : now];
    }),
  );
}

/** An entry without the key of an earlier setup. */
function withoutKey(entry: Table): Table {
  return Object.fromEntries(
    Object.entries(entry).flatMap(([name, value]) => {
      if (!isTable(value)) return [[name, value]];
      const rest = Object.entries(value).filter(([, text]) => typeof text !== "string" || !text.includes(keyVariable));
      return rest.length === 0 && Object.keys(value).length > 0 ? [] : [[name, Object.fromEntries(rest)]];
    }),
  );
}

/** The lines of a TOML document without those of a table and its subtables. */
function withoutTomlTable(text: string, name: string): string {
  let inside = false;
  const kept = text.split("\n").filter((line) => {
    const header = /^\s*\[([^\]]*)\]/.exec(line)?.[1]?.replaceAll(/[\s"']/g, "");
    if (header !== undefined) inside = header === name || header.startsWith(`${name}.`);
    return !inside;
  });
  return kept.join("\n");
}

/** Parses TOML. @throws Failure with the code and message of `failure` */
function tomlOf(text: string, failure: Failure): Table {
  try {
    return parseToml(text);
  } catch (cause) {
    throw new Failure(failure.code, failure.message, { cause });
  }
}

/** A plain copy, without the prototypes of parsers. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function indentOf(text: string): number {
  return /^\{\s*?\n( +)\S/.exec(text)?.[1]?.length ?? 2;
}

function broken(path: string, format: string, table?: string): Failure {
  const what = table === undefined ? `is not valid ${format}` : `has ${table}, which is not a table`;
  return new Failure("validation_error", `${path} ${what}. Correct it and try again. Nothing was changed.`);
}

function untouchable(path: string): Failure {
  const message = `${path} cannot be changed without other changes in it. Add the output of --dry-run by hand. Nothing was changed.`;
  return new Failure("validation_error", message);
}
