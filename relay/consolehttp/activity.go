package consolehttp

import (
	"time"

	"hearth/relay/console"
)

// Activity is console.Activity in JSON.
type Activity struct {
	Minutes []Minute `json:"minutes"`
	Devices []Device `json:"devices"`
}

// ActivityOf puts activity into its JSON form.
func ActivityOf(a console.Activity) Activity {
	return Activity{mapped(a.Minutes, MinuteOf), mapped(a.Devices, DeviceOf)}
}

// Console returns the activity that a is the JSON form of.
func (a Activity) Console() console.Activity {
	return console.Activity{Minutes: listed(a.Minutes, Minute.Console), Devices: listed(a.Devices, Device.Console)}
}

// Minute is console.Minute in JSON.
type Minute struct {
	Start   time.Time `json:"start"`
	Writes  int       `json:"writes"`
	Entries int       `json:"entries"`
	Bytes   uint64    `json:"bytes"`
	Reads   int       `json:"reads"`
	Refused int       `json:"refused"`
}

// MinuteOf puts a minute into its JSON form.
func MinuteOf(m console.Minute) Minute { return Minute(m) }

// Console returns the minute that m is the JSON form of.
func (m Minute) Console() console.Minute { return console.Minute(m) }

// Device is console.Device in JSON.
type Device struct {
	Client string         `json:"client"`
	Key    string         `json:"key,omitempty"`
	Seen   time.Time      `json:"seen"`
	Action console.Action `json:"action"`
	Stream string         `json:"stream,omitempty"`
	Writes int            `json:"writes"`
	Reads  int            `json:"reads"`
}

// DeviceOf puts a device into its JSON form.
func DeviceOf(d console.Device) Device { return Device(d) }

// Console returns the device that d is the JSON form of.
func (d Device) Console() console.Device { return console.Device(d) }

// EpochStart is console.EpochStart in JSON.
type EpochStart struct {
	Epoch    uint32 `json:"epoch"`
	Position uint64 `json:"position"`
}

// EpochStartOf puts the start of an epoch into its JSON form.
func EpochStartOf(e console.EpochStart) EpochStart { return EpochStart(e) }

// Console returns the start that e is the JSON form of.
func (e EpochStart) Console() console.EpochStart { return console.EpochStart(e) }

// Verdict is console.Verdict in JSON.
type Verdict struct {
	Answer   console.Answer `json:"answer"`
	Position uint64         `json:"position"`
	Identity string         `json:"identity"`
	Head     uint64         `json:"head"`
	Behind   uint64         `json:"behind"`
}

// VerdictOf puts a verdict into its JSON form.
func VerdictOf(v console.Verdict) Verdict { return Verdict(v) }

// Console returns the verdict that v is the JSON form of.
func (v Verdict) Console() console.Verdict { return console.Verdict(v) }
