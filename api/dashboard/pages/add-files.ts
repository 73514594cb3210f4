import * as z from "zod";

import { fileForm } from "../../forms/index.ts";
import type { Bytes } from "../../route.ts";
import { fieldsOf, uploadOf } from "../fields.ts";
import { form } from "../page.ts";
import type { Described, Visit } from "../page.ts";
import type { Resolved, ResolvedPackages } from "../types.ts";
import { addView } from "../views/add.ts";
import { libraryPath } from "../views/addresses.ts";
import { addedView, lockfileView } from "../views/lockfile.ts";
import type { AddedPackage } from "../views/lockfile.ts";
import { problemOf } from "./add.ts";

/** Limits of the operations, in bytes. */
const maxUpload = 10_000_000;
const maxLockfile = 20_000_000;

const uploadFields = z.object({
  libraryTitle: z.string().optional(),
  private: z.string().optional(),
  force: z.string().optional(),
});

/** Uploads a file as a library. */
export const uploadForm: Described = form({
  path: "/-/add/upload",
  scope: "submit",
  body: uploadOf({ file: { maxBytes: maxUpload } }, uploadFields),
  async submit(visit, { fields, files: { file } }) {
    const known = fileForm(file.name);
    const refuse = (message: string, status: number, libraryId?: string) => {
      const main = addView({ formToken: visit.formToken, address: "", sent: {}, problem: { message, libraryId } });
      return { title: "Add a library", main, status };
    };
    if (known === undefined)
      return refuse(`${file.name || "This file"} is not read. Choose a .json, .yaml or .yml.`, 400);
    const { libraryTitle, private: isPrivate, force } = fields;
    const given = { [known.title]: libraryTitle, private: isPrivate, force };
    const bytes = await toMultipart(known.field, file, given);
    const { status, body, failure } = await visit.tell<{ libraryName: string; message: string }>("POST", known.path, {
      bytes,
    });
    if (!failure) return { goTo: libraryPath(body.libraryName), said: body.message };
    const { message, libraryId } = problemOf(failure);
    return refuse(message, status, libraryId);
  },
});

/** The packages of a lockfile: indexed ones, and those that can be added. */
export const lockfileForm: Described = form({
  path: "/-/add/lockfile",
  scope: "submit",
  body: uploadOf({ lockfile: { maxBytes: maxLockfile } }, z.object({})),
  async submit(visit, { files: { lockfile } }) {
    const bytes = await toMultipart("lockfile", lockfile, {});
    const { status, body, failure } = await visit.tell<ResolvedPackages>("POST", "/v2/resolve", { bytes });
    const title = "Packages of a project";
    if (!failure) return { title, main: lockfileView(body, visit.formToken) };
    const main = addView({ formToken: visit.formToken, address: "", sent: {}, problem: { message: failure.message } });
    return { title, main, status };
  },
});

/** Submits the ticked packages, up to the rate limit. */
export const packagesForm: Described = form({
  path: "/-/add/packages",
  scope: "submit",
  body: fieldsOf(z.object({ packages: z.array(z.string().max(600)).max(1000).default([]) }), ["packages"]),
  async submit(visit, { packages }) {
    const added: AddedPackage[] = [];
    for (const [at, one] of packages.entries()) {
      const [registry = "", name = "", ...version] = one.split(" ");
      const result = await addPackage(visit, { registry, name, version: version.join(" ") });
      if (result === "full") return { title: "Packages of a project", main: addedView(added, packages.length - at) };
      added.push(result);
    }
    return { title: "Packages of a project", main: addedView(added, 0) };
  },
});

async function addPackage(
  visit: Visit,
  { registry, name, version }: { readonly registry: string; readonly name: string; readonly version: string },
): Promise<AddedPackage | "full"> {
  const row = { name, version, libraryId: `/${registry}/${name}`, isAdded: false };
  const found = await visit.tell<Resolved>("GET", "/v2/resolve", { query: { registry, name, version } });
  if (found.failure) return found.status === 429 ? "full" : { ...row, message: found.failure.message };
  const { libraryId, get } = found.body;
  if (get === null) return { ...row, libraryId, isAdded: true, message: "It is there, or on its way." };
  const { status, body, failure } = await visit.tell<{ message: string }>("POST", get.path, { body: get.body });
  if (status === 429) return "full";
  return { ...row, libraryId, isAdded: failure === undefined, message: failure?.message ?? body.message };
}

/** A multipart body of a file and fields. */
async function toMultipart(
  field: string,
  file: { readonly name: string; readonly bytes: Uint8Array },
  fields: Readonly<Record<string, string | undefined>>,
): Promise<Bytes> {
  const sent = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined && value !== "") sent.set(name, value);
  sent.set(field, new Blob([Uint8Array.from(file.bytes)]), file.name);
  const encoded = new Response(sent);
  return { type: encoded.headers.get("content-type") ?? "", bytes: await encoded.bytes() };
}
