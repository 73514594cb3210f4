import { basename, isAbsolute } from "node:path";
import * as z from "zod";
import { authorize } from "../../domain/authorizing.ts";
import type { FolderSourceSpec } from "../../domain/kinds/index.ts";
import { jsonBody } from "../body.ts";
import { text } from "../parameters.ts";
import { changeSelection, libraryDescription, libraryTitle, selectionFields, toSelection } from "./fields.ts";
import { commonFields, form, optionsForm, placeIn, privateField, submissionOf, type KindForms } from "./form.ts";

const folderBody = z
  .object({
    path: text(1, 4096).describe(
      "Folder on the server, inside FOLDER_ROOTS; absolute, or relative to the server's working folder.",
    ),
    title: libraryTitle.optional().describe("Default: the folder's name."),
    description: libraryDescription.optional().describe("Short description."),
    libraryName: commonFields.libraryName,
    private: privateField,
    ...selectionFields,
  })
  .meta({ id: "Folder" });

const path = "/v2/add/folder";

/** Folders on the server's own disk. */
export const folderForms: KindForms<never> = {
  noun: "folder",
  plural: "folders",
  forms: [
    form({
      path,
      address: "path",
      scope: "admin",
      about: { operationId: "addFolder", summary: "Submit a folder of the server's disk" },
      body: jsonBody(folderBody),
      failures: ["source_not_found", "duplicate_library"],
      async toSubmission({ caller, body: fields, options }) {
        // Authorised first, as even a refusal of the path reveals something about the disk.
        authorize(caller, "folder.submit");
        const folder = await options.checkFolder(fields.path);
        const source: FolderSourceSpec = { kind: "folder", path: folder, selection: toSelection(fields) };
        return submissionOf(source, fields, { title: basename(folder), private: fields.private });
      },
    }),
  ],
  credential: null,
  options: optionsForm(
    selectionFields,
    (spec: FolderSourceSpec, given) => ({ ...spec, selection: changeSelection(spec.selection, given) }),
    ({ selection }) => selection,
  ),
  typed: (address) => (isAbsolute(address) ? { path, body: { path: address } } : null),
  place: (source) => placeIn<FolderSourceSpec>(source, ({ path: folder }) => ({ path: folder })),
  fields: {},
};
