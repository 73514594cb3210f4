import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pages } from "../../api/dashboard/pages.ts";
import { ownDocs, startFilled } from "./filled-server.ts";
import { complaintsOf, describeDashboard, expectAccessible, expectNarrow, narrow, picture } from "./harness.ts";

const filled = await startFilled();
const question = "How do I back up the data?";

/** Something to look at: an address, and what is done there first. */
interface Shown {
  readonly at: string;
  /** Name of its pictures. */
  readonly name: string;
  readonly isSignedOut?: true;
  act?(page: Page): Promise<unknown>;
}

const shown = (at: string, name: string, act?: Shown["act"]): Shown => ({ at, name, ...(act && { act }) });
const press = (name: string) => (page: Page) => page.getByRole("button", { name, exact: true }).click();
const tab = (id: string, name: string) => shown(`${id}?tab=${name}`, `library-${name}`);
const address = (typed: string) => `/-/add?address=${encodeURIComponent(typed)}`;
const confirmation = (act: string, id: string) => shown(`/-/library/act?id=${id}&do=${act}`, `act-${act}`);

/** What is looked at, by the path of its page in the table. */
const views: Readonly<Record<string, readonly Shown[]>> = {
  "/": [
    shown("/", "start"),
    shown("/?state=unserved", "start-unserved"),
    shown("/?search=nothing-has-this-name", "start-none"),
    { at: "/", name: "start-signed-out", isSignedOut: true },
  ],
  "/**": [
    shown(ownDocs, "library"),
    shown("/docs/partly", "library-partly"),
    shown("/docs/failed", "library-failed"),
    shown("/websites/endless", "library-open"),
    ...["pages", "runs", "metrics", "note", "settings"].map((name) => tab(ownDocs, name)),
    shown("/docs/partly?tab=metrics", "library-unused"),
    shown("/docs/partly?tab=pages", "library-pages-skipped"),
    shown("/docs/failed?tab=pages", "library-pages-none"),
    shown("/docs/failed?tab=runs", "library-runs-failed"),
    tab("/docs/shrunk", "held"),
    tab("/docs/screened", "quarantine"),
    shown("/docs/partly?tab=quarantine", "library-quarantine-none"),
    shown("/acme/nothing", "library-not-found"),
    shown(`${ownDocs}?tab=settings`, "library-settings-refused", async (page) => {
      await page.getByLabel("Redirect").fill("/docs/nothing-of-this-name");
      await press("Save")(page);
    }),
  ],
  "/-/library": [shown(`/-/library?id=${ownDocs}`, "library-elsewhere")],
  "/-/answer": [
    shown(`/-/answer?library=${ownDocs}&query=${encodeURIComponent(question)}`, "answer"),
    shown(`/-/answer?library=${ownDocs}&query=${encodeURIComponent(question)}&form=json`, "answer-json"),
    shown(`/-/answer?query=${encodeURIComponent(question)}`, "answer-any"),
    shown(`/-/answer?library=${ownDocs}&query=zzyzx`, "answer-none"),
    shown("/-/answer?library=/docs/nothing&query=proxy", "answer-not-found"),
  ],
  "/-/read": [
    shown(`/-/read?library=${ownDocs}`, "read"),
    shown(`/-/read?library=${ownDocs}&page=docs/getting-started.md`, "read-page"),
    shown(`/-/read?library=${ownDocs}&page=nothing.md`, "read-not-found"),
  ],
  "/-/add": [
    shown("/-/add", "add"),
    shown(address("https://github.com/acme/widgets"), "add-git"),
    shown(address("https://docs.example.com/guide/"), "add-website"),
    shown(address("react"), "add-package"),
    shown(address("nothing"), "add-unknown"),
    shown(address(join(filled.folder, "sources", "partly")), "add-preview", async (page) => {
      await press("Preview")(page);
      await page.getByRole("heading", { name: /^Preview: / }).waitFor();
    }),
    shown(address("/root/secret"), "add-refused", press("Preview")),
  ],
  "/-/add/repositories": [
    shown("/-/add/repositories", "repositories"),
    shown("/-/add/repositories?owner=https%3A%2F%2Fgithub.com%2Facme", "repositories-listed"),
  ],
  "/-/connect": [
    shown("/-/connect", "connect"),
    shown("/-/connect", "connect-made", async (page) => {
      await press("Make a key")(page);
      await page.getByText(/^The key .* was made\.$/).waitFor();
    }),
    { at: "/-/connect", name: "connect-signed-out", isSignedOut: true },
  ],
  "/-/connect/waiting": [shown("/-/connect/waiting", "connect-waiting")],
  "/api/docs": [shown("/api/docs", "api-docs"), shown("/api/docs?tag=Keys", "api-docs-keys")],
  "/-/library/act": [
    confirmation("refresh", ownDocs),
    confirmation("cancel", "/websites/endless"),
    confirmation("publish", "/docs/shrunk"),
    shown("/-/library/act?id=/docs/partly&do=publish", "act-refused", press("Publish the held generation")),
  ],
  "/-/library/delete": [shown("/-/library/delete?id=/docs/partly", "delete")],
  "/-/unserved/delete": [shown("/-/unserved/delete", "delete-unserved")],
  "/-/admin": [shown("/-/admin", "admin")],
  "/-/admin/keys": [
    shown("/-/admin/keys", "admin-keys", (page) => page.getByText("Create a key").click()),
    shown("/-/admin/keys", "admin-keys-made", async (page) => {
      await page.getByText("Create a key").click();
      await page.getByLabel("Name").fill("Ann");
      await press("Create the key")(page);
      await page.getByLabel("The new key").waitFor();
    }),
  ],
  "/-/admin/credentials": [
    shown("/-/admin/credentials", "admin-credentials"),
    ...["git", "confluence", "notion", "website"].map((kind) =>
      shown(`/-/admin/credentials?kind=${kind}`, `admin-credentials-${kind}`),
    ),
  ],
  "/-/admin/receivers": [
    shown("/-/admin/receivers", "admin-receivers"),
    shown("/-/admin/receivers?teamspace=web", "admin-receivers-none"),
  ],
  "/-/admin/manifests": [
    shown("/-/admin/manifests", "admin-manifests"),
    shown("/-/admin/manifests?teamspace=web", "admin-manifests-none"),
  ],
  "/-/admin/teamspaces": [
    shown("/-/admin/teamspaces", "admin-teamspaces"),
    shown("/-/admin/teamspaces?id=web", "admin-teamspaces-rules"),
  ],
  "/-/admin/policies": [shown("/-/admin/policies", "admin-policies")],
  "/-/admin/audit": [
    shown("/-/admin/audit", "admin-audit"),
    shown("/-/admin/audit?target=nothing", "admin-audit-none"),
  ],
  "/-/admin/system": [shown("/-/admin/system", "admin-system")],
  "/-/sign-in": [
    { at: "/-/sign-in", name: "sign-in", isSignedOut: true },
    {
      at: "/-/sign-in",
      name: "sign-in-refused",
      isSignedOut: true,
      async act(page) {
        await page.getByLabel("API key").fill("wrong");
        await press("Sign in")(page);
      },
    },
  ],
  "/-/oidc/sign-in": [shown("/-/oidc/sign-in", "oidc-none")],
  "/-/oidc/callback": [shown("/-/oidc/callback?state=s&code=c", "oidc-refused")],
  "/-/**": [shown("/-/nothing/here", "not-found")],
};
/** Parts of pages, files and redirects. */
const others = ["/-/live", "/-/api-part", "/-/oidc/renew", "/-/assets/{hash}/{name}"];

const viewings = [
  { name: "light", options: {} },
  { name: "narrow-dark", options: { ...narrow, colorScheme: "dark" } },
  { name: "no-script", options: { javaScriptEnabled: false } },
] as const;

describeDashboard(
  "every page",
  (dashboard) => {
    const tabs: { signedIn: Page; signedOut: Page; viewing: (typeof viewings)[number] }[] = [];
    const complaints: string[][] = [];
    beforeAll(async () => {
      await filled.fill(dashboard().server);
      for (const viewing of viewings) {
        const { page: signedIn } = await dashboard().openSignedIn(viewing.options);
        const { page: signedOut } = await dashboard().open(viewing.options);
        complaints.push(complaintsOf(signedIn), complaintsOf(signedOut));
        tabs.push({ signedIn, signedOut, viewing });
      }
    });
    afterAll(() => filled.close());

    it("of the table is looked at", () => {
      const paths = pages.filter(({ kind }) => kind === "page").map(({ path }) => path);
      expect(Object.keys(views).toSorted()).toEqual(paths.filter((path) => !others.includes(path)).toSorted());
    });

    it.each(Object.values(views).flat())("is accessible, fits a phone, works without script: $name", async (view) => {
      for (const { signedIn, signedOut, viewing } of tabs) {
        const page = view.isSignedOut ? signedOut : signedIn;
        await page.goto(view.at);
        await page.getByRole("main").waitFor();
        await view.act?.(page);
        // Axe needs timers of the page.
        if (viewing.name !== "no-script") await expectAccessible(page);
        if (viewing.name === "narrow-dark") await expectNarrow(page, view.at);
        await picture(page, `every-${view.name}-${viewing.name}`);
      }
      expect(complaints.flat()).toEqual([]);
    });
  },
  filled.env,
);
