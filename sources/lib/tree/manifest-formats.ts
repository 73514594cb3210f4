import { Parser } from "htmlparser2";
import { parse as parseToml } from "smol-toml";
import { objectOf } from "../../../extract/json.ts";

/** What a manifest says of its package; undefined if it is not published. @throws Error for a malformed text */
export type ManifestReader = (text: string) => PackageFacts | undefined;

interface PackageFacts {
  readonly name?: unknown;
  readonly description?: unknown;
}

const formats: Readonly<Record<string, ManifestReader>> = {
  "package.json": (text) => {
    const manifest = objectOf(JSON.parse(text));
    return manifest["private"] === true ? undefined : manifest;
  },
  "composer.json": (text) => {
    const manifest = objectOf(JSON.parse(text));
    return manifest["type"] === "project" ? undefined : manifest;
  },
  "Cargo.toml": (text) => {
    const crate = objectOf(parseToml(text)["package"]);
    const { publish } = crate;
    const isPrivate = publish === false || (Array.isArray(publish) && publish.length === 0);
    return isPrivate ? undefined : crate;
  },
  "pyproject.toml": pythonProject,
  "setup.cfg": (text) => {
    const [, metadata = ""] = setupMetadata.exec(text) ?? [];
    return { name: setupName.exec(metadata)?.[1], description: setupDescription.exec(metadata)?.[1] };
  },
  METADATA: pythonMetadata,
  "PKG-INFO": pythonMetadata,
  // A module without a dot in its first part cannot be fetched.
  "go.mod": (text) => ({ name: goModule.exec(text)?.[1]?.replace(/\/v\d{1,3}$/, "") }),
  "pom.xml": mavenProject,
};

const goModule = /^module[ \t]+"?([\w-]{1,60}(?:\.[\w-]{1,60}){1,5}\/[^\s"]{1,300})"?[ \t]*(?:\/\/.*)?\r?$/m;
const gemName = /^[ \t]*\w{1,30}\.name[ \t]*=[ \t]*["']([\w.-]{1,100})["']/m;
const gemSummary = /^[ \t]*\w{1,30}\.(?:summary|description)[ \t]*=[ \t]*(?:"([^"\n]{1,500})"|'([^'\n]{1,500})')/m;
const setupMetadata = /^\[metadata\][ \t]*\r?\n((?:(?!\[).*\n?){0,200})/m;
const setupName = /^name[ \t]{0,20}[=:][ \t]{0,20}([\w.-]{1,100})[ \t]*\r?$/m;
const setupDescription = /^description[ \t]{0,20}[=:][ \t]{0,20}(?!file:)(\S.{0,500})$/m;

/** The reader of a manifest by its file name; undefined for any other file. */
export function manifestReader(fileName: string): ManifestReader | undefined {
  if (fileName.endsWith(".gemspec")) return rubyGem;
  return Object.hasOwn(formats, fileName) ? formats[fileName] : undefined;
}

function rubyGem(text: string): PackageFacts {
  const [, double, single] = gemSummary.exec(text) ?? [];
  return { name: gemName.exec(text)?.[1], description: double ?? single };
}

/** The fields of a distribution's metadata (https://packaging.python.org/en/latest/specifications/core-metadata). */
function pythonMetadata(text: string): PackageFacts {
  const [head = ""] = text.split(/\r?\n\r?\n/, 1);
  const field = (name: string): string | undefined => new RegExp(`^${name}:[ \\t]*(.{1,500})`, "m").exec(head)?.[1];
  return { name: field("Name")?.trim(), description: field("Summary") };
}

function pythonProject(text: string): PackageFacts | undefined {
  const { project, tool } = parseToml(text);
  const metadata = objectOf(project);
  const { poetry, uv } = objectOf(tool);
  const { classifiers } = metadata;
  const isPrivate =
    (Array.isArray(classifiers) && classifiers.some((one) => String(one).startsWith("Private ::"))) ||
    objectOf(uv)["package"] === false ||
    objectOf(poetry)["package-mode"] === false;
  if (isPrivate) return undefined;
  return typeof metadata["name"] === "string" ? metadata : objectOf(poetry);
}

/** Paths of the elements of a POM that are read. */
const mavenPaths: ReadonlySet<string> = new Set([
  "project/groupId",
  "project/artifactId",
  "project/parent/groupId",
  "project/description",
  "project/properties/maven.deploy.skip",
]);

function mavenProject(text: string): PackageFacts | undefined {
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
  return { name: `${group}:${artifact}`, description: read("project/description") };
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
