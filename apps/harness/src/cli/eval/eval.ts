import { loading } from "@webagent/cli/Loading"
import * as Argument from "effect/cli/Argument"
import * as Struct from "effect/Struct"
import * as Flag from "effect/cli/Flag"
import { configured } from "../Configured.ts"
import * as Flags from "../Flags.ts"
import { help } from "../Help.ts"
import { flags as runFlags } from "../RunFlags.ts"
import { isWebAddress } from "../../config/Values.ts"

/** Flags of `run` that an evaluation doesn't have, because it brings its own suites and service. */
const unused = ["suites", "suite", "builtIn", "allowOnly", "shard", "control", "v2SessionId", "target"] as const

const address = (name: string, description: string) =>
  Flags.optional(Flag.String(name).pipe(Flag.filter(isWebAddress, () => "an address such as http://host")), description)

/** Flags of `eval`. */
export const flags = {
  ...Struct.omit(runFlags, unused),
  sites: Argument.String("site").pipe(
    Argument.withDescription(
      "Sites to evaluate on: names, miniwob for MiniWoB++, or one of its kinds as miniwob:KIND (default: all but miniwob)"
    ),
    Argument.variadic()
  ),
  concurrency: Flags.count("concurrency", 1, "Run this many trials at a time (default: 2)"),
  trials: Flags.count("trials", 1, "Repeat each task this often, each time with other data (default: 1)"),
  model: Flags.text(
    "model",
    "Evaluate this model, as DIALECT:NAME; its key is WEBAGENT_MODEL_KEY. With --target, the model that runs request"
  ),
  modelUrl: address(
    "model-url",
    "Use the model at an address such as http://127.0.0.1:11434/v1 (default: the vendor's; with openai-compatible, Ollama's)"
  ),
  modelPrice: Flags.text(
    "model-price",
    "Prices in USD for a million tokens: input=3,output=15 (default: unknown, and cost 0)"
  ),
  serverFlags: Flags.texts(
    "server-flag",
    "Start the server with one more flag, such as max-steps=30 for --max-steps 30; may be repeated (default: none)"
  ),
  target: address("target", "Evaluate the agent of this running service instead of starting a server (default: none)"),
  miniwob: Flags.text(
    "miniwob",
    "Read MiniWoB++ from this folder (default: the package miniwob of the Python on the PATH)"
  ),
  sitesPort: Flags.count("sites-port", 1, "Serve the sites on this port (default: any free port)"),
  sitesUrl: address(
    "sites-url",
    "Send agents to the sites at this address, such as a tunnel's (default: http://127.0.0.1:PORT)"
  ),
  require: Flags.optional(
    Flag.Finite("require").pipe(
      Flag.filter(
        (share) => share >= 0 && share <= 1,
        () => "a share from 0 to 1, such as 0.8"
      )
    ),
    "Fail if the success rate of all tasks is lower, such as 0.8; trials without a verdict count as not passed (default: no requirement)"
  )
}

/** `eval`: how often an agent with a model succeeds. What it runs with is loaded when it runs. */
export const evaluation = configured("eval", flags, (parsed, words) =>
  loading(async () => (await import("./evaluate.ts")).evaluate(parsed, words))
).pipe(
  help("Evaluate an agent with a model on sites with known results", {
    more: [
      "Runs tasks on sites that this command serves on 127.0.0.1, and judges each trial by the state of its site, never by what the agent says. With --model, it starts webagent-server with that model for the time of the evaluation. Runs may cost money."
    ],
    exits: {
      0: "the evaluation finished, whatever the success rate",
      1: "the rate is below --require, or a resource leaked",
      2: "wrong usage",
      3: "no service at the target, or it refuses the key",
      4: "a program is missing: webagent-server, Chromium, or MiniWoB++",
      130: "stopped with Ctrl-C"
    },
    examples: {
      "eval --model openai:gpt-5 --trials 5": "Evaluate a vendor's model on all sites",
      "eval shop mail --model openai-compatible:qwen --model-url http://127.0.0.1:11434/v1":
        "Evaluate a local model on two sites",
      "eval miniwob --model anthropic:claude-sonnet-5 --miniwob ./miniwob": "Evaluate on MiniWoB++",
      "eval --target http://127.0.0.1:8080 --allow-paid": "Evaluate the agent of a running server"
    }
  })
)
