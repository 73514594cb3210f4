import { ConfigError } from "../config.ts";
import { Failure } from "../domain/failures.ts";
import { missingPackages } from "./missing-packages.ts";
import { programVersion } from "./version.ts";

/** A command: its arguments in one line, what it does, and where it is. */
interface Command {
  readonly usage: string;
  readonly summary: string;
  load(): Promise<{ run(args: readonly string[]): Promise<void> }>;
}

/** Every command of the program. docs/cli.md lists the same ones. */
export const commands: Readonly<Record<string, Command>> = {
  serve: { usage: "serve", summary: "Run API, engine and index in one process.", load: () => import("./serve.ts") },
  api: { usage: "api", summary: "Run an API process of a cluster.", load: () => import("./api.ts") },
  worker: {
    usage: "worker [--bundle]",
    summary: "Run a worker of a cluster; --bundle only makes what workers start from, for images.",
    load: () => import("./worker.ts"),
  },
  setup: {
    usage: "setup [--keys FOLDER]",
    summary: "Prepare database, index and Temporal; the keys made for Meilisearch are shown, or written to files.",
    load: () => import("./setup.ts"),
  },
  reindex: {
    usage: "reindex",
    summary: "Load again what the index lost of live generations.",
    load: () => import("./reindex.ts"),
  },
  add: {
    usage:
      "add <address, folder or file> [--as KIND] [--name ID] [--branch NAME] [--token-stdin] [--credential ID] [--force] [--no-wait]",
    summary: "Submit a source to a running server.",
    load: () => import("./add.ts"),
  },
  preview: {
    usage: "preview <address or folder> [--as KIND] [--branch NAME] [--json]",
    summary: "Show what submitting a source to a running server would index.",
    load: () => import("./preview.ts"),
  },
  ask: {
    usage: "ask <library> <question> [--tokens N] [--json]",
    summary: "Ask a running server.",
    load: () => import("./ask.ts"),
  },
  mcp: {
    usage: "mcp [--url URL] [--data FOLDER]",
    summary: "Serve an agent on standard input and output, from a running server or from a data folder.",
    load: () => import("./mcp.ts"),
  },
  "setup-client": {
    usage: "setup-client <agent> [--url URL] [--project] [--stdio] [--data FOLDER] [--dry-run]",
    summary: "Connect an agent to a running server: its configuration, and a rule that makes it ask.",
    load: () => import("./setup-client.ts"),
  },
  export: {
    usage: "export <library> [--out FILE]",
    summary: "Print the live generation, manifest first.",
    load: () => import("./export.ts"),
  },
  import: {
    usage: "import <file or ->",
    summary: "Take an export back in, while no server runs, or into a cluster.",
    load: () => import("./import.ts"),
  },
};

/** Runs the command that the arguments name. Expected failures end as one sentence and exit code 1. */
export async function main(args: readonly string[]): Promise<void> {
  // A reader such as `head` that has enough closes the pipe; that is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  const [name = "help", ...rest] = args;
  if (name === "--version" || name === "-v") {
    console.log(programVersion);
    return;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command || rest.includes("--help")) {
    const known = command !== undefined || ["help", "--help", "-h"].includes(name);
    (known ? console.log : console.error)(help(command, known ? "" : `There is no command "${name}".\n\n`));
    process.exitCode = known ? 0 : 1;
    return;
  }
  // What commands make is for its owner alone, SQLite's files and what was fetched included, but for what is made to be handed on.
  if (name !== "export" && !rest.includes("--bundle")) process.umask(0o077);
  try {
    await (await command.load()).run(rest);
  } catch (error) {
    const missing = missingPackages(error);
    if (missing !== null) console.error(missing);
    else if (error instanceof Failure || error instanceof ConfigError || isUsageError(error))
      console.error(error.message);
    else throw error;
    process.exitCode = 1;
  }
}

function help(command: Command | undefined, before: string): string {
  if (command) return `lectern ${command.usage}\n${command.summary}`;
  const rows = Object.values(commands).map(({ usage, summary }) => `  lectern ${usage}\n      ${summary}`);
  return `${before}Lectern serves documentation to coding agents and people.\n\n${rows.join("\n")}\n\nSettings are environment variables: docs/configuration.md.`;
}

/** What parseArgs of node:util throws for arguments that it does not know. */
function isUsageError(error: unknown): error is Error {
  return error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}
