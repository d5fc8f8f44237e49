import { MemoryWebhooks, TimeOrderedIds } from "@webagent/engine"
import * as Layer from "effect/Layer"
import { webhooksContract } from "../src/WebhooksContract.ts"

webhooksContract("MemoryWebhooks", Layer.provide(MemoryWebhooks.layer, TimeOrderedIds.layer))
