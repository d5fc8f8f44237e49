package ts

import (
	"path/filepath"

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
		return bundled{}, bundleError{script: script, messages: result.Errors}
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
