package main

import "time"

// Two lists whose lengths have no common divisor: their pairs repeat after 713 days.
var harbourNotes = [31]string{
	"The pilot boat is slipped for painting; call the harbour master instead.",
	"Fresh ice from the fish hall until noon.",
	"The crane on the north quay is inspected and stands still.",
	"Children's regatta: keep clear of the orange buoys.",
	"The lifeboat exercises off the western mole in the evening.",
	"Fog signal test at eleven: three long blasts, nothing to worry about.",
	"The ferry to the island takes bicycles free of charge today.",
	"Fuel berth closed while the tank is dipped, about an hour.",
	"The chandler has new charts, and buys old ones by weight.",
	"Seals rest on the outer sands: two hundred metres is near enough.",
	"The dredger works in the fairway; pass it on its green side.",
	"Net-mending on the east pier; visitors may try, and usually regret it.",
	"The tide gauge is cleaned; readings pause for twenty minutes.",
	"Visitors' berths 12 to 18 are kept for the old-timers' rally.",
	"Laundry tokens are sold in the sailmaker's shop.",
	"The lighthouse is open for climbing, 118 steps, hold the rail.",
	"Please do not rinse decks: the reservoir is low.",
	"The swing bridge opens on the hour and not for hooting.",
	"A concert of brass on the pier, wind permitting.",
	"The weather glass in the porch of the chapel may be tapped, gently.",
	"The customs launch lies at the outer steps; papers at the ready.",
	"Mussel beds closed to boots and keels alike.",
	"The school counts jellyfish from the pontoon and needs buckets.",
	"Rope is spliced for beginners in shed 4.",
	"The mail boat leaves half an hour early.",
	"The water tap on pontoon C drips; the washer is ordered.",
	"Terns are nesting on the breakwater: mind your hat.",
	"Sale of lost property: oars, one boot, eleven fenders.",
	"The slipway is scrubbed and will be slippery for a day.",
	"A tall ship is expected on the flood; bring a camera, not a drone.",
	"The harbour office shuts at three for the annual count of ladders.",
}

var galleyNotes = [23]string{
	"In the galley: leek and potato soup, with the last of the winter's bacon.",
	"In the galley: mackerel in oatmeal; the bones go to the gulls.",
	"In the galley: pancakes, for a flat calm.",
	"In the galley: rhubarb crumble, if anyone has sugar.",
	"In the galley: lentils with lemon, because the oven is full of socks.",
	"In the galley: new potatoes, butter, dill, silence.",
	"In the galley: cockles, twice rinsed, once regretted.",
	"In the galley: bean stew from Sunday, improved by waiting.",
	"In the galley: bread. Prove it on the engine casing.",
	"In the galley: tomatoes on toast, until the tomatoes are gone.",
	"In the galley: crab, for those who own a hammer.",
	"In the galley: omelette with whatever the garden sent.",
	"In the galley: smoked herring, windows open.",
	"In the galley: pea soup so thick that the spoon reports for duty.",
	"In the galley: strawberries before they learn to swim.",
	"In the galley: rice with saffron and a story about the saffron.",
	"In the galley: cauliflower cheese, cheese first.",
	"In the galley: plum dumplings, counted by the crew.",
	"In the galley: fish cakes; do not ask which fish.",
	"In the galley: apple tart with a lattice of sailmaker's stitches.",
	"In the galley: mushrooms from the dunes, checked by two people.",
	"In the galley: porridge with honey for the early watch.",
	"In the galley: cold cuts, as the cook is ashore.",
}

func harbourNote(day time.Time) string { return harbourNotes[day.YearDay()%len(harbourNotes)] }

func galleyNote(day time.Time) string { return galleyNotes[day.YearDay()%len(galleyNotes)] }
