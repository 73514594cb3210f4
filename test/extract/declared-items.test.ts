import { expect, it } from "vitest";
import { apiTypes } from "../../extract/formats.ts";
import { extractPage, formatOf } from "../../extract/index.ts";
import { codesOf, proseOf } from "./extract.ts";

/** Reads a file of code as API declarations. */
async function declared(language: keyof typeof apiTypes, name: string, text: string) {
  const mediaType = apiTypes[language];
  const url = `https://registry.example/kit-1.0.0.tgz#/${name}`;
  const page = { path: name, url, mediaType, bytes: new TextEncoder().encode(text) };
  return extractPage(page, await formatOf(mediaType));
}

it("reads items of Rust that stand in macros, at their lines and byte for byte", async () => {
  const source = `cfg_rt! {
    /// Runs the closure where blocking is acceptable.
    pub fn spawn_blocking<F>(f: F) -> JoinHandle
    where
        F: FnOnce() {
        todo!()
    }

    cfg_net! {
        impl Pool {
            cfg_time! {
                /// Waits for so long.
                pub fn wait(&self, time: Duration) {}
            }
        }
    }
}

thread_local! { static SECRET: u32 = 1; }
`;
  const page = await declared("rust", "src/pool.rs", source);
  const found = codesOf(page).map(({ code, lines }) => ({ code, lines }));
  expect(found).toEqual([
    {
      code: "pub fn spawn_blocking<F>(f: F) -> JoinHandle\n    where\n        F: FnOnce()",
      lines: [3, 5],
    },
    { code: "pub fn wait(&self, time: Duration)", lines: [13, 13] },
  ]);
  expect(proseOf(page).join("\n")).toContain("Runs the closure where blocking is acceptable.");
});

it("leaves lines out that only tests of Rust need, in lists too", async () => {
  const source = `/// Adds context:
///
///   - To any error:
///
///     \`\`\`
///     # use kit::fail;
///     fail().context("of what")?;
///     \`\`\`
pub fn context() {}
`;
  const codes = codesOf(await declared("rust", "src/lib.rs", source)).map(({ code }) => code);
  expect(codes).toContain('fail().context("of what")?;');
});

it("finds the fields of a Go struct that is too long to be shown whole", async () => {
  const fields = Array.from(
    { length: 60 },
    (_, at) =>
      `\t// Option${at} is option number ${at} of all that a command takes.\n\tOption${at} string // of ${at}\n`,
  );
  const source = `package kit\n\n// Command is a command.\ntype Command struct {\n${fields.join("")}\thidden int\n}\n`;
  const page = await declared("go", "command.go", source);
  const last = codesOf(page).find(({ code }) => code === "Option59 string");
  expect(last?.lines).toEqual([124, 124]);
  expect(proseOf(page).join("\n")).toContain("Option59 is option number 59");
  expect(codesOf(page).some(({ code }) => code.startsWith("hidden"))).toBe(false);
});

it("shows a function of Python once, whatever overloads it has", async () => {
  const source = `from typing import overload

@overload
def read(path: str) -> str: ...
@overload
def read(path: bytes) -> bytes: ...
def read(path):
    """Reads a file."""
    return path
`;
  const codes = codesOf(await declared("python", "kit/files.py", source)).map(({ code }) => code);
  expect(codes).toEqual(["def read(path):"]);
  const stub = await declared("python", "kit/files.pyi", source);
  expect(codesOf(stub).map(({ code }) => code)).toHaveLength(3);
});

it("reads names of Python below conditions once, and methods too", async () => {
  const source = `"""Gears."""
import typing

if hasattr(typing, "override"):
    override = typing.override
elif hasattr(typing, "later"):
    def override(count: int) -> int:
        """Turns the gears."""
        return count
else:
    def override(count: int) -> int:
        """Turns the gears, slowly."""
        return count

try:
    from fast import spin
except ImportError:
    def spin(speed: float) -> None:
        """Spins the gears at a speed."""
finally:
    with lock:
        class Gear:
            """A gear."""

            if typing.TYPE_CHECKING:
                def turn(self) -> None:
                    """Turns it."""
`;
  const page = await declared("python", "kit/gears.py", source);
  expect(codesOf(page).map(({ code }) => code)).toEqual([
    "def override(count: int) -> int:",
    "def spin(speed: float) -> None:",
    "class Gear:",
    "def turn(self) -> None:",
  ]);
  expect(proseOf(page).join("\n")).not.toContain("slowly");
});
