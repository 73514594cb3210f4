import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { undefinedIfMissing } from "../../cli/data-folder.ts";

/** Settings of all processes of a cluster in a folder: the given ones, else the folder's own. */
export async function sharedSettings(
  folder: string,
  given: Readonly<Record<string, string>>,
): Promise<{ env: Record<string, string>; adminKey: string; secrets: ClusterSecrets }> {
  const secrets = await loadSecrets(join(folder, "secrets.json"));
  const env = {
    BLOB_URL: pathToFileURL(join(folder, "blobs")).href,
    ENCRYPTION_KEYS: secrets.encryption,
    LECTERN_ADMIN_KEY: secrets.admin,
    TEMPORAL_ENCRYPTION: "off",
    HOST: "127.0.0.1",
    LOG_LEVEL: "info",
    ...given,
  };
  return { env, adminKey: env.LECTERN_ADMIN_KEY, secrets };
}

interface ClusterSecrets {
  readonly admin: string;
  readonly encryption: string;
  readonly postgres: string;
  readonly meilisearch: string;
}

/** Secrets of the cluster in a folder, created at its first start. */
async function loadSecrets(file: string): Promise<ClusterSecrets> {
  const saved = await readFile(file, "utf8").catch(undefinedIfMissing);
  if (saved !== undefined) return JSON.parse(saved) as ClusterSecrets;
  const secret = (): string => randomBytes(24).toString("base64url");
  const secrets = {
    admin: secret(),
    encryption: randomBytes(32).toString("base64"),
    postgres: secret(),
    meilisearch: secret(),
  };
  await writeFile(file, `${JSON.stringify(secrets)}\n`, { mode: 0o600 });
  return secrets;
}
