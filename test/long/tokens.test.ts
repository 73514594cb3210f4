import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { expect, it } from "vitest";
import { toLine } from "../../sources/git/packets.ts";
import { files, startServers } from "../e2e/setup.ts";

const { git, server, add, refresh } = await startServers(() => ({ LOG_LEVEL: "trace" }));

const token = "Tok3n-that-nobody-may-see+0/1";
/** The token in the forms in which a server may send it back. */
const forms = [token, Buffer.from(`git:${token}`).toString("base64"), encodeURIComponent(token)];
const commit = "1".repeat(40);

/** A request's Authorization header, as it is and decoded. */
function echoOf({ headers }: IncomingMessage): string {
  const header = headers.authorization ?? "no token";
  return `${header} ${Buffer.from(header.replace("Basic ", ""), "base64").toString()}`;
}

/** A server of protocol 2 whose answers to ls-refs and fetch are made from the echo. */
function answers(
  refs: (echo: string) => string,
  fetched: (echo: string) => string | Buffer = () => "0000",
): (request: IncomingMessage, response: ServerResponse) => void {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    if (request.method === "GET")
      return void response.end(`${toLine("version 2")}${toLine("fetch=shallow filter")}0000`);
    response.end(body.includes("command=ls-refs") ? refs(echoOf(request)) : fetched(echoOf(request)));
  };
  return (request, response) => void answer(request, response);
}

const main = (): string =>
  `${toLine(`${commit} HEAD symref-target:refs/heads/main`)}${toLine(`${commit} refs/heads/main`)}0000`;
const band = (number: number, text: string): Buffer =>
  Buffer.concat([
    Buffer.from((text.length + 5).toString(16).padStart(4, "0")),
    Buffer.from([number]),
    Buffer.from(text),
  ]);

const ways: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  status: (request, response) => void response.writeHead(418, echoOf(request).replaceAll(/[^ -~]/g, "")).end(),
  headers: (request, response) =>
    void response.writeHead(401, { "www-authenticate": echoOf(request), "x-echo": echoOf(request) }).end(),
  body: (request, response) => void response.end(`<h1>${echoOf(request)}</h1>`),
  "no-http": (request) => void request.socket.end(`HTTP/1.1 200 OK\r\n${echoOf(request)}\r\n\r\n`),
  "a-host": (_request, response) =>
    void response.writeHead(302, { location: `http://${forms[1]?.replaceAll("=", "")}.invalid/a/b` }).end(),
  "an-address": (_request, response) =>
    void response
      .writeHead(302, { location: `/acme/${encodeURIComponent(token)}/info/refs?service=git-upload-pack` })
      .end(),
  "refs-that-are-none": answers((echo) => toLine(echo)),
  "an-error-for-refs": answers((echo) => toLine(`ERR ${echo}`)),
  "a-default-branch": answers(
    () => `${toLine(`${commit} HEAD symref-target:refs/heads/${token}`)}${toLine(`${commit} refs/heads/${token}`)}0000`,
  ),
  "an-error-for-a-fetch": answers(main, (echo) => toLine(`ERR access denied: ${echo}`)),
  "a-long-error": answers(main, (echo) => toLine(`ERR ${"x".repeat(975)} ${echo}`)),
  progress: answers(main, (echo) => Buffer.concat([Buffer.from(toLine("packfile")), band(2, `error: ${echo}\n`)])),
  "a-fatal-error": answers(main, (echo) =>
    Buffer.concat([Buffer.from(toLine("packfile")), band(3, `fatal: ${echo}\n`)]),
  ),
};

it("a token that a server sends back is in no answer and no log", async () => {
  await git.repository(`acme/${token}`, files);
  const responses: unknown[] = [];
  for (const [name, way] of Object.entries(ways)) {
    git.answer(`echo/${name}`, way);
    responses.push(await add(`${git.url}/echo/${name}`, { gitToken: token, libraryName: `/echo/${name}` }));
  }
  for (const name of Object.keys(ways)) {
    const status = await server.settled(`/echo/${name}`);
    expect(status, name).toMatchObject({ state: "error", source: `${git.url}/echo/${name}` });
    const libraryId = `/echo/${name}`;
    responses.push(
      status,
      await server.call("GET", `/v2/context?${new URLSearchParams({ libraryId, query: "a" }).toString()}`),
      await refresh(libraryId, { branch: "no-such-branch" }),
    );
  }
  responses.push(await server.call("GET", "/v2/libs?limit=100"));
  const everything = [JSON.stringify(responses), server.stderr(), server.stdout()].join("\n").toLowerCase();
  expect(everything).toContain("echo/an-error-for-a-fetch");
  expect(git.requests.some(({ headers }) => headers.authorization === `Basic ${forms[1]}`)).toBe(true);
  const shared = forms.flatMap((form) => [form, form.slice(0, 20), form.slice(0, -1)]);
  for (const form of shared) expect(everything.indexOf(form.toLowerCase()), form).toBe(-1);
});

it("refs that contain the token are not versions", async () => {
  const tags = `${toLine(`${commit} refs/tags/v1.0.0-${token}`)}${toLine(`${commit} refs/tags/v1.0.0`)}`;
  git.answer(
    "echo/tags",
    answers(() => `${main().slice(0, -4)}${tags}0000`),
  );
  await add(`${git.url}/echo/tags`, { gitToken: token });
  await server.settled("/echo/tags");
  const { status, body } = await server.call("GET", "/v2/context?libraryId=/echo/tags@v1.0.1&query=a");
  expect(status).toBe(404);
  expect(JSON.stringify(body)).toContain("v1.0.0");
  expect(JSON.stringify(body)).not.toContain(token);
});

it("a token for a host that is not in FETCH_ALLOW is refused over plain http, at once", async () => {
  const refused = {
    status: 422,
    body: { error: "address_not_allowed", message: expect.stringContaining("https") as string },
  };
  const libraryName = "/acme/plain";
  expect(await add("http://git.example.com/acme/plain.git", { gitToken: token, libraryName })).toMatchObject(refused);
  expect(await server.call("GET", `/v2/libs/status?libraryId=${libraryName}`)).toMatchObject({ status: 404 });
  expect(await add("http://git.example.com/acme/plain.git", { libraryName })).toMatchObject({ status: 200 });
  expect(await refresh(libraryName, { gitToken: token })).toMatchObject(refused);
});
