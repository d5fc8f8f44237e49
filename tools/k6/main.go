// Command k6 is k6, pinned by this module, with the extension that runs TypeScript.
package main

import (
	k6cmd "go.k6.io/k6/v2/cmd"
	_ "webagent.invalid/xk6-ts"
)

func main() { k6cmd.Execute() }
