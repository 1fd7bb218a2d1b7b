"""Images of items as data URLs: known by content, inside their folder, within limits."""

from __future__ import annotations

import base64
import io
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bacon.errors import InputError
from bacon.words import shown

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["MOST_BYTES", "SIDE", "Picture", "data_url", "read_image", "rgb"]

KINDS = {"JPEG": "jpeg", "PNG": "png", "WEBP": "webp"}

MOST_PIXELS = 50_000_000
"""Images with more pixels are not decoded: small files can hold enormous ones."""

SIDE = 1568
"""Longest side in pixels of an image as sent."""

MOST_BYTES = 4_000_000
"""Most bytes of an image as sent."""

LARGEST_FILE = 64_000_000
QUALITIES = (90, 80, 65, 50)


@dataclass(frozen=True, slots=True)
class Picture:
    """An image as it is sent.

    Parameters
    ----------
    url : str
        Data URL.
    width, height : int
        Size in pixels as sent.
    changed : bool
        Whether it was made smaller, turned upright or written anew to keep within the limits;
        False where the file is sent as it is.
    """

    url: str
    width: int
    height: int
    changed: bool


def read_image(
    name: str | Path, *, folder: str | Path, side: int = SIDE, most_bytes: int = MOST_BYTES
) -> Picture:
    """Return an image file as a data URL.

    Parameters
    ----------
    name : str or Path
        The file, relative to `folder`.
    folder : str or Path
        Folder that the file has to lie in; links that lead out of it are refused.
    side : int
        Longest side in pixels; larger images are made smaller, keeping their shape.
    most_bytes : int
        Most bytes of the image as sent; larger ones are compressed more, then made smaller.

    Raises
    ------
    InputError
        No such file, a file outside the folder, no JPEG, PNG or WebP image by its content (the
        name does not count), a damaged one, or one of more than 50 million pixels.

    Notes
    -----
    A file within the limits is sent unchanged, byte for byte, so that the same file makes the
    same call. Animations show their first frame.
    """
    if side < 1 or most_bytes < 1000:
        raise InputError(
            f"side must be 1 pixel or more and most_bytes 1,000 or more; got {side} and "
            f"{most_bytes}."
        )
    path = _inside(name, folder)
    content = _content(path, name)
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            # Our own limit on pixels follows and is lower.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(content), formats=tuple(KINDS))
            _check_pixels(image, name)
            return _picture(image, content, side=side, most_bytes=most_bytes)
    except Image.DecompressionBombError:
        raise InputError(
            f"image {shown(str(name), 80)!r} has more than {MOST_PIXELS:,} pixels; make it smaller."
        ) from None
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError) as error:
        raise InputError(
            f"image {shown(str(name), 80)!r} cannot be read as JPEG, PNG or WebP "
            f"({shown(str(error), 80)}); convert it, or leave the item out."
        ) from None


def data_url(name: str | Path, *, folder: str | Path) -> str:
    """Return an image file as a data URL, within the usual limits; see `read_image`."""
    return read_image(name, folder=folder).url


def _inside(name: str | Path, folder: str | Path) -> Path:
    """Return the file's real path, refusing one that lies outside the folder."""
    told = shown(str(name), 80)
    try:
        home = Path(folder).resolve(strict=True)
        path = (home / name).resolve()
        inside = path.is_relative_to(home)
        usual = path.is_file()
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(
            f"image {told!r} in folder {shown(str(folder), 80)!r} cannot be opened "
            f"({shown(str(error), 80)}); mend the name or the folder."
        ) from None
    if not inside:
        raise InputError(
            f"image {told!r} lies outside the folder {shown(str(folder), 80)!r}; put it there, or "
            "name the folder that holds all images."
        )
    if not usual:
        raise InputError(
            f"image {told!r}: there is no such file in {shown(str(folder), 80)!r}; mend the name "
            "or the folder."
        )
    return path


def _content(path: Path, name: str | Path) -> bytes:
    """Return the bytes of the file, refusing one that is too large to be an image for a judge."""
    try:
        with path.open("rb") as stream:
            content = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        raise InputError(
            f"image {shown(str(name), 80)!r} cannot be opened ({error.strerror}); change its "
            "rights."
        ) from None
    if len(content) > LARGEST_FILE:
        raise InputError(
            f"image {shown(str(name), 80)!r} is larger than {LARGEST_FILE // 1_000_000} MB; make "
            "it smaller."
        )
    return content


def _check_pixels(image: Image.Image, name: str | Path) -> None:
    """Refuse an image that would take too much memory, before it is decoded."""
    if image.width * image.height > MOST_PIXELS:
        raise InputError(
            f"image {shown(str(name), 80)!r} has {image.width:,} x {image.height:,} pixels, more "
            f"than {MOST_PIXELS:,}; make it smaller."
        )


def _picture(image: Image.Image, content: bytes, *, side: int, most_bytes: int) -> Picture:
    """Return the image as it is sent: the file itself where it is within the limits."""
    from PIL import ImageOps

    kind = image.format or ""
    upright = image.getexif().get(0x0112, 1) in (0, 1)
    fits = max(image.size) <= side and len(content) <= most_bytes
    # Decoding also shows that the file is whole; a JPEG is decoded at a size near the one wanted.
    if kind == "JPEG" and not fits:
        image.draft("RGB", (side, side))
    image.load()
    if fits and upright:
        return Picture(_url(kind, content), image.width, image.height, changed=False)
    plain = rgb(ImageOps.exif_transpose(image))
    plain.thumbnail((side, side))
    while True:
        for written, encoded in _encodings(plain, kind):
            if len(encoded) <= most_bytes:
                return Picture(_url(written, encoded), plain.width, plain.height, changed=True)
        plain = plain.resize((max(plain.width // 2, 1), max(plain.height // 2, 1)))


def _encodings(image: Image.Image, kind: str) -> list[tuple[str, bytes]]:
    """Return the image in ever fewer bytes: without loss where it was, then as JPEG."""
    made = [("PNG", _encoded(image, "PNG"))] if kind == "PNG" else []
    return made + [("JPEG", _encoded(image, "JPEG", quality=quality)) for quality in QUALITIES]


def _encoded(image: Image.Image, kind: str, **options: int) -> bytes:
    stream = io.BytesIO()
    image.save(stream, format=kind, **options)
    return stream.getvalue()


def rgb(image: Image.Image) -> Image.Image:
    """Return the image in plain colours, what is transparent on white."""
    from PIL import Image

    if image.mode.startswith("I") or image.mode == "F":
        # 16 bits a pixel: plain conversion would cut at 255 instead of scaling.
        image = image.convert("F").point(lambda value: value / 257).convert("L")
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(white, image)
    return image.convert("RGB")


def _url(kind: str, content: bytes) -> str:
    return f"data:image/{KINDS[kind]};base64,{base64.b64encode(content).decode('ascii')}"
