/** Bundles the script of the load tests for a k6 that does not resolve imports: `node bundle.mjs [folder]`, default dist/k6. */
import { copyFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const home = dirname(fileURLToPath(import.meta.url))
const [destination = join(home, "dist", "k6")] = process.argv.slice(2)

const { build } = await import("rolldown").catch(() => {
  process.stderr.write("Bundling a load test needs rolldown. Install it with: node tools/workspace/install.mjs all\n")
  process.exit(1)
})

/**
 * k6's engine takes other values of its stack for the arguments of a function around an arrow function, which Effect's
 * decoders have: those are given a name. Our own k6 does so with every script.
 */
const namedArguments = {
  name: "named-arguments",
  transform: (code) =>
    code.includes("=> body.apply(this, arguments)")
      ? code.replaceAll(
          "() => body.apply(this, arguments)",
          "((self, args) => () => body.apply(self, args))(this, arguments)"
        )
      : undefined
}

await build({
  input: join(home, "k6", "load.ts"),
  external: /^k6(?:\/|$)/,
  plugins: [namedArguments],
  resolve: { conditionNames: ["@webagent/source", "import"] },
  transform: { target: "es2021" },
  logLevel: "warn",
  output: { file: join(destination, "load.js"), format: "esm", codeSplitting: false }
})
// the only package in it that isn't ours
copyFileSync(join(home, "node_modules/effect/LICENSE"), join(destination, "LICENSE-effect.txt"))
