"""Images: known by content, kept in their folder and within limits."""

from __future__ import annotations

import base64
import io
import os
import struct
import zlib

import pytest

from bacon.errors import InputError
from bacon.judges.images import MOST_PIXELS, data_url, read_image

Image = pytest.importorskip("PIL.Image")


def written(folder, name, kind, size=(40, 30), mode="RGB", **options):
    image = Image.effect_noise(size, 80).convert(mode)
    image.save(folder / name, format=kind, **options)
    return name


def decoded(url):
    head, body = url.split(",", 1)
    content = base64.b64decode(body, validate=True)
    return head, Image.open(io.BytesIO(content))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_file_within_the_limits_is_sent_byte_for_byte(tmp_path, kind):
    name = written(tmp_path, "shot.bin", kind)
    picture = read_image(name, folder=tmp_path)
    assert picture.url.startswith(f"data:image/{kind.lower()};base64,")
    assert base64.b64decode(picture.url.split(",")[1]) == (tmp_path / name).read_bytes()
    assert (picture.width, picture.height, picture.changed) == (40, 30, False)
    assert data_url(name, folder=tmp_path) == picture.url


def test_the_kind_is_known_by_content_not_by_name(tmp_path):
    written(tmp_path, "shot.jpg", "PNG")
    assert data_url("shot.jpg", folder=tmp_path).startswith("data:image/png;")
    (tmp_path / "page.png").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    with pytest.raises(InputError, match=r"'page\.png' cannot be read as JPEG, PNG or WebP"):
        data_url("page.png", folder=tmp_path)
    written(tmp_path, "anim.png", "GIF")
    with pytest.raises(InputError, match="cannot be read"):
        data_url("anim.png", folder=tmp_path)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize(("size", "sent"), [((400, 100), (200, 50)), ((100, 400), (50, 200))])
def test_large_images_are_made_smaller_and_keep_their_shape(tmp_path, kind, size, sent):
    name = written(tmp_path, "big", kind, size)
    picture = read_image(name, folder=tmp_path, side=200)
    assert (picture.width, picture.height, picture.changed) == (*sent, True)
    assert decoded(picture.url)[1].size == sent
    assert read_image(name, folder=tmp_path, side=200) == picture


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_an_image_of_too_many_bytes_is_compressed_until_it_fits(tmp_path, kind):
    name = written(tmp_path, "big", kind, (300, 300))
    picture = read_image(name, folder=tmp_path, most_bytes=5000)
    assert len(base64.b64decode(picture.url.split(",")[1])) <= 5000
    assert picture.changed
    assert decoded(picture.url)[1].format == "JPEG"


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_every_kind_of_colours_is_sent_in_plain_ones(tmp_path, mode):
    image = Image.new("L", (64, 64), 255).convert("RGBA" if mode == "RGBA" else "L")
    if mode == "I;16":
        image = Image.new("I;16", (64, 64), 65535)
    elif mode != "RGBA":
        image = image.convert(mode)
    image.save(tmp_path / "x", format="PNG")
    picture = read_image("x", folder=tmp_path, side=32)
    small = decoded(picture.url)[1]
    assert small.mode == "RGB"
    assert small.getpixel((5, 5)) == (255, 255, 255)


def test_what_is_transparent_becomes_white(tmp_path):
    Image.new("RGBA", (64, 64), (0, 0, 0, 0)).save(tmp_path / "x", format="PNG")
    picture = read_image("x", folder=tmp_path, side=32)
    assert decoded(picture.url)[1].getpixel((5, 5)) == (255, 255, 255)


def test_a_turned_photograph_is_set_upright_and_loses_its_metadata(tmp_path):
    image = Image.new("RGB", (40, 20), "red")
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010E] = "where it was taken"
    image.save(tmp_path / "x", format="JPEG", exif=exif)
    picture = read_image("x", folder=tmp_path)
    assert (picture.width, picture.height, picture.changed) == (20, 40, True)
    assert len(decoded(picture.url)[1].getexif()) == 0


def test_files_outside_the_folder_are_refused(tmp_path):
    inside = tmp_path / "images"
    inside.mkdir()
    written(tmp_path, "secret.png", "PNG")
    for name in ("../secret.png", str(tmp_path / "secret.png"), "x/../../secret.png"):
        with pytest.raises(InputError, match="lies outside the folder"):
            data_url(name, folder=inside)
    (inside / "link.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(InputError, match="lies outside the folder"):
        data_url("link.png", folder=inside)
    (inside / "sub").mkdir()
    written(inside / "sub", "a.png", "PNG")
    assert data_url("sub/../sub/a.png", folder=inside)
    assert data_url(inside / "sub" / "a.png", folder=inside)


@pytest.mark.parametrize("name", ["none.png", "", ".", "a\x00b", "x" * 5000])
def test_what_is_no_file_is_refused(tmp_path, name):
    with pytest.raises(InputError, match="image"):
        data_url(name, folder=tmp_path)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.png")
    with pytest.raises(InputError, match="no such file"):
        data_url("pipe.png", folder=tmp_path)


def test_a_missing_folder_is_told(tmp_path):
    with pytest.raises(InputError, match="cannot be opened"):
        data_url("a.png", folder=tmp_path / "none")


def bomb(width, height):
    """A PNG of a few bytes that claims to be enormous."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"\x00" * 1000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    "size", [(8000, 8000), (12000, 12000), (60000, 60000), (MOST_PIXELS + 1, 1)]
)
def test_bombs_are_refused_before_they_are_decoded(tmp_path, size):
    (tmp_path / "bomb.png").write_bytes(bomb(*size))
    with pytest.raises(InputError, match="pixels"):
        data_url("bomb.png", folder=tmp_path)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_damaged_files_are_refused(tmp_path, kind):
    name = written(tmp_path, "x", kind, (200, 200))
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match="cannot be read"):
        data_url(name, folder=tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"RIFF\0\0\0\0WEBP", b"GIF89a"]
)
def test_beginnings_of_images_are_refused(tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(InputError, match="cannot be read"):
        data_url("x", folder=tmp_path)


def test_limits_that_are_none_are_refused(tmp_path):
    name = written(tmp_path, "x", "PNG")
    with pytest.raises(InputError, match="side must be"):
        read_image(name, folder=tmp_path, side=0)
    with pytest.raises(InputError, match="most_bytes"):
        read_image(name, folder=tmp_path, most_bytes=10)
