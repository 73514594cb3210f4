"""What docutils reads of reStructuredText files, one JSON object a line: blocks of code with their languages, and the words.

Usage: python reference.py FOLDER... > reference.jsonl   (pip install docutils)
Directives of Sphinx are registered as what they show; anything else is its content.
"""

import json
import pathlib
import re
import sys
import time

from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles, states

SILENT = set("toctree index meta currentmodule module py:module py:currentmodule program default-domain todolist testsetup "
             "testcleanup contents sectnum tabularcolumns codeauthor sectionauthor moduleauthor raw highlight only todo "
             "literalinclude include parsed-literal math autosummary inheritance-diagram graphviz digraph csv-table image figure".split())
CODE = {"code-block": None, "sourcecode": None, "code": None, "prompt": None, "doctest": "python", "testcode": "python",
        "ipython": "python", "testoutput": "text", "productionlist": "text"}


def option_of(_name):
    return lambda value: value


class AnyOptions(dict):
    def __bool__(self):
        return True

    def __contains__(self, _key):
        return True

    def __getitem__(self, key):
        return option_of(key)


class Any(Directive):
    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = AnyOptions()

    def run(self):
        if self.name in SILENT or self.name.startswith("auto"):
            return [nodes.comment()]
        settings = self.state.document.settings
        if self.name in CODE:
            node = nodes.literal_block("\n".join(self.content), "\n".join(self.content))
            node["language"] = CODE[self.name] or (self.arguments or [""])[0]
            return [node] if self.content else []
        node = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


class Content(Any):
    optional_arguments = 0


def role(_name, rawtext, text, _lineno, _inliner, options=None, content=None):
    shown = re.sub(r"(?<=.)\s*<[^<>]*>$", "", text, flags=re.S)
    if shown == text and text.startswith("~"):
        shown = re.split(r"\.", text)[-1]
    return [nodes.inline(rawtext, shown)], []


original_directive, original_role = directives.directive, roles.role
NO_ARGUMENT = set("note warning caution danger error hint important tip attention seealso glossary epigraph compound hlist "
                  "tabs tab-set testcode doctest testoutput productionlist impl-detail".split())


def directive(name, language, document):
    name = name.lower()
    if name in ("table", "list-table", "replace", "unicode", "date", "role", "default-role", "container", "class"):
        return original_directive(name, language, document)
    return (Content if name in NO_ARGUMENT else Any), []


def any_role(name, language, lineno, reporter):
    known = ("emphasis", "strong", "literal", "subscript", "superscript", "sub", "sup", "code", "math")
    return original_role(name, language, lineno, reporter) if name in known else (role, [])


directives.directive, states.directives.directive = directive, directive
roles.role, states.roles.role = any_role, any_role


def read(path):
    source = pathlib.Path(path).read_text(encoding="utf-8")
    started = time.perf_counter()
    tree = publish_doctree(source, settings_overrides={
        "report_level": 5, "halt_level": 5, "file_insertion_enabled": False, "raw_enabled": False, "smart_quotes": False})
    took = time.perf_counter() - started
    codes, words = [], []

    def walk(node):
        if isinstance(node, (nodes.comment, nodes.system_message, nodes.substitution_definition, nodes.problematic, nodes.docinfo,
                             nodes.footnote, nodes.footnote_reference, nodes.math, nodes.math_block, nodes.decoration)):
            return
        if isinstance(node, (nodes.literal_block, nodes.doctest_block)):
            language = node.get("language", "python" if isinstance(node, nodes.doctest_block) else "")
            inside = isinstance(node.parent, nodes.entry)
            codes.append({"code": node.astext().strip("\n"), "language": language, "cell": inside})
        elif isinstance(node, nodes.Text):
            words.extend(re.findall(r"\w+", node.astext()))
        else:
            for child in node.children:
                walk(child)

    walk(tree)
    return {"path": str(path), "codes": codes, "words": words, "ms": round(took * 1000, 1)}


for folder in sys.argv[1:]:
    for file in sorted(pathlib.Path(folder).rglob("*")):
        if file.suffix in (".rst", ".rest") and file.is_file():
            try:
                print(json.dumps(read(file)))
            except Exception as error:  # A file that docutils cannot read is not compared.
                print(json.dumps({"path": str(file), "error": repr(error)}))
