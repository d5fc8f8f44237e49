/** Lists what is wrong with the words of documentation and source code: `npm run words [-- part of a path]`. */
import { problemsByFile } from "./ProblemsByFile.ts"

const [wanted = ""] = process.argv.slice(2)
const lines = [...problemsByFile().values()].flat().filter((line) => (line.split(":")[0] ?? "").includes(wanted))

console.log([...lines, lines.length === 0 ? "Nothing is wrong." : `${lines.length} to fix`].join("\n"))
