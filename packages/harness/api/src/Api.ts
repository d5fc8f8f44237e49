import { RequestValidation } from "@webagent/contract"
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { LoadGroup } from "./Load.ts"
import { NightsGroup } from "./Nights.ts"
import { ProjectGroup, SessionGroup } from "./Project.ts"
import { RunsGroup } from "./Runs.ts"
import { SuitesGroup } from "./Suites.ts"
import { uiApiPath } from "./Wire.ts"

/** The API of `webagent-harness ui`. Every operation but `session.open` needs the session's cookie or the token's header. */
export class HarnessApi extends HttpApi.make("harness")
  .add(SessionGroup)
  .add(ProjectGroup)
  .add(SuitesGroup)
  .add(RunsGroup)
  .add(NightsGroup)
  .add(LoadGroup)
  .middleware(RequestValidation)
  .prefix(uiApiPath)
  .annotateMerge(OpenApi.annotations({ title: "The harness's suites, runs and nights", version: "1.0.0" })) {}
