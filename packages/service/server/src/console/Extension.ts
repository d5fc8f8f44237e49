import * as Context from "effect/Context"
import type * as FileSystem from "effect/FileSystem"
import type { Generator } from "effect/http/Etag"
import type * as HttpPlatform from "effect/http/HttpPlatform"
import type * as HttpRouter from "effect/http/HttpRouter"
import type * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type * as Stream from "effect/Stream"
import type { ConsoleAuth } from "./ConsoleAuth.ts"

/** A part of the console that only the program behind it has, such as the control of a simulated service. */
export interface ConsoleExtensionService {
  /** Routes below the console's API. Their operations are behind `ConsoleAuth`. */
  readonly routes: Layer.Layer<
    never,
    never,
    ConsoleAuth | FileSystem.FileSystem | Generator | HttpPlatform.HttpPlatform | HttpRouter.HttpRouter | Path.Path
  >
  /** Events for every page, in addition to the changes of records. They have no position, so a page that was away misses them. */
  readonly events: Stream.Stream<{ readonly event: string; readonly data: unknown }>
}

/** The part of the console that the program adds; null by default. */
export const ConsoleExtension: Context.Reference<ConsoleExtensionService | null> = Context.Reference(
  "@webagent/server/ConsoleExtension",
  { defaultValue: (): ConsoleExtensionService | null => null }
)
