package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"hearth/relay/console"
)

// Colours that Fyne has no name for.
const (
	colorSurface fyne.ThemeColorName = "hearthSurface" // panels, rail and header
	colorMuted   fyne.ThemeColorName = "hearthMuted"   // captions, units, times
	colorTint    fyne.ThemeColorName = "hearthTint"    // behind what is selected
	colorAlarm   fyne.ThemeColorName = "hearthAlarm"   // behind a sentence that warns
	colorNone    fyne.ThemeColorName = "hearthNone"    // nothing at all
)

// Sizes in Fyne's device-independent pixels.
const (
	gap       = 16 // between panels, and from a panel's edge to what is in it
	smallGap  = 8  // between things that belong together
	rounding  = 8  // corners of panels
	rowHeight = 36 // a row of a list, without its hairline
	fineRow   = 31 // the same where rows are many: with its hairline 32, see rowList
)

// hearthTheme is warm greys with one accent; green, amber and red are kept for
// meaning. Unless its owner chose, it follows the system's choice between light
// and dark.
type hearthTheme struct{ look console.Theme }

// shade is one colour on light and on dark ground, as 0xRRGGBBAA.
type shade struct{ light, dark uint32 }

// palette keeps text at 4.5:1 or more against the grounds it stands on (WCAG
// 2.2, 1.4.3), and the edges of what can be used at 3:1 (1.4.11).
var palette = map[fyne.ThemeColorName]shade{
	colorSurface: {0xFFFFFFFF, 0x24211EFF},
	colorMuted:   {0x716860FF, 0xA69B8EFF},
	colorTint:    {0xFBEDE5FF, 0x3D2B20FF},
	colorAlarm:   {0xFCEAE8FF, 0x44211DFF},
	colorNone:    {0, 0},

	theme.ColorNameBackground:          {0xF6F4F1FF, 0x1B1917FF},
	theme.ColorNameForeground:          {0x26221DFF, 0xECE6DFFF},
	theme.ColorNamePrimary:             {0xC2541BFF, 0xF08A4BFF},
	theme.ColorNameForegroundOnPrimary: {0xFFFFFFFF, 0x24150CFF},
	theme.ColorNameHyperlink:           {0xC2541BFF, 0xF08A4BFF},
	theme.ColorNameFocus:               {0x26221D66, 0xC33C0099}, // over buttons of every colour
	theme.ColorNameSelection:           {0xC2541B38, 0xF08A4B4D},
	theme.ColorNameHover:               {0x26221D0D, 0xECE6DF12},
	theme.ColorNamePressed:             {0x26221D1F, 0xECE6DF24},
	theme.ColorNameSeparator:           {0xE5E0DAFF, 0x3A352FFF},
	theme.ColorNameButton:              {0xEEEAE4FF, 0x37322CFF},
	theme.ColorNameDisabledButton:      {0xF2EFEBFF, 0x2C2824FF},
	theme.ColorNameDisabled:            {0x8F867CFF, 0x8A8074FF},
	theme.ColorNamePlaceHolder:         {0x716860FF, 0xA69B8EFF},
	theme.ColorNameInputBackground:     {0xFFFFFFFF, 0x1F1C1AFF},
	theme.ColorNameInputBorder:         {0x857B70FF, 0x8A8074FF},
	theme.ColorNameMenuBackground:      {0xFFFFFFFF, 0x2A2622FF},
	theme.ColorNameOverlayBackground:   {0xFFFFFFFF, 0x2A2622FF},
	theme.ColorNameHeaderBackground:    {0xFFFFFFFF, 0x24211EFF},
	theme.ColorNameScrollBar:           {0x26221D59, 0xECE6DF59},
	theme.ColorNameScrollBarBackground: {0, 0},
	theme.ColorNameShadow:              {0x26221D1F, 0x00000040},
	theme.ColorNameError:               {0xB3261EFF, 0xFF8A80FF},
	theme.ColorNameForegroundOnError:   {0xFFFFFFFF, 0x2B0F0CFF},
	theme.ColorNameSuccess:             {0x2E7D4FFF, 0x6CCB92FF},
	theme.ColorNameForegroundOnSuccess: {0xFFFFFFFF, 0x0F2417FF},
	theme.ColorNameWarning:             {0x8A5A00FF, 0xE5B35AFF},
	theme.ColorNameForegroundOnWarning: {0xFFFFFFFF, 0x2B1E05FF},
}

var sizes = map[fyne.ThemeSizeName]float32{
	theme.SizeNameText:               13,
	theme.SizeNameCaptionText:        11,
	theme.SizeNameSubHeadingText:     15,
	theme.SizeNameHeadingText:        18,
	theme.SizeNamePadding:            4,
	theme.SizeNameInnerPadding:       8,
	theme.SizeNameLineSpacing:        3,
	theme.SizeNameSeparatorThickness: 1,
	theme.SizeNameInlineIcon:         16,
	theme.SizeNameInputBorder:        1,
	theme.SizeNameInputRadius:        6,
	theme.SizeNameButtonRadius:       6,
	theme.SizeNameSelectionRadius:    0,
	theme.SizeNameDialogRadius:       rounding,
	theme.SizeNamePopupRadius:        rounding,
	theme.SizeNameScrollBar:          10,
	theme.SizeNameScrollBarSmall:     4,
}

func (t hearthTheme) Color(name fyne.ThemeColorName, variant fyne.ThemeVariant) color.Color {
	switch t.look {
	case console.ThemeLight:
		variant = theme.VariantLight
	case console.ThemeDark:
		variant = theme.VariantDark
	}
	s, ok := palette[name]
	if !ok {
		return theme.DefaultTheme().Color(name, variant)
	}
	v := s.light
	if variant == theme.VariantDark {
		v = s.dark
	}
	return color.NRGBA{R: uint8(v >> 24), G: uint8(v >> 16), B: uint8(v >> 8), A: uint8(v)}
}

func (hearthTheme) Font(style fyne.TextStyle) fyne.Resource {
	return theme.DefaultTheme().Font(style)
}

func (hearthTheme) Icon(name fyne.ThemeIconName) fyne.Resource {
	return theme.DefaultTheme().Icon(name)
}

func (hearthTheme) Size(name fyne.ThemeSizeName) float32 {
	if s, ok := sizes[name]; ok {
		return s
	}
	return theme.DefaultTheme().Size(name)
}

// snug is the theme for lists, whose rows meet at a hairline.
type snug struct{}

func (snug) Color(name fyne.ThemeColorName, variant fyne.ThemeVariant) color.Color {
	if name == theme.ColorNameShadow {
		return color.Transparent // hairlines end a list, not shadows
	}
	// The app's theme knows what its owner chose.
	return fyne.CurrentApp().Settings().Theme().Color(name, variant)
}

func (snug) Font(style fyne.TextStyle) fyne.Resource { return hearthTheme{}.Font(style) }

func (snug) Icon(name fyne.ThemeIconName) fyne.Resource { return hearthTheme{}.Icon(name) }

func (snug) Size(name fyne.ThemeSizeName) float32 {
	switch name {
	case theme.SizeNamePadding:
		return 1 // just the hairline
	case theme.SizeNameInnerPadding:
		return 0
	default:
		return hearthTheme{}.Size(name)
	}
}
