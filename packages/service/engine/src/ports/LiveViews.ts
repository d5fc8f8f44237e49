import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { BrowserStopped } from "../domain/Errors.ts"

/** A tab of a browser. Both are texts of strangers. */
export interface LiveTab {
  readonly title: string
  readonly address: string
}

/** Picture and state of a browser at a moment. */
export interface View {
  /** A JPEG of the tab in front; null until there is one. */
  readonly picture: { readonly jpeg: Uint8Array; readonly at_ms: number } | null
  /** The tab in front; null while there is none. */
  readonly tab: LiveTab | null
  /** All tabs in the order in which they were opened; missing if they aren't known. */
  readonly tabs?: ReadonlyArray<LiveTab>
}

/** Position on the picture, from 0 (left, top) to 1 (right, bottom). */
const place = { x: Schema.Finite, y: Schema.Finite }

/** Keys held meanwhile, as CDP counts them: 1 Alt, 2 Ctrl, 4 Meta, 8 Shift. */
const modifiers = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 15 }))

/** Input of a person who has taken over a browser. */
export const LiveInput = Schema.Union([
  Schema.Struct({
    _tag: Schema.Literal("Mouse"),
    action: Schema.Literals(["pressed", "released", "moved"]),
    ...place,
    button: Schema.Literals(["none", "left", "middle", "right", "back", "forward"]),
    /** The buttons that are held, as a mouse event of a page counts them. */
    buttons: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 31 })),
    clicks: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
    modifiers
  }),
  Schema.Struct({
    _tag: Schema.Literal("Wheel"),
    ...place,
    deltaX: Schema.Finite,
    deltaY: Schema.Finite,
    modifiers
  }),
  Schema.Struct({
    _tag: Schema.Literal("Key"),
    action: Schema.Literals(["pressed", "released"]),
    key: Schema.String.check(Schema.isMaxLength(32)),
    code: Schema.String.check(Schema.isMaxLength(32)),
    keyCode: Schema.Int,
    modifiers
  }),
  /** Text that is pasted, or that an input method composed. */
  Schema.Struct({ _tag: Schema.Literal("Text"), text: Schema.String }),
  /** An address to open in the tab in front, as `WebAddress.complete` returns it. */
  Schema.Struct({ _tag: Schema.Literal("Address"), address: Schema.String.check(Schema.isMaxLength(4000)) })
])
export type LiveInput = typeof LiveInput.Type

/** A browser that is looked at. */
export interface LiveView {
  /** The newest view each time: who reads slowly misses the views between. Ends with the browser. */
  readonly views: Stream.Stream<View>
  /** Does in the tab in front what a person does; nothing when there is no tab. */
  readonly input: (input: LiveInput) => Effect.Effect<void>
  /** True if only people with control may see it, from the next view on. */
  readonly isConcealed: () => boolean
}

/** Live views of browsers. */
export interface LiveViewsService {
  /** True if this browser runs on this node and has a live view. */
  readonly has: (browserId: string) => boolean
  /** Looks at a browser until the scope closes; all who look share one cast. */
  readonly open: (browserId: string) => Effect.Effect<LiveView, BrowserStopped, Scope.Scope>
  /**
   * Conceals a browser for as long as it runs, because a secret is about to be in it: its recording shows what
   * `Recordings.keep` is given, and nothing else.
   */
  readonly conceal: (browserId: string) => Effect.Effect<void>
}

/** The port to whatever shows browsers while they run here; null where browsers cannot be seen. */
export const LiveViews: Context.Reference<LiveViewsService | null> = Context.Reference("@webagent/engine/LiveViews", {
  defaultValue: (): LiveViewsService | null => null
})
