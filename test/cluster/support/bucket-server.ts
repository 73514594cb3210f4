import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { findProgram, freePort, startProgram, type Program } from "../../../tools/dev/program.ts";

/** Whether moto (`pip install "moto[server]"`), an S3 server for tests, is on this machine. */
export function hasBucketServer(): boolean {
  return findProgram("moto_server") !== undefined;
}

/** Starts an S3-compatible server on loopback that keeps everything in memory. */
export async function startBucketServer({
  folder,
  port,
}: {
  readonly folder: string;
  readonly port?: number;
}): Promise<Program & { readonly url: string }> {
  const command = findProgram("moto_server");
  if (command === undefined) throw new Error("moto_server is not on the PATH.");
  const own = port ?? (await freePort());
  const url = `http://127.0.0.1:${own}`;
  await mkdir(folder, { recursive: true });
  const program = await startProgram({
    command,
    args: ["-H", "127.0.0.1", "-p", String(own)],
    log: join(folder, "moto.log"),
    ready: () =>
      fetch(`${url}/moto-api/`, { signal: AbortSignal.timeout(1000) }).then(
        ({ ok }) => ok,
        () => false,
      ),
  });
  return { ...program, url };
}
