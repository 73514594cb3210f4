import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Failure } from "../../../domain/failures.ts";
import { runs } from "../../support/endurance.ts";
import { inPieces, sendsPack } from "../../support/git-pack.ts";
import { standIn, systemGit } from "../../../sources/git/program.ts";
import { openGitTestbed } from "./setup.ts";

const bed = await openGitTestbed();

/** Failures that blame the source. */
const blamed = ["source_invalid", "source_unreachable", "source_not_found", "library_too_large"];

/** Whether a reading succeeded, or its failure if that blames the source; other errors are thrown. */
async function outcomeOf(reading: Promise<unknown>): Promise<string> {
  try {
    await reading;
    return "read";
  } catch (error) {
    if (error instanceof Failure && blamed.includes(error.code)) return error.code;
    throw error;
  }
}

/** All objects of a repository as a pack, and its commit. */
async function packOf(name: string): Promise<{ pack: Buffer; commit: string }> {
  const files = { "README.md": "# Hi\n", "docs/a.md": "# A\n\n```js\na();\n```\n", "docs/b/c.md": "# C\n\nText.\n" };
  const repository = await bed.server.repository(name, files);
  const commit = await repository.git("rev-parse", "main");
  const pack = await new Promise<Buffer>((resolve, reject) => {
    const child = execFile(
      "git",
      ["-C", repository.path, "pack-objects", "--stdout", "--revs", "-q"],
      { encoding: "buffer" },
      (error, stdout) => (error ? reject(error) : resolve(stdout)),
    );
    child.stdin?.end("main\n");
  });
  return { pack, commit };
}

/** Gives a pack the right checksum, so that its content is examined. */
function sealed(pack: Uint8Array): Buffer {
  const body = pack.subarray(0, Math.max(0, pack.length - 20));
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

it.each([systemGit, standIn])("with $name a changed pack is read, or fails as the source's fault", async (program) => {
  const bed = await openGitTestbed({ program });
  const { pack, commit } = await packOf("generated/whole");
  const change = fc.record({
    at: fc.nat(pack.length - 1),
    bytes: fc.uint8Array({ minLength: 0, maxLength: 12 }),
    removed: fc.nat(40),
  });
  let current: Uint8Array = pack;
  bed.server.answer(
    "generated/changed",
    sendsPack(() => inPieces(current), commit),
  );
  const spec = bed.spec(`${bed.server.url}/generated/changed`);
  expect(await outcomeOf(bed.readAll(spec)), "as it is").toBe("read");
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), fc.boolean(), async (changes, seals) => {
      let changed: Uint8Array = pack;
      for (const { at, bytes, removed } of changes)
        changed = Buffer.concat([changed.subarray(0, at), bytes, changed.subarray(at + removed)]);
      current = seals ? sealed(changed) : changed;
      await outcomeOf(bed.readAll(spec));
    }),
    { numRuns: program === systemGit ? runs({ short: 10, long: 60 }) : runs({ short: 3, long: 40 }) },
  );
});

it("a tree of any names and modes is read as far as it is safe", async () => {
  const part = fc.oneof(
    fc.constantFrom(
      "docs",
      "a.md",
      ".git",
      ".GIT",
      "git~1",
      "..",
      ".",
      "con.md",
      "a\u202e.md",
      "\u212a.md",
      "x".repeat(260),
    ),
    fc.string({ minLength: 1, maxLength: 12, unit: "binary" }).map((name) => name.replace(/[/\0]/g, "_")),
  );
  const entry = fc.record({
    name: part,
    mode: fc.constantFrom("100644", "100755", "120000", "160000", "40000"),
    content: fc.string({ maxLength: 60 }),
  });
  const repository = await bed.server.repository("generated/tree", { "README.md": "# Hi\n" });
  const spec = bed.spec(repository.url);
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(entry, { selector: ({ name }) => name, maxLength: 8 }), async (entries) => {
      const inner = await repository.git("rev-parse", "main^{tree}");
      await repository.commitEntries(
        entries.map(({ name, mode, content }) =>
          mode === "40000" || mode === "160000" ? { name, mode, tree: inner } : { name, mode, content },
        ),
      );
      const { items } = await bed.readAll(spec).catch((error: unknown) => {
        if (error instanceof Failure && blamed.includes(error.code)) return { items: [] };
        throw error;
      });
      const unsafe = items.filter(
        ({ page, type }) => type === "page" && page.key.split("/").some((name) => ["", ".", ".."].includes(name)),
      );
      expect(unsafe).toEqual([]);
    }),
    { numRuns: runs({ short: 5, long: 40 }) },
  );
});
