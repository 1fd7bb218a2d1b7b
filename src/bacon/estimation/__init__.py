"""Stage 4a: estimates of pool and population quantities, with intervals."""
