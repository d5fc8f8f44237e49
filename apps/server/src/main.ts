#!/usr/bin/env node
import { enableCompileCache } from "node:module"

// a third of the time to start is compiling
enableCompileCache()

const { main } = await import("./commandLine.ts")
main()
