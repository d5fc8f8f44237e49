// Package ts is a k6 extension that lets k6 run TypeScript with relative, workspace and npm imports.
//
// Importing it for its side effect is enough. Wherever k6 reads a TypeScript file that its command line names
// (run, archive, inspect, cloud), it reads a bundle of that file instead; see [scriptFS].
package ts

import (
	"github.com/spf13/cobra"
	"go.k6.io/k6/v2/cmd/state"
	"go.k6.io/k6/v2/subcommand"
)

func init() {
	subcommand.RegisterExtension("ts", install)
}

// install is called once, while k6 builds its command tree and before it has read any file, whichever command
// was asked for. It is the only place where an extension meets the file system that k6 loads scripts from.
//
// k6 asks extensions not to alter the state that it hands them. Replacing FS is the exception this extension
// lives on: the alternatives (rewriting os.Args, or piping the bundle through standard input) change what open()
// is relative to, or leave files behind. The tests run a real k6, so a new version that breaks it shows at once.
func install(gs *state.GlobalState) *cobra.Command {
	settings := settingsFrom(gs.Env)
	pwd, err := gs.Getwd()
	if settings.enabled && err == nil { // without a working directory k6 stops with an error of its own
		gs.FS = newScriptFS(gs, pwd, settings)
	}
	return newCommand(gs, pwd, settings)
}
