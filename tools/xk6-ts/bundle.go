package ts

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// bundled is a script with everything that it imports, except k6's own and remote modules.
type bundled struct {
	code      []byte
	sourceMap []byte // empty when it was not asked for
	warnings  []api.Message
}

// bundle bundles script, an absolute path, for k6's engine; messages show paths as seen from pwd. Its error is a
// [bundleError].
func bundle(pwd, script string, settings settings) (bundled, error) {
	options := api.BuildOptions{
		EntryPoints:   []string{script},
		AbsWorkingDir: pwd,
		// The bundle takes the place of the script, so that the map's relative paths start there. Nothing is written.
		Outfile:        script,
		AllowOverwrite: true,

		Bundle:     true,
		Format:     api.FormatESModule,
		Platform:   api.PlatformNeutral,
		MainFields: []string{"module", "main"},
		Conditions: settings.conditions,
		External:   []string{"k6", "k6/*", "https://*"},
		Define:     map[string]string{"process.env.NODE_ENV": `"production"`},

		// Sobek, k6's engine, trips over class fields named get, set or async, which ES2021 does not have. It differs
		// from ES2021 in three things.
		Target:    api.ES2021,
		Supported: map[string]bool{"async-generator": false, "for-await": false, "top-level-await": true},

		Charset:       api.CharsetUTF8,
		LegalComments: api.LegalCommentsNone,
		LogLevel:      api.LogLevelSilent,
	}
	if settings.sourceMap {
		// Not inline: k6 would keep the map once for every virtual user.
		options.Sourcemap = api.SourceMapLinked
	}

	result := api.Build(options)
	if len(result.Errors) > 0 {
		return bundled{}, bundleError{script: script, messages: forK6(result.Errors)}
	}

	if settings.sourceMap && isEmpty(result.OutputFiles) {
		// Of nothing there is a map that k6 cannot read; without it k6 says that the script exports nothing.
		settings.sourceMap = false
		return bundle(pwd, script, settings)
	}
	out := bundled{warnings: result.Warnings}
	for _, file := range result.OutputFiles {
		if filepath.Ext(file.Path) == ".map" {
			out.sourceMap = file.Contents
		} else {
			out.code = file.Contents
		}
	}
	program, err := out.check(pwd, script)
	if err == nil {
		out.code = nameArguments(program, out.code)
	}
	return out, err
}

// isEmpty tells whether nothing is left of a script, as of one that has only types.
func isEmpty(files []api.OutputFile) bool {
	return slices.ContainsFunc(files, func(file api.OutputFile) bool {
		return filepath.Ext(file.Path) == ".map" && bytes.Contains(file.Contents, []byte(`"mappings": ""`))
	})
}

// forK6 takes back esbuild's advice to bundle for Node.js, which there is no flag for, and which would not help.
func forK6(messages []api.Message) []api.Message {
	for _, message := range messages {
		for i := range message.Notes {
			if strings.Contains(message.Notes[i].Text, "is built into node") {
				message.Notes[i].Text = "k6 is not Node.js and has none of its modules: import what does without them, or use k6's own."
			}
		}
	}
	return messages
}
