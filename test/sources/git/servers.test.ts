import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { expect, it } from "vitest";
import { splitIntoPieces, PacketError, readLines, toLine } from "../../../sources/git/packets.ts";
import { openGitTestbed, outline, stateOf } from "./setup.ts";

const bed = await openGitTestbed();

/** Sends the capabilities of a server of protocol 2, and passes other requests to `post`. */
function speaking(post: (body: Buffer, request: IncomingMessage, response: ServerResponse) => unknown) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (request.method === "GET") response.end(`${toLine("version 2")}${toLine("fetch=shallow filter")}0000`);
    else void buffer(request).then((body) => post(body, request, response));
  };
}

it("a server's error is quoted in one line, without the token", async () => {
  const error = toLine("ERR quota\u0007of hunter2hunter2 is used up");
  bed.server.answer(
    "odd/says",
    speaking((_body, _request, response) => response.end(error)),
  );
  const url = `${bed.server.url}/odd/says`;
  await expect(
    bed.read(bed.spec(url), stateOf(url, { ref: null }), { secret: "hunter2hunter2" }),
  ).rejects.toMatchObject({
    code: "source_invalid",
    message: expect.stringMatching(/odd\/says could not be read by git: quota.of \*\*\* is used up\.$/),
  });
});

it("a server of the older protocol gets requests of that protocol", async () => {
  const revision = "1".repeat(40);
  const requests: string[] = [];
  const capabilities = `${revision} HEAD\0side-band-64k shallow`;
  bed.server.answer("odd/old", (request, response) => {
    void buffer(request).then((body) => {
      requests.push(`${request.method} ${body.toString()}`);
      if (request.method === "POST") response.end(toLine("ERR the cupboard is bare"));
      else response.end(`${toLine("# service=git-upload-pack")}0000${toLine(capabilities)}0000`);
    });
  });
  const url = `${bed.server.url}/odd/old`;
  const reading = bed.read(bed.spec(url), { revision, ref: null, location: url, refs: [] });
  await expect(reading).rejects.toMatchObject({ message: expect.stringContaining("the cupboard is bare") });
  expect(requests).toEqual(["GET ", expect.stringMatching(/^POST ....want 1{40} side-band-64k.*\n....deepen 1/)]);
});

it.each(["upload-pack: not our ref", "want 2b5 not valid"])(
  "a server that answers %s for documents gets a request for the whole commit",
  async (words) => {
    const repository = await bed.server.repository("acme/whole", { "README.md": "# Hi", "docs/a.md": "a" });
    bed.server.answer(
      "odd/strict",
      speaking(async (body, request, response) => {
        if (!body.includes("deepen 1")) return response.end(toLine(`ERR ${words}`));
        const headers = { "git-protocol": "version=2", "content-type": String(request.headers["content-type"]) };
        const answer = await fetch(`${repository.url}/git-upload-pack`, { method: "POST", headers, body });
        return response.end(await answer.bytes());
      }),
    );
    const { revision } = await bed.resolve(bed.spec(repository.url));
    const url = `${bed.server.url}/odd/strict`;
    const { items } = await bed.read(bed.spec(url), { revision, ref: "main", location: url, refs: [] });
    expect(outline(items)).toEqual({ "README.md": "# Hi", "docs/a.md": "a" });
  },
);

it("a server without filters gets one request for everything", async () => {
  const files = Object.fromEntries(Array.from({ length: 700 }, (_value, i) => [`${i}.md`, `page ${i}`]));
  const repository = await bed.server.repository("acme/plain", files, { filter: false });
  const spec = bed.spec(repository.url);
  const state = await bed.resolve(spec);
  bed.server.requests.length = 0;
  const { items } = await bed.read(spec, state);
  expect(outline(items)).toEqual(files);
  expect(bed.server.requests.map(({ method }) => method)).toEqual(["GET", "POST"]);
});

it("lines are read as they were written, their lengths in bytes, however they come", async () => {
  const lines = ["want ü", "", "x".repeat(60_000), "y".repeat(30_000)];
  const bytes = Buffer.from(`${lines.map(toLine).join("0000")}0000`);
  const cut = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 7001) yield bytes.subarray(at, at + 7001);
  };
  for (const pieces of [splitIntoPieces(bytes), cut()])
    expect((await Array.fromAsync(readLines(pieces))).flat()).toEqual(lines);
  for (const text of ["00ff too short", "000", "0003", "zzzz"])
    await expect(Array.fromAsync(readLines(splitIntoPieces(Buffer.from(text))))).rejects.toThrow(PacketError);
});
