import { createPrivateKey } from "node:crypto";
import * as z from "zod";
import type { GitCredential } from "../../domain/kinds/index.ts";
import { text } from "../parameters.ts";
import { tokenText } from "./fields.ts";

/** Lines of text, which forms show as a large field. */
function linesOf(most: number): z.ZodString {
  return text(1, most).meta({ maxLength: most, contentMediaType: "text/plain" });
}

const fields = z.object({
  token: tokenText
    .optional()
    .describe("A token, or `user:password`. Kept encrypted, never shown.")
    .meta({ writeOnly: true }),
  privateKey: linesOf(20_000)
    .optional()
    .describe(
      "In place of a token: the private key of a GitHub App, or one for SSH without a passphrase. Kept encrypted, never shown.",
    )
    .meta({ writeOnly: true }),
  appId: text(1, 100)
    .regex(/^[\w.-]+$/, { error: "must be the ID or client ID of a GitHub App" })
    .optional()
    .describe("With the key of a GitHub App: its ID or client ID."),
  installationId: text(1, 20)
    .regex(/^\d+$/, { error: "must be the number of an installation" })
    .optional()
    .describe("The App's installation; default: that of the repository's owner."),
  knownHosts: linesOf(20_000)
    .refine((lines) => isKnownHosts(lines.split("\n")), {
      error: "must have lines of a known_hosts file, as ssh-keyscan prints them",
    })
    .optional()
    .describe("With a key for SSH: the keys of the host, in the lines of a known_hosts file."),
  user: text(1, 64)
    .regex(/^\w[\w.-]*$/, { error: "must be a user name" })
    .optional()
    .describe("With a key for SSH: the account on the host; default: that of the address, or git."),
});

/** The data of a shared credential for Git: a token, a GitHub App or a key for SSH. */
export const gitCredential: z.ZodType<GitCredential> = fields
  .superRefine((given, context) => {
    const problem = problemOf(given);
    if (problem) context.addIssue({ code: "custom", ...problem });
  })
  .transform(({ token, privateKey = "", appId, installationId, knownHosts, user }): GitCredential => {
    if (appId !== undefined) return { appId, privateKey, ...(installationId !== undefined && { installationId }) };
    if (knownHosts !== undefined) return { privateKey, knownHosts, ...(user !== undefined && { user }) };
    return { token: token ?? "" };
  })
  .meta({ id: "GitCredential" });

function problemOf({
  token,
  privateKey,
  appId,
  knownHosts,
}: z.infer<typeof fields>): { readonly message: string; readonly path: string[] } | undefined {
  if (privateKey === undefined) {
    if (token !== undefined && appId === undefined && knownHosts === undefined) return undefined;
    return { message: "is needed, or privateKey with appId or knownHosts", path: ["token"] };
  }
  if (token !== undefined) return { message: "is in place of privateKey: give one of them", path: ["token"] };
  if ((appId === undefined) === (knownHosts === undefined))
    return { message: "needs appId, of a GitHub App, or knownHosts, for SSH", path: ["privateKey"] };
  if (appId !== undefined)
    return isRsaKey(privateKey)
      ? undefined
      : { message: "must be the PEM file that GitHub made", path: ["privateKey"] };
  return isPlainSshKey(privateKey)
    ? undefined
    : { message: "must be a key that ssh-keygen made, without a passphrase", path: ["privateKey"] };
}

/** Whether lines other than comments have hosts, a type and a key each. */
function isKnownHosts(lines: readonly string[]): boolean {
  const entries = lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
  return entries.length > 0 && entries.every((line) => /^\S+[ \t]+\S+[ \t]+\S/.test(line));
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}

const openSshStart = "-----BEGIN OPENSSH PRIVATE KEY-----";

/** Whether a text is a private key without a passphrase. A key in the format of OpenSSH names its cipher after its magic and a length. */
function isPlainSshKey(pem: string): boolean {
  const lines = pem.trim().split(/\r?\n/);
  if (lines[0] !== openSshStart)
    return /^-----BEGIN (?:RSA |EC )?PRIVATE KEY-----$/.test(lines[0] ?? "") && !pem.includes("ENCRYPTED");
  const start = Buffer.from(lines.slice(1, -1).join(""), "base64").toString("latin1", 0, 23);
  return start === "openssh-key-v1\0\0\0\0\x04none";
}
