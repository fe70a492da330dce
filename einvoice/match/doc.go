// Package match compares the pages of a hybrid invoice with its XML: a person who reads the page and a program that reads the XML must
// learn the same.
//
// Each term that has a value is looked for in the text that can be seen (package pagetext): amounts, prices, quantities and rates in
// any notation of numbers, dates in any order and in words, names and identifiers by their letters and digits alone. It is found,
// missing, or contradicted. A term is contradicted if
//
//   - a label for it, in one of eight languages, has another value beside it: that of another term, or one that differs in one digit;
//   - the row of its line, or of its VAT rate, has such a value, or a column has one that belongs in another column;
//   - the page has an amount that nothing in the XML explains and that differs from the term's in one digit, and hardly any other
//     unexplained amount;
//   - an IBAN or a VAT identifier on the page differs from it in one character.
//
// Texts are not searched for if their letters are not drawn in order, if they run in two directions, or if they contain tabs: see legible.
//
// The sign of amounts does not count, as pages show allowances and credit notes with or without it, and neither do amounts of zero,
// which pages leave out. VAT categories have no text on pages: their rates and amounts are compared.
package match
