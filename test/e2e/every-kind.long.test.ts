import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forms } from "../../api/forms/index.ts";
import { kinds, type Kind } from "../../domain/kinds/index.ts";
import { page } from "../sources/website-setup.ts";
import { description } from "../sources/openapi-description.ts";
import { pageOf } from "../contracts/confluence.ts";
import { startConfluence, type ConfluenceSite } from "../support/confluence.ts";
import { codeBlock, textBlock, startNotion } from "../support/notion-server.ts";
import { startNpmRegistry } from "../support/npm-registry.ts";
import { startSite, type Site } from "../support/site.ts";
import { files, startServers } from "./setup.ts";

const notion = await startNotion();
const registry = await startNpmRegistry();
const { server, git, folder } = await startServers((_git, path) => ({
  FOLDER_ROOTS: path,
  NOTION_API_URL: notion.url,
  NPM_CONFIG_REGISTRY: registry.url,
  NPM_CONFIG_USERCONFIG: "/dev/null",
}));
let site: Site;
let wiki: ConfluenceSite;
beforeAll(async () => {
  const guide = "# Guide\n\nRead it so:\n\n```js\nread(1);\n```\n";
  site = await startSite({
    "/": page("Start"),
    "/llms.txt": `# Site\n\n- [Guide](/guide.md)\n`,
    "/guide.md": guide,
    "/openapi.json": { headers: { "content-type": "application/json" }, body: description({ "/a": "Read A" }) },
  });
});
beforeAll(async () => {
  wiki = await startConfluence();
  wiki.add("Home", pageOf("Reading"));
});
afterAll(() => Promise.all([site.close(), wiki.close(), notion.close(), registry.close()]));

/** A source of every kind that can be refreshed, and one of its options with another value, if the kind has options. */
const samples: Readonly<
  Record<Exclude<Kind, "upload">, () => Promise<{ readonly body: object; readonly option?: object }>>
> = {
  async git() {
    const { url } = await git.repository("acme/every", files);
    return { body: { docsRepoUrl: url }, option: { skipVersionFiltering: true } };
  },
  async folder() {
    const path = join(folder, "every");
    await mkdir(path, { recursive: true });
    await writeFile(join(path, "guide.md"), "# Guide\n\nRead it so:\n\n```js\nread(1);\n```\n");
    return { body: { path }, option: { excludeFolders: ["none"] } };
  },
  llmstxt: async () => ({ body: { llmstxtUrl: `${site.origin}/llms.txt` }, option: { otherHosts: true } }),
  openapi: async () => ({ body: { openApiUrl: `${site.origin}/openapi.json` } }),
  async notion() {
    const blocks = [textBlock("paragraph", "Read it so:"), codeBlock("read(1);", "javascript")];
    const id = notion.addPage({ title: "Guide", blocks });
    const [notionToken] = notion.tokens;
    return {
      body: { title: "Guide", pageUrls: [`https://www.notion.so/Guide-${id.replaceAll("-", "")}`], notionToken },
    };
  },
  website: async () => ({ body: { websiteUrl: `${site.origin}/` }, option: { maxPages: 7 } }),
  async package() {
    registry.publish("widgets", {
      "1.0.0": { files: { "README.md": "# Guide\n\nRead it so:\n\n```js\nread(1);\n```\n" } },
    });
    return { body: { name: "widgets" }, option: { version: "1.0.0" } };
  },
  async confluence() {
    const confluenceCredential = { type: "personal", token: "ATATT3-secret", email: "docs@example.com" };
    const names = { spaceKey: "ENG", spaceName: "Engineering", title: "Engineering", description: "" };
    return {
      body: { siteUrl: wiki.origin, cloudId: wiki.cloudId, ...names, confluenceCredential },
      option: { includeRestricted: true },
    };
  },
};

describe.each((Object.keys(kinds) as Kind[]).filter((kind) => kind !== "upload"))("a source of the kind %s", (kind) => {
  it("is submitted, previewed, indexed, changed, refreshed and deleted", async () => {
    const { body, option } = await samples[kind]();
    const fields = Object.keys(body);
    const form = forms[kind].forms.find(({ address }) => address === undefined || fields.includes(address));
    if (form?.address !== undefined)
      expect(await server.call("POST", "/v2/preview", body)).toMatchObject({
        status: 200,
        body: { total: expect.any(Number) as number },
      });
    const path = kind === "git" ? "/v2/add/repo/git" : (form?.path ?? "");
    const added = await server.call("POST", path, body);
    expect(added.status, JSON.stringify(added.body)).toBe(200);
    const { libraryName } = added.body as { libraryName: string };
    expect(await server.settled(libraryName)).toMatchObject({ state: "finalized" });
    const changed = await server.call("PATCH", "/v2/libs", { libraryName, ...(option ?? { title: "Other" }) });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    expect(await server.call("POST", "/v1/refresh", { libraryName })).toMatchObject({ status: 200 });
    const { runs } = (await server.settled(libraryName)) as { runs: { outcome: string }[] };
    expect(["published", "unchanged"]).toContain(runs[0]?.outcome);
    const id = encodeURIComponent(libraryName);
    expect(await server.call("DELETE", `/v2/libs?libraryId=${id}`)).toMatchObject({ status: 200 });
    expect(await server.call("GET", `/v2/context?libraryId=${id}&query=read`)).toMatchObject({ status: 404 });
  });
});
