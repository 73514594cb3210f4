import { createServer, request, Agent } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import { writeFile, mkdir } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, isReachable, startProgram } from "../../../tools/dev/program.ts";

/** A load balancer in front of servers. */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
}

/** What a balancer needs: a folder of its own, the program's path, and the servers' URLs. */
interface Place {
  readonly folder: string;
  readonly command: string;
  readonly servers: readonly string[];
}

/** nginx with its defaults: it notices a stopped server by refused connections, and sends a GET that got no answer to the next one. */
export async function startNginx({ folder, command, servers }: Place): Promise<Balancer> {
  const port = await freePort();
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const text = `${process.getuid?.() === 0 ? "user root;\n" : ""}daemon off;
pid ${join(folder, "nginx.pid")};
events {}
http {
  access_log off;
  ${paths.join("\n  ")}
  upstream lectern {
    ${servers.map((url) => `server ${new URL(url).host};`).join("\n    ")}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://lectern;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }
  }
}
`;
  return startConfigured({ folder, command, port, text, args: (file) => ["-e", "stderr", "-p", folder, "-c", file] });
}

/** Caddy with health checks: it tries another server where a connection fails. */
export async function startCaddy({ folder, command, servers }: Place): Promise<Balancer> {
  const port = await freePort();
  const text = `{
	admin off
	auto_https off
}
http://127.0.0.1:${port} {
	reverse_proxy ${servers.map((url) => new URL(url).host).join(" ")} {
		lb_policy round_robin
		lb_try_duration 5s
		health_uri /api/ready
		health_interval 2s
	}
}
`;
  return startConfigured({
    folder,
    command,
    port,
    text,
    args: (file) => ["run", "--adapter", "caddyfile", "--config", file],
  });
}

async function startConfigured(options: {
  readonly folder: string;
  readonly command: string;
  readonly port: number;
  readonly text: string;
  readonly args: (file: string) => readonly string[];
}): Promise<Balancer> {
  const { folder, command, port, text, args } = options;
  const file = join(folder, "configuration");
  await mkdir(join(folder, "logs"), { recursive: true });
  await writeFile(file, text);
  const url = `http://127.0.0.1:${port}`;
  const program = await startProgram({
    command,
    args: args(file),
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    log: join(folder, "balancer.log"),
    ready: () => isReachable(`${url}/api/ready`),
  });
  return { url, [Symbol.asyncDispose]: () => program.stop() };
}

/** Asks each server whether it is ready twice a second, sends requests to those that are, in turns, and never tries one again. */
export async function startStrict(servers: readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set<string>();
  const stopped = new AbortController();
  const check = async (url: string): Promise<void> => {
    const isReady = await isReachable(`${url}/api/ready`);
    if (isReady) ready.add(url);
    else ready.delete(url);
  };
  await Promise.all(servers.map(check));
  const checking = servers.map(async (url) => {
    for (;;) {
      await sleep(500, undefined, { signal: stopped.signal });
      await check(url);
    }
  });
  let turn = 0;
  const server = createServer((incoming, response) => {
    const { method, url: path, headers } = incoming;
    const target = [...ready][(turn += 1) % ready.size];
    if (target === undefined) return void response.writeHead(502).end("no server is ready");
    const sent = request(target + path, { method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on("error", (error) => response.writeHead(502).end(`${target}: ${error.message}`));
    incoming.pipe(sent);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await Promise.allSettled(checking);
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      agent.destroy();
    },
  };
}
