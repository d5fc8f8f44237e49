/** The description of a command in `--help`: its purpose, and its exit codes with one line each. */
export const description = (
  does: string,
  exitCodes: Readonly<Record<number, string>>,
  more: ReadonlyArray<string> = []
): string =>
  [
    ...[does, ...more].map((line) => `${line}.`),
    "",
    "Exit codes:",
    ...Object.entries(exitCodes).map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`)
  ].join("\n")
