package ts

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"

	"github.com/grafana/sobek/ast"
)

// outerArguments takes the place of arguments. It is as long, so that source maps stay right.
const outerArguments = "$outerArg"

// nameArguments gives the arguments of a function a name where an arrow function in it asks for them: k6's engine
// takes other values of its stack for them, or panics. Effect's decoders have such an arrow function.
func nameArguments(program *ast.Program, code []byte) []byte {
	finder := argumentsFinder{base: program.File.Base()}
	finder.visit(reflect.ValueOf(program.Body))
	slices.SortFunc(finder.edits, func(a, b edit) int { return cmp.Compare(a.at, b.at) })

	var out bytes.Buffer
	done := 0
	for _, edit := range finder.edits {
		out.Write(code[done:edit.at])
		out.WriteString(edit.text)
		done = edit.at + edit.replaces
	}
	out.Write(code[done:])
	return out.Bytes()
}

type edit struct {
	at, replaces int
	text         string
}

// argumentsFinder walks a program. Sobek's syntax tree has no visitor of its own.
type argumentsFinder struct {
	base  int
	edits []edit

	inFunction bool // a function that has arguments, so not an arrow function
	inArrow    bool // an arrow function in that one
	found      bool // there, arguments
}

func (f *argumentsFinder) visit(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if name, isName := v.Interface().(*ast.Identifier); isName && name.Name == "arguments" && f.inFunction && f.inArrow {
			f.found = true
			f.edits = append(f.edits, edit{int(name.Idx) - f.base, len("arguments"), outerArguments})
			return
		}
		f.visit(v.Elem())
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		outer := *f
		switch node := v.Interface().(type) {
		case *ast.FunctionLiteral:
			f.inFunction, f.inArrow, f.found = true, false, false
			f.visit(v.Elem())
			if f.found {
				at := int(node.Body.LeftBrace) - f.base + 1
				f.edits = append(f.edits, edit{at, 0, " var " + outerArguments + " = arguments;"})
			}
			f.inFunction, f.inArrow, f.found = outer.inFunction, outer.inArrow, outer.found
		case *ast.ArrowFunctionLiteral:
			f.inArrow = true
			f.visit(v.Elem())
			f.inArrow = outer.inArrow
		default:
			f.visit(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			f.visit(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			// declarations repeat what the statements have
			if field := v.Type().Field(i); field.IsExported() && field.Name != "DeclarationList" {
				f.visit(v.Field(i))
			}
		}
	}
}
