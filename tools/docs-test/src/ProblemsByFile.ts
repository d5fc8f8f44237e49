import { readFileSync } from "node:fs"
import { join } from "node:path"
import { changesets, documents, root, sources } from "./Documents.ts"
import { problems } from "./Page.ts"
import { sourceTexts } from "./SourceText.ts"
import { findings, report } from "./Words.ts"

const read = (file: string) => readFileSync(join(root, file), "utf8")

/** Lists what is wrong with the words of every document, changeset and module, one line each, by file. */
export const problemsByFile = (): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map([
    ...[...documents(), ...changesets()].map((file) => [file, problems(file, read(file))] as const),
    ...sources().map((file) => {
      const problemLines = report(sourceTexts(file, read(file)).flatMap(findings))
      return [file, problemLines === "" ? [] : problemLines.split("\n")] as const
    })
  ])
