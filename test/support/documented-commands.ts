import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { existsSync, globSync } from "node:fs";
import { delimiter, join } from "node:path";
import { CommanderError, type Command as Program } from "commander";
import { parse } from "yaml";
import { toProgram } from "../../cli/main.ts";
import { settings } from "../../cli/config.ts";
import { stagesOf } from "../../tools/dev/dockerfile.ts";
import { textOf } from "./documents.ts";

const root = join(import.meta.dirname, "..", "..");

/** A command that the shell has started. */
export interface Started {
  readonly program: string;
  readonly args: readonly string[];
}

/** A request of curl, and its answer. */
export interface Answered {
  readonly method: string;
  readonly url: URL;
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** The result of a block of commands. */
export interface BlockResult {
  readonly code: number;
  readonly stderr: string;
  readonly started: readonly Started[];
  readonly answered: readonly Answered[];
  /** The variables that it set, for itself or for one command. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs blocks of commands. */
export interface Shell {
  run(text: string, env?: Readonly<Record<string, string>>): Promise<BlockResult>;
}

/** Programs of the system, which really run. */
const tools = "chmod cp install mkdir openssl".split(" ");

/** Called after a block, to note its variables. */
const last = "block-ended";

/** Start of each script: notes the arguments and variables. */
const notingScript = `#!/bin/sh
{ printf '%s\\0' "\${0##*/}" "$@"; printf '\\001\\0'; PATH=$SYSTEM_PATH env -0; printf '\\002\\0'; } >> "$NOTES"
`;

/** Rest of the scripts; the others do nothing more. */
const programScripts: Readonly<Record<string, string>> = {
  curl: `PATH=$SYSTEM_PATH curl -sS -w '\u0001%{method} %{url_effective} %{response_code} %{content_type}\u0002' "$@" | PATH=$SYSTEM_PATH tee -a "$NOTES.curl"\n`,
  "ssh-keyscan": 'printf "%s ssh-ed25519 AAAAC3NzaC1lZDI1NTE5\\n" "$1"\n',
};

/**
 * A shell whose home is the folder, and whose PATH has only `programs` and some tools. Calls of programs are only noted, except
 * those of curl and of the programs that `more` has a script for.
 */
export async function openShell(folder: string, more: Readonly<Record<string, string>> = {}): Promise<Shell> {
  const path = process.env["PATH"] ?? "";
  const bin = join(folder, ".bin");
  const notes = join(folder, ".notes");
  await mkdir(bin, { recursive: true });
  for (const name of tools) {
    const [file] = path.split(delimiter).flatMap((part) => globSync(join(part, name)));
    if (file !== undefined) await symlink(file, join(bin, name));
  }
  for (const name of [...Object.keys(programs), last]) {
    await writeFile(join(bin, name), notingScript + (more[name] ?? programScripts[name] ?? ""));
    await chmod(join(bin, name), 0o755);
  }
  const own = { PATH: bin, SYSTEM_PATH: path, HOME: folder, NOTES: notes, PWD: folder };
  return {
    async run(text, env = {}) {
      await Promise.all([notes, `${notes}.curl`].map((file) => rm(file, { force: true })));
      const script = `set -eua\n${text}\n${last}\n`;
      const outcome = await new Promise<Pick<BlockResult, "code" | "stderr">>((resolve) => {
        const child = execFile(
          "/bin/sh",
          ["-c", script],
          { cwd: folder, env: { ...env, ...own } },
          (error, _stdout, stderr) => resolve({ code: error ? Number(error.code ?? 1) : 0, stderr }),
        );
        child.stdin?.end();
      });
      const calls = (await readOr(notes)).split("\u0002\0").slice(0, -1);
      const set = calls
        .flatMap((call) => (call.split("\u0001\0")[1] ?? "").split("\0"))
        .map((pair) => [pair.replace(/=.*/s, ""), pair.replace(/^[^=]*=/, "")] as const)
        .filter(([name, value]) => !["", "OLDPWD", "_"].includes(name) && !(name in own) && env[name] !== value);
      return {
        ...outcome,
        started: calls
          .map((call) => (call.split("\u0001\0")[0] ?? "").split("\0").slice(0, -1))
          .map(([program = "", ...args]) => ({ program, args }))
          .filter(({ program }) => program !== last),
        answered: (await readOr(`${notes}.curl`)).split("\u0002").slice(0, -1).map(toAnswered),
        env: Object.fromEntries(set),
      };
    },
  };
}

async function readOr(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
}

function toAnswered(noted: string): Answered {
  const [text = "", about = ""] = noted.split("\u0001");
  const [method = "", url = "", status, ...type] = about.split(" ");
  return { method, url: new URL(url), status: Number(status), type: type.join(" "), text };
}

type Problems = readonly string[] | Promise<readonly string[]>;

/** The programs that documents may name, each with a check that returns the problems of its arguments, as sentences. */
export const programs: Readonly<Record<string, (args: readonly string[]) => Problems>> = {
  curl: () => [],
  lectern: (args) => lecternProblems(args),
  npx: ([program, ...args]) => (program === "lectern" ? lecternProblems(args) : unknown(["ctx7"], [program])),
  npm: npmProblems,
  docker: dockerProblems,
  sudo: sudoProblems,
  node: ([file = "", ...args]) =>
    file.endsWith("/cli/lectern.mjs") ? lecternProblems(args) : [`${file} is not ours.`],
  tar: () => [],
  "ssh-keyscan": () => [],
  git: (args) => unknown(["clone"], args.slice(0, 1)),
  kubectl: ([command]) => unknown(["create"], [command]),
  helm: (args) =>
    args.some((arg) => existsSync(join(root, arg, "Chart.yaml"))) ? [] : [`${args.join(" ")} names no chart of ours.`],
  temporal: (args) =>
    unknown(["--workflow-id", "--address", "--namespace", "--codec-endpoint", "--codec-auth"], flagsIn(args)),
};

/** Errors of `lectern`'s own parser for these arguments. A command that is only named may lack arguments. */
export async function lecternProblems(
  args: readonly string[],
  form: "whole" | "named" = "whole",
): Promise<readonly string[]> {
  if (args.length === 0) return ["It prints its help only."];
  const program = await toProgram(args);
  const removeActions = (one: Program): void => {
    one.commands.forEach(removeActions);
    one.action(() => undefined);
  };
  removeActions(program);
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const isIncomplete = /^commander\.(?:missingArgument|optionMissingArgument)$/.test(error.code);
    return error.exitCode === 0 || (form === "named" && isIncomplete) ? [] : [error.message];
  }
  return [];
}

const { scripts } = JSON.parse(textOf("package.json")) as { readonly scripts: Readonly<Record<string, string>> };

function npmProblems([command = "", ...args]: readonly string[]): readonly string[] {
  if (["ci", "install", "start", "test", "explain", "pack"].includes(command))
    return unknown(["--omit=dev", "--omit=peer", "--omit=optional", "--prefix"], flagsIn(args));
  const [name = "", ...given] = args;
  const script = scripts[name];
  if (command !== "run" || script === undefined) return [`There is no npm ${command} ${name}.`];
  const [, folder] = /node (tools\/(?:bench|dev)\/[\w-]+)/.exec(script) ?? [];
  if (folder === undefined) return [];
  const sources = globSync([`${folder}.ts`, `${folder}/**/*.ts`, "tools/bench/*.ts"], { cwd: root })
    .map(textOf)
    .join("\n");
  return flagsIn(given)
    .filter((flag) => flag !== "--" && !new RegExp(`"(?:--)?${flag.slice(2)}"|\\b${flag.slice(2)}: \\{`).test(sources))
    .map((flag) => `${name} has no ${flag}.`);
}

/** Commands of root, of which none runs. A file below /opt/lectern has to be one of ours. */
function sudoProblems([program = "", ...args]: readonly string[]): Problems {
  const files = args.flatMap((arg) => /^\/opt\/lectern\/(.+)$/.exec(arg)?.[1] ?? []);
  const missing = files.filter((file) => !existsSync(join(root, file))).map((file) => `There is no ${file}.`);
  const known = ["useradd", "install", "systemctl", "journalctl"];
  return [...missing, ...((programs[program]?.(args) as readonly string[] | undefined) ?? unknown(known, [program]))];
}

/** The options of each docker command that documents use. */
const dockerFlags: Readonly<Record<string, string>> = {
  build: "--target --tag",
  run: "--detach --name --publish --volume --env --read-only --tmpfs --cap-drop --security-opt --memory --cpus --pids-limit --restart",
  logs: "",
  "compose logs": "",
  "compose stop": "",
  save: "--output",
  load: "--input",
  "compose up": "--file --detach --build --wait --scale",
  "compose exec": "",
  "compose run": "--rm --no-deps -T --volume",
};

async function dockerProblems(args: readonly string[]): Promise<readonly string[]> {
  const services = Object.assign({}, ...["compose.yaml", "compose.cluster.yaml"].map(servicesOf)) as object;
  const { version } = JSON.parse(textOf("package.json")) as { readonly version: string };
  const [first = ""] = args;
  const words = args.filter((arg, at) => !arg.startsWith("-") && args[at - 1] !== "--file");
  const [, second = "", service] = words;
  const name = first === "compose" ? `compose ${second}` : first;
  const flags = dockerFlags[name];
  if (flags === undefined) return [`docker ${name} is not known here.`];
  const valueOf = (flag: string) => args.flatMap((arg, at) => (args[at - 1] === flag ? [arg] : []));
  // What follows the service is a command of Lectern.
  const serviceAt = name === "compose run" ? args.findIndex((arg) => arg in services) : -1;
  const own = serviceAt < 0 ? args : args.slice(0, serviceAt);
  return [
    ...unknown(flags.split(" "), flagsIn(own)),
    ...(serviceAt < 0 ? [] : await lecternProblems(args.slice(serviceAt + 1))),
    ...(/exec|run/.test(name) && first === "compose"
      ? unknown(Object.keys(services), [args.find((arg) => arg in services) ?? service])
      : []),
    ...unknown(
      Object.keys(services),
      valueOf("--scale").map((scale) => scale.split("=")[0]),
    ),
    ...unknown(
      stagesOf(textOf("Dockerfile")).map((stage) => stage.name),
      valueOf("--target"),
    ),
    ...unknown(
      [`lectern:${version}`],
      args.filter((arg) => arg.startsWith("lectern:") && !arg.includes("/")),
    ),
    ...unknown(
      settingNames,
      valueOf("--env").map((pair) => pair.split("=")[0]),
    ),
  ];
}

function servicesOf(file: string): object {
  return (parse(textOf(file), { merge: true }) as { readonly services: object }).services;
}

/** The variables of every setting; secrets also have NAME_FILE. */
export const settingNames: readonly string[] = Object.values(settings).flatMap(({ env, secret }) =>
  secret ? [env, `${env}_FILE`] : [env],
);

const flagsIn = (args: readonly string[]): readonly string[] => args.filter((arg) => /^-\w|^--\w/.test(arg));

function unknown(known: readonly string[], given: readonly (string | undefined)[]): readonly string[] {
  return given.filter((one) => one === undefined || !known.includes(one)).map((one) => `${one} is not known.`);
}
