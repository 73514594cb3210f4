import { expect, it } from "vitest";
import { setup } from "./openapi-setup.ts";

const description = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  paths: {
    "/pets": { get: { operationId: "listPets", summary: "Lists pets", responses: { 200: { description: "All." } } } },
  },
});
const html = (body: string): string => `<!doctype html><html><body>${body}</body></html>`;
const swagger = 'window.ui = SwaggerUIBundle({ dom_id: "#swagger-ui", url: "../v1/api.json" });';

it.each([
  ["Swagger UI, set up in the page", html(`<div id="swagger-ui"></div><script>${swagger}</script>`)],
  ["Swagger UI, set up in its own file", html('<script src="./swagger-initializer.js" charset="UTF-8"></script>')],
  ["Redoc, as an element", html('<redoc spec-url="/v1/api.json"></redoc>')],
  ["Redoc, set up in a script", html('<script>Redoc.init("../v1/api.json", {}, document.body)</script>')],
  ["Scalar, as a script", html('<script id="api-reference" data-url="/v1/api.json"></script>')],
  ["Scalar, set up in a script", html("<script>Scalar.createApiReference('#app', { url: '/v1/api.json' })</script>")],
  ["Stoplight Elements", html('<elements-api apiDescriptionUrl="../v1/api.json" router="hash"></elements-api>')],
  ["RapiDoc", html('<rapi-doc spec-url="../v1/api.json"></rapi-doc>')],
])("reads the description that a page shows: %s", async (_what, page) => {
  const { read } = await setup({
    "/docs/": page,
    "/docs/swagger-initializer.js": `window.onload = function () { ${swagger} };`,
    "/v1/api.json": description,
  });
  expect((await read("/docs/")).read).toContain("#/paths/~1pets/get");
});

it("is refused with a sentence for a page that shows none", async () => {
  const { read } = await setup({ "/docs/": html("<p>Nothing</p>") });
  await expect(read("/docs/")).rejects.toMatchObject({ code: "source_invalid" });
});
