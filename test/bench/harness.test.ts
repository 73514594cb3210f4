import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { scoreAnswers } from "../../tools/bench/retrieval/answers.ts";
import type { BenchLibrary } from "../../tools/bench/retrieval/libraries.ts";
import { cacheFolder, fetchDocs } from "../../tools/bench/retrieval/packages.ts";
import { askServer, startServer } from "../../tools/bench/retrieval/server.ts";
import { toEvaluation } from "../../tools/bench/retrieval/summary.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

/** A page long enough to be indexed. */
const page = (title: string, words: string): string =>
  `# ${title}\n\n${words} This paragraph says how it is done, why one does it and what comes of it.\n\n\`\`\`sh\ntool ${title.toLowerCase()}\n\`\`\`\n`;

describe("a run", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let library: BenchLibrary;
  let archive: string;

  beforeAll(async () => {
    folder = await temporaryFolder();
    vi.stubEnv("XDG_CACHE_HOME", join(folder.path, "cache"));
    const docs = join(folder.path, "package", "docs");
    await mkdir(join(docs, "guide"), { recursive: true });
    await writeFile(join(docs, "guide", "retry.md"), page("Retrying", "A failed request is sent again with a delay."));
    await writeFile(join(docs, "proxy.md"), page("Proxies", "Requests go through a proxy of the company."));
    await writeFile(join(folder.path, "package", "index.js"), "");
    archive = join(folder.path, "tool-1.0.0.tgz");
    execFileSync("tar", ["-czf", archive, "-C", folder.path, "package"]);
    const sha256 = createHash("sha256")
      .update(await readFile(archive))
      .digest("hex");
    library = { name: "tool", registry: "npm", package: "tool", version: "1.0.0", sha256, docs: "docs" };
    // A fake npm with one package.
    await mkdir(join(folder.path, "bin"));
    await writeFile(join(folder.path, "bin", "npm"), `#!/bin/sh\n[ "$2" = tool@1.0.0 ] && cp "${archive}" .\n`);
    await chmod(join(folder.path, "bin", "npm"), 0o755);
    vi.stubEnv("PATH", `${join(folder.path, "bin")}${delimiter}${process.env["PATH"] ?? ""}`);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await folder[Symbol.asyncDispose]();
  });

  it("fetches only the documentation of a package, and only once", async () => {
    const docs = await fetchDocs(library);
    expect((await readdir(docs, { recursive: true })).toSorted()).toEqual(["guide", "guide/retry.md", "proxy.md"]);
    await writeFile(join(folder.path, "bin", "npm"), "#!/bin/sh\nexit 1\n");
    expect(await fetchDocs(library)).toBe(docs);
  });

  it("refuses a package with another hash than the graded one, and says if npm fails", async () => {
    await writeFile(join(folder.path, "bin", "npm"), `#!/bin/sh\ncp "${archive}" .\n`);
    const other = { ...library, sha256: "0".repeat(64) };
    await expect(fetchDocs(other)).rejects.toThrow(`has the hash ${library.sha256}`);
    await writeFile(join(folder.path, "bin", "npm"), "#!/bin/sh\nexit 1\n");
    await expect(fetchDocs(other)).rejects.toThrow("npm pack tool@1.0.0 --silent failed");
    expect(await readdir(join(cacheFolder(), "packages"))).toHaveLength(1);
  });

  it("scores the answers of a server, and names no question of the half set aside", async () => {
    const question = (id: string, text: string, path: string) =>
      ({
        id,
        library: "tool",
        intent: "how-to",
        question: text,
        half: id === "one" ? "tune" : "aside",
        grades: new Map([[path, 3 as const]]),
        others: new Set<string>(),
      }) as const;
    const questions = [
      question("one", "send a failed request again", "guide/retry.md"),
      question("two", "go through the proxy of my company", "proxy.md"),
    ];
    const prepared = [{ library, folder: await fetchDocs(library), questions }];
    await using started = await startServer(prepared, "sqlite");
    const answers = await askServer(started.lectern, prepared);
    const scored = await scoreAnswers(prepared, answers);
    expect(scored.map(({ scores }) => [scores.text.mrr, scores.json.mrr, scores.plain.mrr])).toEqual([
      [1, 1, 1],
      [1, 1, 1],
    ]);

    const evaluation = toEvaluation(scored);
    expect(evaluation.questions.map((one) => one.question.id)).toEqual(["one"]);
    expect(evaluation.aside?.all).toMatchObject({ questions: 1, text: { mrr: 1 } });
    expect(JSON.stringify(evaluation.aside)).not.toContain("two");
  });
});
