import { ConfigError, loadConfig } from "../../cli/config.ts";

/** The problems that loadConfig reports for an environment. */
export function problemsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
