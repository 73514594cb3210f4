import * as z from "zod";
import type { listedSchema } from "../../routes/repositories.ts";
import { typedAddress } from "../../forms/index.ts";
import { fieldsOf } from "../form-bodies.ts";
import { html, nothing, type Html } from "../html.ts";
import { form, page, type Described, type PageResult, type Visit } from "../page.ts";
import { libraryPath } from "../views/addresses.ts";
import { field, tick } from "../views/fields.ts";
import { age, badge, counted, empty, hiddenFields, link, notice, size, table } from "../views/parts.ts";

type Listed = z.infer<typeof listedSchema>;

/** The owner whose repositories are listed, as typed. */
interface Owner {
  readonly owner?: string | undefined;
  readonly credential?: string | undefined;
}

/** What became of some submissions. */
interface Added {
  readonly added: readonly string[];
  readonly refused: readonly { readonly address: string; readonly message: string }[];
}

const path = "/-/add/repositories";
const text = z.string().max(1000).optional();

/** The form that lists the repositories of an owner. */
export function ownerView({ owner, credential }: Owner): Html {
  return html`<form class="card" action="${path}">
    <h2>Add repositories of an owner</h2>
    ${field("Address of the owner", "owner", {
      value: owner,
      required: true,
      maxLength: 1000,
      placeholder: "https://github.com/acme",
      hint: "A user, organization, group, workspace or project on GitHub, GitLab, Bitbucket, Gitea, Forgejo or Azure DevOps.",
    })}
    ${field("Credential", "credential", { value: credential, maxLength: 100, hint: "ID of a shared credential, for private repositories." })}
    <div class="actions"><button class="button primary">Show repositories</button></div>
  </form>`;
}

/** The repositories of an owner, to be ticked and added. */
export const repositoriesPage: Described = page({
  path,
  scope: "submit",
  parameters: z.object({ owner: text, credential: text }),
  show: (visit) => showRepositories(visit, visit.parameters),
});

/** Submits the ticked repositories, one after the other, and says which were not added, and why. */
export const repositoriesForm: Described = form({
  path,
  scope: "submit",
  body: fieldsOf(
    z.object({
      owner: text,
      credential: text,
      private: text,
      address: z.array(z.string().max(1000)).max(1000).default([]),
    }),
    ["address"],
  ),
  async submit(visit, { owner, credential, private: isPrivate, address: addresses }) {
    const added: string[] = [];
    const refused: Added["refused"][number][] = [];
    for (const address of addresses) {
      const { path: at, body } = typedAddress(address, "git") ?? {};
      if (at === undefined) continue;
      const { failure, body: answer } = await visit.call<{ libraryName: string }>("POST", at, {
        body: { ...body, credential, private: isPrivate === undefined ? undefined : true },
      });
      if (!failure) added.push(answer.libraryName);
      else refused.push({ address, message: failure.message });
      if (failure?.error !== "rate_limit_exceeded") continue;
      const rest = addresses.slice(addresses.indexOf(address) + 1);
      refused.push(
        ...rest.map((one) => ({ address: one, message: "Not tried, as the limit of submissions is reached." })),
      );
      break;
    }
    return showRepositories(visit, { owner, credential }, { added, refused });
  },
});

async function showRepositories(visit: Visit, typed: Owner, outcome?: Added): Promise<PageResult> {
  const { owner = "", credential } = typed;
  const title = "Add repositories";
  const asked =
    owner === ""
      ? undefined
      : await visit.call<{ repositories: readonly Listed[]; complete: boolean }>("GET", "/v2/repositories", {
          query: { owner, credential },
        });
  const problem = asked?.failure ? notice("bad", asked.failure.message) : nothing;
  const list = asked === undefined || asked.failure ? nothing : listView(visit, typed, asked.body);
  const main = html`<h1>${title}</h1>
    ${outcome ? outcomeView(outcome) : nothing} ${ownerView(typed)} ${problem} ${list}`;
  return { title, main, status: asked?.failure && !outcome ? asked.status : 200 };
}

function outcomeView({ added, refused }: Added): Html {
  return html`${
    added.length === 0
      ? nothing
      : notice(
          "good",
          html`${counted(added.length, "repository", "repositories")} added:
          ${added.map((id) => html`<a href="${libraryPath(id)}"><bdi>${id}</bdi></a> `)}`,
        )
  }${refused.map(({ address, message }) => notice("bad", html`<bdi>${address}</bdi> was not added: ${message}`))}`;
}

function listView(
  { formToken }: Visit,
  { owner, credential }: Owner,
  { repositories, complete }: { readonly repositories: readonly Listed[]; readonly complete: boolean },
): Html {
  if (repositories.length === 0) return empty("No repositories", "The owner has none that you may add.");
  const rows = repositories.map((one) => [
    one.library === null
      ? tick(html`<bdi>${one.address.slice(one.address.lastIndexOf("/") + 1)}</bdi>`, "address", { value: one.address })
      : html`<a href="${libraryPath(one.library)}"><bdi>${one.library}</bdi></a>`,
    html`<div class="stack tight">
      ${link(one.address)}<span class="muted small"><bdi>${one.description}</bdi></span>
    </div>`,
    html`<span class="nowrap">${one.bytes === null ? "" : size(one.bytes)}</span>`,
    one.licence ?? "",
    html`${one.private === true ? badge("plain", "private") : nothing}
    ${one.archived === true ? badge("warn", "archived") : nothing}
    ${one.fork === true ? badge("plain", "fork") : nothing}`,
    one.pushedAt === null ? "" : age(one.pushedAt, Date.now()),
  ]);
  return html`<form class="stack" method="post" action="${path}">
    ${hiddenFields(formToken, ["owner", owner ?? ""], ["credential", credential ?? ""])}
    ${complete ? nothing : notice("warn", `The first ${repositories.length}: the owner has more.`)}
    ${table("Repositories", ["Add", "Repository", "Size", "Licence", "State", "Last push"], rows)}
    ${tick("Private: only this teamspace can read them", "private", { value: "true" })}
    <div class="actions"><button class="button primary">Add the ticked repositories</button></div>
  </form>`;
}
