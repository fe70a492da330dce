"""Converts a text and a file as programs do that use pdfkit: client.py WKHTMLTOPDF DIRECTORY"""
import base64
import pathlib
import sys

import pdfkit

program, directory = sys.argv[1], pathlib.Path(sys.argv[2])
configuration = pdfkit.configuration(wkhtmltopdf=program)
options = {
    "page-size": "Letter", "margin-top": "0.75in", "encoding": "UTF-8", "custom-header": [("Accept-Encoding", "gzip")],
    "cookie": [("name", "value")], "no-outline": None, "footer-center": "[page]/[topage]",
}
(directory / "style.css").write_text("h1::after { content: ' ÖL' }")
pdfkit.from_string("<h1>Hällo</h1>", str(directory / "text.pdf"), options=options, css=str(directory / "style.css"), configuration=configuration)

pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
(directory / "logo.png").write_bytes(base64.b64decode(pixel))
(directory / "head.html").write_text("<body onload='subst()'>Head <span class='page'></span>/<span class='topage'></span></body>")
(directory / "page.html").write_text(f"<h1>Chapter</h1><img width='40' height='40' src='{(directory / 'logo.png').as_uri()}'>")
pdfkit.from_file(
    str(directory / "page.html"), str(directory / "file.pdf"), configuration=configuration, toc={"toc-header-text": "Contents"},
    options={"quiet": "", "enable-local-file-access": None, "header-html": str(directory / "head.html"), "margin-top": "25mm"},
)
for name in ("cover", "one", "two"):
    (directory / f"{name}.html").write_text(f"<h1 id='top'>{name}</h1><p><a href='#end'>on</a></p><p id='end' style='break-before: page'>end of {name}</p>")
pdfkit.from_file(
    [str(directory / "one.html"), str(directory / "two.html")], str(directory / "all.pdf"), configuration=configuration,
    cover=str(directory / "cover.html"), options={"quiet": "", "footer-center": "[page]/[topage]"},
)
try:
    pdfkit.from_url("http://127.0.0.1:1/", str(directory / "none.pdf"), configuration=configuration)
except OSError as refusal:
    assert "--egress-allow" in str(refusal), refusal
else:
    sys.exit("a private address is converted")
