import { MemoryStore } from "@webagent/engine"
import { storeContract } from "../src/StoreContract.ts"

storeContract("MemoryStore", MemoryStore.layer)
