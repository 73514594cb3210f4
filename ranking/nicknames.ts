/**
 * What people call libraries otherwise than their names say, by folded names: abbreviations, and what a package is
 * imported by. Only what no spelling rule finds and what is in general use; the first meaning is the more common one.
 */
const nicknames: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    bs4: "beautifulsoup4 beautifulsoup",
    cv2: "opencv opencvpython",
    drf: "djangorestframework",
    ef: "entityframework efcore",
    es: "elasticsearch",
    gcp: "googlecloud",
    gh: "github",
    hf: "huggingface",
    k8s: "kubernetes",
    mui: "materialui",
    np: "numpy",
    otel: "opentelemetry",
    pd: "pandas",
    pg: "postgresql postgres nodepostgres",
    pil: "pillow",
    plt: "matplotlib",
    postgres: "postgresql",
    psql: "postgresql",
    r3f: "reactthreefiber",
    rhf: "reacthookform",
    rn: "reactnative",
    ror: "rubyonrails rails",
    rtk: "reduxtoolkit",
    rtl: "reacttestinglibrary",
    sklearn: "scikitlearn",
    tf: "terraform tensorflow",
    ts: "typescript",
    wp: "wordpress",
  }).map(([short, long]) => [short, long.split(" ")]),
);

/** The folded names that a folded name is short for; empty where it is no known nickname. */
export function longFormsOf(name: string): readonly string[] {
  return nicknames.get(name) ?? [];
}
