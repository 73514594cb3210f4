import { join } from "node:path";
import { afterAll } from "vitest";
import { exportGeneration } from "../../activities/transfer.ts";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import type { BlobStore } from "../../domain/ports.ts";
import { startGitServer, type GitServer } from "../support/git-server.ts";
import { startLectern, temporaryFolder, type LecternProcess } from "../support/lectern-process.ts";

type Answer = ReturnType<LecternProcess["call"]>;

/** A Git server, a Lectern that may read from it, and shorthands for requests. */
export interface Servers {
  readonly git: GitServer;
  readonly server: LecternProcess;
  /** The data folder. */
  readonly folder: string;
  readonly blobs: BlobStore;
  /** Submits a repository. */
  add(url: string, more?: object): Answer;
  refresh(libraryName: string, more?: object): Answer;
  /** The answer to a question, as JSON. */
  context(libraryId: string, query?: string): Answer;
  /** The same, code only. */
  codeOf(libraryId: string, query?: string): Answer;
  operate(name: "cancel" | "publish" | "rollback", body: object): Answer;
  remove(libraryId: string): Answer;
  /** Outcomes of a library's runs, last one first. Waits until none is open. */
  outcomes(libraryId: string): Promise<readonly (string | null)[]>;
  /** The lines of an export of the live generation: its passages and the signature. */
  linesOf(libraryId: string): Promise<readonly string[]>;
}

/** Starts both for the tests of a file. `settings` may depend on the Git server and the data folder. */
export async function startServers(
  settings: (git: GitServer, folder: string) => Record<string, string> = () => ({}),
): Promise<Servers> {
  const folder = await temporaryFolder();
  const git = await startGitServer();
  const server = await startLectern(folder.path, {
    FETCH_ALLOW: "127.0.0.1",
    GRACE_SECONDS: "0",
    ...settings(git, folder.path),
  });
  afterAll(async () => {
    await server.kill("SIGTERM");
    await git.close();
    await folder[Symbol.asyncDispose]();
  });
  const blobs = createFolderBlobStore({ folder: join(folder.path, "blobs") });
  const ask = (more: object, libraryId: string, query = "make widget") =>
    server.call("GET", `/v2/context?${new URLSearchParams({ libraryId, query, type: "json", ...more }).toString()}`);
  return {
    git,
    server,
    folder: folder.path,
    blobs,
    add: (url, more) => server.call("POST", "/v2/add/repo/git", { docsRepoUrl: url, generateDocs: false, ...more }),
    refresh: (libraryName, more) => server.call("POST", "/v1/refresh", { libraryName, ...more }),
    context: (libraryId, query) => ask({}, libraryId, query),
    codeOf: (libraryId, query) => ask({ kind: "code" }, libraryId, query),
    operate: (name, body) => server.call("POST", `/v2/libs/${name}`, body),
    remove: (libraryId) => server.call("DELETE", `/v2/libs?libraryId=${libraryId}`),
    async outcomes(libraryId) {
      const { runs } = (await server.settled(libraryId)) as { runs: { outcome: string | null }[] };
      return runs.map(({ outcome }) => outcome);
    },
    async linesOf(libraryId) {
      const { live } = (await server.settled(libraryId)) as { live: { id: string } };
      return (await Array.fromAsync(exportGeneration(blobs, live.id))).slice(1);
    },
  };
}

/** The code block in the guide of `files`. */
export const code = 'import { widget } from "widgets";\n\nwidget("ünïcode", `template ${1}`);\t// tab';

/** A small repository: a readme, a guide, and a source file. */
export const files: Readonly<Record<string, string>> = {
  "README.md": "# Widgets\n\nWidgets make gadgets spin, quickly and without noise.\n",
  "docs/guide.md": `# Guide\n\n## Make a widget\n\nImport and call it:\n\n\`\`\`ts\n${code}\n\`\`\`\n\nThat is all there is to making widgets with this library.\n`,
  "src/index.ts": "export const widget = 1;\n",
};

/** Many small pages, with one passage each. */
export function manyPages(count: number, word: string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, page) => [
      `docs/p${page}.md`,
      `# Page ${page}\n\nThe ${word} of page ${page}:\n\n\`\`\`js\n${word}(${page});\n\`\`\`\n`,
    ]),
  );
}
