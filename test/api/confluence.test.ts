import { describe, expect, it } from "vitest";

import { typedAddress } from "../../api/forms/index.ts";
import { setup } from "./setup.ts";

const confluenceCredential = { type: "personal", token: "ATATT3-secret", email: "docs@example.com" };
const body = { siteUrl: "https://acme.atlassian.net/wiki/", spaceKey: "ENG", confluenceCredential };

describe("a typed address", () => {
  const cloud = "https://acme.atlassian.net";
  it.each([
    [`${cloud}/wiki/spaces/ENG/overview?homepageId=1`, { siteUrl: cloud, spaceKey: "ENG" }],
    [`${cloud}/wiki/spaces/~5b10ac8d/pages/123/My+Page#x`, { siteUrl: cloud, spaceKey: "~5b10ac8d", pageIds: ["123"] }],
    [`${cloud}/wiki/spaces/%7E5b10ac8d`, { siteUrl: cloud, spaceKey: "~5b10ac8d" }],
    ["https://wiki.example.com/display/ENG/Some+Page", { siteUrl: "https://wiki.example.com", spaceKey: "ENG" }],
    [
      "https://example.com/confluence/spaces/ENG/pages/12/X",
      { siteUrl: "https://example.com/confluence", spaceKey: "ENG", pageIds: ["12"] },
    ],
    [
      "https://example.com/confluence/pages/viewpage.action?spaceKey=ENG&pageId=12",
      { siteUrl: "https://example.com/confluence", spaceKey: "ENG", pageIds: ["12"] },
    ],
  ])("%s is detected as Confluence", (address, expected) => {
    expect(typedAddress(address)).toMatchObject({ path: "/v2/add/confluence", body: expected });
  });

  it.each(["https://example.com/display/guide", "https://example.com/spaces/team/about", `${cloud}/jira/software`])(
    "%s is not detected as Confluence",
    (address) => {
      expect(typedAddress(address)?.path).not.toBe("/v2/add/confluence");
    },
  );
});

describe("a submission", () => {
  it("is always private, and named after its space", async () => {
    const { send, catalog } = await setup();
    const answer = await send("POST", "/v2/add/confluence", { body: { ...body, private: false, projectId: "p" } });
    expect(answer).toMatchObject({ status: 200, body: { libraryName: "/confluence/eng" } });
    const run = await catalog.runs.get((answer.body as { runId: string }).runId);
    expect(await catalog.libraries.get(run?.libraryUid ?? "")).toMatchObject({
      teamspace: "default",
      title: "ENG",
      source: { kind: "confluence", siteUrl: "https://acme.atlassian.net", cloudId: null, pageIds: [] },
    });
    const other = { ...body, siteUrl: "https://other.atlassian.net" };
    expect(await send("POST", "/v2/add/confluence", { body: other })).toMatchObject({
      status: 409,
      body: {
        error: "duplicate_library",
        message: expect.stringMatching(/acme\.atlassian\.net.*choose another ID/) as unknown,
      },
    });
    const named = { ...other, libraryName: "/confluence/other-eng" };
    expect(await send("POST", "/v2/add/confluence", { body: named })).toMatchObject({ status: 200 });
  });

  it.each([
    [{ spaceKey: "a b" }, /^spaceKey must be the key of a space/],
    [{ siteUrl: "https://api.atlassian.com/ex/confluence/1" }, /^siteUrl must be the address of your site/],
    [{ siteUrl: "acme.atlassian.net" }, /^siteUrl must be an absolute URL/],
    [{ pageIds: ["x"] }, /pageIds.*must be the number of a page/],
    [{ pageUrls: ["https://acme.atlassian.net/wiki/x/AbC"] }, /^pageUrls has .* which names no page/],
    [{ cloudId: "../other" }, /^cloudId must be a cloud ID/],
    [{ confluenceCredential: { type: "scoped", token: "t" } }, /email is needed with a token of type scoped/],
    [{ confluenceCredential: { type: "oauth", token: "t" } }, /type must be one of personal, scoped, service, pat/],
    [{ confluenceCredential: { ...confluenceCredential, expires: "soon" } }, /expires must be a day/],
    [{ libraryName: "/acme/eng" }, /has the shape \/confluence\/name/],
  ])("is refused with %j", async (fields, message) => {
    const { send } = await setup();
    expect(await send("POST", "/v2/add/confluence", { body: { ...body, ...fields } })).toMatchObject({
      status: 400,
      body: { error: "validation_error", message: expect.stringMatching(message) as unknown },
    });
  });

  it("uses no credential of another site or teamspace", async () => {
    const { send, addKey } = await setup();
    const make = { kind: "confluence", name: "wiki", host: "acme.atlassian.net", data: confluenceCredential };
    expect(await send("POST", "/v2/credentials", { body: make })).toMatchObject({ status: 200 });
    const { confluenceCredential: _own, ...bare } = body;
    const elsewhere = { ...bare, siteUrl: "https://other.atlassian.net" };
    expect(await send("POST", "/v2/add/confluence", { body: elsewhere })).toMatchObject({ status: 403 });
    const { key } = await addKey(["submit"], { teamspace: "web" });
    expect(await send("POST", "/v2/add/confluence", { body: bare, key })).toMatchObject({ status: 403 });
    expect(await send("POST", "/v2/add/confluence", { body: bare })).toMatchObject({ status: 200 });
  });
});
