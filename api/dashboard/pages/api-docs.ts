import * as z from "zod";
import { tags } from "../../route.ts";
import { jsonAnswer } from "../../answers.ts";
import { oneOf } from "../../parameters.ts";
import { withQuery } from "../../request.ts";
import { partOf, type ApiDescription } from "../api-part.ts";
import { html } from "../html.ts";
import { page, type Described } from "../page.ts";
import { currentPage, table } from "../views/parts.ts";

const parameters = z.object({ tag: oneOf(tags).default("Reading") });

/** The description of the API, one tag at a time, in a viewer; without scripts as a list. */
export const apiDocsPage: Described = page({
  path: "/api/docs",
  entry: "API",
  parameters,
  async show({ ask, dashboard, parameters: { tag } }) {
    const { paths } = partOf(await ask<ApiDescription>("/openapi.json"), tag);
    const rows = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { summary = "" }]) => [
        html`<code>${method.toUpperCase()} ${path}</code>`,
        summary,
      ]),
    );
    const links = tags.map(
      (name) => html`<a href="${withQuery("/api/docs", { tag: name })}" ${currentPage(name === tag)}>${name}</a>`,
    );
    const main = html`<header class="between">
        <h1>API of Lectern ${dashboard.version}</h1>
        <a class="button" href="/api/openapi.json">openapi.json</a>
      </header>
      <nav class="tabs" aria-label="Parts of the API">${links}</nav>
      <h2 class="hidden">${tag}</h2>
      <h3 class="hidden">Operations</h3>
      <div id="api-docs" data-description="${withQuery("/-/api-part", { tag })}">
        ${table(tag, ["Request", "What it does"], rows)}
      </div>`;
    return { title: "API", main, assets: ["swagger-ui.css", "swagger-ui.js", "api-docs.js"] };
  },
});

/** The description of a tag's operations, for the viewer. */
export const apiPartPage: Described = page({
  path: "/-/api-part",
  parameters,
  show: async ({ ask, dashboard, parameters: { tag } }) => {
    const { info, ...part } = partOf(await ask<ApiDescription>("/openapi.json"), tag);
    return { answer: jsonAnswer({ ...part, info: { ...info, version: dashboard.version } }) };
  },
});
