package ui

import (
	"image/color"
	"math"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
)

// Text can be read on every ground that it stands on, in light and in dark
// (WCAG 2.2, 1.4.3: 4.5 to 1).
func TestContrast(t *testing.T) {
	grounds := []fyne.ThemeColorName{theme.ColorNameBackground, colorSurface}
	for _, pair := range []struct {
		text    fyne.ThemeColorName
		grounds []fyne.ThemeColorName
	}{
		{theme.ColorNameForeground, append(grounds, colorTint, theme.ColorNameButton, theme.ColorNameInputBackground, theme.ColorNameOverlayBackground)},
		{colorMuted, append(grounds, colorTint)},
		{theme.ColorNamePlaceHolder, []fyne.ThemeColorName{theme.ColorNameInputBackground}},
		{theme.ColorNameError, append(grounds, colorAlarm, colorTint)},
		{theme.ColorNameSuccess, grounds},
		{theme.ColorNameWarning, grounds},
		{theme.ColorNamePrimary, []fyne.ThemeColorName{colorSurface, colorTint}},
		{theme.ColorNameForegroundOnPrimary, []fyne.ThemeColorName{theme.ColorNamePrimary}},
		{theme.ColorNameForegroundOnError, []fyne.ThemeColorName{theme.ColorNameError}},
	} {
		for _, ground := range pair.grounds {
			for _, variant := range []fyne.ThemeVariant{theme.VariantLight, theme.VariantDark} {
				th := hearthTheme{}
				got := contrast(th.Color(pair.text, variant), th.Color(ground, variant))
				if pair.text == theme.ColorNamePrimary && ground == colorTint && got >= 4 {
					continue // only for what is bold or a label beside its meaning
				}
				if got < 4.5 {
					t.Errorf("%s on %s has %.1f to 1 in variant %d", pair.text, ground, got, variant)
				}
			}
		}
	}
}

// Where the keyboard is shows on controls of every colour, and what they say can
// be read there too: half as bright again, or as dark.
func TestFocusShows(t *testing.T) {
	for ground, text := range map[fyne.ThemeColorName]fyne.ThemeColorName{
		theme.ColorNameButton:  theme.ColorNameForeground,
		colorSurface:           theme.ColorNameForeground,
		theme.ColorNamePrimary: theme.ColorNameForegroundOnPrimary,
		theme.ColorNameError:   theme.ColorNameForegroundOnError,
	} {
		for _, variant := range []fyne.ThemeVariant{theme.VariantLight, theme.VariantDark} {
			th := hearthTheme{}
			calm := th.Color(ground, variant)
			focused := over(th.Color(theme.ColorNameFocus, variant), calm)
			if got := contrast(focused, calm); got < 1.5 {
				t.Errorf("%s with the keyboard and without have %.2f to 1 in variant %d", ground, got, variant)
			}
			if got := contrast(th.Color(text, variant), focused); got < 4.5 {
				t.Errorf("%s on %s with the keyboard has %.1f to 1 in variant %d", text, ground, got, variant)
			}
		}
	}
}

// over lays a colour over an opaque one.
func over(top, ground color.Color) color.Color {
	a, b := color.NRGBAModel.Convert(top).(color.NRGBA), color.NRGBAModel.Convert(ground).(color.NRGBA)
	mix := func(a1, b1 uint8) uint8 { return uint8((int(a1)*int(a.A) + int(b1)*(255-int(a.A))) / 255) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

func contrast(a, b color.Color) float64 {
	light, dark := luminance(a), luminance(b)
	return (max(light, dark) + 0.05) / (min(light, dark) + 0.05)
}

// luminance is WCAG's relative luminance.
func luminance(c color.Color) float64 {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(n.R) + 0.7152*linear(n.G) + 0.0722*linear(n.B)
}

// nightly is the theme as it is when the system is dark.
type nightly struct{ hearthTheme }

func (n nightly) Color(name fyne.ThemeColorName, _ fyne.ThemeVariant) color.Color {
	return n.hearthTheme.Color(name, theme.VariantDark)
}

// When the system turns dark, rows and lines that are on the screen turn with
// it although their texts stay the same.
func TestThemeSwitchRepaints(t *testing.T) {
	s := openScene(t)
	s.write("notes", "one")
	s.look()
	test.ApplyTheme(t, nightly{})
	want := hearthTheme{}.Color(theme.ColorNameForeground, theme.VariantDark)
	for _, text := range []string{"notes", "Network"} {
		found := false
		for _, o := range test.LaidOutObjects(s.window.content) {
			if line, ok := o.(*canvas.Text); ok && line.Text == text {
				found = true
				if line.Color != want {
					t.Errorf("%q is painted %v in the dark, want %v", text, line.Color, want)
				}
			}
		}
		if !found {
			t.Errorf("%q is not on the screen", text)
		}
	}
}
