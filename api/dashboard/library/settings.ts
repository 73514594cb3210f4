import { html, nothing, type Html } from "../html.ts";
import type { Settings, Status } from "../../answer-types.ts";
import { actLink } from "./acts.ts";
import { libraryPath } from "../views/addresses.ts";
import { withQuery } from "../../request.ts";
import { hiddenFields, notice } from "../views/parts.ts";
import { choice, field, lines } from "../views/fields.ts";
import { kindName } from "../views/states.ts";
import { settingFields, type SettingField } from "./settings-fields.ts";
import type { LibraryTab } from "./tab.ts";

/** The settings of a library, and its deletion. */
export const settingsTab: LibraryTab = {
  name: "settings",
  label: "Settings",
  isFor: ({ permitted }) => permitted.includes("change"),
  async show({ ask, formToken }, status, id) {
    const settings = await ask<Settings>("/v2/libs/settings", { libraryId: id });
    return html`${renameView(status, id)}${settingsView(settings, id, formToken)}`;
  },
};

function renameView(status: Status, id: string): Html {
  const { pendingRename } = status;
  if (!pendingRename) return nothing;
  return html`<section class="card" aria-labelledby="rename">
    <h2 id="rename">The source was renamed</h2>
    <p>The ID of its new address is <code>${pendingRename.libraryId}</code>. ${pendingRename.reason}</p>
    <p class="actions">${actLink("rename", id, status)}${actLink("keepId", id, status)}</p>
  </section>`;
}

/** A refused form: its values stay in the fields, with their errors. */
export interface Refusal {
  readonly typed: Readonly<Record<string, string>>;
  /** Texts of the fields when the form was rendered. */
  readonly shown: Readonly<Record<string, string>>;
  readonly byField: Readonly<Record<string, string>>;
  readonly rest: string;
}

/** The form of the settings. */
export function settingsView(settings: Settings, id: string, formToken: string, refusal?: Refusal): Html {
  const fields = settingFields(settings);
  const shown = refusal?.shown ?? Object.fromEntries(fields.map(({ name, value }) => [name, value]));
  const own = fields.filter(({ isOption }) => !isOption);
  const options = fields.filter(({ isOption }) => isOption);
  const wrong = Object.keys(refusal?.byField ?? {});
  const problem =
    refusal === undefined
      ? nothing
      : notice(
          "bad",
          html`<strong>Nothing was changed.</strong> ${refusal.rest}${
              wrong.length === 0
                ? nothing
                : html` Check
                  ${wrong.map((name, place) => html`${place === 0 ? "" : ", "}<a href="#set-${name}">${labelled(fields, name)}</a>`)}.`
            }`,
        );
  return html`${problem}
    <form class="stack" method="post" action="/-/library/settings" aria-label="Settings">
      ${hiddenFields(formToken, ["id", id], ["shown", JSON.stringify(shown)])}
      <section class="card" aria-labelledby="chosen">
        <h2 id="chosen">Settings</h2>
        <div class="fields">${own.map((field) => fieldView(field, refusal))}</div>
      </section>
      ${
        options.length === 0
          ? nothing
          : html`<section class="card" aria-labelledby="options">
              <h2 id="options">Source options</h2>
              <p class="muted small">
                For the kind ${kindName(settings.kind)}. Changes take effect with the next refresh. The address cannot
                be changed.
              </p>
              <div class="fields">${options.map((field) => fieldView(field, refusal))}</div>
            </section>`
      }
      <p class="actions">
        <button class="button primary">Save</button
        ><a class="button quiet" href="${libraryPath(id, { tab: "settings" })}">Discard changes</a>
      </p>
    </form>
    <section class="card" aria-labelledby="deletion">
      <h2 id="deletion">Delete the library</h2>
      <div class="between">
        <p class="muted">Its pages, versions, settings and metrics are deleted. This cannot be undone.</p>
        <a class="button danger" href="${withQuery("/-/library/delete", { id: settings.libraryId })}">Delete…</a>
      </div>
    </section>`;
}

function labelled(fields: readonly SettingField[], name: string): string {
  return fields.find((field) => field.name === name)?.label ?? name;
}

function fieldView(setting: SettingField, refusal: Refusal | undefined): Html {
  const { name, label, hint, form, choices = [], maxLength, isWide } = setting;
  const value = refusal === undefined ? setting.value : (refusal.typed[name] ?? "");
  const options = { id: `set-${name}`, value, hint, problem: refusal?.byField[name], isWide, maxLength };
  if (form === "lines") return lines(label, name, options);
  if (form === "choice") return choice(label, name, choices, options);
  // Not of the type number, in which browsers drop other text: the API refuses it with a message.
  return field(label, name, { ...options, inputMode: form === "number" ? "numeric" : undefined });
}
