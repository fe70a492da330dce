// Writes the numbers of the pages into the contents; 0 stays open.
(document, numbers) => {
	document.querySelectorAll(".platen-toc-page").forEach((e, i) => { e.textContent = numbers[i] || "" })
}
