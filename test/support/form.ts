/** A multipart form with one file, encoded. */
export async function formOf(
  field: string,
  file: { readonly name: string; readonly text: string | Uint8Array<ArrayBuffer> },
  fields: Readonly<Record<string, string>> = {},
): Promise<{ readonly bytes: Uint8Array; readonly type: string }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set(field, new Blob([file.text]), file.name);
  const encoded = new Response(form);
  return { bytes: new Uint8Array(await encoded.arrayBuffer()), type: encoded.headers.get("content-type") ?? "" };
}
