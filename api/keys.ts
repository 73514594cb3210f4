import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/** What a generated key begins with, so that people and secret scanners recognise it. */
const prefix = "lct_";
const randomLength = 32;
const checksumLength = 6;
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** A fresh API key (190 random bits) with what may be kept of it: its hash, and the beginning that people know it by. */
export function makeKey(): { key: string; hash: string; hint: string } {
  const random = Array.from({ length: randomLength }, () => digits.charAt(randomInt(digits.length))).join("");
  const key = `${prefix}${random}${checksum(random)}`;
  return { key, hash: hashKey(key), hint: key.slice(0, prefix.length + 4) };
}

/** SHA-256 of a key, hex. Keys are random, so that no slow hash is needed. */
export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}

/** True for a key of our shape whose checksum is right: a typo is told without a look-up. */
export function looksLikeKey(text: string): boolean {
  return shape.test(text) && text.slice(-checksumLength) === checksum(text.slice(prefix.length, -checksumLength));
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
