import { html, nothing, type Html, type Part } from "../html.ts";

/** Options of a field. */
export interface FieldOptions {
  /** ID of the control; default: its name. */
  readonly id?: string;
  readonly value?: string | undefined;
  readonly type?: "text" | "password" | "date" | "number" | "file";
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly hint?: Part;
  readonly problem?: string | undefined;
  readonly isWide?: boolean | undefined;
  readonly maxLength?: number | undefined;
  readonly inputMode?: "numeric" | undefined;
  /** Limits of a number. */
  readonly min?: number;
  readonly max?: number;
  readonly accept?: string;
}

/** A single-line field. Secrets are never rendered. */
export function field(label: Part, name: string, options: FieldOptions = {}): Html {
  const { value = "", type = "text", placeholder, maxLength, inputMode, min, max, accept } = options;
  const isSecret = type === "password";
  return framed(
    label,
    name,
    options,
    (common) =>
      html`<input
        ${common}
        type="${type}"
        value="${isSecret ? "" : value}"
        ${attribute("placeholder", placeholder)}
        ${attribute("maxlength", maxLength)}
        ${attribute("inputmode", inputMode)}
        ${attribute("min", min)}
        ${attribute("max", max)}
        ${attribute("accept", accept)}
        autocomplete="${isSecret ? "new-password" : "off"}"
        spellcheck="false"
      />`,
  );
}

/** A multi-line field with an entry per line. */
export function lines(label: Part, name: string, options: FieldOptions = {}): Html {
  const { value = "", placeholder } = options;
  // HTML drops the line break after the tag, so a line break of the value stays.
  return framed(
    label,
    name,
    options,
    (common) =>
      html`<textarea ${common} rows="3" ${attribute("placeholder", placeholder)} autocomplete="off" spellcheck="false">
${value}</textarea>`,
  );
}

/** A selection. */
export function choice(
  label: Part,
  name: string,
  values: readonly (readonly [value: string, label: string])[],
  options: FieldOptions = {},
): Html {
  const optionsShown = optionViews(values, options.value ?? "");
  return framed(
    label,
    name,
    options,
    (common) =>
      html`<select ${common}>
        ${optionsShown}
      </select>`,
  );
}

/** The options of a selection. */
export function optionViews(
  values: readonly (readonly [value: string, label: string])[],
  chosen: string | undefined,
): readonly Html[] {
  return values.map(
    ([value, label]) => html`<option value="${value}" ${value === chosen ? "selected" : ""}>${label}</option>`,
  );
}

/** A check box. Boxes with the same name have different values. */
export function tick(
  label: Part,
  name: string,
  {
    value = "on",
    isTicked = false,
    describedBy,
  }: { readonly value?: string; readonly isTicked?: boolean; readonly describedBy?: string } = {},
): Html {
  const description = attribute("aria-describedby", describedBy);
  return html`<label class="tick"
    ><input type="checkbox" name="${name}" value="${value}" ${isTicked ? "checked" : ""} ${description} /><span
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

/** A control with its label, error and hint. */
function framed(
  label: Part,
  name: string,
  { id = name, hint, problem, isWide = false, required = false }: FieldOptions,
  control: (common: Html) => Html,
): Html {
  const error = problem === undefined ? nothing : html`<span class="error" id="${id}-error">${problem}</span>`;
  const help = hint === undefined ? nothing : html`<span class="hint" id="${id}-hint">${hint}</span>`;
  const described = [problem !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean);
  const common = html`id="${id}" name="${name}" ${required ? "required" : ""}
  ${attribute("aria-describedby", described.join(" "))} ${attribute("aria-invalid", problem && "true")}`;
  return html`<div class="field ${isWide ? "wide" : ""}">
    <label for="${id}">${label}</label>${control(common)}${error}${help}
  </div>`;
}

function attribute(name: string, value: string | number | undefined): Html {
  return value === undefined || value === "" ? nothing : html`${name}="${value}"`;
}
