/** Asks without a pause, 64 clients at once, until it is killed: what is given as JSON are address, path and key. */
import { Pool } from "undici";

const { url, path, key, clients } = JSON.parse(process.argv[2] ?? "{}") as {
  url: string;
  path: string;
  key: string;
  clients: number;
};
const pool = new Pool(url, { connections: clients });
const headers = { authorization: `Bearer ${key}` };
let begun = false;

async function askOn(): Promise<never> {
  for (;;) {
    const { body } = await pool.request({ path, method: "GET", headers });
    await body.dump();
    if (!begun) process.stdout.write("begun\n");
    begun = true;
  }
}

await Promise.all(Array.from({ length: clients }, askOn));
