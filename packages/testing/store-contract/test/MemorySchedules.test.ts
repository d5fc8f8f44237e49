import { MemorySchedules, TimeOrderedIds } from "@webagent/engine"
import * as Layer from "effect/Layer"
import { schedulesContract } from "../src/SchedulesContract.ts"

schedulesContract("MemorySchedules", Layer.provide(MemorySchedules.layer, TimeOrderedIds.layer))
