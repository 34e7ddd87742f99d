package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
)

// A fault in what a person presses, turns, chooses or types is told where he is,
// and ends nothing.
func TestFaultsAreTold(t *testing.T) {
	s := openScene(t)
	fault := func() { panic("out of order") }
	fails := func(string) { fault() }
	choice := newSelect([]string{"a", "b"}, fails)
	typed := widget.NewEntry()
	typed.OnChanged = safely(fails)
	for name, do := range map[string]func(){
		"button":    func() { test.Tap(newButton("Go", fault)) },
		"icon":      func() { test.Tap(newIconButton("Go", icon, fault)) },
		"check":     func() { test.Tap(newCheck("On", func(bool) { fault() })) },
		"select":    func() { choice.SetSelected("b") },
		"entry":     func() { typed.SetText("b") },
		"line":      func() { test.Tap(newPressable(newWords("Go", colorMuted), fault)) },
		"menu":      newMenuItem("Go", fault).Action,
		"work done": func() { s.window.aside.do(fault) },
	} {
		do()
		top := s.canvas.Overlays().Top()
		if top == nil {
			t.Errorf("%s: nothing is told", name)
			continue
		}
		reads(t, top, "That did not work", "A fault in this program: out of order.", "The relay goes on.")
		test.Tap(findButton(t, top, "Close"))
	}
}

// What fails again and again is told once at a time.
func TestFaultIsToldOnce(t *testing.T) {
	s := openScene(t)
	for range 3 {
		s.window.aside.do(func() { panic("out of order") })
	}
	if n := len(s.canvas.Overlays().List()); n != 1 {
		t.Errorf("a fault is told in %d dialogs", n)
	}
}

// A row that cannot be shown says so; list and program go on.
func TestFaultyRow(t *testing.T) {
	openScene(t)
	list := newRowList(&streamColumns, rowHeight, faultyRows{})
	w := test.NewTempWindow(t, list)
	w.Resize(list.MinSize().AddWidthHeight(800, 200))
	reads(t, list, "A fault in this program: out of order.")
}

// What cannot be drawn leaves its place empty.
func TestFaultyDrawing(t *testing.T) {
	d := newDrawing(fyne.NewSize(4, 2), func(int, int) image.Image { panic("out of order") })
	if got := d.Objects()[0].(*canvas.Raster).Generator(4, 2).Bounds(); got != image.Rect(0, 0, 4, 2) {
		t.Errorf("drawn is %v", got)
	}
}

type faultyRows struct{}

func (faultyRows) count() int       { return 3 }
func (faultyRows) row(int) rowState { panic("out of order") }
func (faultyRows) chosen() int      { return -1 }
func (faultyRows) choose(int)       {}

// Every function that the toolkit is given for what a person does goes through
// safe.go; its constructors are the linter's.
func TestCallbacksAreGuarded(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	guarded := func(e ast.Expr) bool {
		call, ok := e.(*ast.CallExpr)
		if !ok {
			return false
		}
		f, ok := call.Fun.(*ast.Ident)
		return ok && (f.Name == "safe" || f.Name == "safely")
	}
	setters := []string{"AddListener", "AddShortcut", "NewCustomConfirm", "SetCloseIntercept", "SetOnClosed", "SetOnTypedKey", "SetOnTypedRune"}
	check := func(at ast.Node, name string, of ...ast.Expr) {
		if !slices.ContainsFunc(of, guarded) {
			t.Errorf("%s: the function that %s is given is not safe", set.Position(at.Pos()), name)
		}
	}
	seen := 0
	for _, name := range files {
		if name == "safe.go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, left := range n.Lhs {
					if field, ok := left.(*ast.SelectorExpr); ok && isCallback(field.Sel.Name) {
						seen++
						check(n, field.Sel.Name, n.Rhs[i])
					}
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && isCallback(key.Name) {
					seen++
					check(n, key.Name, n.Value)
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains(setters, f.Sel.Name) {
					seen++
					check(n, f.Sel.Name, n.Args...)
				}
			}
			return true
		})
	}
	if seen == 0 {
		t.Error("no function for what a person does was found")
	}
}

// isCallback says whether the toolkit calls what a field of this name holds.
func isCallback(name string) bool {
	after, on := strings.CutPrefix(name, "On")
	return on && after != "" && 'A' <= after[0] && after[0] <= 'Z'
}
