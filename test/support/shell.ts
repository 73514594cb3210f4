import { execFileSync } from "node:child_process";

/**
 * The arguments that a POSIX shell passes to curl in each command. curl itself does not run. `variables`: the shell's environment.
 * @throws if the shell rejects a command
 */
export function curlArguments(
  commands: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): string[][] {
  const script = ["set -u", "curl() { printf '%s\\0' \"$@\"; printf '\\001\\0'; }", ...commands].join("\n");
  execFileSync("/bin/sh", ["-n"], { input: script, stdio: ["pipe", "pipe", "pipe"] });
  const out = execFileSync("/bin/sh", {
    input: script,
    env: variables,
    maxBuffer: 1e9,
    stdio: ["pipe", "pipe", "pipe"],
  }).toString();
  return out
    .split("\u0001\0")
    .slice(0, -1)
    .map((one) => one.split("\0").slice(0, -1));
}
