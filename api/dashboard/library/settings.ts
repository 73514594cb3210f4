import { html, nothing } from "../html.ts";
import type { Html } from "../html.ts";
import type { Settings, Status } from "../../answer-types.ts";
import { actLink } from "./acts.ts";
import { libraryPath, withQuery } from "../views/addresses.ts";
import { hiddenFields, notice } from "../views/parts.ts";
import { optionViews } from "../views/fields.ts";
import { kindName } from "../views/states.ts";
import { settingFields } from "./settings-fields.ts";
import type { SettingField } from "./settings-fields.ts";
import type { LibraryTab } from "./tab.ts";

/** The settings of a library as a form, and its deletion. */
export const settingsTab: LibraryTab = {
  name: "settings",
  label: "Settings",
  isFor: ({ permitted }) => permitted.includes("change"),
  async show({ ask, formToken }, status, id) {
    const settings = await ask<Settings>("/v2/libs/settings", { libraryId: id });
    return html`${renameView(status, id)}${settingsView(settings, id, formToken)}`;
  },
};

/** A pending rename, with its decision. */
function renameView(status: Status, id: string): Html {
  const { pendingRename } = status;
  if (!pendingRename) return nothing;
  return html`<section class="card" aria-labelledby="rename">
    <h2 id="rename">Its source was renamed</h2>
    <p>The ID of its new address is <code>${pendingRename.libraryId}</code>. ${pendingRename.reason}</p>
    <p class="actions">${actLink("rename", id, status)}${actLink("keepId", id, status)}</p>
  </section>`;
}

/** A refused form: its values are in the fields again, each with its error. */
export interface Refusal {
  readonly typed: Readonly<Record<string, string>>;
  /** Texts of the fields when the form was rendered. */
  readonly shown: Readonly<Record<string, string>>;
  readonly byField: Readonly<Record<string, string>>;
  readonly rest: string;
}

/** The form of settings. */
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
                : html` Look at
                  ${wrong.map((name, place) => html`${place === 0 ? "" : ", "}<a href="#set-${name}">${labelled(fields, name)}</a>`)}.`
            }`,
        );
  return html`${problem}
    <form class="stack" method="post" action="/-/library/settings" aria-label="Settings">
      ${hiddenFields(formToken, ["id", id], ["shown", JSON.stringify(shown)])}
      <section class="card" aria-labelledby="chosen">
        <h2 id="chosen">What is chosen for it</h2>
        <div class="fields">${own.map((field) => fieldView(field, refusal))}</div>
      </section>
      ${
        options.length === 0
          ? nothing
          : html`<section class="card" aria-labelledby="options">
              <h2 id="options">What is read of its source</h2>
              <p class="muted small">
                Options of a ${kindName(settings.kind).toLowerCase()}. They count from the next refresh on; its address
                stays as it was submitted.
              </p>
              <div class="fields">${options.map((field) => fieldView(field, refusal))}</div>
            </section>`
      }
      <p class="actions">
        <button class="button primary">Save</button
        ><a class="button quiet" href="${libraryPath(id, { tab: "settings" })}">Start again</a>
      </p>
    </form>
    <section class="card" aria-labelledby="deletion">
      <h2 id="deletion">Delete the library</h2>
      <div class="between">
        <p class="muted">
          Its pages, versions, settings and metrics go. It can be submitted again, and not brought back.
        </p>
        <a class="button danger" href="${withQuery("/-/library/delete", { id: settings.libraryId })}">Delete …</a>
      </div>
    </section>`;
}

function labelled(fields: readonly SettingField[], name: string): string {
  return fields.find((field) => field.name === name)?.label ?? name;
}

function fieldView(field: SettingField, refusal: Refusal | undefined): Html {
  const { name, label, hint, form, choices = [], limits = {}, isWide } = field;
  const value = refusal?.typed[name] ?? (refusal === undefined ? field.value : "");
  const problem = refusal?.byField[name];
  const key = `set-${name}`;
  const described = html` aria-describedby="${problem === undefined ? `${key}-hint` : `${key}-error ${key}-hint`}"`;
  const invalid = problem === undefined ? described : html`${described} aria-invalid="true"`;
  const input = {
    text: () =>
      html`<input id="${key}" name="${name}" value="${value}" autocomplete="off" ${limited(limits)} ${invalid} />`,
    number: () =>
      html`<input
        id="${key}"
        name="${name}"
        value="${value}"
        inputmode="numeric"
        autocomplete="off"
        ${limited(limits)}
        ${invalid}
      />`,
    // HTML drops a line break directly after the tag, so another one is added.
    lines: () =>
      html`<textarea id="${key}" name="${name}" rows="4" spellcheck="false" ${invalid}>${"\n"}${value}</textarea>`,
    choice: () =>
      html`<select id="${key}" name="${name}" ${invalid}>
        ${optionViews(choices, value)}
      </select>`,
  }[form]();
  return html`<div class="field ${isWide === true ? "whole" : ""}">
    <label for="${key}">${label}</label>${input}${
      problem === undefined ? nothing : html`<span class="error" id="${key}-error">${problem}</span>`
    }<span class="hint" id="${key}-hint">${hint}</span>
  </div>`;
}

/** Maximum length of a text; the API checks numbers. */
function limited({ maxlength }: NonNullable<SettingField["limits"]>): Html {
  return maxlength === undefined ? nothing : html` maxlength="${maxlength}"`;
}
