/** The version that `--version`, the console and the reports show. */
export const version = "0.1.0"

/** How a person calls the program: through npm in a checkout, through npx in a project. */
export const program = import.meta.url.endsWith(".ts") ? "npm run harness --" : "npx webagent-harness"

const plainWord = /^[\w./:=@%+,-]+$/u

/** A word as a shell takes it. */
export const quoted = (text: string): string =>
  plainWord.test(text) ? text : `"${text.replaceAll(/["$`\\]/gu, (character) => `\\${character}`)}"`
