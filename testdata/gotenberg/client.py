"""Converts by Gotenberg's routes of a node, as a program does that was written for Gotenberg: client.py ADDRESS KEY."""

import sys
from http import HTTPStatus
from pathlib import Path

from gotenberg_client import GotenbergClient
from gotenberg_client.options import Measurement, MeasurementUnitType, PageMarginsType, PageOrientation, PageSize, PdfAFormat

INDEX = """<!doctype html><html lang="en"><title>Report</title><link rel="stylesheet" href="style.css">
<h1>Report</h1><p id="p">before</p><img src="dot.svg" alt="a dot"><script src="app.js"></script>"""
FILES = {
    "style.css": "h1 { color: rgb(200, 0, 0) }",
    "app.js": "document.getElementById('p').textContent = 'SCRIPTED'; window.ready = true",
    "dot.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle cx="4" cy="4" r="4"/></svg>',
}


def page(route):
    route.string_index(INDEX)
    for name, content in FILES.items():
        route.string_resource(content, name)
    return route


def save(out: Path, name: str, answer, magic: bytes) -> None:
    if not answer.content.startswith(magic):
        sys.exit(f"{name}: {answer.content[:60]!r}")
    (out / name).write_bytes(answer.content)


def main(address: str, key: str, out: Path) -> None:
    with GotenbergClient(f"http://{address}", auth=("anyone", key), backend="requests", http2=False) as client:
        with client.chromium.html_to_pdf() as route:
            page(route).size(PageSize(Measurement(210, MeasurementUnitType.Millimeters), Measurement(297, MeasurementUnitType.Millimeters)))
            route.margins(PageMarginsType(top=Measurement(1), left=Measurement(20, MeasurementUnitType.Millimeters))).orient(PageOrientation.Landscape)
            route.background_graphics().render_expression("window.ready === true").media_type("print").string_footer('<span class="pageNumber"></span>')
            save(out, "html.pdf", route.run(), b"%PDF-")
        with client.chromium.html_to_pdf() as route:
            page(route).pdf_format(PdfAFormat.A2b).generate_document_outline(generate_document_outline=True)
            save(out, "archive.pdf", route.run(), b"%PDF-")
        with client.chromium.markdown_to_pdf() as route:
            route.string_index('<html><body>{{ toHTML "notes.md" }}</body></html>')
            notes = out / "notes.md"
            notes.write_text("<p align=center><b>LOGO</b></p>\n\n# Notes\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
            route.markdown_file(notes)
            save(out, "markdown.pdf", route.run(), b"%PDF-")
        with client.chromium.screenshot_html() as route:
            save(out, "shot.webp", page(route).width(900).height(500).output_format("webp").clip_to_dimensions().run(), b"RIFF")
        with client.chromium.html_to_pdf() as route:
            try:
                page(route).scale(7).run()
                sys.exit("a scale of 7 was accepted")
            except Exception as e:
                status = getattr(getattr(e, "response", None), "status_code", None)
                if status not in (HTTPStatus.BAD_REQUEST, None):
                    sys.exit(f"a scale of 7: {e}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
