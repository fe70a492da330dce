// Measures the document of a foreign frame.
(document, _, { scrolledIn }) => scrolledIn(document, innerHeight)
