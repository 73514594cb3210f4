import { expect, it } from "vitest";
import { describing, extractAll, filesOf, pageOf } from "./cutting.ts";

const words = (about: string): string => `${about} is told here at some length. `.repeat(70).trim();

it("a guide in the description of an API is divided into its sections", async () => {
  const description = `${words("The API")}\n\n# Paging\n\n${words("Paging")}\n\n## Cursors\n\n${words("A cursor")}\n\n\`\`\`json\n{ "next": 1 }\n\`\`\`\n\n# Errors\n\n${words("An error")}`;
  const api = {
    ...describing({ "/a": { get: { responses: {} } } }),
    info: { title: "Acme API", version: "1", description },
  };
  const { passages, codes } = await pageOf(api, "#/info");
  expect(passages.map(({ breadcrumb }) => breadcrumb.join(" > "))).toEqual(
    expect.arrayContaining(["Acme API > Paging", "Acme API > Paging > Cursors", "Acme API > Errors"]),
  );
  expect(codes.map(({ code }) => code)).toEqual(['{ "next": 1 }']);
});

it("a tag has the sections of its guide, then its operations; groups of tags are with the overview", async () => {
  const tags = [
    { name: "Parcels", "x-displayName": "Parcels and letters", description: `# Weight\n\n${words("Weight")}` },
  ];
  const paths = { "/a": { get: { summary: "List parcels", tags: ["Parcels"], responses: {} } } };
  const others = { tags, "x-tagGroups": [{ name: "Post", tags: ["Parcels"] }] };
  const pages = await extractAll(filesOf(describing(paths, others)));
  const tag = pages.find(({ key }) => key === "#/tags/Parcels");
  expect(tag?.prose).toContain("#### Weight");
  expect(tag?.prose).toContain("#### Operations of Parcels");
  expect(tag?.prose).toContain("Parcels and letters");
  expect(tag?.prose).toContain("- List parcels");
  expect(pages[0]?.prose).toContain("- Post: Parcels");
});

it("hostile numbers of fields are bounded, and it is said how many are left out", async () => {
  const text = { type: "string" };
  const properties = Object.fromEntries(Array.from({ length: 1200 }, (_, at) => [`p${at}`, text]));
  const schema = {
    type: "object",
    properties: Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, { type: "object", properties }])),
  };
  const requestBody = { content: { "application/json": { schema } } };
  const { prose } = await pageOf(describing({ "/a": { post: { requestBody, responses: {} } } }), "#/paths/~1a/post");
  expect(prose).toContain("200 further properties are left out.");
  expect(prose).toMatch(/- \*\*More\*\*: \d+ further fields, and those in them, are left out\./);
});
