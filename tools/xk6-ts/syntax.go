package ts

import (
	"errors"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/grafana/sobek/ast"
	"github.com/grafana/sobek/parser"
)

// check reports syntax that k6's engine does not know, at its place in the TypeScript when there is a map.
//
// k6 would find it too, but k6 takes a file named .ts that does not parse for one whose types it has yet to strip,
// and tries so again and again without an end.
func (b bundled) check(pwd, script string) (*ast.Program, error) {
	option := parser.WithDisableSourceMaps
	if len(b.sourceMap) > 0 {
		option = parser.WithSourceMapLoader(func(string) ([]byte, error) { return b.sourceMap, nil })
	}
	program, err := parser.ParseFile(nil, script, b.code, 0, parser.IsModule, option)
	if err == nil {
		return program, nil
	}

	failure := bundleError{script: script}
	var list parser.ErrorList
	if !errors.As(err, &list) {
		failure.messages = []api.Message{{Text: err.Error()}}
	}
	for _, e := range list {
		file := e.Position.Filename
		if relative, err := filepath.Rel(pwd, file); err == nil {
			file = relative
		}
		failure.messages = append(failure.messages, api.Message{
			Text:     "k6's JavaScript engine cannot read this: " + e.Message,
			Location: &api.Location{File: file, Line: e.Position.Line, Column: e.Position.Column},
		})
	}
	return nil, failure
}
