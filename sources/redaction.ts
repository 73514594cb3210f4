import { Failure } from "../domain/failures.ts";
import { kinds, type Kind, type SourceSpec } from "../domain/kinds/index.ts";
import type { CredentialFacts } from "../domain/kinds/kind.ts";
import type { Source, SourceItem, SourceState } from "../domain/ports.ts";

/** Removes secrets from logs and shown texts. */
interface Redaction {
  /** Replaces secrets, and the beginning of a secret at the end of a truncated text, by "***". */
  text(text: string): string;
  /** The same error with secrets removed from all its properties and causes. */
  error(error: unknown): unknown;
  /** Whether a text contains a secret in any form. */
  isIn(text: string): boolean;
}

/** Shorter texts are no secrets, and removing them would make messages unreadable. */
const minLength = 4;

/** Maximum length of a secret's beginning that may remain at the end of a truncated text. */
const maxRest = 7;

/**
 * Creates the redaction of secrets that servers may echo. It finds a secret as it is, without the user name of `user:token`,
 * URL-encoded, and inside the base64 of a longer text, in upper and lower case.
 */
export function createRedaction(secrets: readonly string[]): Redaction {
  const plain = secrets.flatMap((secret) => [secret, secret.slice(secret.indexOf(":") + 1)]);
  const forms = [...new Set(plain.flatMap(formsOf))]
    .filter((form) => form.length >= minLength)
    .toSorted((one, other) => other.length - one.length);
  if (forms.length === 0) return { text: (text) => text, error: (error) => error, isIn: () => false };
  const anyForm = new RegExp(forms.map((form) => form.replace(/[^\w]/g, String.raw`\$&`)).join("|"), "gi");
  const lowerForms = forms.map((form) => form.toLowerCase());

  function text(given: string): string {
    const redacted = given.replace(anyForm, "***");
    const end = redacted.toLowerCase();
    const rest = Math.max(0, ...lowerForms.map((start) => lengthOfRest(end, start)));
    return rest > maxRest ? `${redacted.slice(0, -rest)}***` : redacted;
  }

  /** Redacts an error or plain data in place, and returns it; of a text the redacted one. */
  function redact(value: unknown, visited: Set<object>): unknown {
    if (typeof value === "string") return text(value);
    if (typeof value !== "object" || value === null || visited.has(value) || !isPlain(value)) return value;
    visited.add(value);
    for (const name of Object.getOwnPropertyNames(value)) {
      const before: unknown = Reflect.get(value, name);
      const after = redact(before, visited);
      if (after !== before) Reflect.defineProperty(value, name, { value: after });
    }
    return value;
  }

  return {
    text,
    error: (error) => redact(error, new Set()),
    isIn: (given) => given.search(anyForm) >= 0,
  };
}

/** Whether a value is an error or plain data. Anything else, such as a socket, may still be in use. */
function isPlain(value: object): boolean {
  if (value instanceof Error || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Length of the longest proper prefix of a form at the end of a text, if it is longer than `maxRest`; else 0. */
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

/** The base64 of a text inside another one, at an offset in bytes modulo 3, without the characters that also encode adjacent bytes. */
function base64Within(text: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
  const form = bytes.toString("base64").replace(/(?<!=)=+$/, "");
  return form.slice(Math.ceil((before * 8) / 6), bytes.length % 3 === 0 ? undefined : -1);
}

/**
 * Wraps a source so that nothing it returns or throws contains the credential, which servers may echo: removes it from errors and from
 * the reasons of items, drops refs that contain it, and refuses addresses that do.
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

/** Redacts the secrets that the kind names, or else all texts of the credential. */
function redactionOf(kind: Kind, credential: unknown): Redaction {
  const { secrets }: Partial<CredentialFacts<SourceSpec>> = kinds[kind].credential ?? {};
  const isData = typeof credential === "object" && credential !== null;
  return createRedaction(secrets && isData ? secrets(credential) : textsIn(credential));
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Removes refs that contain the secret. @throws Failure source_invalid if the address or the branch does */
function stateWithout({ isIn }: Redaction, state: SourceState): SourceState {
  if (isIn(state.location) || isIn(state.ref ?? ""))
    throw new Failure(
      "source_invalid",
      "The host returned the token in the repository's address or branch. Revoke the token, and give this host no other one.",
    );
  return { ...state, refs: state.refs.filter(({ name }) => !isIn(name)) };
}

function itemWithout({ text }: Redaction, item: SourceItem): SourceItem {
  if (item.type === "failed") return { ...item, failure: { ...item.failure, message: text(item.failure.message) } };
  return item.type === "skipped" ? { ...item, reason: text(item.reason) } : item;
}
