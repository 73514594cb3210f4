import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { toFailureRecord } from "../../../domain/failures.ts";
import { gitFailure } from "../../../sources/git/failures.ts";
import { GitExit } from "../../../sources/git/spawning.ts";
import { mountSmallDisk } from "../../support/small-disk.ts";
import { startGitTestbed } from "./setup.ts";

afterEach(() => vi.unstubAllEnvs());

const failureOf = (code: number, ...lines: string[]) =>
  gitFailure(new GitExit("fetch", { code, signal: null, lines }), new URL("https://git.example.com/a/b"), []);
const full = "No space is left on the server's disk. Free some: runs continue then.";

describe("Git on a disk in trouble", () => {
  it.each([
    [
      ["fatal: write error: No space left on device", "fatal: fetch-pack: invalid index-pack output"],
      /^No space is left/,
    ],
    [["error: unable to write file: Disk quota exceeded"], /^No space is left/],
    [["fatal: cannot mkdir objects: Read-only file system"], /^The server's disk cannot be read or written/],
  ])("is a failure of the server, not of the repository: %j", (lines, message) => {
    expect(failureOf(128, ...lines)).toMatchObject({
      code: "service_unavailable",
      message: expect.stringMatching(message) as string,
    });
  });

  it("is reported as a missing program if git is missing", () => {
    expect(failureOf(127, "sh: 1: exec: git: not found")).toMatchObject({
      code: "service_unavailable",
      message: expect.stringMatching(/^The program git is not installed/) as string,
    });
  });

  it("reports a disk that is really full, and reads once there is room", async () => {
    const disk = await mountSmallDisk(32);
    if (disk === undefined) return;
    onTestFinished(() => disk[Symbol.asyncDispose]());
    vi.stubEnv("TMPDIR", disk.path);
    const bed = await startGitTestbed();
    onTestFinished(() => bed.close());
    const pages = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `docs/p${at}.md`,
        `# Page ${at}\n\n${randomBytes(40_000).toString("hex")}\n`,
      ]),
    );
    const repository = await bed.server.repository("acme/large", pages);
    for (const leave of [0, 4_096, 8_192, 12_288, 16_384, 20_480, 24_576, 32_768, 60_000, 1_000_000]) {
      await disk.fill(leave);
      const error: unknown = await bed.readAll(bed.spec(repository.url)).catch((thrown: unknown) => thrown);
      const { code, message } = toFailureRecord(error);
      expect({ leave, code, message }).toEqual({ leave, code: "service_unavailable", message: full });
      await disk.free();
    }
    expect((await bed.readAll(bed.spec(repository.url))).items).toHaveLength(40);
  });
});
