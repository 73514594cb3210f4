import type { Autodoc } from "./index.ts";

/** Reads the docstrings that a directive of autodoc shows. */
export const readAutodoc: Autodoc = () => [];
