import { Failure } from "../domain/failures.ts";
import { kinds } from "../domain/kinds/index.ts";
import type { Kind, SourceSpec } from "../domain/kinds/index.ts";
import type { CredentialFacts } from "../domain/kinds/kind.ts";
import type { Source, SourceItem, SourceState } from "../domain/ports.ts";

/** Removes secrets from what is logged or shown. */
interface Redaction {
  /** The text with "***" in place of a secret, and of the beginning of one where the text was cut. */
  text(text: string): string;
  /** The same error with secrets removed from all its properties and causes. */
  error(error: unknown): unknown;
  /** Whether a text contains a secret in any form. */
  isIn(text: string): boolean;
}

/** Shorter texts are not secrets, and removing them would leave nothing to read. */
const minLength = 4;

/** Characters of a secret that may remain at the end of a text that was cut. */
const maxRest = 7;

/**
 * Creates the redaction of secrets, of which servers' answers may contain echoes: each by itself, without the user name of `user:token`,
 * URL-encoded, and within base64 of a longer text, in upper and lower case.
 */
export function createRedaction(secrets: readonly string[]): Redaction {
  const plain = secrets.flatMap((secret) => [secret, secret.slice(secret.indexOf(":") + 1)]);
  const forms = [...new Set(plain.flatMap(formsOf))]
    .filter((form) => form.length >= minLength)
    .toSorted((one, other) => other.length - one.length);
  if (forms.length === 0) return { text: (text) => text, error: (error) => error, isIn: () => false };
  const any = new RegExp(forms.map((form) => form.replace(/[^\w]/g, String.raw`\$&`)).join("|"), "gi");
  const starts = forms.map((form) => form.toLowerCase());

  function text(given: string): string {
    const redacted = given.replace(any, "***");
    const end = redacted.toLowerCase();
    const rest = Math.max(0, ...starts.map((start) => lengthOfRest(end, start)));
    return rest > maxRest ? `${redacted.slice(0, -rest)}***` : redacted;
  }

  /** Redacts an error or plain data in place, and returns it; of a text the redacted one. */
  function redact(value: unknown, seen: Set<object>): unknown {
    if (typeof value === "string") return text(value);
    if (typeof value !== "object" || value === null || seen.has(value) || !isPlain(value)) return value;
    seen.add(value);
    for (const name of Object.getOwnPropertyNames(value)) {
      const before: unknown = Reflect.get(value, name);
      const after = redact(before, seen);
      if (after !== before) Reflect.defineProperty(value, name, { value: after });
    }
    return value;
  }

  return {
    text,
    error: (error) => redact(error, new Set()),
    isIn: (given) => {
      any.lastIndex = 0;
      return any.test(given);
    },
  };
}

/** Whether a value is an error or plain data: anything else, such as a socket, is still in use. */
function isPlain(value: object): boolean {
  if (value instanceof Error || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** The length of the longest proper prefix of a form that a text ends with, if it is longer than `maxRest`; else 0. */
function lengthOfRest(text: string, form: string): number {
  for (let length = Math.min(form.length - 1, text.length); length > maxRest; length -= 1)
    if (text.endsWith(form.slice(0, length))) return length;
  return 0;
}

function formsOf(secret: string): readonly string[] {
  const encoded = [0, 1, 2].map((before) => base64Within(secret, before));
  return [
    secret,
    encodeURIComponent(secret),
    ...encoded,
    ...encoded.map((form) => form.replaceAll("+", "-").replaceAll("/", "_")),
    ...encoded.map(encodeURIComponent),
  ];
}

/** The base64 of a text within another one, at an offset in bytes modulo 3, without the characters that also encode its neighbours. */
function base64Within(text: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
  const form = bytes.toString("base64").replace(/(?<!=)=+$/, "");
  return form.slice(Math.ceil((before * 8) / 6), bytes.length % 3 === 0 ? undefined : -1);
}

/**
 * Wraps a source so that nothing it returns or throws has the credential, which servers may echo: it is removed from errors and from the
 * reasons of items, and no ref and no address contains it.
 */
export function redacting(source: Source): Source {
  return {
    kind: source.kind,
    async resolve(spec, ref, context) {
      const redaction = redactionOf(source.kind, context.credential);
      try {
        return stateWithout(redaction, await source.resolve(spec, ref, context));
      } catch (error) {
        throw redaction.error(error);
      }
    },
    async *read(spec, state, context) {
      const redaction = redactionOf(source.kind, context.credential);
      try {
        for await (const item of source.read(spec, state, context)) yield itemWithout(redaction, item);
      } catch (error) {
        throw redaction.error(error);
      }
    },
  };
}

/** The secrets are those that the kind names, else all texts of the credential. */
function redactionOf(kind: Kind, credential: unknown): Redaction {
  const { secrets }: Partial<CredentialFacts<SourceSpec>> = kinds[kind].credential ?? {};
  const isData = typeof credential === "object" && credential !== null;
  return createRedaction(secrets && isData ? secrets(credential) : textsIn(credential));
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Removes refs with the secret. @throws Failure source_invalid where the address or the branch contains it */
function stateWithout({ isIn }: Redaction, state: SourceState): SourceState {
  if (isIn(state.location) || isIn(state.ref ?? ""))
    throw new Failure(
      "source_invalid",
      "The host sends the token back, as the repository's address or branch. Revoke the token, and give none to this host.",
    );
  return { ...state, refs: state.refs.filter(({ name }) => !isIn(name)) };
}

function itemWithout({ text }: Redaction, item: SourceItem): SourceItem {
  if (item.type === "failed") return { ...item, failure: { ...item.failure, message: text(item.failure.message) } };
  return item.type === "skipped" ? { ...item, reason: text(item.reason) } : item;
}
