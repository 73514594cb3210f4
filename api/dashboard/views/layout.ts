import { hasScope, type Caller } from "../../../domain/access.ts";
import { asset, type AssetName } from "../assets.ts";
import { html, nothing, type Html } from "../html.ts";
import type { Dashboard, NavigationEntry } from "../page.ts";
import { currentPage, hiddenFields, notice } from "./parts.ts";

/** Options of the layout. */
export interface LayoutOptions {
  readonly title: string;
  readonly main: Html;
  readonly assets: readonly AssetName[];
  readonly flash: string | undefined;
  readonly caller: Caller;
  /** CSRF token; "": not signed in. */
  readonly formToken: string;
  readonly path: string;
  readonly dashboard: Pick<Dashboard, "navigation" | "version">;
}

/** Configuration of htmx: nothing that the content security policy forbids; failures replace the target like other parts. */
const htmx = JSON.stringify({
  allowEval: false,
  includeIndicatorStyles: false,
  selfRequestsOnly: true,
  historyCacheSize: 0,
  responseHandling: [
    { code: "204", swap: false },
    { code: "...", swap: true },
  ],
});

/** A whole page. */
export function layout({ title, main, assets, flash, caller, formToken, path, dashboard }: LayoutOptions): Html {
  const scripts = [
    asset("htmx.js"),
    asset("sse.js"),
    ...assets.filter((name) => name.endsWith(".js")).map(asset),
    asset("lectern.js"),
  ];
  const styles = ["style.css" as const, ...assets.filter((name) => name.endsWith(".css"))].map(asset);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content="${htmx}" />
        <title>${title} · Lectern</title>
        <link rel="icon" type="image/svg+xml" href="${asset("icon.svg")}" />
        ${styles.map((one) => html`<link rel="stylesheet" href="${one}" />`)}
        ${scripts.map((one) => html`<script src="${one}" defer></script>`)}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
          <a class="brand" href="/"><img src="${asset("icon.svg")}" alt="" width="24" height="24" />Lectern</a>
          <nav aria-label="Main">
            ${dashboard.navigation.map((entry) => (maySee(caller, entry) ? entryView(entry, path) : nothing))}
          </nav>
          ${signedIn(caller, formToken)}
        </header>
        <main id="main" tabindex="-1">${flash === undefined ? nothing : notice("good", flash)} ${main}</main>
        <footer>Lectern ${dashboard.version} <a href="/api/openapi.json">API description</a></footer>
      </body>
    </html> `;
}

/** Whether an entry is shown to the caller; the API checks each request. */
function maySee(caller: Caller, { scope }: NavigationEntry): boolean {
  return scope === "anonymous" || scope === "open" || (caller.keyId !== null && hasScope(caller, scope));
}

function entryView({ label, path }: NavigationEntry, current: string): Html {
  const isHere = path === current || (path !== "/" && current.startsWith(`${path}/`));
  return html`<a href="${path}" ${currentPage(isHere)}>${label}</a>`;
}

function signedIn(caller: Caller, formToken: string): Html {
  if (formToken === "") return html`<a class="button" href="/-/sign-in">Sign in</a>`;
  const name = caller.subject ?? (caller.scopes.includes("admin") ? "Administrator" : "Signed in");
  const who =
    caller.keyId === null
      ? nothing
      : html`<span class="who" title="Teamspace ${caller.teamspace}"><bdi>${name}</bdi></span>`;
  return html`<form class="inline" method="post" action="/-/sign-out">
    ${hiddenFields(formToken)}${who}<button class="button quiet">Sign out</button>
  </form>`;
}
