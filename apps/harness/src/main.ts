#!/usr/bin/env node
import { enableCompileCache } from "node:module"

// a third of what a start takes is compiling
enableCompileCache()

// Ctrl-C once is the runtime's: it stops politely. Twice is at once, whatever is still being written.
process.once("SIGINT", () => {
  // the process that started this one has said so
  if (!process.connected) process.stderr.write("\nstopping; Ctrl-C again ends at once\n")
  process.once("SIGINT", () => process.exit(130))
})

const { main } = await import("./harness.ts")
main()
