import type { ApprovalRule, BrowserAgentOptions, Limits, Secret } from "@webagent/agent"
import type { ModelConfig } from "@webagent/agent/options"
import { Agent, layerStreamingAgent } from "@webagent/engine"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ServedBrowsers } from "./browsers.ts"
import { domain } from "./modelTexts.ts"
import { type UserError, usage } from "@webagent/cli/UserError"

/** The agent of a server with a model. */
export interface AgentOptions {
  readonly model: ModelConfig.ModelConfig
  /** Further models that runs may ask for, by their names. */
  readonly choices: Readonly<Record<string, ModelConfig.ModelConfig>>
  readonly limits: Partial<Limits.Limits>
  readonly pageChars?: number
  /** Receives each exchange of a run with its model. */
  readonly record?: NonNullable<BrowserAgentOptions["record"]>
  readonly judges: boolean
  readonly pictures: boolean
  readonly domains: ReadonlyArray<string> | null
  readonly secrets: ReadonlyArray<Secret>
  readonly approvals: ReadonlyArray<ApprovalRule>
}

/** Reads the key of a model from a variable: other users of the machine could read a flag. */
export const keyOf = (variable: string) => Config.option(Config.Redacted(variable))

const SecretsFile = Schema.fromJsonString(
  Schema.Record(
    Schema.String.check(Schema.isPattern(/^[\w.-]{1,64}$/u)),
    Schema.Struct({
      // a shorter text is part of too many others to be hidden in all of them
      value: Schema.String.check(Schema.isMinLength(4)),
      domains: Schema.NonEmptyArray(Schema.String.check(Schema.isPattern(domain)))
    })
  )
)

/** The secrets of a file. What is wrong with it is told without a value. */
export const readSecrets = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(files.readFileString(path), () =>
    usage(`--secrets: cannot read file ${path}. Check the path and its permissions.`)
  )
  const secrets = yield* Effect.mapError(Schema.decodeUnknownEffect(SecretsFile)(text), () =>
    usage(
      `--secrets: ${path} must be a JSON object such as { "shop": { "value": "at least 4 characters", "domains": ["shop.example"] } }.`
    )
  )
  return Object.entries(secrets).map(([name, { domains, value }]): Secret => ({
    name,
    value: Redacted.make(value),
    domains
  }))
})

const approvableTools = ["click", "type", "select", "check", "press", "drag", "clickAt", "upload", "dialog"] as const

const RuleOfFile = Schema.Struct({
  tools: Schema.optionalKey(Schema.NonEmptyArray(Schema.Literals(approvableTools))),
  domains: Schema.optionalKey(Schema.NonEmptyArray(Schema.String.check(Schema.isPattern(domain)))),
  text: Schema.optionalKey(Schema.NonEmptyArray(Schema.String.check(Schema.isMinLength(1)))),
  decision: Schema.Literals(["ask", "refuse", "approve"])
})

const decodeRules = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Schema.Unknown)))
// a field that is misspelled would make a rule apply to more
const decodeRule = Schema.decodeUnknownEffect(RuleOfFile, { onExcessProperty: "error" })

/** Reads the rules of a file about the agent's actions. */
export const readApprovals = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(files.readFileString(path), () =>
    usage(`--approvals: cannot read file ${path}. Check the path and its permissions.`)
  )
  const rules = yield* Effect.mapError(decodeRules(text), () =>
    usage(
      `--approvals: ${path} must be a JSON array such as [{ "tools": ["click"], "domains": ["shop.example"], "text": ["pay"], "decision": "ask" }].`
    )
  )
  return yield* Effect.forEach(rules, (rule, index) =>
    Effect.mapError(decodeRule(rule), () =>
      usage(
        `--approvals: rule ${index + 1} of ${path} can't be used. A rule has a "decision" ("ask", "refuse" or "approve"), and may have lists of "tools" (${approvableTools.join(", ")}), "domains" and "text". It has no other fields.`
      )
    )
  )
})

const none =
  "No model is configured. Start the server with --model, such as --model openai:NAME or --model openai-compatible:NAME --model-url http://127.0.0.1:11434/v1, and put the key of the model in WEBAGENT_MODEL_KEY."

/** The agent of the package, loaded for real browsers only: a simulated server starts without it. */
const loaded = Effect.promise(() => import("@webagent/agent"))

/** The agent of a server with real browsers and no model: each run fails with an error that explains this. */
const layerNone = Layer.unwrap(
  Effect.map(loaded, ({ BrowserAgent }) =>
    layerStreamingAgent({
      model: "none",
      version: BrowserAgent.version,
      perform: () => Stream.succeed({ _tag: "Failed", error: none, failure: "no_model" })
    })
  )
)

const layerReal = (options: AgentOptions) =>
  Layer.unwrap(
    Effect.map(loaded, ({ BrowserAgent, Models }) =>
      BrowserAgent.layer(options).pipe(
        Layer.provide(Models.layer(options.model, options.choices)),
        Layer.catch(({ message }) => Layer.effect(Agent, Effect.fail(usage(message))))
      )
    )
  )

/** The agent: with real browsers that of the model, with simulated browsers a simulated one. */
export const layer = <R>(
  options: AgentOptions | undefined,
  simulated: Layer.Layer<Agent, never, R>
): Layer.Layer<Agent, UserError, R> =>
  Layer.unwrap(
    Effect.map(ServedBrowsers, ({ kind }): Layer.Layer<Agent, UserError, R> => {
      if (kind === "simulated") return simulated
      return options === undefined ? layerNone : layerReal(options)
    })
  )
