import { describe, expect, it } from "vitest";
import { setup } from "./setup.ts";
import { uploadRequest } from "./upload.ts";

const description = JSON.stringify({ openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths: {} });

async function world() {
  const own = await setup();
  /** Uploads a file. */
  const upload = async (
    fields: Readonly<Record<string, string>> = {},
    { name = "pets.json", text = description, key = undefined as string | undefined } = {},
  ) => {
    const request = await uploadRequest({ name, text }, fields);
    return own.send("POST", "/v2/add/openapi-upload", { ...request, ...(key && { key }) });
  };
  const add = (body: object) => own.send("POST", "/v2/add/openapi", { body });
  return { ...own, upload, add };
}

describe("POST /v2/add/openapi", () => {
  it.each([
    ["https://api.example.com/v1/openapi.json", "/openapi/api_example_com_v1"],
    ["https://www.example.com/swagger.yaml?v=2", "/openapi/example_com"],
    ["https://example.com/specs/pet-shop.yml#top", "/openapi/example_com_specs_pet-shop"],
    ["https://example.com/api/describe", "/openapi/example_com_api_describe"],
  ])("gives %s the ID %s", async (openApiUrl, libraryName) => {
    const { add } = await world();
    expect(await add({ openApiUrl })).toMatchObject({ status: 200, body: { libraryName } });
    expect(await add({ openApiUrl })).toMatchObject({ status: 409, body: { error: "duplicate_library" } });
  });

  it.each([
    ["ftp://example.com/openapi.json", "must be an absolute URL"],
    ["https://u:p@example.com/openapi.json", "must not contain credentials"],
    ["http://10.0.0.1/openapi.json", "not public"],
    ["", "openApiUrl"],
  ])("refuses %s", async (openApiUrl, problem) => {
    const { add } = await world();
    const { status, body } = await add({ openApiUrl });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body).toMatchObject({ message: expect.stringContaining(problem) as unknown });
  });

  it("requires an ID of the kind's shape", async () => {
    const { add, upload } = await world();
    const openApiUrl = "https://example.com/openapi.json";
    expect(await add({ openApiUrl, libraryName: "/openapi/mine" })).toMatchObject({ status: 200 });
    expect(await add({ openApiUrl, libraryName: "/docs/mine" })).toMatchObject({ status: 400 });
    expect(await upload({ libraryName: "/docs/mine" })).toMatchObject({ body: { libraryName: "/docs/mine" } });
    expect(await upload({ libraryName: "/openapi/other" })).toMatchObject({ status: 400 });
  });
});

describe("POST /v2/add/openapi-upload", () => {
  it("derives the ID from the title, else from the file's name", async () => {
    const { upload } = await world();
    expect(await upload({ libraryTitle: "Pet Shop" })).toMatchObject({ body: { libraryName: "/docs/pet-shop" } });
    expect(await upload({}, { name: "C:\\specs\\Our API.yaml" })).toMatchObject({
      body: { libraryName: "/docs/our-api" },
    });
  });

  it("is 409 for a second file unless force is set", async () => {
    const { upload, send, catalog } = await world();
    const { body } = await upload();
    for (const force of [undefined, "false", "yes", "1", ""])
      expect(await upload(force === undefined ? {} : { force })).toMatchObject({
        status: 409,
        body: { error: "duplicate_library", message: expect.stringContaining("force=true") as unknown },
      });
    const replaced = await upload({ force: "true", description: "All about pets." });
    expect(replaced).toMatchObject({ status: 200, body: { libraryName: "/docs/pets" } });
    const { runId } = body as { runId: string };
    expect(await catalog.runs.get(runId)).toMatchObject({ state: "closed", outcome: "superseded" });
    expect((await send("GET", "/v2/libs/status?libraryId=/docs/pets")).body).toMatchObject({
      description: "All about pets.",
      source: "pets.json",
    });
  });

  it("can be replaced by its submitter and administrators only", async () => {
    const { upload, addKey } = await world();
    const [mine, other] = [await addKey(["submit"]), await addKey(["submit"])];
    await upload({}, { key: mine.key });
    expect(await upload({ force: "true" }, { key: other.key })).toMatchObject({
      status: 403,
      body: { error: "forbidden" },
    });
    expect(await upload({ force: "true" }, { key: mine.key })).toMatchObject({ status: 200 });
    expect(await upload({ force: "true" })).toMatchObject({ status: 200 });
  });

  it.each([
    ["another kind of file", { name: "pets.txt" }, 400, ".json, .yaml or .yml"],
    ["an empty file", { text: "" }, 400, "empty"],
    ["a file of more than 10 MB", { text: " ".repeat(10_000_001) }, 413, "10000000"],
  ])("refuses %s", async (_, file, status, problem) => {
    const { upload } = await world();
    expect(await upload({}, file)).toMatchObject({
      status,
      body: { message: expect.stringContaining(problem) as unknown },
    });
  });

  it("refuses a form without the file, and other bodies", async () => {
    const { send } = await world();
    const upload = await uploadRequest({ name: "pets.json", text: description }, {}, "other");
    expect(await send("POST", "/v2/add/openapi-upload", upload)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("openapiFile is missing") as unknown },
    });
    expect(await send("POST", "/v2/add/openapi-upload", { body: {} })).toMatchObject({ status: 415 });
  });

  it("cannot be refreshed", async () => {
    const { upload, send } = await world();
    await upload();
    expect(await send("POST", "/v1/refresh", { body: { libraryName: "/docs/pets" } })).toMatchObject({
      status: 400,
      body: { error: "validation_error", message: expect.stringContaining("force=true") as unknown },
    });
  });
});
