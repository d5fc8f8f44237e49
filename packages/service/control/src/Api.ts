import { Identifier } from "@webagent/contract"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { ControlKeyAuth, ControlValidation } from "./ControlKeyAuth.ts"
import { ControlConflictError, ControlInvalidError, ControlNotFoundError } from "./Errors.ts"
import { FaultPlan } from "./FaultPlan.ts"
import { entryTypes, JournalView, Route } from "./Journal.ts"
import { OpenView } from "./Open.ts"
import { Profile } from "./Profile.ts"
import { Snapshot } from "./Snapshot.ts"
import { Span } from "./Span.ts"
import { Advance, TimeMode, TimeView } from "./Time.ts"
import { Verdicts } from "./Verdict.ts"
import { consoleControlPath, controlPath } from "./Wire.ts"

const Count = Schema.FiniteFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(0))
const Changed = Schema.Struct({ id: Schema.String, status: Schema.String })
const Done = Schema.Struct({ done: Schema.Literal(true) })

/** Operations that configure the service's behavior. */
export class BehaviourGroup extends HttpApiGroup.make("behaviour").add(
  HttpApiEndpoint.get("getProfile", "/profile", { success: Profile }).annotate(OpenApi.Summary, "The profile in force"),
  HttpApiEndpoint.put("setProfile", "/profile", {
    payload: Schema.Union([Schema.Struct({ preset: Schema.NonEmptyString }), Schema.Struct({ profile: Profile })]),
    success: Profile,
    error: ControlNotFoundError
  }).annotate(OpenApi.Summary, "Behave as a preset, or as a profile; its faults take the place of those in force"),
  HttpApiEndpoint.get("getFaults", "/faults", { success: FaultPlan }).annotate(OpenApi.Summary, "The faults in force"),
  HttpApiEndpoint.put("setFaults", "/faults", { payload: FaultPlan, success: FaultPlan }).annotate(
    OpenApi.Summary,
    "Apply these faults, from now on and with fresh counts; an empty list ends all"
  ),
  HttpApiEndpoint.post("refuseConnections", "/outage", {
    payload: Schema.Struct({ for: Span }),
    success: Done
  }).annotate(OpenApi.Summary, "Close every connection, and listen again after this long of service time")
) {}

/** Operations that read what happened. */
export class RecordGroup extends HttpApiGroup.make("record").add(
  HttpApiEndpoint.get("getJournal", "/journal", {
    query: {
      after: Schema.optionalKey(Count),
      limit: Schema.optionalKey(Count),
      type: Schema.optionalKey(Schema.Literals(entryTypes)),
      operation: Schema.optionalKey(Route),
      resource: Schema.optionalKey(Schema.NonEmptyString)
    },
    success: JournalView
  }).annotate(OpenApi.Summary, "Rows of the journal after a number, oldest first, at most 1000 unless said"),
  HttpApiEndpoint.get("getVerdicts", "/verdicts", { success: Verdicts }).annotate(
    OpenApi.Summary,
    "What the oracles say of everything since the start or the last reset"
  ),
  HttpApiEndpoint.get("getOpen", "/open", { success: OpenView }).annotate(OpenApi.Summary, "What is not over")
) {}

/** Time and state as a whole. */
export class StateGroup extends HttpApiGroup.make("state").add(
  HttpApiEndpoint.get("getTime", "/time", { success: TimeView }).annotate(OpenApi.Summary, "Service time"),
  HttpApiEndpoint.put("setTime", "/time", { payload: TimeMode, success: TimeView }).annotate(
    OpenApi.Summary,
    "How service time goes from now on; it never jumps"
  ),
  HttpApiEndpoint.post("advanceTime", "/time/advance", {
    payload: Advance,
    success: TimeView,
    error: ControlConflictError
  }).annotate(OpenApi.Summary, "Move manual time; responds when everything that is due has happened"),
  HttpApiEndpoint.post("reset", "/reset", {
    payload: Schema.Struct({ seed: Schema.optionalKey(Schema.Int) }),
    success: Done
  }).annotate(
    OpenApi.Summary,
    "As if just started: no state, no journal, no outage, counts from 1; profile and faults stay"
  ),
  HttpApiEndpoint.get("getSnapshot", "/snapshot", { success: Snapshot }).annotate(
    OpenApi.Summary,
    "All state, to keep"
  ),
  HttpApiEndpoint.put("restoreSnapshot", "/snapshot", {
    payload: Snapshot,
    success: Done,
    error: ControlInvalidError
  }).annotate(
    OpenApi.Summary,
    "All state as it was, including service time; the journal continues, the oracles start over"
  )
) {}

/** The operations that the service surely has and its description does not show. */
export class OperationsGroup extends HttpApiGroup.make("operations").add(
  HttpApiEndpoint.post("cancelRun", "/runs/:run_id/cancel", {
    params: { run_id: Identifier },
    success: Changed,
    error: ControlNotFoundError
  }).annotate(OpenApi.Summary, "Cancel a run (a v2 task); one that is terminal stays as it is"),
  HttpApiEndpoint.post("stopSession", "/sessions/:session_id/stop", {
    params: { session_id: Identifier },
    success: Changed,
    error: ControlNotFoundError
  }).annotate(OpenApi.Summary, "Cancel what a session has to do and stop it"),
  HttpApiEndpoint.post("shareSession", "/sessions/:session_id/share", {
    params: { session_id: Identifier },
    success: Schema.Struct({ id: Schema.String }),
    error: ControlNotFoundError
  }).annotate(OpenApi.Summary, "Give a session a publicShareUrl"),
  HttpApiEndpoint.post("dropConnections", "/browsers/:browser_id/drop", {
    params: { browser_id: Identifier },
    success: Schema.Struct({ id: Schema.String }),
    error: ControlNotFoundError
  }).annotate(OpenApi.Summary, "Cut every CDP connection of a browser, which continues to run")
) {}

/**
 * The operations that drive and read a simulated server, without a path and without a check of who asks, so that a
 * program can mount them with its own: `ControlApi` takes the control key, the web console a session.
 */
export class ControlOperations extends HttpApi.make("control")
  .add(BehaviourGroup)
  .add(RecordGroup)
  .add(StateGroup)
  .add(OperationsGroup)
  .middleware(ControlValidation) {}

/** The operations as the console's pages call them, on a server whose console needs no sign-in. */
export class ConsoleControlApi extends ControlOperations.prefix(consoleControlPath) {}

/** The API that drives and reads a simulated server. It has its own port and key, and is off by default. */
export class ControlApi extends ControlOperations.middleware(ControlKeyAuth)
  .prefix(controlPath)
  .annotateMerge(OpenApi.annotations({ title: "Control of a simulated web-agent service", version: "1.0.0" })) {}
