import { Profile } from "@webagent/control"
import * as RecordedProfile from "@webagent/cassette/RecordedProfile"
import * as AtomicFile from "@webagent/cli/AtomicFile"
import { usage, usageOf } from "@webagent/cli/UserError"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { basename } from "node:path"
import * as Cassettes from "../Cassettes.ts"
import * as Flags from "../Flags.ts"
import { program } from "../Program.ts"

/** `profile`: how a recorded service behaved, for the simulated one. */
export const profile = Command.make(
  "profile",
  {
    cassette: Argument.String("cassette").pipe(Argument.withDescription("A file that record wrote")),
    out: Flags.text("out", "Write the profile to this file (default: print it)")
  },
  Effect.fnUntraced(function* ({ cassette, out }) {
    const made = RecordedProfile.of(yield* Cassettes.read(cassette), basename(cassette).replace(/\.\w+$/u, ""))
    if (made === undefined) {
      return yield* usage(
        `${cassette} has no run that ended, so there is nothing to learn from. Record some runs first.`
      )
    }
    const text = JSON.stringify(Schema.encodeSync(Profile)(made), null, 2)
    if (out === undefined) return yield* Console.log(text)
    yield* Effect.mapError(AtomicFile.write(out, `${text}\n`), usageOf(`The profile ${out} cannot be written`))
    yield* Console.log(`use it   ${program} serve --profile ./${out.replace(/^\.\//u, "")}`)
  })
).pipe(
  Command.withDescription(
    "Make a profile of the simulated service from a cassette: durations, outcomes, results and costs"
  ),
  Command.withShortDescription("Make a profile from a cassette"),
  Command.withExamples([
    { command: `${program} profile night.ndjson --out night.json`, description: "Then: serve --profile ./night.json" }
  ])
)
