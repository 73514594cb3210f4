/** Strikes a secret from what others may see. */
export interface Redaction {
  /** The text with "***" in place of the secret, also of a part of it that the text was cut in. */
  text(text: string): string;
  /** The same error, its causes included, with the secret struck from messages, stacks and everything else they hold. */
  error(error: unknown): unknown;
  /** Whether a text has the secret in it, in any form that is struck. */
  isIn(text: string): boolean;
}

/** Shorter texts are no secrets, and striking them would leave nothing to read. */
const minLength = 4;

/** So much of a secret may stand at the end of a text that was cut. */
const maxRest = 7;

/**
 * Makes the redaction of secrets. A token with a user before it counts without the user too. Struck are the secret itself, as it is
 * written in URLs, and base64 of any text that has it in it, in every case of letters: servers send back what they were sent.
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
    const struck = given.replace(any, "***");
    const end = struck.toLowerCase();
    const rest = Math.max(0, ...starts.map((start) => lengthOfRest(end, start)));
    return rest > maxRest ? `${struck.slice(0, -rest)}***` : struck;
  }

  /** Changes what an error holds; anything else is answered as it is to be. */
  function strike(value: unknown, seen: Set<object>): unknown {
    if (typeof value === "string") return text(value);
    if (typeof value !== "object" || value === null || seen.has(value) || !isPlain(value)) return value;
    seen.add(value);
    for (const name of Object.getOwnPropertyNames(value)) {
      const held: unknown = Reflect.get(value, name);
      const told = strike(held, seen);
      if (told !== held) Reflect.defineProperty(value, name, { value: told });
    }
    return value;
  }

  return {
    text,
    error: (error) => strike(error, new Set()),
    isIn: (given) => {
      any.lastIndex = 0;
      return any.test(given);
    },
  };
}

/** Errors and plain data: anything else, such as a socket, is somebody's who goes on with it. */
function isPlain(value: object): boolean {
  if (value instanceof Error || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** How much of the start of a form a text ends with, less than the whole. */
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

/** What base64 makes of a text in the middle of another one, so many bytes (modulo 3) behind its start, without the characters that the neighbours share. */
function base64Within(text: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
  const form = bytes.toString("base64").replace(/(?<!=)=+$/, "");
  return form.slice(Math.ceil((before * 8) / 6), bytes.length % 3 === 0 ? undefined : -1);
}
