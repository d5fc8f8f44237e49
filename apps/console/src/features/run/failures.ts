/** Each reason of a failure, with its cause in a sentence and what one can do about it. */
const reasons: Readonly<Record<string, readonly [cause: string, advice: string]>> = {
  agent: ["The agent gave up.", "If the task was unclear, describe the result that you expect."],
  agent_crashed: [
    "The agent stopped with an error of its own.",
    "Run it again. If it fails the same way, read the server's log."
  ],
  step_limit: [
    "The run reached its step limit.",
    "Make the task smaller, or start the server with a higher --max-steps."
  ],
  time_limit: [
    "The run reached its time limit.",
    "Make the task smaller, or start the server with a higher --max-run-time."
  ],
  cost_limit: [
    "The run reached its cost limit.",
    "Raise the run's cost limit, or start the server with a higher --max-run-cost."
  ],
  token_limit: ["The run reached its token limit.", "Make the task smaller, or raise the token limit."],
  failed_steps: [
    "Several steps in a row failed.",
    "Look at the failed steps' pictures: the page may have changed, or blocked the agent."
  ],
  repeated_steps: [
    "The agent repeated the same step without effect.",
    "Look at the picture of the last step, and explain in the task how to get past it."
  ],
  not_replayable: [
    "A step of the recorded run couldn't be repeated, and this replay doesn't use a model.",
    "Open the run that it replays, and replay it with a model, or run it again."
  ],
  invalid_output: [
    "The result didn't match the schema that the run asked for.",
    "Check whether the page has every required field of the schema."
  ],
  invalid_task: ["The task can't be carried out as written.", "Read the error, correct the task and run it again."],
  unanswered: [
    "The run asked a question, and no one answered in time.",
    "Run it again, and watch the overview: it lists the runs that are waiting for a person."
  ],
  model_error: [
    "The model didn't respond, or refused.",
    "Check the model's key, its limits and its status. A fallback model takes over with --fallback-model."
  ],
  no_model: [
    "This server has no model, so it can't carry out tasks.",
    "Restart it with --model DIALECT:NAME and the key in WEBAGENT_MODEL_KEY."
  ],
  no_browser: [
    "No browser could be started.",
    "Check the server's browsers: all may be in use, or Chromium may be missing."
  ],
  browser_failed: ["The browser couldn't be started.", "Read the server's log for the browser's own error."],
  browser_lost: [
    "The browser stopped in the middle of the run.",
    "Run it again. If it happens often, give the machine more memory."
  ],
  node_lost: [
    "The server stopped or restarted in the middle of the run.",
    "Run it again. The server's log may have the reason."
  ],
  node_closed: [
    "The server was stopped in the middle of the run.",
    "Run it again. Drain a server before you stop it, so that its runs can finish."
  ]
}

/** The heading of a failure that a simulated agent made up. Its error says why, and what one can do. */
export const simulatedCause = "This failure is simulated."

/** Explains why a run failed. The tag of a newer server has no explanation of its own. */
export const explain = (failure: string, steps: number): { readonly cause: string; readonly advice: string } => {
  const [cause, advice] = reasons[failure] ?? [`The run failed: ${failure}.`, "Read the error."]
  // an agent's own decision is in its last steps, if it took any
  const isInSteps = steps > 0 && (failure === "agent" || !(failure in reasons))
  return { cause, advice: isInSteps ? `Read its last steps. ${advice}` : advice }
}
