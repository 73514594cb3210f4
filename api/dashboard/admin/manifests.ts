import * as z from "zod";
import type { manifestRecordSchema } from "../../routes/manifests.ts";
import { fieldsOf } from "../form-bodies.ts";
import { html, nothing, type Html } from "../html.ts";
import { form, page, type Described, type Visit, type PageResult } from "../page.ts";
import { libraryPath } from "../views/addresses.ts";
import { age, badge, block, count, empty, hiddenFields, link, notice, table } from "../views/parts.ts";
import {
  adminContext,
  administration,
  confirmed,
  sectionPath,
  teamspaceChoice,
  type AdminContext,
} from "./administration.ts";

type ManifestRecord = z.infer<typeof manifestRecordSchema>;

interface Manifests {
  readonly manifests: readonly ManifestRecord[];
  readonly watched: string | null;
}

/** The manifests of a teamspace, with what drifted from them. */
function manifestsView({ manifests, watched }: Manifests, context: AdminContext, problem: string | undefined): Html {
  const { teamspace, choices, caller } = context;
  const none = html`${empty("No manifest was applied yet", "Write one from the libraries that are here, then apply it:")}
  ${block("lectern export --as-manifest --out libraries.yaml\nlectern apply libraries.yaml --dry-run", "Commands")}`;
  const content = html`${teamspaceChoice(sectionPath("manifests"), choices, teamspace)}
  ${watched === null ? nothing : watchedView(watched, context)}
  ${manifests.length === 0 ? none : manifests.map((one) => manifestView(one, context.now))}`;
  return administration(caller, "manifests", "Library manifests", content, {
    problem,
    about:
      "Libraries as code: a file declares them, and applying it makes them so. What a person changes since is shown as drift.",
  });
}

function watchedView(address: string, { formToken }: AdminContext): Html {
  const path = sectionPath("manifests");
  return html`<section class="card" aria-labelledby="watched">
    <h2 id="watched">Watched repository</h2>
    <p>${link(address)}</p>
    <div class="actions">
      <form method="post" action="${path}">
        ${hiddenFields(formToken)}<button class="button primary">Apply now</button>
      </form>
      ${confirmed(path, formToken, {
        label: "Apply with all removals",
        question: "Remove libraries that the manifest does not declare any more, also more than a tenth of them?",
        fields: { confirm: "true" },
      })}
    </div>
  </section>`;
}

function manifestView(
  { name, message, problems, appliedAt, libraries, drift, waiting, isWatched }: ManifestRecord,
  now: number,
): Html {
  const id = `manifest-${name}`;
  const rows = drift.map(({ libraryId, field, declared, present }) => [
    html`<a href="${libraryPath(libraryId, { tab: "settings" })}"><code>${libraryId}</code></a>`,
    field,
    show(declared),
    show(present),
  ]);
  return html`<section class="card stack" aria-labelledby="${id}">
    <div class="between">
      <h2 id="${id}"><bdi>${name}</bdi></h2>
      ${isWatched ? badge("plain", "Watched") : nothing}
    </div>
    <p>${message} <span class="muted">${count(libraries)} declared, applied ${age(appliedAt, now)}.</span></p>
    ${problems.map((one) => notice("bad", one))}
    ${waiting.map(({ libraryId, versions }) => notice("warn", `${libraryId} has no branch or tag ${versions.join(", ")} yet.`))}
    ${
      rows.length === 0
        ? nothing
        : html`<h3>Drift</h3>
            ${table("Drift", ["Library", "Field", "Manifest", "Library has"], rows)}`
    }
  </section>`;
}

function show(value: unknown): string {
  if (value === null) return "the default";
  return typeof value === "string" ? value : JSON.stringify(value);
}

async function showManifests(visit: Visit, requested?: string, problem?: string, status = 200): Promise<PageResult> {
  const context = await adminContext(visit, requested);
  const manifests = await visit.ask<Manifests>("/v2/manifests", { teamspace: context.teamspace });
  return { title: "Library manifests", main: manifestsView(manifests, context, problem), status };
}

/** Library manifests of a teamspace. */
export const manifestsPage: Described = page({
  path: sectionPath("manifests"),
  scope: "admin",
  parameters: z.object({ teamspace: z.string().max(100).optional() }),
  show: (visit) => showManifests(visit, visit.parameters.teamspace),
});

/** Applies the watched manifest. */
export const reconcileForm: Described = form({
  path: sectionPath("manifests"),
  scope: "admin",
  body: fieldsOf(z.object({ confirm: z.literal("true").optional() })),
  async submit(visit, { confirm }) {
    const body = confirm === undefined ? {} : { confirm: true, prune: true };
    const reply = await visit.call<{ message: string }>("POST", "/v2/manifests/reconcile", { body });
    if (reply.failure) return showManifests(visit, undefined, reply.failure.message, reply.status);
    return { goTo: sectionPath("manifests"), flash: reply.body.message };
  },
});
