/**
 * Bundles the script of the HTML report into src/page/PageScript.ts, so that the page is written from source as it is
 * from a package: `node build-page.mjs`. A test fails when the file is not what this writes.
 */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"

const home = dirname(fileURLToPath(import.meta.url))

/** The module that holds the bundled script. */
export const file = join(home, "src", "page", "PageScript.ts")

/** What that module should be. */
export const bundled = async () => {
  const { output } = await build({
    input: join(home, "src", "page", "browser", "main.ts"),
    resolve: { conditionNames: ["@webagent/source", "import"] },
    logLevel: "warn",
    write: false,
    transform: { target: "es2022" },
    output: { format: "iife", minify: true, codeSplitting: false }
  })
  // a script element ends where its text says so, whatever stands around
  const script = output[0].code.trim().replaceAll("</", String.raw`<\/`)
  return `// written by build-page.mjs from the modules in browser/\n\n/** The page's own script. */\nexport const script: string = ${JSON.stringify(script)}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, await bundled())
