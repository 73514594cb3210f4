import { html } from "../html.ts";
import { page, type Described } from "../page.ts";

/** The description of the API, in a viewer. */
export const apiDocsPage: Described = page({
  path: "/api/docs",
  entry: "API",
  async show() {
    const main = html`<header class="between">
        <h1>API</h1>
        <a id="api-description" class="button" href="/api/openapi.json">openapi.json</a>
      </header>
      <div id="api-docs">
        <p class="muted">This viewer needs JavaScript. openapi.json has the whole description.</p>
      </div>`;
    return { title: "API", main, assets: ["swagger-ui.css", "swagger-ui.js", "api-docs.js"] };
  },
});
