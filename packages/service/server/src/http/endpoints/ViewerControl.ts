import type { Control, Engine, LiveInput } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Audit from "../../api/Audit.ts"

interface ViewerOptions {
  readonly engine: Pick<Engine["Service"], "controlOf" | "releaseControl" | "takeControl">
  readonly browserId: string
  readonly access: "view" | "control" | "driver"
  /** The control that the viewer's link belongs to; null for the links of a browser. */
  readonly controlId: string | null
  /** False while the person drives in another tab. */
  readonly isDriving: () => boolean
  /** Name of the key that has the browser. */
  readonly owner: string | null
  readonly request: HttpServerRequest.HttpServerRequest
}

/** Time for which an input through a browser's own control link has control. */
const heldFor_ms = 30_000

const isPress = (input: LiveInput) => !("action" in input) || input.action === "pressed"

const isEscape = (input: LiveInput) => input._tag === "Key" && input.key === "Escape"

/** The control of a viewer over a browser. */
export interface ViewerControl {
  /** `you` if this viewer drives, `person` if another one does, null if no person does. */
  readonly driver: Effect.Effect<"you" | "person" | null>
  /**
   * True if an input is for the browser. With a browser's control link, the first press takes control, and further ones
   * extend it. Esc releases it, and isn't for the browser.
   */
  readonly takes: (input: LiveInput) => Effect.Effect<boolean>
}

/** Makes the control of a viewer. What the control link took is released with the scope. */
export const make = Effect.fnUntraced(function* ({
  access,
  browserId,
  controlId,
  engine,
  isDriving,
  owner,
  request
}: ViewerOptions) {
  let heldId = controlId
  const name = owner === null ? "control link" : `${owner} (control link)`
  const isMine = (control: Control | null): control is Control =>
    control !== null && control.id === heldId && isDriving()

  const audit = (key: string, action: string, status: number) =>
    Effect.provideService(
      Audit.add({ key, action: `browsers.${action}`, ids: [browserId], status }),
      HttpServerRequest.HttpServerRequest,
      request
    )

  const release = ({ driver }: Control) =>
    Effect.andThen(Effect.ignore(engine.releaseControl(browserId, driver)), audit(driver, "releaseControl", 204))

  /** Takes control or extends it; false if another person has it, or the browser has stopped. */
  const take = (isNew: boolean) =>
    engine.takeControl(browserId, name, heldFor_ms).pipe(
      Effect.tap(({ id }) => Effect.sync(() => void (heldId = id))),
      Effect.tap(() => (isNew ? audit(name, "takeControl", 200) : Effect.void)),
      Effect.as(true),
      Effect.orElseSucceed(() => false)
    )

  const takes = Effect.fnUntraced(function* (input: LiveInput) {
    const control = yield* engine.controlOf(browserId)
    const isDriver = isMine(control)
    if (isEscape(input)) {
      if (isDriver && isPress(input)) yield* release(control)
      return false
    }
    if (control === null) return access === "control" && isPress(input) && (yield* take(true))
    if (!isDriver || access === "driver") return isDriver
    const left_ms = control.until_ms - (yield* Clock.currentTimeMillis)
    return left_ms > heldFor_ms / 2 || !isPress(input) || (yield* take(false))
  })

  if (access === "control") {
    yield* Effect.addFinalizer(() =>
      Effect.flatMap(engine.controlOf(browserId), (control) => (isMine(control) ? release(control) : Effect.void))
    )
  }

  const viewer: ViewerControl = {
    driver: Effect.map(engine.controlOf(browserId), (control) =>
      control === null ? null : isMine(control) ? "you" : "person"
    ),
    takes
  }
  return viewer
})
