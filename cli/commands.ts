import { troubles } from "../domain/catalog.ts";
import { withQuery } from "../api/request.ts";
import { Failure } from "../domain/failures.ts";
import { accessCommands } from "./access-commands.ts";
import {
  as,
  credential,
  headersStdin,
  json,
  noWait,
  teamspace,
  tokenStdin,
  yes,
  type Command,
  type Option,
} from "./command.ts";
import { prints, removes } from "./requests.ts";
import { upkeepCommands } from "./upkeep-commands.ts";

const kindOptions = async (): Promise<readonly Option[]> => (await import("./source-argument.ts")).kindOptions;

/** All commands by name; a name of two words is a subcommand. */
export const commands: Readonly<Record<string, Command>> = {
  serve: { summary: "Run API, engine and index in one process.", load: () => import("./serve.ts") },
  add: {
    takes: "[source]",
    summary:
      "Submit a repository, website, llms.txt, API description, package, folder or file, and wait until it is indexed.",
    example: "lectern add https://git.example.com/owner/name, or lectern add ./docs",
    options: [
      as,
      { flag: "--name ID", about: "The library ID, instead of the derived one." },
      { flag: "--title TEXT", about: "Its display name." },
      { flag: "--description TEXT", about: "Its short description." },
      { flag: "--private", about: "For your teamspace only." },
      tokenStdin,
      { flag: "--token TOKEN", about: "Refused: other users would see it.", hidden: true },
      headersStdin,
      credential,
      { flag: "--lockfile FILE", about: "Submit the packages of a project, each at its version." },
      { flag: "--dev", about: "With --lockfile: include development dependencies." },
      {
        flag: "--depth WHICH",
        about: "With --lockfile: direct dependencies only, or all that are installed.",
        choices: ["direct", "all"],
      },
      { flag: "--force", about: "Replace the uploaded file or folder of a library." },
      noWait,
      json,
    ],
    moreOptions: kindOptions,
    load: () => import("./add.ts"),
  },
  preview: {
    takes: "<source>",
    summary: "Show what submitting a source would index.",
    example: "lectern preview https://docs.example.com/guide/",
    options: [as, json],
    moreOptions: kindOptions,
    load: () => import("./preview.ts"),
  },
  repositories: {
    takes: "<owner>",
    summary: "List the repositories of an owner on a Git host, and submit some.",
    example: "lectern repositories https://github.com/acme --add 'docs-*'",
    options: [
      {
        flag: "--add NAME",
        about: "Submit those with this name, * standing for anything but archived ones and forks.",
        many: true,
      },
      { flag: "--private", about: "For your teamspace only." },
      credential,
      json,
    ],
    load: () => import("./repositories.ts"),
  },
  list: {
    summary: "List the libraries of the server.",
    options: [
      { flag: "--search TEXT", about: "Only libraries whose ID or title contains it." },
      {
        flag: "--state STATE",
        about: "Only libraries with this problem; unserved: those whose first run failed, which are hidden otherwise.",
        choices: [...troubles, "unserved"],
      },
      { flag: "--excluded", about: "Include libraries that you administer and policy excludes." },
      json,
    ],
    load: () => import("./list.ts"),
  },
  status: {
    takes: "<library>",
    summary: "Show the status of a library.",
    example: "lectern status /docs/lectern",
    options: [
      { flag: "--watch", about: "Follow the open run to its end." },
      { flag: "--failed", about: "List the pages that failed, and why." },
      { flag: "--skipped", about: "List the pages that were left out, and why." },
      { flag: "--held-back", about: "List the quarantined passages, and why." },
      json,
    ],
    load: () => import("./status.ts"),
  },
  ask: {
    takes: "<question...>",
    summary: "Ask the library whose ID is the first word, or else all libraries, and print the answer.",
    example: 'lectern ask /docs/lectern "How do I add a repository?"',
    options: [{ flag: "--tokens N", about: "Maximum tokens of the answer." }, json],
    load: () => import("./ask.ts"),
  },
  pages: {
    takes: "<library> [word...]",
    summary: "List the pages of a library, or those with a word in their path, title or headings.",
    example: "lectern pages /docs/lectern proxy",
    options: [json],
    load: () => import("./pages.ts"),
  },
  read: {
    takes: "<library> <page>",
    summary: "Print a page of a library, or a section of it.",
    example: "lectern read /docs/lectern ask.md#read-on",
    options: [
      { flag: "--section NAME", about: "Only this section: its name or its heading." },
      { flag: "--from N", about: "Where to read on, as the end of a long page says." },
      { flag: "--tokens N", about: "Maximum tokens." },
      json,
    ],
    load: prints(({ words: [libraryId, page], text, given }) => {
      const [section, from, tokens] = [text("section"), text("from"), text("tokens")];
      return withQuery("/v2/page", { libraryId, page, section, from, tokens, type: given("json") ? "json" : "txt" });
    }),
  },
  search: {
    takes: "<name> [question...]",
    summary: "Find libraries by name, the best for the question first.",
    example: "lectern search vite",
    options: [json],
    load: async () => ({ run: (await import("./ask.ts")).search }),
  },
  refresh: {
    takes: "<library>",
    summary: "Read a library's source again, and wait for it.",
    example: "lectern refresh /docs/lectern",
    options: [
      { flag: "--branch NAME", about: "Branch or tag to refresh." },
      tokenStdin,
      headersStdin,
      credential,
      noWait,
      json,
    ],
    load: () => import("./refresh.ts"),
  },
  delete: {
    takes: "[library]",
    summary: "Delete a library, or all whose first run failed.",
    example: "lectern delete /docs/lectern",
    options: [
      { flag: "--unserved", about: "Delete all libraries whose first run failed: lectern list --state unserved." },
      yes,
    ],
    load: removes(({ words: [libraryId], given }) => {
      if ((libraryId === undefined) !== given("unserved"))
        throw new Failure(
          "validation_error",
          "Name the library to delete, or give --unserved for all whose first run failed.",
        );
      return libraryId === undefined
        ? { question: "Delete all libraries whose first run failed?", path: "/v2/libs/unserved" }
        : { question: `Delete ${libraryId} with all its versions?`, path: withQuery("/v2/libs", { libraryId }) };
    }),
  },
  ...accessCommands,
  ...upkeepCommands,
  doctor: {
    summary: "Check this machine and the settings, show the state of the server, and say what to do.",
    options: [json],
    load: () => import("./doctor.ts"),
  },
  export: {
    takes: "[library]",
    summary: "Print the live generation, manifest first; or a manifest of all libraries.",
    example: "lectern export /docs/lectern --out lectern.ndjson, or lectern export --as-manifest",
    options: [
      { flag: "--out FILE", about: "Write it to a file." },
      { flag: "--as-manifest", about: "A library manifest of the libraries that are here, for lectern apply." },
      teamspace,
    ],
    load: () => import("./export.ts"),
  },
  import: {
    takes: "<file>",
    summary: "Import an export, while no server runs, or into a cluster; - for standard input.",
    example: "lectern import library.ndjson, or - for standard input",
    load: () => import("./import.ts"),
  },
  backup: {
    takes: "<place>",
    summary:
      "Save catalog, keys and generations in a folder or bucket, while the server runs; only what is new is written.",
    example: "lectern backup /srv/backup, or lectern backup s3://bucket/prefix",
    options: [
      { flag: "--keep N", about: "Then remove all backups but the last N." },
      { flag: "--without-keys", about: "Leave out the encryption keys, which open the credentials." },
      json,
    ],
    load: () => import("./backup.ts"),
  },
  restore: {
    takes: "<place>",
    summary: "Restore the last backup into an empty data folder, or the empty servers of a cluster.",
    example: "lectern restore /srv/backup",
    options: [
      { flag: "--at ID", about: "Another backup than the last one." },
      { flag: "--check", about: "Change nothing: restore the catalog into a temporary folder, and read all the rest." },
      json,
    ],
    load: () => import("./restore.ts"),
  },
  reindex: { summary: "Reload the live generations that the index lacks.", load: () => import("./reindex.ts") },
  setup: {
    summary: "Prepare database, index and Temporal; print the keys for Meilisearch, or write them to files.",
    options: [{ flag: "--keys FOLDER", about: "Write the keys to this folder." }],
    load: () => import("./setup.ts"),
  },
  api: { summary: "Run an API process of a cluster.", load: () => import("./api.ts") },
  worker: {
    summary: "Run a worker of a cluster.",
    options: [{ flag: "--bundle", about: "Only build the workflow bundle, for images." }],
    load: () => import("./worker.ts"),
  },
  "setup-client": {
    takes: "[agent]",
    summary: "Connect an agent to a running server: write its configuration, and a rule that makes it ask.",
    example: "lectern setup-client claude",
    options: [
      { flag: "--url URL", about: "Address of the server; default: that of the settings." },
      { flag: "--project", about: "For the project in the current folder; default: for your user." },
      { flag: "--stdio", about: "The agent starts lectern mcp, instead of calling the server itself." },
      { flag: "--data FOLDER", about: "The agent starts lectern mcp on a data folder, without a server." },
      { flag: "--dry-run", about: "Print what would be written." },
    ],
    load: () => import("./setup-client.ts"),
  },
  mcp: {
    summary: "Serve an agent on standard input and output, from a running server or from a data folder.",
    options: [
      { flag: "--url URL", about: "Address of the server; default: that of the settings." },
      { flag: "--data FOLDER", about: "Use a data folder, without a server." },
    ],
    load: () => import("./mcp.ts"),
  },
  completion: {
    takes: "<shell>",
    summary: "Print the completion script of bash, zsh or fish.",
    example: "lectern completion bash > ~/.local/share/bash-completion/completions/lectern",
    load: () => import("./completion.ts"),
  },
};
