import { Parser } from "htmlparser2";
import { parse as parseToml } from "smol-toml";
import { type Json, objectOf } from "../../../extract/json.ts";

/** Reads the name of the package in a manifest; undefined if it is not published. @throws Error for a malformed text */
export type ManifestReader = (text: string) => string | undefined;

const formats: Readonly<Record<string, ManifestReader>> = {
  "package.json": (text) => {
    const manifest = objectOf(JSON.parse(text));
    return manifest["private"] === true ? undefined : nameOf(manifest);
  },
  "composer.json": (text) => {
    const manifest = objectOf(JSON.parse(text));
    return manifest["type"] === "project" ? undefined : nameOf(manifest);
  },
  "Cargo.toml": (text) => {
    const crate = objectOf(parseToml(text)["package"]);
    const { publish } = crate;
    const isPrivate = publish === false || (Array.isArray(publish) && publish.length === 0);
    return isPrivate ? undefined : nameOf(crate);
  },
  "pyproject.toml": pythonProject,
  "setup.cfg": (text) => setupName.exec(setupMetadata.exec(text)?.[1] ?? "")?.[1],
  // A module without a dot in its first part cannot be fetched.
  "go.mod": (text) => goModule.exec(text)?.[1]?.replace(/\/v\d{1,3}$/, ""),
  "pom.xml": mavenProject,
};

const goModule = /^module[ \t]+"?([\w-]{1,60}(?:\.[\w-]{1,60}){1,5}\/[^\s"]{1,300})"?[ \t]*(?:\/\/.*)?\r?$/m;
const gemName = /^[ \t]*\w{1,30}\.name[ \t]*=[ \t]*["']([\w.-]{1,100})["']/m;
const setupMetadata = /^\[metadata\][ \t]*\r?\n((?:(?!\[).*\n?){0,200})/m;
const setupName = /^name[ \t]{0,20}[=:][ \t]{0,20}([\w.-]{1,100})[ \t]*\r?$/m;

/** The reader of a manifest by its file name; undefined for any other file. */
export function manifestReader(fileName: string): ManifestReader | undefined {
  if (fileName.endsWith(".gemspec")) return (text) => gemName.exec(text)?.[1];
  return Object.hasOwn(formats, fileName) ? formats[fileName] : undefined;
}

function pythonProject(text: string): string | undefined {
  const { project, tool } = parseToml(text);
  const metadata = objectOf(project);
  const { poetry, uv } = objectOf(tool);
  const { classifiers } = metadata;
  const isPrivate =
    (Array.isArray(classifiers) && classifiers.some((one) => String(one).startsWith("Private ::"))) ||
    objectOf(uv)["package"] === false ||
    objectOf(poetry)["package-mode"] === false;
  return isPrivate ? undefined : (nameOf(metadata) ?? nameOf(objectOf(poetry)));
}

/** Paths of the elements of a POM that are read. */
const mavenPaths: ReadonlySet<string> = new Set([
  "project/groupId",
  "project/artifactId",
  "project/parent/groupId",
  "project/properties/maven.deploy.skip",
]);

function mavenProject(text: string): string | undefined {
  const values = new Map<string, string>();
  const open: string[] = [];
  let path = "";
  const parser = new Parser(
    {
      onopentag(name) {
        open.push(name);
        path = open.length > 3 ? "" : open.join("/");
      },
      ontext(part) {
        if (mavenPaths.has(path)) values.set(path, (values.get(path) ?? "") + part);
      },
      onclosetag() {
        open.pop();
        path = "";
      },
    },
    { xmlMode: true },
  );
  parser.end(text);
  const read = (element: string): string | undefined => values.get(element)?.trim();
  const group = read("project/groupId") ?? read("project/parent/groupId");
  const artifact = read("project/artifactId");
  if (group === undefined || artifact === undefined || read("project/properties/maven.deploy.skip") === "true")
    return undefined;
  return `${group}:${artifact}`;
}

/** The result of parsing; undefined for a malformed text, such as a template. */
export function unlessMalformed<Parsed>(parse: () => Parsed): Parsed | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

function nameOf({ name }: Json): string | undefined {
  return typeof name === "string" ? name : undefined;
}
