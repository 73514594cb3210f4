import { html, nothing } from "../html.ts";
import type { Html, Part } from "../html.ts";

/** Options of a field. */
export interface FieldOptions {
  readonly value?: string | undefined;
  readonly type?: "text" | "password" | "date" | "number";
  readonly required?: boolean;
  readonly placeholder?: string;
  /** Help text. */
  readonly hint?: Part;
  readonly maxLength?: number;
  /** Of a number. */
  readonly min?: number;
  readonly max?: number;
}

/** A single-line field. Its ID is its name. Secrets are never rendered. */
export function field(label: string, name: string, options: FieldOptions = {}): Html {
  const { value = "", type = "text", required = false, placeholder = "", hint, maxLength, min, max } = options;
  const isSecret = type === "password";
  return framed(
    label,
    name,
    hint,
    html`<input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${isSecret ? "" : value}"
      ${required ? html` required` : nothing}
      ${placeholder === "" ? nothing : html` placeholder="${placeholder}"`}
      ${maxLength === undefined ? nothing : html` maxlength="${maxLength}"`}
      ${min === undefined ? nothing : html` min="${min}"`}
      ${max === undefined ? nothing : html` max="${max}"`}
      ${hint === undefined ? nothing : html` aria-describedby="${name}-hint"`}
      autocomplete="${isSecret ? "new-password" : "off"}"
      spellcheck="false"
    />`,
  );
}

/** A multi-line field with an entry per line. */
export function lines(
  label: string,
  name: string,
  options: Pick<FieldOptions, "value" | "hint" | "placeholder"> = {},
): Html {
  const { value = "", hint, placeholder = "" } = options;
  return framed(
    label,
    name,
    hint,
    html`<textarea
      id="${name}"
      name="${name}"
      rows="3"
      spellcheck="false"
      ${placeholder === "" ? nothing : html` placeholder="${placeholder}"`}
      ${hint === undefined ? nothing : html` aria-describedby="${name}-hint"`}
    >
${value}</textarea>`,
  );
}

/** A selection. */
export function choice(
  label: string,
  name: string,
  values: readonly (readonly [value: string, label: string])[],
  { value = "", hint }: Pick<FieldOptions, "value" | "hint"> = {},
): Html {
  return framed(
    label,
    name,
    hint,
    html`<select id="${name}" name="${name}" ${hint === undefined ? nothing : html` aria-describedby="${name}-hint"`}>
      ${optionViews(values, value)}
    </select>`,
  );
}

/** The options of a selection. */
export function optionViews(
  values: readonly (readonly [value: string, label: string])[],
  chosen: string | undefined,
): readonly Html[] {
  return values.map(
    ([value, label]) =>
      html`<option value="${value}" ${value === chosen ? html` selected` : nothing}>${label}</option>`,
  );
}

/** A check box. Boxes with the same name have different values. */
export function tick(
  label: Part,
  name: string,
  { value = "on", isTicked = false }: { readonly value?: string; readonly isTicked?: boolean } = {},
): Html {
  return html`<label class="tick"
    ><input type="checkbox" name="${name}" value="${value}" ${isTicked ? html` checked` : nothing} /><span
      >${label}</span
    ></label
  >`;
}

/** The non-empty entries of a multi-line field. */
export function entriesOf(text: string | undefined): readonly string[] {
  return (text ?? "")
    .split(/[\r\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function framed(label: string, name: string, hint: Part, control: Html): Html {
  const told = hint === undefined ? nothing : html`<span class="hint" id="${name}-hint">${hint}</span>`;
  return html`<div class="field"><label for="${name}">${label}</label>${control}${told}</div>`;
}
