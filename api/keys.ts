import { hash, randomInt, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";

/** Prefix of generated keys, by which people and secret scanners recognise them. */
const prefix = "lct_";
const randomLength = 32;
const checksumLength = 6;
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** A new API key (190 random bits) with its hash, and the hint by which people recognise it. */
export function makeKey(): { key: string; hash: string; hint: string } {
  const random = Array.from({ length: randomLength }, () => digits.charAt(randomInt(digits.length))).join("");
  const key = `${prefix}${random}${checksum(random)}`;
  return { key, hash: hashKey(key), hint: key.slice(0, prefix.length + 4) };
}

/** SHA-256 of a key, hex. Keys are random, so no slow hash is needed. */
export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}

/** Whether a key has the right shape and checksum: a typo needs no look-up. */
export function looksLikeKey(text: string): boolean {
  return shape.test(text) && text.slice(-checksumLength) === checksum(text.slice(prefix.length, -checksumLength));
}

/** Compares hashes or tokens in constant time. */
export function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function checksum(random: string): string {
  let rest = crc32(random);
  let text = "";
  for (let place = 0; place < checksumLength; place += 1) {
    text = digits.charAt(rest % digits.length) + text;
    rest = Math.floor(rest / digits.length);
  }
  return text;
}
