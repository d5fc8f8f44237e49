import { fileURLToPath } from "node:url"
import { type InputOptions, type OutputOptions, rolldown } from "rolldown"

/** Returns the chunks of a program, which by default exports all of `entry`. */
export const bundled = async (
  entry: string,
  input: InputOptions = {},
  output: OutputOptions = {},
  program = `export * from "${entry}"`
) => {
  const bundle = await rolldown({
    input: "entry",
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    platform: "neutral",
    resolve: { conditionNames: ["@webagent/source", "import", "default"] },
    logLevel: "silent",
    ...input,
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === "entry" ? fileURLToPath(new URL("entry.js", import.meta.url)) : undefined),
        load: (id) => (id.endsWith("entry.js") ? program : undefined)
      }
    ]
  })
  const built = await bundle.generate(output)
  await bundle.close()
  return built.output.flatMap((part) => (part.type === "chunk" ? [part] : []))
}
