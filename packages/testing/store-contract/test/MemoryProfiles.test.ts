import { MemoryProfiles, TimeOrderedIds } from "@webagent/engine"
import * as Layer from "effect/Layer"
import { profilesContract } from "../src/ProfilesContract.ts"

profilesContract("MemoryProfiles", Layer.provide(MemoryProfiles.layer, TimeOrderedIds.layer))
