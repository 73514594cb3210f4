import type { PageList } from "../../answer-types.ts";
import { html, nothing, type Html, type Part } from "../html.ts";
import { inlineView } from "./markdown.ts";
import { counted, currentPage, short } from "./parts.ts";
import { sectionPath, readerPath } from "./reader-links.ts";

type ListedPage = PageList["pages"][number];

/** A folder of a tree. */
interface Folder {
  readonly folders: Map<string, Folder>;
  readonly pages: ListedPage[];
}

/** Folders below this depth are shown as one. */
const maxDepth = 8;

/** Maximum number of sections of a page, and number from which only the outermost are shown. */
const maxSections = 100;
const fewSections = 30;

/** Pages as a tree of their paths, with the folders of the current page open. */
export function treeView(library: string, pages: readonly ListedPage[], current: string | undefined): Html {
  const root: Folder = { folders: new Map(), pages: [] };
  for (const one of pages) {
    let folder = root;
    for (const name of foldersOf(one.page)) {
      const inner = folder.folders.get(name) ?? { folders: new Map(), pages: [] };
      folder.folders.set(name, inner);
      folder = inner;
    }
    folder.pages.push(one);
  }
  const labelOf = labelsOf(pages);
  let open = current === undefined ? [] : foldersOf(current);
  let top = root;
  // Folders around all pages say nothing.
  while (top.pages.length === 0 && top.folders.size === 1) {
    [top = root] = top.folders.values();
    open = open.slice(1);
  }
  return folderView({ library, current, labelOf }, top, open);
}

/** The folders of a page: those of its path, of an address after its host, and of a place in a file that file. */
function foldersOf(page: string): readonly string[] {
  const [path = "", ...place] = page.split("#");
  const names = path
    .replace(/^[a-z][a-z\d+.-]*:\/+/i, "")
    .split(/[/?]/)
    .filter((name) => name !== "");
  if (place.length === 0) names.pop();
  return names.length <= maxDepth ? names : [...names.slice(0, maxDepth - 1), names.slice(maxDepth - 1).join("/")];
}

/** A function with the label of a page: its title, or its name if others have its title. */
function labelsOf(pages: readonly ListedPage[]): (page: ListedPage) => string {
  const times = Map.groupBy(pages, ({ title }) => title);
  return ({ title, name }) => ((times.get(title)?.length ?? 0) > 1 ? name : title);
}

/** What all pages of a tree have in common. */
interface Tree {
  readonly library: string;
  readonly current: string | undefined;
  readonly labelOf: (page: ListedPage) => string;
}

function folderView(tree: Tree, { folders, pages }: Folder, [next, ...open]: readonly string[]): Html {
  return html`<ul>
    ${pages.map((one) => pageView(tree, one))}
    ${[...folders].map(
      ([name, folder]) =>
        html`<li>
          <details ${name === next ? "open" : ""}>
            <summary><bdi>${name}</bdi></summary>
            ${folderView(tree, folder, name === next ? open : [])}
          </details>
        </li>`,
    )}
  </ul>`;
}

function pageView({ library, current, labelOf }: Tree, one: ListedPage): Html {
  const isCurrent = one.page === current;
  const upper = isCurrent ? one.sections.filter(({ level }) => level <= 2) : [];
  const shown = upper.length <= fewSections ? upper : upper.filter(({ level }) => level === 1);
  return html`<li>
    ${linkView(library, one, labelOf(one), isCurrent)}${sectionsView(library, isCurrent ? undefined : one.page, shown)}
  </li>`;
}

function linkView(library: string, { page, tokens, heldBack }: ListedPage, label: string, isCurrent = false): Html {
  const held = heldBack === 0 ? "" : `, ${counted(heldBack, "passage")} held back`;
  return html`<a
    href="${readerPath(library, page)}"
    title="${page}: ${counted(tokens, "token")}${held}"
    ${currentPage(isCurrent)}
    ><bdi>${label}</bdi><span class="size">${short(tokens)}</span></a
  >`;
}

/** Links to sections; `page` undefined: of the page that is shown. */
function sectionsView(library: string, page: string | undefined, sections: ListedPage["sections"]): Part {
  if (sections.length === 0) return nothing;
  return html`<ul class="sections">
    ${sections.slice(0, maxSections).map(
      ({ section, title, level }) =>
        html`<li class="${level > 1 ? "deep" : ""}">
          <a href="${page === undefined ? sectionPath(section) : readerPath(library, page, section)}"
            >${inlineView(title)}</a
          >
        </li>`,
    )}
  </ul>`;
}

/** The pages that have a word, each with the sections that have it in their heading. */
export function foundView(library: string, { pages, total }: Pick<PageList, "pages" | "total">, word: string): Html {
  const has = ({ title }: { readonly title: string }): boolean => title.toLowerCase().includes(word.toLowerCase());
  const labelOf = labelsOf(pages);
  return html`<p class="muted small" role="status">${counted(total, "page")}</p>
    <ul>
      ${pages.map(
        (one) =>
          html`<li>
            ${linkView(library, one, labelOf(one))}${sectionsView(library, one.page, one.sections.filter(has))}
          </li>`,
      )}
    </ul>`;
}
