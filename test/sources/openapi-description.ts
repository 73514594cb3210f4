/** A description with operations of these summaries by their paths. */
export function description(summaries: Readonly<Record<string, string>>, others: object = {}): string {
  const paths = Object.entries(summaries).map(
    ([path, summary]) => [path, { get: { summary, responses: {} } }] as const,
  );
  const info = { title: "Acme API", version: "1", description: "Everything about **anvils**." };
  return JSON.stringify({
    openapi: "3.1.0",
    info,
    servers: [{ url: "/" }],
    paths: Object.fromEntries(paths),
    ...others,
  });
}
