/** A form with one file, as it travels. */
export async function formOf(
  field: string,
  file: { readonly name: string; readonly text: string },
  fields: Readonly<Record<string, string>> = {},
): Promise<{ readonly bytes: Uint8Array; readonly type: string }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set(field, new Blob([file.text]), file.name);
  const sent = new Response(form);
  return { bytes: new Uint8Array(await sent.arrayBuffer()), type: sent.headers.get("content-type") ?? "" };
}
