import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Agent } from "./ports/Agent.ts"
import type { BrowserPool, CdpTransport } from "./ports/BrowserPool.ts"
import type * as Browser from "./domain/Browser.ts"
import type {
  AdmissionRefused,
  BrowserNotFound,
  BrowserStopped,
  IdempotencyKeyReused,
  NotAChoice,
  NotAsked,
  NotRaised,
  NotReplayable,
  NotWaiting,
  ProfileUnusable,
  SessionBusy,
  SessionNotFound,
  SessionStopped,
  TurnNotFound
} from "./domain/Errors.ts"
import type { SecretToBind } from "./domain/BoundSecret.ts"
import * as Decimal from "./domain/Decimal.ts"
import type * as Session from "./domain/Session.ts"
import type { ModelCall } from "./domain/ModelCall.ts"
import type * as Turn from "./domain/Turn.ts"
import { Hints } from "./ports/Hints.ts"
import type { IdSource } from "./ports/IdSource.ts"
import type { Lists } from "./ports/Lists.ts"
import type { ProfileNotFound } from "./ports/Profiles.ts"
import type { SecretsUnusable } from "./ports/SecretBox.ts"
import { type EventLog, Store, type StoreUnavailable } from "./ports/Store.ts"
import { Work } from "./ports/Work.ts"
import * as AttendedCreates from "./AttendedCreates.ts"
import type { BrowserCreateFailed, BrowserRequest } from "./BrowserCreates.ts"
import * as BrowserControl from "./BrowserControl.ts"
import * as DrivenBrowsers from "./DrivenBrowsers.ts"
import * as Browsers from "./Browsers.ts"
import * as Executions from "./Executions.ts"
import * as LocalWork from "./LocalWork.ts"
import * as OwnedLists from "./OwnedLists.ts"
import { drained } from "./PoolLaunches.ts"
import * as SafeCreates from "./SafeCreates.ts"
import type { MadeOf } from "./SafeCreates.ts"
import type * as SessionQuestions from "./SessionQuestions.ts"
import * as Sessions from "./Sessions.ts"

export type { BrowserRequest } from "./BrowserCreates.ts"
export type { Created } from "./SafeCreates.ts"
export type { PersonsAnswer, QuestionToAsk } from "./SessionQuestions.ts"
export type { Message, OpenSessionRequest, SessionRequest, SessionWithTurns } from "./Sessions.ts"

/**
 * All versions of the API call this. The engine is the only writer of state: ports report, the engine decides.
 * Each session works on one turn at a time. What a caller began goes on when the caller disconnects. A create with a
 * `SafeCreate` is carried out once: a repeat within 24 hours gets what the first one made.
 *
 * @example
 * ```ts
 * import { Engine } from "@webagent/engine"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function* () {
 *   const engine = yield* Engine
 *   const { session } = yield* engine.createSession({ task: "Find a mug", modelParams: null, thinkingLevel: null })
 *   yield* engine.queue({ sessionId: session.id, text: "A red one", interrupt: false })
 * })
 * ```
 */
export class Engine extends Context.Service<
  Engine,
  {
    /** Runs the create of another port once per idempotency key. */
    readonly once: SafeCreates.OncePort
    readonly createSession: (
      request: Sessions.SessionRequest,
      safe?: SafeCreates.SafeCreate
    ) => Effect.Effect<
      SafeCreates.Created<"Session">,
      AdmissionRefused | IdempotencyKeyReused | ProfileNotFound | ProfileUnusable | StoreUnavailable
    >
    /** Creates a session without a task: idle until a message queues its first turn. */
    readonly openSession: (
      request: Sessions.OpenSessionRequest,
      safe?: SafeCreates.SafeCreate
    ) => Effect.Effect<SafeCreates.Created<"OpenSession">, AdmissionRefused | IdempotencyKeyReused | StoreUnavailable>
    readonly session: (id: string) => Effect.Effect<Sessions.SessionWithTurns, SessionNotFound | StoreUnavailable>
    readonly turn: (id: string) => Effect.Effect<Turn.Turn, TurnNotFound | StoreUnavailable>
    /** The steps of a turn in the order in which they began. No version has this. */
    readonly steps: (id: string) => Effect.Effect<ReadonlyArray<Turn.TurnStep>, TurnNotFound | StoreUnavailable>
    /** The model calls of a turn in the order in which they finished. No version has this. */
    readonly modelCalls: (id: string) => Effect.Effect<ReadonlyArray<ModelCall>, TurnNotFound | StoreUnavailable>
    /** The log of all changes, of all owners: callers filter it. */
    readonly events: EventLog & {
      /** Emits when there may be new events; one that is lost is no reason not to look now and then. */
      readonly hints: Stream.Stream<unknown>
    }
    /**
     * The last steps of agents in a browser that runs here, then each as it begins and as it ends. The stream does not
     * end. No version has this.
     */
    readonly stepsIn: (browserId: string) => Stream.Stream<Turn.TurnStep>
    /** Makes the message a turn. An interrupt cancels the turn at work; messages already waiting stay behind it. */
    readonly queue: (
      message: Sessions.Message,
      safe?: SafeCreates.SafeCreate
    ) => Effect.Effect<
      SafeCreates.Created<"Message">,
      AdmissionRefused | SessionNotFound | SessionStopped | IdempotencyKeyReused | StoreUnavailable
    >
    readonly createBrowser: (
      request: BrowserRequest,
      safe?: SafeCreates.SafeCreate
    ) => Effect.Effect<SafeCreates.Created<"Browser">, BrowserCreateFailed | IdempotencyKeyReused>
    /** Stops the browser and ends every connection to it; stopping it again changes nothing. */
    readonly stopBrowser: (id: string) => Effect.Effect<Browser.Browser, BrowserNotFound | StoreUnavailable>
    /** Saves the profile of a browser that runs here. It's saved at its stop in any case. */
    readonly saveBrowser: (
      id: string
    ) => Effect.Effect<Browser.Browser, BrowserNotFound | ProfileUnusable | StoreUnavailable>
    /** The record of a browser, stopped or not. No version has this. */
    readonly browser: (id: string) => Effect.Effect<Browser.Browser, BrowserNotFound | StoreUnavailable>
    /** Connects to a browser, or to the page of it whose target has this id. */
    readonly connectBrowser: (
      id: string,
      page?: string
    ) => Effect.Effect<CdpTransport, BrowserNotFound | BrowserStopped | StoreUnavailable, Scope.Scope>
    /**
     * Cancels a turn, at work or waiting; one that is terminal stays as it is. With `onlyQueued`, a turn that a node has
     * already taken also stays as it is.
     */
    readonly cancelTurn: (
      id: string,
      options?: { readonly onlyQueued?: boolean }
    ) => Effect.Effect<Turn.Turn, TurnNotFound | StoreUnavailable>
    /** Has a running turn ask a person, and wait for the answer from its next step on. */
    readonly ask: (
      id: string,
      asked: SessionQuestions.QuestionToAsk
    ) => Effect.Effect<Turn.Turn, NotAsked | TurnNotFound | StoreUnavailable>
    /** Answers the question that a turn waits for. A question is answered once. */
    readonly answer: (
      id: string,
      answer: SessionQuestions.PersonsAnswer
    ) => Effect.Effect<Turn.Turn, NotAChoice | NotRaised | NotWaiting | TurnNotFound | StoreUnavailable>
    /** True if turns may ask for this language model. */
    readonly acceptsModel: (model: string) => Effect.Effect<boolean>
    /** True if browsers here have a proxy in this country. */
    readonly acceptsCountry: (country: string) => Effect.Effect<boolean>
    /** The models that turns may ask for, for people. An agent may accept others. */
    readonly models: Effect.Effect<ReadonlyArray<string>>
    /** Fails if turns can't have these secrets. */
    readonly acceptsSecrets: (secrets: ReadonlyArray<SecretToBind>) => Effect.Effect<void, SecretsUnusable>
    /** True if its agent can repeat the steps of an earlier turn. */
    readonly replays: Effect.Effect<boolean>
    /** Returns the turn that a replay repeats. Fails if the caller may not see it, or if it can't be repeated. */
    readonly acceptsReplay: (of: string) => Effect.Effect<Turn.Turn, NotReplayable | TurnNotFound | StoreUnavailable>
    /** Cancels what a session has to do and stops it; stopping it again changes nothing. No version has this. */
    readonly stopSession: (id: string) => Effect.Effect<Session.Session, SessionNotFound | StoreUnavailable>
    /**
     * Deletes a stopped session with its turns, their steps, its messages, and the recording and pictures of its browser
     * at this node.
     */
    readonly purgeSession: (id: string) => Effect.Effect<void, SessionBusy | SessionNotFound | StoreUnavailable>
    /** Stops a session of any owner if it has been idle since then; false when it is not. */
    readonly stopIdleSession: (id: string, since_ms: number) => Effect.Effect<boolean, StoreUnavailable>
    /**
     * Takes no turn more, waits at most this long for those at work, and says how many are left. Creates are still
     * accepted: what they made waits for the next start. Afterwards no browser is launched. Close the engine then.
     */
    readonly drain: (within: Duration.Input) => Effect.Effect<number>
    /** Pages, counts and spend of what the caller may see: `Owner` overrides the owner of a filter unless it is null. */
    readonly lists: Lists
    /** Gives a session its public link. */
    readonly shareSession: (id: string) => Effect.Effect<Session.Session, SessionNotFound | StoreUnavailable>
    /** Ends the public link of a session. Sharing it again makes the same link open again. */
    readonly unshareSession: (id: string) => Effect.Effect<Session.Session, SessionNotFound | StoreUnavailable>
    /** The person who has control of a browser that runs here; null if control is free. */
    readonly controlOf: BrowserControl.BrowserControl["of"]
    /** Gives a person control of a browser that runs here for a time. Its agent pauses before its next action meanwhile. */
    readonly takeControl: DrivenBrowsers.DrivenBrowsers["take"]
    /** Ends control of a browser: of this driver, or of any driver if none is named. */
    readonly releaseControl: DrivenBrowsers.DrivenBrowsers["release"]
  }
>()("@webagent/engine/Engine") {
  /**
   * The engine over a store that it has to itself. Closing it gives back what it holds: turns that had not begun are
   * queued again at the next start, those at work end with a reason or go on where their agent can.
   */
  static get layer(): Layer.Layer<Engine, never, Agent | BrowserPool | Store | IdSource> {
    return Layer.provide(Engine.layerOf, LocalWork.layer)
  }

  /** The engine over a store that it shares with others: `Work` says who works on what. */
  static get layerOf(): Layer.Layer<Engine, never, Agent | BrowserPool | Store | IdSource | Work> {
    return Layer.effect(Engine, Effect.provideServiceEffect(make, Store, hintingStore))
  }
}

/** The store; readers of the event log get a hint after each commit with events. */
const hintingStore = Effect.gen(function* () {
  const store = yield* Store
  const { tellEvents } = yield* Hints
  return Store.of({
    ...store,
    commit: (step) => {
      const committed = store.commit(step)
      return step.events.length === 0 ? committed : Effect.tap(committed, () => tellEvents)
    }
  })
})

const make = Effect.gen(function* () {
  const store = yield* Store
  const work = yield* Work
  const control = BrowserControl.make()
  const browsers = yield* Browsers.make(work.isLost, control)
  const driven = yield* DrivenBrowsers.make(control)
  const executions = yield* Executions.make(browsers, control)
  const sessions = yield* Sessions.make(executions)
  const once = SafeCreates.make(store, ({ key, made }) =>
    made._tag === "Browser" ? browsers.isLaunched(made.browser.id, key) : Effect.succeed(true)
  )

  yield* work.serve({
    take: executions.take,
    resume: executions.resume,
    resumeBrowser: browsers.resume,
    look: Effect.andThen(executions.look, browsers.look),
    lookNow: Effect.andThen(executions.lookNow, browsers.lookNow),
    reap: browsers.reap,
    drain: executions.pause,
    undrain: executions.unpause,
    abandon: Effect.andThen(executions.abandon, browsers.abandon),
    idleBrowsers: browsers.idle
  })

  return Engine.of({
    once: (safe, tag, create) => {
      const made = (record: unknown) => ({ _tag: tag, [tag.toLowerCase()]: record }) as object as MadeOf<typeof tag>
      return once(safe, tag, (keyed) => {
        const created = create((record, at_ms) => {
          const { key } = keyed(made(record), at_ms)
          // such a step writes no record that another step could have changed, and nothing is admitted
          const kept = key === undefined ? Effect.void : store.commit({ key, events: [] })
          return Effect.catchTag(kept, ["AdmissionRefused", "Conflict"], Effect.die)
        })
        return Effect.map(created, made)
      })
    },
    createSession: (request, safe) =>
      once(safe, "Session", (record) =>
        Effect.andThen(
          request.profileId === undefined ? Effect.void : browsers.useProfile(request.profileId),
          sessions.create(request, record)
        )
      ),
    openSession: (request, safe) => once(safe, "OpenSession", (record) => sessions.open(request, record)),
    session: Effect.fnUntraced(function* (id) {
      const session = yield* sessions.find(id)
      const usedMb = yield* browsers.usedMb(session.browserId)
      const turns = yield* store.turnsOf(id)
      if (usedMb === "0") return { session, turns }
      // the record counts the browsers before this one
      return { session: { ...session, proxyUsedMb: Decimal.add(session.proxyUsedMb, usedMb) }, turns }
    }),
    turn: sessions.turn,
    steps: (id) => Effect.andThen(sessions.turn(id), store.stepsOf(id)),
    modelCalls: (id) => Effect.andThen(sessions.turn(id), store.modelCallsOf(id)),
    events: {
      eventsAfter: store.eventsAfter,
      eventsOf: store.eventsOf,
      newestEvent: store.newestEvent,
      oldestEvent: store.oldestEvent,
      hints: (yield* Hints).heardEvents
    },
    stepsIn: executions.stepsIn,
    queue: (message, safe) => once(safe, "Message", (record) => sessions.queue(message, record)),
    createBrowser: (request, safe) =>
      AttendedCreates.attended(
        (queue) =>
          once(safe, "Browser", (record) =>
            Effect.suspend(() =>
              executions.isDraining() ? drained({ sessionId: null }) : browsers.create(request, record, queue)
            )
          ),
        ({ browser }) => {
          if (safe === undefined) browsers.stopLater(browser.id, "asked")
        }
      ),
    stopBrowser: (id) => browsers.stop(id),
    saveBrowser: browsers.save,
    browser: browsers.find,
    connectBrowser: browsers.connect,
    controlOf: control.of,
    takeControl: driven.take,
    releaseControl: driven.release,
    cancelTurn: sessions.cancelTurn,
    ask: sessions.ask,
    answer: sessions.answer,
    acceptsModel: sessions.acceptsModel,
    acceptsCountry: sessions.acceptsCountry,
    models: sessions.models,
    acceptsSecrets: sessions.acceptsSecrets,
    replays: sessions.replays,
    acceptsReplay: sessions.acceptsReplay,
    stopSession: sessions.stop,
    stopIdleSession: sessions.stopIdle,
    purgeSession: sessions.purge,
    shareSession: sessions.share,
    unshareSession: sessions.unshare,
    lists: OwnedLists.make(store.lists),
    drain: (within) => Effect.ensuring(executions.drain(within), browsers.cutLaunches)
  })
})
