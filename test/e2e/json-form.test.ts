import { join } from "node:path";
import { expect, it } from "vitest";
import { files, startServers } from "./setup.ts";

const docs = join(import.meta.dirname, "..", "..", "docs");
const { git, server, add } = await startServers(() => ({ FOLDER_ROOTS: docs }));
const repository = await git.repository("acme/widgets.git", files);
await add(repository.url);
await server.call("POST", "/v2/add/folder", { path: docs, title: "Lectern", libraryName: "/docs/manual" });
await server.settled("/acme/widgets");
await server.settled("/docs/manual");

const questions = [
  "make widget",
  "how do I add a library",
  "add a private repository with a token",
  "start a server with docker compose",
  "which environment variables does a worker need",
  "use it from an MCP client",
  "create an API key",
  "how to back up the data folder",
  "crawl a website",
  "exclude folders from a repository",
  "ask for a version range",
  "refresh a library every day",
  "what does quarantine mean",
  "release a passage",
  "export and import a library",
  "measure retrieval",
  "reindex into Meilisearch",
  "Temporal namespace and task queues",
  "OpenAPI description upload",
  "rate limit exceeded",
  "status stream",
  "include files into pages",
  "proxy for outgoing requests",
  "S3 bucket for blobs",
];

it.each(questions)("has code snippets in JSON wherever the text form has code: %s", async (query) => {
  for (const libraryId of ["/acme/widgets", "/docs/manual"])
    for (const tokens of ["300", "1000", "5000"]) {
      const ask = async (type: string): Promise<unknown> =>
        (await server.call("GET", `/v2/context?${new URLSearchParams({ libraryId, query, type, tokens }).toString()}`))
          .body;
      const text = (await ask("txt")) as string;
      const { codeSnippets, infoSnippets } = (await ask("json")) as {
        codeSnippets: { codeList: { code: string }[] }[];
        infoSnippets: { content: string }[];
      };
      const examples = text.match(/^```/gm) ?? [];
      if (examples.length > 0) expect(codeSnippets.length, `${libraryId} ${tokens}`).toBeGreaterThan(0);
      for (const { codeList } of codeSnippets) expect(codeList.length).toBeGreaterThan(0);
      expect(infoSnippets.filter(({ content }) => /^```/m.test(content))).toEqual([]);
    }
});

it("has as many snippets in JSON as a search says, whatever prose goes with the code", async () => {
  const code = (name: string) => `\`\`\`js\n${name}();\n\`\`\``;
  const { url } = await git.repository("acme/counted.git", {
    "README.md": `# Counted\n\nA gizmo counts what is there, and says how much of it there is.\n`,
    "docs/lead.md": `# Lead\n\nCall the gizmo:\n\n${code("gizmo")}\n`,
    "docs/both.md": `# Both\n\nA gizmo has a size, and a colour that can be chosen by whoever makes it.\n\n- one\n- two\n\nSet the size of a gizmo:\n\n${code("size")}\n\nThen the colour of the gizmo:\n\n${code("colour")}\n`,
    "docs/bare.md": `# Gizmo\n\n${code("gizmo")}\n`,
  });
  await add(url);
  await server.settled("/acme/counted");
  const parameters = { libraryId: "/acme/counted", query: "gizmo", type: "json", tokens: "100000", limit: "100" };
  const { body } = await server.call("GET", `/v2/context?${new URLSearchParams(parameters).toString()}`);
  const { codeSnippets, infoSnippets } = body as { codeSnippets: object[]; infoSnippets: object[] };
  expect([codeSnippets.length, infoSnippets.length]).toEqual([4, 2]);
  const search = await server.call("GET", "/v2/libs/search?libraryName=/acme/counted&query=gizmo");
  expect(search.body).toMatchObject({ results: [{ id: "/acme/counted", totalSnippets: 6 }] });
  const list = await server.call("GET", "/v2/libs?search=counted");
  expect(list.body).toMatchObject({ libraries: [{ totalSnippets: 6 }] });
});
