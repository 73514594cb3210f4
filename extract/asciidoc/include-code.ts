import { antoraPlace } from "./resources.ts";

/** The endings of files by the attribute that has their folder, such as `include-java`. */
const endings = { java: "java", kotlin: "kt", groovy: "groovy", xml: "xml" } as const;

const macro = /^include-code::([^\s[]{1,300})\[(.*)\]$/;
const id = /^\[(?:\[|#)([\w.-]{1,200})[^\w.-]/;

/** An include of code in one of several languages. */
interface CodeInclude {
  readonly language: string;
  readonly directive: string;
}

/**
 * Reads the macro `include-code::Name[]` of Spring's extensions of Asciidoctor: a file of that name in each language, in a folder that is
 * named like the ID of the section.
 */
export function createCodeIncludes(page: string, values: ReadonlyMap<string, string>) {
  const { relative = "" } = antoraPlace(page) ?? {};
  const folder = relative.slice(0, relative.lastIndexOf("/") + 1);
  let next = "";
  let section = "";

  return {
    /** Follows the IDs of sections; called for each line outside of code. */
    follow(line: string): void {
      if (line.startsWith("[")) next = (line.length < 500 && id.exec(line)?.[1]) || next;
      // Sections without an ID have that of their words; the page has none.
      else if (/^=+ /.test(line)) [section, next] = [next || line.replace(/^= .*|\W/g, ""), ""];
    },
    /** The include directives that the macro of a line expands to; undefined for any other line. */
    read(line: string): readonly CodeInclude[] | undefined {
      const [, target, options = ""] = macro.exec(line) ?? [];
      if (target === undefined) return undefined;
      const [above, name] = target.startsWith("./") ? [folder, target.slice(2)] : ["", target];
      const path = `${above}${section.replaceAll(".", "/")}`.toLowerCase().replaceAll("-", "");
      const languages = Object.entries(endings).filter(([language]) => values.has(`include-${language}`));
      // Without any the attributes are not known yet.
      return (languages.length > 0 ? languages : Object.entries(endings).slice(0, 1)).map(([language, ending]) => ({
        language,
        directive: `include::{include-${language}}/${path}/${name}.${ending}[${options}]`,
      }));
    },
  };
}
