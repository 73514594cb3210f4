import { Readable } from "node:stream";

import { describe, expect, it } from "vitest";
import * as z from "zod";

import { jsonAnswer } from "../../api/answers.ts";
import { jsonBody, type BodyKind } from "../../api/body.ts";
import { createDispatcher } from "../../api/http.ts";
import { multipartBody } from "../../api/multipart.ts";
import { limitPieces } from "../../api/incoming-bodies.ts";
import { route, success } from "../../api/route.ts";
import { serve } from "./serving.ts";
import { setup } from "./setup.ts";

/** A body of each kind, its media type, and its reader. */
const kinds: readonly (readonly [name: string, type: string, sent: string, body: BodyKind<unknown>])[] = [
  ["json", "application/json", '{"name":"x"}', jsonBody(z.object({ name: z.string() }))],
  [
    "form",
    "multipart/form-data; boundary=x",
    '--x\r\nContent-Disposition: form-data; name="spec"; filename="a"\r\n\r\nx\r\n--x--\r\n',
    multipartBody({ spec: { maxBytes: 1_000_000 } }, z.object({})),
  ],
];

const routes = kinds.map(([name, , , body]) =>
  route({
    method: "POST",
    path: `/api/${name}`,
    scope: "anonymous",
    limit: "read",
    about: { operationId: name, tag: "Reading", summary: name },
    body,
    answers: success(z.looseObject({})),
    handler: async () => jsonAnswer({}),
  }),
);

/** Returns a function that sends a chunked body and returns the raw answer. */
async function setupSend() {
  const { options } = await setup();
  const { raw } = await serve(createDispatcher(routes, options));
  return (path: string, type: string, chunks: string): Promise<string> =>
    raw(
      `POST /api/${path} HTTP/1.1\r\nHost: docs.example.com\r\nContent-Type: ${type}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
    );
}

const inBytes = (bytes: string): string => Array.from(bytes, (byte) => `1\r\n${byte}\r\n`).join("");

describe("a body", () => {
  it.each(kinds)("may come in small pieces, but not in too many: %s", async (name, type, sent) => {
    const send = await setupSend();
    expect(await send(name, type, `${inBytes(sent)}0\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
    // Without an end: the connection is closed long before.
    expect(await send(name, type, inBytes(" ".repeat(300_000)))).toMatch(
      /^HTTP\/1.1 400 .*The body comes in more than 1000 pieces of less than 64 bytes\./s,
    );
  });

  it("is neither buffered nor drained in small pieces if it is not read", async () => {
    const unread = new Readable({ read: () => undefined });
    void limitPieces(unread);
    const accepted = Array.from({ length: 5000 }, () => unread.push(Buffer.from("x")));
    expect(accepted.lastIndexOf(true)).toBeLessThan(1100);
    expect(unread.readableLength).toBeLessThan(1100);
    const send = await setupSend();
    expect(await send("nothing", "text/plain", inBytes(" ".repeat(300_000)))).toMatch(/^HTTP\/1.1 404 /);
  });
});
