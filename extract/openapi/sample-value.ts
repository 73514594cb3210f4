import { sample } from "openapi-sampler";
import type { FlatSchema } from "./merged-schema.ts";
import { textMatching } from "./pattern-sample.ts";
import { bounded } from "./values.ts";
import { listOf } from "../json.ts";

/** Maximum number of values in an example of a schema, and maximum length of a text that is made, in characters. */
const maxExampleValues = 300;
const maxLength = 1000;

/** Samples of formats that openapi-sampler does not know. */
const formats: Readonly<Record<string, unknown>> = {
  url: "https://example.com",
  byte: "c3RyaW5n",
  base64: "c3RyaW5n",
  duration: "P1D",
  int32: "0",
  int64: "0",
  decimal: "1.00",
  phone: "+15555550100",
  "unix-time": 1_735_689_600,
  unixtime: 1_735_689_600,
  timestamp: "2019-08-24T14:15:22Z",
  timezone: "UTC",
  currency: "USD",
};

/** The examples and the default of a schema. */
export function givenValues({ keywords, type }: FlatSchema): readonly unknown[] {
  const { example, examples, default: standard } = keywords;
  return [example, ...listOf(examples), standard]
    .filter((value) => value !== undefined && value !== null)
    .map((value) =>
      // A text without quotes in YAML may be a number or boolean.
      type === "string" && (typeof value === "number" || typeof value === "boolean")
        ? `${value}`
        : bounded(value, maxExampleValues),
    );
}

/** Values that may fit a schema, the best first; the `variant`s of a value differ. `placeholder`: a text that fits no format. */
export function* madeValues(flat: FlatSchema, placeholder: string, variant: number): Generator<unknown> {
  const { keywords, type } = flat;
  if (keywords["const"] !== undefined) yield keywords["const"];
  const values = listOf(keywords["enum"]);
  yield* values.slice(variant % values.length);
  const format = String(keywords["format"]);
  const known = Object.hasOwn(formats, format) ? formats[format] : undefined;
  if (type === "integer" || type === "number") {
    if (typeof known === "number") yield known + variant;
    yield numberFor(flat, variant);
  } else if (type === "boolean") yield* variant % 2 === 0 ? [true, false] : [false, true];
  else if (type === "null") yield null;
  else if (type === "string" || type === "" || type === "file") yield* texts(flat, format, known, placeholder, variant);
}

function* texts(
  { keywords }: FlatSchema,
  format: string,
  known: unknown,
  placeholder: string,
  variant: number,
): Generator<string> {
  const { pattern, minLength, maxLength: most } = keywords;
  const least = typeof minLength === "number" ? Math.min(minLength, maxLength) : 0;
  const standard = known ?? sample({ type: "string", format }, { quiet: true });
  const matching = typeof pattern === "string" ? textMatching(pattern, least) : undefined;
  const formatted = typeof standard === "string" && standard !== "string" ? standard : undefined;
  for (const text of [formatted, matching, placeholder, "string"]) {
    if (text === undefined) continue;
    if (variant > 0 && /\d/.test(text)) yield withOtherDigit(text, variant);
    const number = variant > 0 ? String(variant) : "";
    yield `${text}${number}`;
    const missing = least - text.length;
    if (text === formatted && missing > 0) yield* [`${text}/${"a".repeat(missing)}`, `${"a".repeat(missing)}${text}`];
    if (text === formatted) continue;
    if (missing > 0)
      yield `${text.repeat(Math.ceil(least / Math.max(1, text.length))).slice(number.length, least)}${number}`;
    if (typeof most === "number") yield `${text.slice(0, Math.max(0, most - number.length))}${number}`;
  }
}

/** The text with another last digit, which leaves UUIDs, dates and addresses what they are. */
function withOtherDigit(text: string, variant: number): string {
  const chars = text.split("");
  const at = chars.findLastIndex((char) => char >= "0" && char <= "9");
  return at < 0 ? text : chars.with(at, String((Number(chars[at]) + variant) % 10)).join("");
}

/** The smallest number from 0 on that fits, else the largest one. */
function numberFor({ keywords, type }: FlatSchema, variant: number): number {
  const numeric = (key: string): number | undefined => {
    const value = keywords[key];
    return typeof value === "number" ? value : undefined;
  };
  const step = numeric("multipleOf") || (type === "integer" ? 1 : 0);
  const [above, under] = [numeric("exclusiveMinimum"), numeric("exclusiveMaximum")];
  const least = above ?? numeric("minimum") ?? -Infinity;
  const most = under ?? numeric("maximum") ?? Infinity;
  const isOpen = above !== undefined || keywords["exclusiveMinimum"] === true;
  const isOpenAbove = under !== undefined || keywords["exclusiveMaximum"] === true;
  const isZero = (least < 0 || (least === 0 && !isOpen)) && (most > 0 || (most === 0 && !isOpenAbove));
  const unit = step || 1;
  const rounded = (count: number): number => Number((count * unit).toPrecision(15));
  if (isZero) return rounded(variant);
  if (least > -Infinity) {
    const first = Math.ceil(least / unit);
    const next =
      step === 0 && !isOpen ? least + variant : rounded(first + Number(isOpen && first * unit <= least) + variant);
    return step === 0 && (next > most || (isOpenAbove && next === most)) ? (least + most) / 2 : next;
  }
  const last = Math.floor(most / unit);
  return rounded(last - Number(isOpenAbove && last * unit >= most) - variant);
}
