import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { standIn, systemGit } from "../../../sources/git/program.ts";
import { openGitTestbed, stateOf } from "./setup.ts";

describe.each([systemGit, standIn])("a server that misbehaves while it is read with $name", async (program) => {
  const bed = await openGitTestbed({ program, maxDownload: 4_000_000 });
  /** With a short timeout for a silent server. */
  const hasty = await openGitTestbed({ program, idleTimeout: 400 });

  it("is out of reach when it hangs in the middle of a pack", async () => {
    const files = Object.fromEntries(Array.from({ length: 50 }, (_value, i) => [`${i}.md`, randomBytes(2000)]));
    const repository = await hasty.server.repository("acme/hangs", files, { hangAfter: 4000 });
    const spec = hasty.spec(repository.url);
    const state = await hasty.resolve(spec);
    await expect(hasty.read(spec, state)).rejects.toMatchObject({ code: "source_unreachable" });
  });

  it("is dropped at once when the caller aborts, with the caller's reason", async () => {
    const repository = await bed.server.repository("acme/hangs", { "a.md": randomBytes(9000) }, { hangAfter: 400 });
    const spec = bed.spec(repository.url);
    const state = await bed.resolve(spec);
    const controller = new AbortController();
    const reading = bed.read(spec, state, { signal: controller.signal });
    const reason = new Error("enough");
    setTimeout(() => controller.abort(reason), 200);
    await expect(reading).rejects.toBe(reason);
    await expect(bed.read(spec, state, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it.each([
    ["garbage", "source_invalid", 200, "\u0000\u0001 garbage"],
    ["a page", "source_invalid", 200, "<!doctype html>"],
    ["status-404", "source_not_found", 404, ""],
    ["status-401", "source_refused", 401, ""],
    ["status-403", "source_refused", 403, ""],
    ["status-503", "source_unreachable", 503, ""],
    ["a redirect", "source_invalid", 301, ""],
  ])("fails with %s as %s", async (title, code, status, body) => {
    const name = `odd/${title.replaceAll(" ", "-")}`;
    bed.server.answer(name, (_request, response) =>
      response.writeHead(status, { location: "/elsewhere", "www-authenticate": "Basic" }).end(body),
    );
    const url = `${bed.server.url}/${name}`;
    await expect(bed.read(bed.spec(url), stateOf(url))).rejects.toMatchObject({ code });
  });

  it("is out of reach when it breaks off", async () => {
    bed.server.answer("odd/breaks", (request) => void request.socket.destroy());
    const url = `${bed.server.url}/odd/breaks`;
    await expect(bed.read(bed.spec(url), stateOf(url))).rejects.toMatchObject({ code: "source_unreachable" });
  });

  it("cannot send more than the cap of a download", async () => {
    const repository = await bed.server.repository("acme/heavy", { "blob.md": randomBytes(6_000_000) });
    await expect(bed.readAll(bed.spec(repository.url))).rejects.toMatchObject({ code: "library_too_large" });
  });

  it("is reported when the commit is gone", async () => {
    const repository = await bed.server.repository("acme/gone", { "README.md": "# Hi" });
    const reading = bed.read(bed.spec(repository.url), stateOf(repository.url, { ref: null }));
    await expect(reading).rejects.toMatchObject({
      code: "source_unreachable",
      message: expect.stringContaining("1111"),
    });
  });

  it("is reported when the ref is no commit", async () => {
    const repository = await bed.server.repository("acme/blob-tag", { "README.md": "# Hi" });
    await repository.git("tag", "blob", "main:README.md");
    const spec = bed.spec(repository.url, { branch: "blob" });
    await expect(bed.readAll(spec)).rejects.toMatchObject({ code: "source_invalid" });
  });
});
