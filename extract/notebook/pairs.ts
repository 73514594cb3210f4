/** The formats of a notebook's copies, `ipynb,md:myst`, in its metadata (Jupytext, "Paired notebooks"). */
const formats = /"jupytext":\s{0,20}\{[^{}]{0,500}?"formats":\s{0,20}"([^"\n]{1,200})"/;

/** Paths of the copies of a notebook in Markdown that Jupytext keeps beside it, if there are any. */
export function copiesOf(path: string, source: string): readonly string[] {
  const [, list = ""] = formats.exec(source) ?? [];
  const stem = path.replace(/\.ipynb$/i, "");
  return list.split(",").flatMap((one) => {
    const ending = /^(md|markdown|Rmd|qmd)(?::|$)/.exec(one.trim())?.[1];
    return ending === undefined ? [] : [`${stem}.${ending}`];
  });
}
