import { join } from "node:path"
import { bundleServer } from "../measure/Bundle.ts"
import { type Heading, inFolder, type Options } from "../measure/Report.ts"
import { type Commits, measureCommits, type Variant } from "./Commits.ts"
import { type FullFile, fullFile, growth } from "./FullFile.ts"

/** The result of the bench `durable`. */
export interface DurableReport extends Heading {
  readonly growth: Awaited<ReturnType<typeof growth>>
  readonly commits: Readonly<Record<Variant, ReadonlyArray<Commits>>>
  readonly full: FullFile
}

/** Our server's file: what commits and checkpoints take, how it grows, and one with a million runs. */
export const durable = ({ log, quick }: Options): Promise<DurableReport> =>
  inFolder(async (scratch) => {
    const bundle = await bundleServer(join(scratch, "server"))
    log("growth of the file")
    const grown = await growth(bundle, join(scratch, "growth.db"), quick ? 500 : 5000)
    log("commits")
    const commits = await measureCommits(scratch, quick ? 2 : 5, quick ? 1000 : 4000)
    const filled = await fullFile(bundle, join(scratch, "filled.db"), quick ? 20_000 : 1_000_000, log)
    return { growth: grown, commits, full: filled }
  })
