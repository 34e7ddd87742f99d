package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// A fault in what measures, lays out or draws is told over the window, once, and
// ends nothing: what stands beside it goes on.
func TestFaultsInDrawingAreTold(t *testing.T) {
	for name, faulty := range map[string]func() fyne.CanvasObject{
		"layout": func() fyne.CanvasObject { return laid(faultyLayout{}, newWords("faulty", colorMuted)) },
		"widget": func() fyne.CanvasObject {
			w := newWords("faulty", colorMuted)
			steadied(faultyRenderer{w.CreateRenderer()}).Refresh()
			return w
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openScene(t)
			s.frame.SetContent(stacked(0, faulty(), newWords("sound", colorMuted)))
			top := s.canvas.Overlays().Top()
			if top == nil {
				t.Fatal("nothing is told")
			}
			reads(t, top, "That did not work", "A fault in this program: out of order.", "The relay goes on.")
			test.Tap(findButton(t, top, "Close"))
			s.frame.SetContent(stacked(0, faulty(), newWords("sound", colorMuted)))
			if s.canvas.Overlays().Top() != nil {
				t.Error("it is told again when that is drawn again")
			}
			reads(t, s.frame.Content(), "sound")
		})
	}
}

type faultyLayout struct{}

func (faultyLayout) MinSize([]fyne.CanvasObject) fyne.Size { panic("out of order") }
func (faultyLayout) Layout([]fyne.CanvasObject, fyne.Size) { panic("out of order") }

type faultyRenderer struct{ fyne.WidgetRenderer }

func (faultyRenderer) Refresh() { panic("out of order") }

// Whatever draws a widget of ours is kept from ending the program; the toolkit's
// own constructor of layouts is the linter's.
func TestRenderersAreSteady(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set, seen := token.NewFileSet(), 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Name.Name != "CreateRenderer" {
				continue
			}
			seen++
			steady := false
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					steady = steady || n.Name == "steadied" || n.Name == "newDrawing"
				case *ast.SelectorExpr: // the toolkit's own, for what is laid out elsewhere
					steady = steady || n.Sel.Name == "NewSimpleRenderer"
				}
				return true
			})
			if !steady {
				t.Errorf("%s: a fault in this renderer ends the program", set.Position(f.Pos()))
			}
		}
	}
	if seen == 0 {
		t.Error("no renderer was found")
	}
}
