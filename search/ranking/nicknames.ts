/**
 * Nicknames of libraries, folded: abbreviations, and the names by which packages are imported. Only those that are in general use and
 * that no spelling rule finds; the most common meaning comes first.
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

/** The folded names that a folded nickname stands for; empty for any other name. */
export function longFormsOf(name: string): readonly string[] {
  return nicknames.get(name) ?? [];
}
