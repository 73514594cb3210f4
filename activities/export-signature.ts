import { createHash, createPrivateKey, createPublicKey, hkdfSync, sign, verify, type KeyObject } from "node:crypto";

/** Signs exports with the keys of the instance. */
export interface Signer {
  /** The public key that others verify with, in base64url. */
  readonly publicKey: string;
  /** The signature of an export's digest, in base64url. */
  sign(digest: Uint8Array): string;
  isOwn(publicKey: string): boolean;
}

/** Prefix of signed messages, so that a signature is valid for exports only. */
const purpose = "lectern export 1";

/** Precedes the 32 bytes of a private Ed25519 key in PKCS #8 (RFC 8410). As a JWK it could not be read without its public key. */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex");

/**
 * Creates a signer. Its Ed25519 keys are derived from the instance's key ring, and so need not be stored. The first one signs.
 * @param ring keys of 32 bytes, at least one
 */
export function createSigner(ring: readonly Uint8Array[]): Signer {
  const keys = ring.map(deriveKey);
  const [first] = keys;
  if (!first) throw new Error("There is no key to sign with.");
  const publicKeys = keys.map(publicPart);
  return {
    publicKey: publicPart(first),
    sign: (digest) => sign(null, message(digest), first).toString("base64url"),
    isOwn: (publicKey) => publicKeys.includes(publicKey),
  };
}

/** Whether a signature is that of a digest. False for an invalid key or signature. */
export function isSigned(digest: Uint8Array, signature: string, publicKey: string): boolean {
  const bytes = Buffer.from(publicKey, "base64url");
  if (bytes.length !== 32) return false;
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: bytes.toString("base64url") }, format: "jwk" });
  return verify(null, message(digest), key, Buffer.from(signature, "base64url"));
}

/** The fingerprint of a public key, for people to compare: 16 bytes of its SHA-256 in hexadecimal, in groups of four digits. */
export function fingerprintOf(publicKey: string): string {
  const digits = createHash("sha256").update(Buffer.from(publicKey, "base64url")).digest("hex").slice(0, 32);
  return digits.match(/.{4}/g)?.join(" ") ?? digits;
}

function deriveKey(key: Uint8Array): KeyObject {
  const seed = Buffer.from(hkdfSync("sha256", key, "", purpose, 32));
  return createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: "der", type: "pkcs8" });
}

function publicPart(key: KeyObject): string {
  return createPublicKey(key).export({ format: "jwk" }).x ?? "";
}

function message(digest: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${purpose}\n`), digest]);
}
