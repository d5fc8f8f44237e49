/** A variable that tells `ui` to carry out one run. Its changes are the first message of the process's channel. */
export const variable = "WEBAGENT_RUN_OF_PAGE"
