import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { partOf, type ApiDescription } from "../../api/dashboard/api-part.ts";
import { tags } from "../../api/route.ts";
import { setupPages } from "./world.ts";

const whole = JSON.parse(readFileSync("docs/openapi.json", "utf8")) as ApiDescription;
const operationsOf = ({ paths }: ApiDescription) =>
  Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));

it("cuts the description of the API into parts with all operations, whose references lead somewhere", () => {
  const parts = tags.map((tag) => partOf(whole, tag));
  expect(parts.flatMap(operationsOf).toSorted()).toEqual(operationsOf(whole).toSorted());
  for (const part of parts) {
    const text = JSON.stringify(part);
    expect(text.length).toBeLessThan(JSON.stringify(whole).length / 2);
    for (const [, name = ""] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
      expect(part.components["schemas"]).toHaveProperty(name);
  }
});

it("sends the viewer a part with the version of the program", async () => {
  const { browse } = await setupPages({}, { openapi: whole });
  const { body } = await browse("GET", "/-/api-part?tag=Keys");
  expect(body).toMatchObject({ info: { version: "1.2.3" }, tags: [{ name: "Keys" }] });
  expect((await browse("GET", "/api/docs?tag=Keys")).text).toContain("POST /v2/keys");
});
