import { createHash } from "node:crypto";
import { isIP, isIPv4, isIPv6 } from "node:net";
import { resolve } from "node:path";
import { z } from "zod";
import { parseBlobUrl } from "../../stores/blobs/url.ts";
import { isWebUrl } from "./reading.ts";

export { isWebUrl } from "./reading.ts";

/** A key for AES-256: 32 bytes, and an ID that its ciphertexts contain. */
export interface RingKey {
  readonly id: string;
  readonly key: Uint8Array;
}

interface Issue {
  readonly input?: unknown;
}

/** Replaces the part before the last "@" of a URL, which may be a password. */
function withoutCredentials(text: string): string {
  const [start, end] = [text.indexOf("//"), text.lastIndexOf("@")];
  return start < 0 || end < start ? text : `${text.slice(0, start)}//***${text.slice(end)}`;
}

/** The rest of a message that begins with the variable's name; it quotes the text. */
export const must = (what: string) => ({
  error: ({ input }: Issue) => `must be ${what}, not "${withoutCredentials(String(input))}"`,
});

/** The same for an entry of a list. */
export const mustList = (what: string) => ({
  error: ({ input }: Issue) =>
    `must be a comma-separated list of ${what}; "${withoutCredentials(String(input))}" is not one`,
});

/** Null if the variable is not set. */
export const orNull = <T>(schema: z.ZodType<T>) =>
  z.preprocess((text) => (text === "" ? null : text), schema.nullable());

/** A comma-separated list; whitespace around entries and empty entries are ignored. */
export const list = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z
    .string()
    .transform((text) => Object.freeze(text.split(",").flatMap((entry) => entry.trim() || [])))
    .pipe(z.array(item).readonly());

export const onOff = z.enum(["on", "off"], must('"on" or "off"')).transform((text) => text === "on");

/** A path, resolved against the working directory. */
export const path = z.string().transform((text) => resolve(text));

/** An integer in an inclusive range. */
export const whole = (min: number, max: number) => {
  const wording = must(`a whole number from ${min} to ${max}`);
  return z.string().regex(/^\d+$/, wording).transform(Number).pipe(z.number().min(min, wording).max(max, wording));
};

/** A number from 0 to 1. */
export const share = z
  .string()
  .regex(/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/, must("a number from 0 to 1"))
  .transform(Number);

const sizePattern = /^(\d+(?:\.\d+)?)\s*(kb|mb|gb|kib|mib|gib)?$/i;
const units = new Map([
  ["kb", 1e3],
  ["mb", 1e6],
  ["gb", 1e9],
  ["kib", 2 ** 10],
  ["mib", 2 ** 20],
  ["gib", 2 ** 30],
]);

/** Bytes of a size such as 500MB or 1024; NaN for any other text. */
function toBytes(text: string): number {
  const [, number, unit = ""] = sizePattern.exec(text) ?? [];
  return Math.round(Number(number) * (units.get(unit.toLowerCase()) ?? 1));
}

/** A size in bytes, at least 1. kB, MB and GB are powers of 1000; KiB, MiB and GiB of 1024. */
export const size = (max: string) =>
  z
    .string()
    .refine(
      (text) => toBytes(text) >= 1 && toBytes(text) <= toBytes(max),
      must(`a size of at most ${max}, in bytes or as in 500kB, 10MB, 64MiB, 2GB`),
    )
    .transform(toBytes);

/** A host name or address, IPv6 in brackets, with or without a port. */
export function isHost(text: string): boolean {
  const match = /^(?:\[(?<v6>.+)\]|\w(?:[\w.-]*\w)?)(?::(?<port>\d{1,5}))?$/.exec(text);
  const { v6, port = "1" } = match?.groups ?? {};
  return match !== null && (v6 === undefined || isIP(v6) === 6) && Number(port) >= 1 && Number(port) <= 65_535;
}

/** A host to listen on: an address or a name, without brackets and port. */
export const isListenHost = (text: string): boolean => isIP(text) !== 0 || /^\w(?:[\w.-]*\w)?$/.test(text);

/** A CIDR block. */
export function isNetwork(text: string): boolean {
  const [address = "", bits = "", ...rest] = text.split("/");
  const widest = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1;
  return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= widest;
}

/** A URL for which `isWebUrl` is true. */
export const webUrl = z
  .string()
  .refine(isWebUrl, must("an absolute http(s) URL without credentials, query and fragment"))
  .transform((text) => new URL(text));

/** Origins (scheme, host and port). */
export const origins = list(
  z
    .string()
    .refine(
      (text) => isWebUrl(text) && new URL(text).pathname === "/",
      mustList("origins such as https://app.example.com"),
    )
    .transform((text) => new URL(text).origin),
);

/** Hosts in lower case, with or without a port. */
export const hosts = list(z.string().refine(isHost, mustList("host names, with or without a port")).toLowerCase());

/** Address of the BlobStore, parsed by `parseBlobUrl`. */
export const blobUrl = z.string().superRefine((text, context) => {
  try {
    parseBlobUrl(text);
  } catch (error) {
    context.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) });
  }
});

const withScheme = (text: string): string => (text.includes("://") ? text : `http://${text}`);

/** Address of a forward proxy; `http://` is optional, as in curl. Messages never contain it, as it may include a password. */
export const proxy = z
  .string()
  .refine((text) => /^https?:$/.test(URL.parse(withScheme(text))?.protocol ?? ""), {
    error: "must be an http(s) URL such as http://proxy.example.com:3128",
  })
  .transform(withScheme);

const ringEntry = /^(?:(?<id>[\w-]{1,64}):)?(?:(?<hex>[\da-f]{64})|(?<base64>[\w+/-]{43}=?))$/i;

function toRingKey(text: string): RingKey {
  const { id, hex, base64 = "" } = ringEntry.exec(text)?.groups ?? {};
  const key = hex === undefined ? Buffer.from(base64, "base64") : Buffer.from(hex, "hex");
  return Object.freeze({ id: id ?? createHash("sha256").update(key).digest("hex").slice(0, 8), key });
}

/**
 * Keys of ENCRYPTION_KEYS, or of the file of the generated key: comma-separated `id:key` or `key`, 32 bytes in base64 or hex. The default
 * ID of a key is the first 8 hex digits of its SHA-256. Messages never contain the text.
 */
export const keyRing = list(
  z
    .string()
    .regex(ringEntry, 'must be a comma-separated list of keys, each as "key" or "id:key", 32 bytes in base64 or hex')
    .transform(toRingKey),
).refine((ring) => new Set(ring.map(({ id }) => id)).size === ring.length, "must not have two keys with the same id");
