import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/** Creates a self-signed certificate for host names in an existing folder. Returns the paths of key and certificate. */
export async function createCertificate(
  folder: string,
  hosts: readonly string[],
): Promise<{ readonly key: string; readonly cert: string }> {
  const [key, cert] = [join(folder, "hosts.key"), join(folder, "hosts.pem")];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const names = `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(",")}`;
  const files = ["-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=Test", "-addext", names];
  await promisify(execFile)("openssl", ["req", "-x509", ...curve, ...files]);
  return { key, cert };
}
