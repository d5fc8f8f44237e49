/** The version that `--version`, the console and the reports show. */
export const version = "0.1.0"

/** How the program is called, for advice: from a checkout through npm, else by its own name. */
export const program = process.argv[1]?.endsWith(".ts") === true ? "npm run harness --" : "webagent-harness"

const plainWord = /^[\w./:=@%+,-]+$/u

/** A word as a shell takes it. */
export const quoted = (text: string): string =>
  plainWord.test(text) ? text : `"${text.replaceAll(/["$`\\]/gu, (character) => `\\${character}`)}"`
