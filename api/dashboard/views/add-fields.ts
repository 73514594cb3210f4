import { controlOf } from "../adding/schema-fields.ts";
import type { Field, Sent } from "../adding/schema-fields.ts";
import { html, nothing } from "../html.ts";
import type { Html } from "../html.ts";

/** Fields of a schema as controls with their previous values; secrets are not rendered. */
export function fieldsView(fields: readonly Field[], sent: Sent, group?: string): Html {
  return html`<div class="options">${fields.map((field) => fieldView(field, sent, group))}</div>`;
}

function fieldView(field: Field, sent: Sent, group: string | undefined): Html {
  const { name, label, help, type, required } = field;
  const control = controlOf(name, group);
  if (type === "group")
    return html`<fieldset class="field wide">
      <legend>${label}</legend>
      <p class="hint">${help}</p>
      ${fieldsView(field.fields, sent, name)}
    </fieldset>`;
  const hint = help === "" ? nothing : html`<span class="hint" id="${control}-help">${help}</span>`;
  if (type === "truth")
    return html`<div class="field">
      <label class="check" for="${control}">${controlView(field, control, sent[control])} ${label}</label>${hint}
    </div>`;
  const mark = required && group === undefined ? html` <span class="muted">(needed)</span>` : nothing;
  return html`<div class="field">
    <label for="${control}">${label}${mark}</label>${controlView(field, control, sent[control])}${hint}
  </div>`;
}

function controlView(field: Field, control: string, sent: string | undefined): Html {
  const { type, secret, choices, standard, help, least, most, required } = field;
  const value = secret ? "" : (sent ?? "");
  const described = help === "" ? nothing : html` aria-describedby="${control}-help"`;
  const own = html`id="${control}" name="${control}" ${described}`;
  if (type === "truth")
    return html`<input type="checkbox" ${own} value="on" ${isTicked(value, standard) ? "checked" : ""} />`;
  if (type === "list" || type === "headers") {
    const example = type === "list" ? "One a line" : "Authorization: Bearer …";
    return html`<textarea ${own} rows="2" placeholder="${example}" spellcheck="false" autocomplete="off">
${value}</textarea>`;
  }
  if (type === "choice") {
    const names: Readonly<Record<string, string>> = { true: "Yes", false: "No" };
    const left = standard === undefined ? html`<option value="">As the server decides</option>` : nothing;
    const chosen = value === "" ? standard : value;
    return html`<select ${own}>
      ${left}${choices.map(
        (one) => html`<option value="${one}" ${one === chosen ? "selected" : ""}>${names[one] ?? one}</option>`,
      )}
    </select>`;
  }
  if (type === "number")
    return html`<input
      type="number"
      placeholder="${typeof standard === "number" ? standard : ""}"
      ${own}
      value="${value}"
      min="${least ?? 0}"
      ${most === undefined ? nothing : html`max="${most}"`}
    />`;
  if (secret) return html`<input type="password" ${own} autocomplete="off" spellcheck="false" />`;
  const limit = most === undefined ? nothing : html` maxlength="${most}"`;
  return html`<input ${own} value="${value}" ${limit} ${required ? "required" : ""} spellcheck="false" />`;
}

/** The sent value, else the default: an unchecked box is not sent. */
function isTicked(value: string, standard: unknown): boolean {
  return value === "" ? standard === true : value === "on";
}
